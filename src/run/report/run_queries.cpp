#include "run/report/run_queries.hpp"

#include <algorithm>

#include "dovetail/time.hpp"
#include "io/text.hpp"
#include "run/local/memory_and_gpus.hpp"

namespace dovetail::run {

namespace {

constexpr std::size_t kShown = 5;

// "a, b, c and 7 more".
std::string list(const Problem& problem, const std::vector<std::size_t>& tasks) {
  std::string text;
  for (std::size_t i = 0; i < std::min(tasks.size(), kShown); ++i) {
    text += (i == 0 ? "" : ", ") + problem.task_name(tasks[i]);
  }
  if (tasks.size() > kShown) text += " and " + std::to_string(tasks.size() - kShown) + " more";
  return text;
}

std::string processors(Count count) { return io::counted(count, "processor"); }

std::string memory_used(const AttemptEnd& end) {
  return end.peak() > 0 ? ", with up to " + memory_text(end.peak()) + " of memory" : "";
}

std::string not_waiting(const TaskStatus& status) {
  switch (status.state) {
    case TaskState::done:
      return status.was_kept ? "it is done: nothing has changed since it was run"
                             : "it is done: attempt " + std::to_string(status.attempt) + " took " +
                                   format_duration(time_ceil(status.end.seconds)) + " on " +
                                   processors(status.processors) + memory_used(status.end);
    case TaskState::running:
      return "it runs: attempt " + std::to_string(status.attempt) + ", on " +
             processors(status.processors);
    case TaskState::failed:
      return "it failed in attempt " + std::to_string(status.attempt) +
             "; dovetail resume tries it again as it is, run with what was changed";
    case TaskState::waiting:
      break;
  }
  return {};
}

std::vector<std::size_t> in_state(const RunState& state, TaskState wanted) {
  std::vector<std::size_t> tasks;
  for (std::size_t task = 0; task < state.tasks().size(); ++task) {
    if (state.tasks()[task].state == wanted) tasks.push_back(task);
  }
  return tasks;
}

// Predecessors that are not done.
std::vector<std::size_t> missing(const Problem& problem, const RunState& state, std::size_t task) {
  const TaskRef ref = problem.task_at(task);
  std::vector<std::size_t> tasks;
  for (const TaskId before : problem.workflows()[ref.workflow].predecessors(ref.task)) {
    const std::size_t number = problem.number_of({ref.workflow, before});
    if (state.tasks()[number].state != TaskState::done) tasks.push_back(number);
  }
  return tasks;
}

// Tasks that are ready too and come first in the plan.
std::vector<std::size_t> ahead(const Problem& problem, const RunState& state, std::size_t task) {
  std::vector<std::size_t> tasks;
  const planning::Slot& own = state.plan()[task];
  for (const std::size_t other : in_state(state, TaskState::waiting)) {
    const planning::Slot& slot = state.plan()[other];
    const bool is_first = std::pair(slot.start, other) < std::pair(own.start, task);
    if (is_first && missing(problem, state, other).empty()) tasks.push_back(other);
  }
  return tasks;
}

void explain_ready(const Problem& problem, const RunState& state, std::size_t task, Count limit,
                   std::vector<std::string>& reasons) {
  const TaskStatus& status = state.tasks()[task];
  const Count needs = state.plan()[task].procs;
  const Count open = problem.platform().calendar(0).free_at(state.last().at);
  const Count others = problem.platform().clusters().front().processors - open;
  const Count free = std::min(limit, open) - processors_in_use(state);
  if (others > 0) reasons.push_back("others have reserved " + processors(others) + " now");
  if (status.not_before > state.last().at) {
    reasons.push_back("its last attempt failed, and the next one begins in " +
                      format_duration(status.not_before - state.last().at));
  }
  if (needs > free) {
    const auto running = in_state(state, TaskState::running);
    reasons.push_back("it is to have " + processors(needs) + ", and of " + std::to_string(limit) +
                      " only " + std::to_string(std::max<Count>(0, free)) + " are free" +
                      (running.empty() ? "" : "; these run: " + list(problem, running)));
  }
  const auto first = ahead(problem, state, task);
  if (!first.empty()) reasons.push_back("by the plan these come first: " + list(problem, first));
}

}  // namespace

std::vector<std::optional<std::size_t>> blocked_tasks(const Problem& problem,
                                                      const RunState& state) {
  std::vector<std::optional<std::size_t>> blocked(state.tasks().size());
  if (state.count(TaskState::failed) == 0) return blocked;
  for (std::uint32_t w = 0; w < problem.workflows().size(); ++w) {
    const Workflow& workflow = problem.workflows()[w];
    for (const TaskId id : workflow.topological_order()) {
      const std::size_t task = problem.number_of({w, id});
      for (const TaskId before : workflow.predecessors(id)) {
        const std::size_t number = problem.number_of({w, before});
        if (state.tasks()[number].state == TaskState::failed) blocked[task] = number;
        if (blocked[number]) blocked[task] = blocked[number];
      }
    }
  }
  return blocked;
}

Count processors_in_use(const RunState& state) {
  Count count = 0;
  for (const TaskStatus& status : state.tasks()) {
    if (status.state == TaskState::running) count += status.processors;
  }
  return count;
}

std::optional<Need> largest_need(const Problem& problem, const RunState& state) {
  std::optional<Need> need;
  for (std::size_t task = 0; task < state.tasks().size(); ++task) {
    if (state.tasks()[task].state == TaskState::done) continue;
    const TaskRef ref = problem.task_at(task);
    const Count min = problem.time(ref.workflow, ref.task, 0).min_procs();
    if (!need || min > need->processors) need = {min, task};
  }
  return need;
}

std::vector<std::string> explain_without_plan(const Problem& problem, const RunState& state,
                                              std::size_t task, bool is_worked_on) {
  const TaskStatus& status = state.tasks()[task];
  std::vector<std::string> reasons;
  if (status.state != TaskState::waiting) reasons.push_back(not_waiting(status));
  if (!status.again.empty()) reasons.push_back("it was done before; run again: " + status.again);
  if (status.state != TaskState::waiting) return reasons;
  if (const auto blocker = blocked_tasks(problem, state)[task]) {
    reasons.push_back("it needs " + problem.task_name(*blocker) + ", which failed");
  }
  const auto failed = in_state(state, TaskState::failed);
  if (!is_worked_on && !failed.empty() && reasons.empty()) {
    reasons.push_back("the run stopped as " + list(problem, failed) +
                      " failed; with --keep-going it would have gone on");
  }
  if (is_worked_on && state.is_stopping()) {
    reasons.emplace_back("the run is being ended: nothing more is started");
  }
  if (!is_worked_on)
    reasons.emplace_back("no process works on the run; continue it with dovetail resume");
  const auto before = missing(problem, state, task);
  if (!before.empty())
    reasons.push_back("it comes after " + list(problem, before) + ", not done yet");
  return reasons;
}

std::vector<std::string> explain(const Problem& problem, const RunState& state, std::size_t task,
                                 Count limit, bool is_worked_on) {
  std::vector<std::string> reasons = explain_without_plan(problem, state, task, is_worked_on);
  if (state.tasks()[task].state != TaskState::waiting) return reasons;
  if (state.plan().empty()) {
    reasons.emplace_back("there is no plan yet");
    return reasons;
  }
  if (missing(problem, state, task).empty()) explain_ready(problem, state, task, limit, reasons);
  const planning::Slot& slot = state.plan()[task];
  reasons.push_back("by the plan it starts " + format_duration(slot.start) +
                    " after the beginning of the run, on " + processors(slot.procs) + ", for " +
                    format_duration(slot.end - slot.start));
  return reasons;
}

}  // namespace dovetail::run
