#include "run/task_book.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "dovetail/error.hpp"
#include "run/freshness.hpp"
#include "run/local/task_command.hpp"
#include "run/run_picture.hpp"

namespace dovetail::run {

namespace {

// Before a task is tried again: a second, then twice as long every time, up to a minute.
Duration back_off(std::uint32_t failures) {
  return 1000 * std::min<Duration>(60, Duration{1} << std::min(failures - 1, 6U));
}

}  // namespace

TaskBook::TaskBook(const RunFolder& folder, const Problem& problem, const RunOptions& options,
                   std::function<void(std::string)> on_reason)
    : folder_(folder),
      problem_(problem),
      options_(options),
      on_reason_(std::move(on_reason)),
      journal_(folder.journal()),
      state_(read_run_state(folder.journal(), problem.task_count())),
      clock_(state_.last()),
      dispatcher_(problem, state_.processors().value_or(options.processors)),
      cores_(dispatcher_.processors()),
      monitor_(problem, options.band),
      revision_(problem, state_, options.folder) {}

void TaskBook::write(const Json& entry) {
  journal_.add(entry);
  state_.apply(entry);
}

void TaskBook::take_over(const std::vector<KeptTask>& kept, Backend& backend) {
  const bool is_new = !state_.has_begun();
  note(is_new ? "begin" : "resume");
  follow_known_plan();
  if (is_new) {
    for (const KeptTask& task : kept) {
      write(kept_entry(clock_.stamp(), task.task, task.inputs, revision_.definition(task.task)));
    }
  }
  const Ends ends = adopt_steps(backend);
  // In an order in which predecessors come first.
  for (std::uint32_t w = 0; w < problem_.workflows().size(); ++w) {
    for (const TaskId id : problem_.workflows()[w].topological_order()) {
      take_over(static_cast<std::uint32_t>(problem_.number_of({w, id})), ends, backend);
    }
  }
  sync();
  if (!is_new) on_reason_("resumed");
}

// Answers how those ended that are over by now.
TaskBook::Ends TaskBook::adopt_steps(Backend& backend) const {
  for (std::uint32_t task = 0; task < state_.tasks().size(); ++task) {
    const TaskStatus& status = state_.tasks()[task];
    if (status.state != TaskState::running) continue;
    backend.adopt(command_of(folder_, problem_, options_.folder, task, status));
  }
  Ends ends;
  for (StepEnd& end : backend.ended()) ends.emplace(end.task, std::move(end));
  return ends;
}

// As far as it is still possible.
void TaskBook::follow_known_plan() {
  std::vector<Slot> slots = state_.plan();
  for (std::size_t task = 0; task < slots.size(); ++task) {
    if (!is_planned(problem_, state_, task)) slots[task] = {};
  }
  dispatcher_.follow(slots);
}

void TaskBook::take_over(std::uint32_t task, const Ends& ends, Backend& backend) {
  const TaskStatus& status = state_.tasks()[task];
  const bool waits_after_failure = status.state == TaskState::waiting && status.failures > 0;
  if (status.state == TaskState::running) take_over_attempt(task, ends, backend);
  if (status.state == TaskState::failed || waits_after_failure) ask_again(task, "resumed");
  if (status.state != TaskState::done) return;
  if (const std::string why = revision_.why_again(task); !why.empty()) {
    ask_again(task, why);
  } else {
    dispatcher_.adopt_success(task);
  }
}

void TaskBook::take_over_attempt(std::uint32_t task, const Ends& ends, Backend& backend) {
  const TaskStatus& status = state_.tasks()[task];
  dispatcher_.adopt_running(task, status.processors, status.started);
  const auto over = ends.find(task);
  if (over != ends.end()) {
    dispatcher_.retry(task);
    if (!over->second.is_lost) return write_end(task, status.attempt, over->second.end);
    return write(lost_entry(clock_.stamp(), task, status.attempt));
  }
  cores_.take_these(status.cores);
  monitor_.started(task, status.started, status.processors, dispatcher_.length_of(task));
  const bool is_stale = revision_.has_changed(task) || !revision_.why_inputs_change(task).empty();
  if (is_stale) stale_.insert(task);
  if (is_stale) backend.stop(task);
}

void TaskBook::ask_again(std::uint32_t task, const std::string& why) {
  // What only follows from that is not worth a word.
  const bool is_news =
      state_.tasks()[task].state == TaskState::done && revision_.why_inputs_change(task).empty();
  write(again_entry(clock_.stamp(), task, why));
  if (is_news && options_.again) options_.again(task, why);
}

std::vector<StepCommand> TaskBook::start() {
  std::vector<StepCommand> commands;
  for (;;) {
    for (const std::size_t task : dispatcher_.start(now())) {
      const auto number = static_cast<std::uint32_t>(task);
      const bool must_read = !revision_.execution(number).inputs.empty();
      must_read ? to_read_.push_back(number) : prepare(number, commands);
    }
    // Nobody else waits while what a task reads is looked at.
    if (!commands.empty() || to_read_.empty()) return commands;
    const std::uint32_t next = to_read_.front();
    to_read_.pop_front();
    prepare(next, commands);
    if (state_.count(TaskState::failed) > 0 && !options_.keep_going) {
      put_back();
      return commands;
    }
  }
}

void TaskBook::put_back() {
  for (const std::uint32_t task : to_read_) dispatcher_.retry(task);
  to_read_.clear();
}

// Whether it was done with these inputs, and nothing speaks against leaving it out.
bool TaskBook::is_kept(std::uint32_t task, const std::string& inputs) const {
  const TaskStatus& status = state_.tasks()[task];
  return !inputs.empty() && status.has_succeeded && status.inputs == inputs &&
         !revision_.has_changed(task) &&
         !missing_output(revision_.execution(task), revision_.directory(task));
}

// Those that need not or cannot be run are over.
void TaskBook::prepare(std::uint32_t task, std::vector<StepCommand>& commands) {
  const TaskStatus& status = state_.tasks()[task];
  const std::uint32_t attempt = status.attempt + 1;
  const Count procs = dispatcher_.processors_of(task);
  const TaskExecution& how = revision_.execution(task);
  Json entry = start_entry(clock_.stamp(), task, attempt, procs);
  entry["definition"] = revision_.definition(task);
  try {
    const std::string inputs = digest_of_inputs(how, revision_.directory(task));
    if (is_kept(task, inputs)) return keep(task);
    if (!inputs.empty()) entry["inputs"] = inputs;
    if (!how.directory.empty()) std::filesystem::create_directories(revision_.directory(task));
  } catch (const std::exception& error) {
    write(entry);
    return end(task, attempt, AttemptEnd::not_started(error.what()));
  }
  const std::vector<int> cores = cores_.take(procs);
  if (!cores.empty()) entry["cores"] = cores;
  write(entry);
  monitor_.started(task, now(), procs, dispatcher_.length_of(task));
  commands.push_back(command_of(folder_, problem_, options_.folder, task, status));
}

void TaskBook::keep(std::uint32_t task) {
  const TaskStatus& status = state_.tasks()[task];
  write(kept_entry(clock_.stamp(), task, status.inputs, status.definition));
  dispatcher_.end(task, true);
  if (options_.ended) options_.ended(task, state_);
}

void TaskBook::write_end(std::uint32_t task, std::uint32_t attempt, const AttemptEnd& how) {
  write(end_entry(clock_.stamp(), task, attempt, how, revision_.missing_output_after(task, how)));
}

void TaskBook::end(std::uint32_t task, std::uint32_t attempt, const AttemptEnd& how) {
  const TaskStatus& status = state_.tasks()[task];
  cores_.give_back(status.cores);
  write_end(task, attempt, how);
  if (stale_.erase(task) > 0) {
    ask_again(task, "what it was begun with has changed");
    monitor_.stopped(task);
    dispatcher_.retry(task);
  } else if (status.state == TaskState::done) {
    dispatcher_.end(task, true);
    const auto reason = monitor_.ended(task, std::llround(how.seconds * 1000));
    if (reason) on_reason_(*reason);
  } else {
    monitor_.stopped(task);
    fail(task);
  }
  if (options_.ended) options_.ended(task, state_);
}

void TaskBook::fail(std::uint32_t task) {
  const TaskStatus& status = state_.tasks()[task];
  if (status.state != TaskState::failed) return dispatcher_.retry(task);  // it was stopped
  const bool others_failed = !options_.keep_going && state_.count(TaskState::failed) > 1;
  if (status.failures > revision_.execution(task).retries || others_failed ||
      state_.is_stopping()) {
    dispatcher_.end(task, false);
    return on_reason_(problem_.task_name(task) + " failed");
  }
  const Time not_before = now() + back_off(status.failures);
  write(retry_entry(clock_.stamp(), task, not_before));
  dispatcher_.retry(task, not_before);
  on_reason_(problem_.task_name(task) + " failed and is tried again");
}

void TaskBook::lose(std::uint32_t task) {
  // Once or twice that may happen to any task; then it is the task's doing.
  constexpr std::uint32_t kLosses = 2;
  const TaskStatus& status = state_.tasks()[task];
  if (status.losses >= kLosses) {
    return end(task, status.attempt,
               AttemptEnd::not_started("its supervisor was killed again and again"));
  }
  stale_.erase(task);
  cores_.give_back(status.cores);
  write(lost_entry(clock_.stamp(), task, status.attempt));
  if (options_.again) options_.again(task, "its supervisor was killed");
  monitor_.stopped(task);
  dispatcher_.retry(task);
  on_reason_(problem_.task_name(task) + " was lost");
}

void TaskBook::follow(const Evaluation& decision, const std::string& algorithm,
                      const std::vector<Slot>& slots) {
  // Only what is new: plans may be large.
  std::vector<Slot> news = slots;
  for (std::size_t task = 0; task < news.size(); ++task) {
    const bool is_known = task < state_.plan().size() && news[task] == state_.plan()[task];
    const bool waits = state_.tasks()[task].state == TaskState::waiting;
    if (is_known || !waits) news[task] = {};
  }
  write(plan_entry(clock_.stamp(), decision, algorithm, news));
  dispatcher_.follow(slots);
  if (options_.decided) options_.decided(state_.decisions().back());
}

void TaskBook::look_for_late_tasks() {
  for (const Monitor::Late& late : monitor_.late(now())) {
    dispatcher_.expect(late.task, late.end);
    on_reason_(late.reason);
  }
}

void TaskBook::set_stopping() {
  if (!state_.is_stopping()) note("stopping");
}

void TaskBook::set_processors(Count processors) {
  write(resources_entry(clock_.stamp(), processors));
  dispatcher_.set_processors(processors);
  cores_.set_processors(processors);
}

}  // namespace dovetail::run
