#include "exec/task_book.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "dovetail/error.hpp"
#include "exec/freshness.hpp"
#include "exec/leftovers.hpp"
#include "exec/run_picture.hpp"
#include "exec/task_command.hpp"

namespace dovetail::exec {

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
      monitor_(problem, options.band) {}

void TaskBook::write(const Json& entry) {
  journal_.add(entry);
  state_.apply(entry);
}

const TaskExecution& TaskBook::execution(std::uint32_t task) const {
  const TaskRef ref = problem_.task_at(task);
  return problem_.workflows()[ref.workflow].execution(ref.task);
}

std::string TaskBook::definition(std::uint32_t task) const {
  const TaskRef ref = problem_.task_at(task);
  return definition_of(problem_.workflows()[ref.workflow], ref.task);
}

std::string TaskBook::directory(std::uint32_t task) const {
  return directory_of(execution(task), options_.folder);
}

std::map<std::uint32_t, Adopted> TaskBook::take_over(const std::vector<KeptTask>& kept) {
  const bool is_new = !state_.has_begun();
  note(is_new ? "begin" : "resume");
  follow_known_plan();
  if (is_new) {
    for (const KeptTask& task : kept) {
      write(kept_entry(clock_.stamp(), task.task, task.inputs, definition(task.task)));
    }
  }
  std::map<std::uint32_t, Adopted> adopted;
  // In an order in which predecessors come first.
  for (std::uint32_t w = 0; w < problem_.workflows().size(); ++w) {
    for (const TaskId id : problem_.workflows()[w].topological_order()) {
      take_over(static_cast<std::uint32_t>(problem_.number_of({w, id})), adopted);
    }
  }
  sync();
  if (!is_new) on_reason_("resumed");
  return adopted;
}

// As far as it is still possible.
void TaskBook::follow_known_plan() {
  std::vector<Slot> slots = state_.plan();
  for (std::size_t task = 0; task < slots.size(); ++task) {
    if (!is_planned(problem_, state_, task)) slots[task] = {};
  }
  dispatcher_.follow(slots);
}

void TaskBook::take_over(std::uint32_t task, std::map<std::uint32_t, Adopted>& adopted) {
  const TaskStatus& status = state_.tasks()[task];
  const bool waits_after_failure = status.state == TaskState::waiting && status.failures > 0;
  if (status.state == TaskState::running) take_over_attempt(task, adopted);
  if (status.state == TaskState::failed || waits_after_failure) ask_again(task, "resumed");
  if (status.state != TaskState::done) return;
  if (const std::string why = why_again(task); !why.empty()) {
    ask_again(task, why);
  } else {
    dispatcher_.adopt_success(task);
  }
}

void TaskBook::take_over_attempt(std::uint32_t task, std::map<std::uint32_t, Adopted>& adopted) {
  const TaskStatus& status = state_.tasks()[task];
  dispatcher_.adopt_running(task, status.processors, status.started);
  const std::string file = folder_.attempt(task, status.attempt);
  Attempt attempt = read_attempt(file);
  auto supervisor = Adopted::watch(attempt);
  // It may have written the end since we looked.
  if (!attempt.end && !supervisor) attempt = read_attempt(file);
  if (!attempt.end && supervisor) {
    cores_.take_these(status.cores);
    monitor_.started(task, status.started, status.processors, dispatcher_.length_of(task));
    adopted.emplace(task, std::move(*supervisor));
    const bool is_stale = has_changed(task) || !why_inputs_change(task).empty();
    if (is_stale) stale_.insert(task);
    if (is_stale) stop_task(task);
    return;
  }
  dispatcher_.retry(task);
  if (attempt.end) return write_end(task, status.attempt, *attempt.end);
  if (attempt.start) end_leftovers(*attempt.start);
  write(lost_entry(clock_.stamp(), task, status.attempt));
}

void TaskBook::ask_again(std::uint32_t task, const std::string& why) {
  write(again_entry(clock_.stamp(), task, why));
}

// Why a task that is done has to be run again; empty: it has not. One that says what it reads is
// looked at again when it could start: perhaps that is the same then.
std::string TaskBook::why_again(std::uint32_t task) const {
  if (has_changed(task)) return "it changed";
  const std::string why = why_inputs_change(task);
  if (!why.empty()) return why;
  return is_fresh(task) ? "" : "its inputs or outputs changed";
}

std::string TaskBook::why_inputs_change(std::uint32_t task) const {
  const TaskRef ref = problem_.task_at(task);
  const Workflow& workflow = problem_.workflows()[ref.workflow];
  for (const TaskId before : workflow.predecessors(ref.task)) {
    const std::size_t number = problem_.number_of({ref.workflow, before});
    if (state_.tasks()[number].state != TaskState::done) {
      return problem_.task_name(number) + " is run again";
    }
  }
  return {};
}

bool TaskBook::is_fresh(std::uint32_t task) const {
  return is_up_to_date(execution(task), directory(task), state_.tasks()[task].inputs);
}

bool TaskBook::has_changed(std::uint32_t task) const {
  return state_.tasks()[task].definition != definition(task);
}

std::vector<TaskCommand> TaskBook::start() {
  std::vector<TaskCommand> commands;
  for (auto tasks = dispatcher_.start(now()); !tasks.empty(); tasks = dispatcher_.start(now())) {
    for (const std::size_t task : tasks) {
      auto command = prepare(static_cast<std::uint32_t>(task));
      if (command) commands.push_back(std::move(*command));
    }
  }
  return commands;
}

// Whether nothing has changed since it was done.
bool TaskBook::is_kept(std::uint32_t task) {
  const bool says_what_it_reads = !execution(task).inputs.empty();
  const TaskStatus& status = state_.tasks()[task];
  return says_what_it_reads && status.has_succeeded && !has_changed(task) && is_fresh(task);
}

std::optional<TaskCommand> TaskBook::prepare(std::uint32_t task) {
  const TaskStatus& status = state_.tasks()[task];
  if (is_kept(task)) {
    write(kept_entry(clock_.stamp(), task, status.inputs, status.definition));
    dispatcher_.end(task, true);
    if (options_.ended) options_.ended(task, state_);
    return std::nullopt;
  }
  const std::uint32_t attempt = status.attempt + 1;
  const Count procs = dispatcher_.processors_of(task);
  const TaskExecution& how = execution(task);
  Json entry = start_entry(clock_.stamp(), task, attempt, procs);
  entry["definition"] = definition(task);
  try {
    if (!how.inputs.empty()) entry["inputs"] = digest_of_inputs(how, directory(task));
    if (!how.directory.empty()) std::filesystem::create_directories(directory(task));
  } catch (const std::exception& error) {
    write(entry);
    end(task, attempt, AttemptEnd::not_started(error.what()));
    return std::nullopt;
  }
  const std::vector<int> cores = cores_.take(procs);
  if (!cores.empty()) entry["cores"] = cores;
  write(entry);
  monitor_.started(task, now(), procs, dispatcher_.length_of(task));
  return command_of(folder_, problem_, options_.folder, task, status);
}

void TaskBook::write_end(std::uint32_t task, std::uint32_t attempt, const AttemptEnd& how) {
  const auto missing =
      how.is_success() ? missing_output(execution(task), directory(task)) : std::nullopt;
  write(end_entry(clock_.stamp(), task, attempt, how, missing.value_or("")));
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
  if (status.failures > execution(task).retries || others_failed || is_stopping_) {
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
  const Attempt attempt = read_attempt(folder_.attempt(task, status.attempt));
  if (attempt.start) end_leftovers(*attempt.start);
  if (status.losses >= kLosses) {
    return end(task, status.attempt,
               AttemptEnd::not_started("its supervisor was killed again and again"));
  }
  stale_.erase(task);
  cores_.give_back(status.cores);
  write(lost_entry(clock_.stamp(), task, status.attempt));
  monitor_.stopped(task);
  dispatcher_.retry(task);
  on_reason_(problem_.task_name(task) + " was lost");
}

void TaskBook::stop_task(std::uint32_t task) const {
  const Attempt attempt = read_attempt(folder_.attempt(task, state_.tasks()[task].attempt));
  if (attempt.start && !attempt.end) stop(*attempt.start);
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

void TaskBook::set_processors(Count processors) {
  write(resources_entry(clock_.stamp(), processors));
  dispatcher_.set_processors(processors);
  cores_.set_processors(processors);
}

}  // namespace dovetail::exec
