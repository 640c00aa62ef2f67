#include "run/task_book.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "dovetail/error.hpp"
#include "run/freshness.hpp"
#include "run/local/memory_group.hpp"

namespace dovetail::run {

namespace {

// Before a task is tried again: a second, then twice as long every time, up to a minute.
Duration back_off(std::uint32_t failures) {
  return 1000 * std::min<Duration>(60, Duration{1} << std::min(failures - 1, 6U));
}

}  // namespace

TaskBook::TaskBook(const RunFolder& folder, const Problem& problem, const RunOptions& options,
                   std::function<void(std::string)> on_reason)
    : RunBook(folder, problem, options.folder),
      options_(options),
      on_reason_(std::move(on_reason)),
      dispatcher_(problem, state().processors().value_or(options.processors), options.limit),
      room_(dispatcher_.processors(), options.limit, lease_file(folder.state())),
      memory_group_(options.limits_memory ? delegated_group() : ""),
      monitor_(problem, options.band) {}

void TaskBook::take_over(const std::vector<KeptTask>& kept, Backend& backend) {
  follow_known_plan();
  const bool is_new = open(kept);
  begin_unknown_attempts();
  const Ends ends = adopt_steps(backend);
  for (const std::uint32_t task : tasks_in_order()) take_over(task, ends, backend);
  sync();
  if (!is_new) on_reason_("resumed");
}

// An attempt is written into the journal before it begins. If its file is there and the journal
// does not know it, entries were lost with a damaged disk; what the attempt did is not done again.
void TaskBook::begin_unknown_attempts() {
  for (const auto& [task, attempt] : folder_.attempts()) {
    if (task >= state().tasks().size() || attempt <= status(task).attempt) continue;
    const auto start = read_attempt(folder_.attempt(task, attempt)).start.value_or(AttemptStart{});
    Json entry = start_entry(stamp(), task, attempt, std::max(start.origin.processors, Count{1}));
    entry["definition"] = start.origin.definition;
    if (!start.origin.inputs.empty()) entry["inputs"] = start.origin.inputs;
    write(entry);
  }
}

// Answers how those ended that are over by now.
TaskBook::Ends TaskBook::adopt_steps(Backend& backend) const {
  for (std::uint32_t task = 0; task < state().tasks().size(); ++task) {
    const TaskStatus& status = state().tasks()[task];
    if (status.state != TaskState::running) continue;
    backend.adopt(command_of(task, status));
  }
  Ends ends;
  for (StepEnd& end : backend.ended()) ends.emplace(end.task, std::move(end));
  return ends;
}

bool TaskBook::is_planned(std::size_t task) const {
  if (task >= state().plan().size() || state().plan()[task].procs == 0) return false;
  const TaskRef ref = problem_.task_at(task);
  return problem_.time(ref.workflow, ref.task, 0).allows(state().plan()[task].procs);
}

// As far as it is still possible.
void TaskBook::follow_known_plan() {
  std::vector<planning::Slot> slots = state().plan();
  for (std::size_t task = 0; task < slots.size(); ++task) {
    if (!is_planned(task)) slots[task] = {};
  }
  dispatcher_.follow(slots);
}

void TaskBook::take_over(std::uint32_t task, const Ends& ends, Backend& backend) {
  const TaskStatus& now = status(task);
  const bool waits_after_failure = now.state == TaskState::waiting && now.failures > 0;
  if (now.state == TaskState::running) take_over_attempt(task, ends, backend);
  if (now.state == TaskState::failed || waits_after_failure) take_over_failure(task);
  if (now.state != TaskState::done) return;
  if (const std::string why = revision().why_again(task); !why.empty()) {
    renew(task, why);
  } else {
    dispatcher_.adopt_success(task);
  }
}

void TaskBook::take_over_attempt(std::uint32_t task, const Ends& ends, Backend& backend) {
  const TaskStatus& begun = status(task);
  dispatcher_.adopt_running(task, begun.processors, begun.started);
  const auto over = ends.find(task);
  if (over != ends.end()) {
    dispatcher_.retry(task);
    return over->second.is_lost ? write_lost(task) : write_end(task, over->second.end);
  }
  room_.take_these(begun.cores, begun.gpus);
  monitor_.started(task, begun.started, begun.processors, dispatcher_.length_of(task));
  const bool is_stale = revision().has_changed(task) || !revision().why_inputs_change(task).empty();
  if (is_stale) stale_.insert(task);
  if (is_stale) backend.stop(task);
}

void TaskBook::take_over_failure(std::uint32_t task) {
  if (options_.renews_failures) return renew(task, "resumed");
  const TaskStatus& now = status(task);
  dispatcher_.adopt_running(task, now.processors, now.started);
  now.state == TaskState::failed ? fail(task) : dispatcher_.retry(task, now.not_before);
}

void TaskBook::renew(std::uint32_t task, const std::string& why) {
  // What only follows from that is not worth a word.
  const bool is_news =
      state().tasks()[task].state == TaskState::done && revision().why_inputs_change(task).empty();
  ask_again(task, why);
  if (is_news && options_.again) options_.again(task, why);
}

std::vector<StepCommand> TaskBook::start() {
  std::vector<StepCommand> commands;
  for (;;) {
    if (dispatcher_.needs_room()) {
      dispatcher_.set_held_by_others(room_.held_by_others(dispatcher_.room_in_use()));
    }
    for (const std::size_t task : dispatcher_.start(now())) {
      const auto number = static_cast<std::uint32_t>(task);
      const bool must_read = !revision().execution(number).inputs.empty();
      must_read ? to_read_.push_back(number) : prepare(number, commands);
    }
    // Other tasks do not wait while the inputs of one are read.
    if (!commands.empty() || to_read_.empty()) return commands;
    const std::uint32_t next = to_read_.front();
    to_read_.pop_front();
    prepare(next, commands);
    if (state().count(TaskState::failed) > 0 && !options_.keep_going) {
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
  const TaskStatus& before = status(task);
  return !inputs.empty() && before.has_succeeded && before.inputs == inputs &&
         !revision().has_changed(task) &&
         !missing_output(revision().execution(task), revision().directory(task));
}

// Those that need not or cannot be run are over.
void TaskBook::prepare(std::uint32_t task, std::vector<StepCommand>& commands) {
  const std::uint32_t attempt = status(task).attempt + 1;
  const Count procs = dispatcher_.processors_of(task);
  const TaskExecution& how = revision().execution(task);
  Json entry = start_entry(stamp(), task, attempt, procs);
  entry["definition"] = revision().definition(task);
  try {
    const std::string inputs = digest_of_inputs(how, revision().directory(task));
    if (is_kept(task, inputs)) return leave_out(task);
    if (!inputs.empty()) entry["inputs"] = inputs;
    if (!how.directory.empty()) std::filesystem::create_directories(revision().directory(task));
  } catch (const std::exception& error) {
    write(entry);
    return end(task, AttemptEnd::not_started(error.what()));
  }
  const auto share = room_.take(procs, dispatcher_.room_of(task));
  warn_without_leases();
  // Another run was faster.
  if (!share) return dispatcher_.retry(task, now() + kLookAgain);
  if (!share->cores.empty()) entry["cores"] = share->cores;
  if (!share->gpus.empty()) entry["gpus"] = share->gpus;
  write(entry);
  monitor_.started(task, now(), procs, dispatcher_.length_of(task));
  commands.push_back(command_of(task, status(task)));
  commands.back().lease = share->lease;
  commands.back().syncs = options_.syncs;
  if (!options_.limits_memory) return;
  commands.back().memory_limit = dispatcher_.room_of(task).memory;
  commands.back().memory_group = memory_group_;
}

void TaskBook::warn_without_leases() {
  if (has_warned_ || room_.trouble().empty() || !options_.warned) return;
  has_warned_ = true;
  options_.warned(lease_file(folder_.state()) + ": cannot be used: " + room_.trouble() +
                  "; several runs at once may use the same cores, memory and GPUs");
}

void TaskBook::give_back_room(std::uint32_t task) {
  room_.give_back(status(task).cores, status(task).gpus);
}

void TaskBook::leave_out(std::uint32_t task) {
  keep(task, status(task).inputs, status(task).definition);
  dispatcher_.end(task, true);
  if (options_.ended) options_.ended(task, state());
}

void TaskBook::end(const StepEnd& step) {
  step.is_lost ? lose(step.task) : end(step.task, step.end);
}

void TaskBook::end(std::uint32_t task, const AttemptEnd& how) {
  give_back_room(task);
  write_end(task, how);
  if (stale_.erase(task) > 0) {
    renew(task, "what it was begun with has changed");
    monitor_.stopped(task);
    dispatcher_.retry(task);
  } else if (status(task).state == TaskState::done) {
    dispatcher_.end(task, true);
    const auto reason = monitor_.ended(task, std::llround(how.seconds * 1000));
    if (reason) on_reason_(*reason);
  } else {
    monitor_.stopped(task);
    fail(task);
  }
  if (options_.ended) options_.ended(task, state());
}

void TaskBook::fail(std::uint32_t task) {
  if (status(task).state != TaskState::failed) return dispatcher_.retry(task);  // it was stopped
  const bool others_failed = !options_.keep_going && state().count(TaskState::failed) > 1;
  if (!may_retry(task) || others_failed || state().is_stopping()) {
    dispatcher_.end(task, false);
    return on_reason_(problem_.task_name(task) + " failed");
  }
  const Time not_before = now() + back_off(status(task).failures);
  retry(task, not_before);
  dispatcher_.retry(task, not_before);
  on_reason_(problem_.task_name(task) + " failed and is tried again");
}

void TaskBook::lose(std::uint32_t task) {
  if (is_lost_too_often(task)) {
    return end(task, AttemptEnd::not_started("its supervisor was killed again and again"));
  }
  stale_.erase(task);
  give_back_room(task);
  write_lost(task);
  if (options_.again) options_.again(task, "its supervisor was killed");
  monitor_.stopped(task);
  dispatcher_.retry(task);
  on_reason_(problem_.task_name(task) + " was lost");
}

void TaskBook::follow(const Evaluation& decision, const std::string& algorithm,
                      const std::vector<planning::Slot>& slots) {
  // Only what is new: plans may be large.
  std::vector<planning::Slot> news = slots;
  for (std::size_t task = 0; task < news.size(); ++task) {
    const bool is_known = task < state().plan().size() && news[task] == state().plan()[task];
    const bool waits = state().tasks()[task].state == TaskState::waiting;
    if (is_known || !waits) news[task] = {};
  }
  write(plan_entry(stamp(), decision, algorithm, news));
  dispatcher_.follow(slots);
  if (options_.decided) options_.decided(state().decisions().back());
}

void TaskBook::look_for_late_tasks() {
  for (const Monitor::Late& late : monitor_.late(now())) {
    dispatcher_.expect(late.task, late.end);
    on_reason_(late.reason);
  }
}

void TaskBook::set_stopping() {
  if (!state().is_stopping()) note("stopping");
}

void TaskBook::set_processors(Count processors) {
  write(resources_entry(stamp(), processors));
  dispatcher_.set_processors(processors);
  room_.set_processors(processors);
}

}  // namespace dovetail::run
