#include "previous_run.hpp"

#include <algorithm>

#include "dovetail/error.hpp"
#include "io/text.hpp"
#include "known_run.hpp"

namespace dovetail::cli {

namespace {

using exec::RunFolder;
using exec::TaskState;

bool is_of(const RunDescription& earlier, const RunDescription& now) {
  return earlier.folder == now.folder &&
         std::ranges::equal(earlier.workflows, now.workflows, {}, &Workflow::name, &Workflow::name);
}

// Newest first.
std::vector<RunFolder> runs_of(const RunDescription& description) {
  auto runs = RunFolder::of_workflow(exec::state_folder(), description.workflows.front().name());
  std::ranges::reverse(runs);
  return runs;
}

std::vector<std::string_view> predecessor_ids(const Workflow& workflow, TaskId task) {
  std::vector<std::string_view> ids;
  for (const TaskId before : workflow.predecessors(task)) ids.push_back(workflow.id(before));
  std::ranges::sort(ids);
  return ids;
}

bool is_same(const Workflow& a, TaskId in_a, const Workflow& b, TaskId in_b) {
  return a.run(in_a) == b.run(in_b) && a.execution(in_a) == b.execution(in_b) &&
         predecessor_ids(a, in_a) == predecessor_ids(b, in_b);
}

// The same ids in the same order: numbers in the journal mean the same tasks.
bool has_same_tasks(const Problem& a, const Problem& b) {
  if (a.task_count() != b.task_count()) return false;
  for (std::size_t task = 0; task < a.task_count(); ++task) {
    if (a.task_at(task) != b.task_at(task) || a.task_name(task) != b.task_name(task)) return false;
  }
  return true;
}

std::vector<std::uint32_t> changed_tasks(const Problem& before, const Problem& now) {
  std::vector<std::uint32_t> changed;
  for (std::uint32_t task = 0; task < now.task_count(); ++task) {
    const TaskRef ref = now.task_at(task);
    if (!is_same(before.workflows()[ref.workflow], ref.task, now.workflows()[ref.workflow],
                 ref.task)) {
      changed.push_back(task);
    }
  }
  return changed;
}

bool has_live_attempts(const KnownRun& run) {
  for (std::uint32_t task = 0; task < run.state.tasks().size(); ++task) {
    const exec::TaskStatus& status = run.state.tasks()[task];
    if (status.state != TaskState::running) continue;
    const exec::Attempt attempt = exec::read_attempt(run.folder.attempt(task, status.attempt));
    if (attempt.start && !attempt.end && attempt.start->supervisor.is_alive()) return true;
  }
  return false;
}

// Tasks that are done in the earlier run and are the same here. After a run that was completed,
// only those that say what they read: of the others nobody knows whether there is something new.
std::vector<exec::KeptTask> kept_tasks(const KnownRun& earlier, const Problem& problem) {
  const bool was_completed = earlier.condition() == "done";
  std::vector<exec::KeptTask> kept;
  for (std::uint32_t number = 0; number < problem.task_count(); ++number) {
    const TaskRef ref = problem.task_at(number);
    const Workflow& workflow = problem.workflows()[ref.workflow];
    const Workflow& before = earlier.problem.workflows()[ref.workflow];
    const auto same = before.find(workflow.id(ref.task));
    if (!same || !is_same(before, *same, workflow, ref.task)) continue;
    if (was_completed && workflow.execution(ref.task).inputs.empty()) continue;
    const auto& status = earlier.state.tasks()[earlier.problem.number_of({ref.workflow, *same})];
    if (status.state == TaskState::done) kept.push_back({number, status.inputs});
  }
  return kept;
}

}  // namespace

Continuation find_continuation(const RunDescription& description, const Problem& problem) {
  Continuation next;
  for (const RunFolder& folder : runs_of(description)) {
    if (!is_of(RunDescription::read(folder), description)) continue;
    const KnownRun run(folder);
    if (run.holder) {
      next.at_work = folder;
      continue;
    }
    const std::string condition = run.condition();
    const bool is_open = condition == "failed" || condition == "interrupted";
    if (is_open && has_same_tasks(run.problem, problem)) {
      next.run = folder;
      next.done = run.state.count(TaskState::done);
      next.changed = changed_tasks(run.problem, problem);
      return next;
    }
    if (has_live_attempts(run)) {
      throw InputError("tasks of " + folder.id() + " still run; dovetail resume " + folder.id() +
                       " or dovetail cancel " + folder.id() + " first, or use --new");
    }
    next.kept = kept_tasks(run, problem);
    return next;
  }
  return next;
}

}  // namespace dovetail::cli
