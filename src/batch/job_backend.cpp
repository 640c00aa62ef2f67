#include "batch/job_backend.hpp"

#include <fmt/format.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "batch/job_script.hpp"
#include "batch/pilot/pilot_file.hpp"
#include "dovetail/io.hpp"
#include "run/journal_file.hpp"
#include "run/local/killed_supervisor.hpp"

namespace dovetail::batch {

namespace {

using run::AttemptEnd;
using run::Json;
using run::StepCommand;
using run::StepEnd;

// Kept in the folder, so that a later process finds the jobs.
std::string token_of(const run::RunFolder& folder) {
  if (std::filesystem::exists(folder.description())) {
    const Json json = Json::parse(read_file(folder.description()), nullptr, false);
    if (json.is_object() && json.contains("token")) return json["token"];
  }
  const std::string token = "dovetail-" + job_token(folder.id());
  write_file(folder.description(), Json{{"token", token}}.dump() + "\n");
  return token;
}

bool has_begun(const StepCommand& command) {
  return run::read_attempt(command.attempt_file).start.has_value();
}

}  // namespace

JobBackend::JobBackend(run::RunFolder folder, std::unique_ptr<BatchSystem> system,
                       JobBackendOptions options)
    : folder_(std::move(folder)),
      options_(std::move(options)),
      token_(token_of(folder_)),
      system_(std::move(system)),
      news_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  worker_ = std::thread([this] { work(); });
}

JobBackend::~JobBackend() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  changed_.notify_all();
  worker_.join();
}

void JobBackend::start(const StepCommand& command) { add(command, JobStep::State::to_submit); }

void JobBackend::adopt(const StepCommand& command) { add(command, JobStep::State::uncertain); }

void JobBackend::add(const StepCommand& command, JobStep::State state) {
  write_files(command);
  const std::lock_guard lock(mutex_);
  steps_[command.task] = {.command = command, .state = state};
  changed_.notify_all();
}

// The same each time: a job may start late, and read them then.
void JobBackend::write_files(const StepCommand& command) const {
  const std::uint32_t number = command.task;
  const Count cores = options_.cores_per_node;
  const Duration length = std::max(time_ceil(command.timeout_seconds), command.expected);
  const PilotOrder order{.job_name = name_of(number),
                         .pilot = number,
                         .nodes = (command.processors + cores - 1) / cores,
                         .node = {.cores = cores},
                         .request = length + kMinute,
                         .spreads = true,
                         .tasks = {{.command = command, .demand = whole_node({.cores = cores})}}};
  // Two months never share a node; post tasks do.
  const JobPlace place{.partition = options_.partition, .shares_nodes = command.processors == 1};
  write_job_files(folder_, *system_, order, place, options_.program);
}

void JobBackend::stop(std::uint32_t task) {
  const std::lock_guard lock(mutex_);
  const auto found = steps_.find(task);
  if (found == steps_.end() || found->second.is_stopping) return;
  found->second.is_stopping = true;
  asks_soon_ = true;
  changed_.notify_all();
}

std::vector<StepEnd> JobBackend::ended() {
  const std::lock_guard lock(mutex_);
  std::uint64_t ignored = 0;
  if (read(news_.get(), &ignored, sizeof ignored) < 0) ignored = 0;
  return std::exchange(ends_, {});
}

void JobBackend::work() {
  Time next_poll = 0;
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait_for(lock, std::chrono::milliseconds(options_.look));
      if (is_over_) return;
      if (std::exchange(asks_soon_, false)) next_poll = 0;
    }
    read_ends();
    try {
      submit_some();
      if (run::steady_now() >= next_poll) {
        next_poll = run::steady_now() + options_.poll;
        ask_system();
        if (tracker_.misses_some()) next_poll = std::min(next_poll, run::steady_now() + kLookAgain);
      }
      if (std::exchange(is_away_, false)) {
        options_.log(fmt::format("{} answers again", system_->title()));
      }
    } catch (const ExecutionError& error) {
      if (!std::exchange(is_away_, true)) {
        options_.log(fmt::format("{} does not answer: {}", system_->title(), error.what()));
      }
      next_poll = run::steady_now() + options_.poll;
    }
  }
}

void JobBackend::report(StepEnd end) {
  const std::lock_guard lock(mutex_);
  if (steps_.erase(end.task) == 0) return;
  ends_.push_back(std::move(end));
  const std::uint64_t one = 1;
  if (write(news_.get(), &one, sizeof one) < 0) return;  // it is readable already
}

std::vector<JobBackend::JobStep> JobBackend::steps() {
  const std::lock_guard lock(mutex_);
  std::vector<JobStep> steps;
  for (const auto& [task, step] : steps_) steps.push_back(step);
  return steps;
}

std::optional<StepEnd> JobBackend::end_on_disk(const JobStep& step) {
  const auto end = run::read_attempt(step.command.attempt_file).end;
  return end ? std::optional(step.ended(*end)) : std::nullopt;
}

void JobBackend::read_ends() {
  for (const JobStep& step : steps()) {
    if (auto end = end_on_disk(step)) report(std::move(*end));
  }
}

void JobBackend::submit_some() {
  for (const JobStep& step : steps()) {
    if (step.state != JobStep::State::to_submit) continue;
    if (step.is_stopping) {
      report(step.ended({.cause = AttemptEnd::Cause::stopped}));
    } else {
      submit(step);
    }
  }
}

void JobBackend::submit(const JobStep& step) {
  const std::uint32_t task = step.command.task;
  const auto set = [&](JobStep::State state) {
    const std::lock_guard lock(mutex_);
    const auto found = steps_.find(task);
    if (found == steps_.end()) return;
    found->second.state = state;
    found->second.tried = run::wall_now();
  };
  try {
    set(JobStep::State::uncertain);
    system_->submit(script_file(folder_, task));
    set(JobStep::State::submitted);
  } catch (const TooManyJobs&) {
    set(JobStep::State::to_submit);
  } catch (const Refused& error) {
    options_.log(fmt::format("{}: {} refuses the job: {}", step.command.name, system_->title(),
                             error.what()));
    report(step.ended(AttemptEnd::not_started(error.what())));
  }
}

std::vector<ExpectedJob> JobBackend::expected_jobs() {
  std::vector<ExpectedJob> expected;
  for (const JobStep& step : steps()) {
    if (step.state == JobStep::State::to_submit) continue;
    expected.push_back({.number = step.command.task,
                        .name = name_of(step.command.task),
                        .is_certain = step.state == JobStep::State::submitted,
                        .tried = step.tried});
  }
  return expected;
}

void JobBackend::ask_system() {
  const std::vector<ExpectedJob> expected = expected_jobs();
  if (expected.empty()) return;
  const std::vector<JobNews> news = tracker_.compare(expected, system_->jobs());
  std::vector<StepEnd> over;
  std::vector<std::string> unwanted;  // by their ids now, as ids may be given again
  {
    const std::lock_guard lock(mutex_);
    for (const JobNews& one : news) {
      const auto found = steps_.find(one.number);
      if (found == steps_.end()) continue;
      JobStep& step = found->second;
      if (is_at_end(step, one)) over.push_back(end_without_word(step));
      const bool is_there = !one.job.id.empty() && !is_over(one.job.state);
      if (step.is_stopping && is_there) unwanted.push_back(one.job.id);
    }
  }
  for (StepEnd& end : over) report(std::move(end));
  system_->cancel(unwanted);
}

// Whether the step is over by what the system says, although its node has said nothing.
bool JobBackend::is_at_end(JobStep& step, const JobNews& news) const {
  if (news.what == JobNews::What::gone) {
    if (step.state == JobStep::State::submitted || has_begun(step.command)) return true;
    step.state = JobStep::State::to_submit;  // it never arrived
    return false;
  }
  step.state = JobStep::State::submitted;
  if (news.what != JobNews::What::over) {
    step.over_since = 0;
    return false;
  }
  if (step.over_since == 0) step.over_since = run::steady_now();
  return run::steady_now() - step.over_since > options_.settle;
}

StepEnd JobBackend::end_without_word(const JobStep& step) {
  if (auto end = end_on_disk(step)) return *end;
  // What the job left behind on this machine can be ended; the batch system sees to the others.
  const auto start = run::read_attempt(step.command.attempt_file).start;
  if (start) run::end_leftovers(*start);
  if (step.is_stopping) return step.ended({.cause = AttemptEnd::Cause::stopped});
  return StepEnd::lost(step.command.task, step.command.attempt, "its job is gone");
}

}  // namespace dovetail::batch
