#include "run/previous_run.hpp"

#include <algorithm>

#include "dovetail/error.hpp"
#include "io/text.hpp"
#include "run/freshness.hpp"
#include "run/known_run.hpp"

namespace dovetail::run {

namespace {

bool is_of(const RunDescription& earlier, const RunDescription& now) {
  return earlier.folder == now.folder &&
         std::ranges::equal(earlier.workflows, now.workflows, {}, &Workflow::name, &Workflow::name);
}

// Newest first.
std::vector<RunFolder> runs_of(const RunDescription& description) {
  auto runs = RunFolder::of_workflow(state_folder(), description.workflows.front().name());
  std::ranges::reverse(runs);
  return runs;
}

// The same ids in the same order: numbers in the journal mean the same tasks.
bool has_same_tasks(const Problem& a, const Problem& b) {
  if (a.task_count() != b.task_count()) return false;
  for (std::size_t task = 0; task < a.task_count(); ++task) {
    if (a.task_at(task) != b.task_at(task) || a.task_name(task) != b.task_name(task)) return false;
  }
  return true;
}

bool has_live_attempts(const KnownRun& run) {
  for (std::uint32_t task = 0; task < run.state.tasks().size(); ++task) {
    const TaskStatus& status = run.state.tasks()[task];
    if (status.state != TaskState::running) continue;
    if (read_attempt(run.folder.attempt(task, status.attempt)).still_runs()) return true;
  }
  return false;
}

// Tasks that are done in the earlier run and are the same here. After a run that was completed,
// only those that say what they read: whether the others have something new to read is not known.
std::vector<KeptTask> kept_tasks(const KnownRun& earlier, const Problem& problem) {
  const bool was_completed = earlier.condition() == "done";
  std::vector<KeptTask> kept;
  for (std::uint32_t number = 0; number < problem.task_count(); ++number) {
    const TaskRef ref = problem.task_at(number);
    const Workflow& workflow = problem.workflows()[ref.workflow];
    const Workflow& before = earlier.problem.workflows()[ref.workflow];
    const auto same = before.find(workflow.id(ref.task));
    if (!same) continue;
    if (was_completed && workflow.execution(ref.task).inputs.empty()) continue;
    const auto& status = earlier.state.tasks()[earlier.problem.number_of({ref.workflow, *same})];
    const bool is_same = status.definition == definition_of(workflow, ref.task);
    if (status.state == TaskState::done && is_same) kept.push_back({number, status.inputs});
  }
  return kept;
}

std::string still_there(const RunFolder& folder, const std::string& what) {
  const std::string& id = folder.id();
  return id + " " + what + "; dovetail resume " + id + " or dovetail cancel " + id +
         " first, or use --new";
}

// Nothing when it is damaged: what it was a run of is not known.
std::optional<RunDescription> read_description(
    const RunFolder& folder, const std::function<void(const std::string&)>& warn) {
  try {
    return RunDescription::read(folder);
  } catch (const InputError& error) {
    warn("run " + folder.id() + " is passed over: " + error.what());
    return std::nullopt;
  }
}

// Nothing when it is another workflow's. What its tasks did must be known: to pass over a damaged
// journal would run them again.
std::optional<KnownRun> read_run(const RunFolder& folder, const RunDescription& description,
                                 const std::function<void(const std::string&)>& warn) {
  std::optional<RunDescription> earlier = read_description(folder, warn);
  if (!earlier || !is_of(*earlier, description)) return std::nullopt;
  try {
    return KnownRun(folder, std::move(*earlier));
  } catch (const InputError& error) {
    throw InputError(std::string(error.what()) + ", or use --new to run everything again");
  }
}

}  // namespace

RunLock lock_beginning(const RunDescription& description) {
  std::string what = description.folder;
  for (const Workflow& workflow : description.workflows) what += '\0' + workflow.name();
  return RunLock::before_begin(state_folder(), digest_of(what));
}

Continuation find_continuation(const RunDescription& description, const Problem& problem,
                               const std::function<std::string(const RunFolder&)>& jobs_left,
                               const std::function<void(const std::string&)>& warn) {
  Continuation next;
  for (const RunFolder& folder : runs_of(description)) {
    const std::optional<KnownRun> known = read_run(folder, description, warn);
    if (!known) continue;
    const KnownRun& run = *known;
    if (run.holder) {
      next.at_work = folder;
      continue;
    }
    // Jobs run on their own; to continue their run on this machine would run their tasks twice.
    const bool moves_here = run.description.batch && !description.batch;
    const std::string left = moves_here ? jobs_left(folder) : "";
    if (!left.empty()) throw InputError(still_there(folder, left));
    const std::string condition = run.condition();
    const bool is_open = condition == "failed" || condition == "interrupted";
    if (is_open && has_same_tasks(run.problem, problem)) {
      next.run = folder;
      next.done = run.state.count(TaskState::done);
      next.clock = RunClock(run.state.last()).now();
      return next;
    }
    if (has_live_attempts(run)) {
      throw InputError("tasks of " + still_there(folder, "still run"));
    }
    next.kept = kept_tasks(run, problem);
    return next;
  }
  return next;
}

}  // namespace dovetail::run
