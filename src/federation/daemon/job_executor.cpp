#include "federation/daemon/job_executor.hpp"

#include <fmt/format.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "batch/job_script.hpp"
#include "batch/pilot_file.hpp"
#include "batch/slurm/slurm_text.hpp"
#include "dovetail/io.hpp"
#include "run/journal.hpp"
#include "run/local/leftovers.hpp"

namespace dovetail::federation {

namespace {

using run::Json;
using run::StepCommand;
using run::StepEnd;

// Unlike that of any other daemon, on any machine; kept with the journal.
std::string token_of(const run::RunFolder& folder) {
  if (std::filesystem::exists(folder.description())) {
    const Json json = Json::parse(read_file(folder.description()), nullptr, false);
    if (json.is_object() && json.contains("token")) return json["token"];
  }
  std::random_device random;
  const std::string token = fmt::format("dovetail-{}-{:08x}", folder.id(), random());
  write_file(folder.description(), Json{{"token", token}}.dump() + "\n");
  return token;
}

Count nodes_of(const StepCommand& command, Count cores_per_node) {
  return (command.processors + cores_per_node - 1) / cores_per_node;
}

Duration request_of(const StepCommand& command) {
  return std::max(time_ceil(command.timeout_seconds), command.expected) + kMinute;
}

}  // namespace

std::string step_script(const StepCommand& command, const SlurmExecutorOptions& options,
                        const std::string& name, const std::string& order_file,
                        const std::string& output_file) {
  std::string text = "#!/bin/sh\n";
  const auto directive = [&](const std::string& line) { text += "#SBATCH --" + line + "\n"; };
  directive("job-name=" + name);
  directive(fmt::format("nodes={}", nodes_of(command, options.cores_per_node)));
  directive(fmt::format("ntasks={}", command.processors));
  // Two months never share a node; post tasks do.
  if (command.processors > 1) directive("exclusive");
  directive("time=" + batch::format_limit(request_of(command)));
  if (!options.partition.empty()) directive("partition=" + options.partition);
  directive("output=" + batch::output_pattern(output_file));
  directive("open-mode=append");
  directive("no-requeue");
  return text + fmt::format("# {}\nexec {} pilot {}\n", command.name,
                            batch::shell_quote(options.program), batch::shell_quote(order_file));
}

SlurmExecutor::SlurmExecutor(run::RunFolder folder, SlurmExecutorOptions options)
    : folder_(std::move(folder)),
      options_(std::move(options)),
      token_(token_of(folder_)),
      // One try for each call: who asks again is this loop.
      client_({.call_seconds = 10, .patience = 0}),
      news_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  worker_ = std::thread([this] { work(); });
}

SlurmExecutor::~SlurmExecutor() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  changed_.notify_all();
  worker_.join();
}

void SlurmExecutor::start(const StepCommand& command) { add(command, Job::State::to_submit); }

void SlurmExecutor::adopt(const StepCommand& command) { add(command, Job::State::uncertain); }

void SlurmExecutor::add(const StepCommand& command, Job::State state) {
  write_files(command);
  const std::lock_guard lock(mutex_);
  jobs_[command.task] = {.command = command, .state = state};
  changed_.notify_all();
}

// What a job finds again, whenever it starts; the same each time.
std::string SlurmExecutor::write_files(const StepCommand& command) const {
  const std::uint32_t number = command.task;
  batch::PilotOrder order{.job_name = name_of(number),
                          .pilot = number,
                          .nodes = nodes_of(command, options_.cores_per_node),
                          .cores_per_node = options_.cores_per_node,
                          .request = request_of(command),
                          .spreads = true};
  order.tasks.push_back({.name = command.name,
                         .command = command,
                         .processors = command.processors,
                         .expected = command.expected});
  const std::string script = batch::script_file(folder_, number);
  batch::write_order(batch::order_file(folder_, number), order);
  write_file(script,
             step_script(command, options_, name_of(number), batch::order_file(folder_, number),
                         batch::output_file(folder_, number)));
  return script;
}

void SlurmExecutor::stop(std::uint32_t number) {
  const std::lock_guard lock(mutex_);
  const auto found = jobs_.find(number);
  if (found == jobs_.end() || found->second.is_stopping) return;
  found->second.is_stopping = true;
  asks_soon_ = true;
  changed_.notify_all();
}

std::vector<StepEnd> SlurmExecutor::ended() {
  const std::lock_guard lock(mutex_);
  std::uint64_t ignored = 0;
  if (read(news_.get(), &ignored, sizeof ignored) < 0) ignored = 0;
  return std::exchange(ends_, {});
}

void SlurmExecutor::work() {
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
        ask_slurm();
      }
      if (std::exchange(is_away_, false)) options_.log("Slurm answers again");
    } catch (const ExecutionError& error) {
      if (!std::exchange(is_away_, true)) {
        options_.log(std::string("Slurm does not answer: ") + error.what());
      }
      next_poll = run::steady_now() + options_.poll;
    }
  }
}

void SlurmExecutor::report(StepEnd end) {
  const std::lock_guard lock(mutex_);
  if (jobs_.erase(end.task) == 0) return;
  ends_.push_back(std::move(end));
  const std::uint64_t one = 1;
  if (write(news_.get(), &one, sizeof one) < 0) return;  // it is readable already
}

std::optional<StepEnd> SlurmExecutor::end_on_disk(std::uint32_t number) const {
  const auto end = run::read_attempt(folder_.attempt(number, 1)).end;
  if (!end) return std::nullopt;
  return StepEnd{.task = number, .attempt = 1, .end = *end};
}

void SlurmExecutor::read_ends() {
  std::vector<std::uint32_t> numbers;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [number, job] : jobs_) numbers.push_back(number);
  }
  for (const std::uint32_t number : numbers) {
    if (auto end = end_on_disk(number)) report(std::move(*end));
  }
}

void SlurmExecutor::submit_some() {
  std::map<std::uint32_t, Job> waiting;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [number, job] : jobs_) {
      if (job.state == Job::State::to_submit) waiting.emplace(number, job);
    }
  }
  for (const auto& [number, job] : waiting) {
    if (job.is_stopping) {
      report({.task = number, .attempt = 1, .end = {.cause = run::AttemptEnd::Cause::stopped}});
    } else {
      submit(number, job.command);
    }
  }
}

void SlurmExecutor::submit(std::uint32_t number, const StepCommand& command) {
  const auto set = [&](Job::State state) {
    const std::lock_guard lock(mutex_);
    const auto found = jobs_.find(number);
    if (found != jobs_.end()) found->second.state = state;
  };
  try {
    set(Job::State::uncertain);
    client_.submit(batch::script_file(folder_, number));
    set(Job::State::submitted);
  } catch (const batch::TooManyJobs&) {
    set(Job::State::to_submit);
  } catch (const batch::Refused& error) {
    options_.log(fmt::format("{}: Slurm refuses the job: {}", command.name, error.what()));
    report({.task = number, .attempt = 1, .end = run::AttemptEnd::not_started(error.what())});
  }
}

void SlurmExecutor::ask_slurm() {
  {
    const std::lock_guard lock(mutex_);
    if (jobs_.empty()) return;
  }
  std::map<std::string, batch::Job> by_name;
  for (batch::Job& job : client_.jobs()) {
    if (job.name.starts_with(token_)) by_name[job.name] = std::move(job);
  }
  std::vector<StepEnd> over;
  std::vector<std::string> unwanted;  // as they are called now: ids are given again to others
  {
    const std::lock_guard lock(mutex_);
    for (auto& [number, job] : jobs_) {
      judge(job, by_name);
      const auto found = by_name.find(name_of(number));
      if (job.is_stopping && found != by_name.end() && !batch::is_over(found->second.state)) {
        unwanted.push_back(found->second.id);
      }
      const bool is_late =
          job.missing_since > 0 && run::steady_now() - job.missing_since > options_.settle;
      if (is_late) over.push_back(end_without_word(job));
    }
  }
  for (StepEnd& end : over) report(std::move(end));
  client_.cancel(unwanted);
}

// What Slurm says about it, when its node has said nothing.
void SlurmExecutor::judge(Job& job, const std::map<std::string, batch::Job>& by_name) {
  if (job.state == Job::State::to_submit) return;
  const std::uint32_t number = job.command.task;
  const auto found = by_name.find(name_of(number));
  if (found != by_name.end()) {
    job.state = Job::State::submitted;
    if (!batch::is_over(found->second.state)) {
      job.missing_since = 0;
      return;
    }
  } else if (job.state == Job::State::uncertain &&
             !run::read_attempt(folder_.attempt(number, 1)).start) {
    job.state = Job::State::to_submit;  // it never arrived
    return;
  }
  if (job.missing_since == 0) job.missing_since = run::steady_now();
}

StepEnd SlurmExecutor::end_without_word(const Job& job) const {
  const std::uint32_t number = job.command.task;
  if (auto end = end_on_disk(number)) return *end;
  // On this machine what the job left behind can be ended; elsewhere that is Slurm's business.
  const auto start = run::read_attempt(folder_.attempt(number, 1)).start;
  if (start) run::end_leftovers(*start);
  if (!job.is_stopping) return StepEnd::lost(number, 1, "its job is gone");
  return {.task = number, .attempt = 1, .end = {.cause = run::AttemptEnd::Cause::stopped}};
}

}  // namespace dovetail::federation
