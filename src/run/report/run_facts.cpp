#include "run/report/run_facts.hpp"

#include <algorithm>
#include <functional>
#include <map>

#include "run/report/run_record.hpp"

namespace dovetail::run {

namespace {

// When a task ended; nothing when it has not.
using EndOf = std::function<std::optional<Time>(std::size_t task)>;

double area(Count procs, Duration length) { return procs * to_seconds(std::max<Time>(length, 0)); }

double share(double part, double whole) { return whole > 0 ? part / whole : 0; }

std::vector<std::size_t> needs_of(const Problem& problem, std::size_t task) {
  const TaskRef ref = problem.task_at(task);
  std::vector<std::size_t> needs;
  for (const TaskId before : problem.workflows()[ref.workflow].predecessors(ref.task)) {
    needs.push_back(problem.number_of({ref.workflow, before}));
  }
  return needs;
}

// The results of kept tasks existed from the beginning.
Duration wait_before(const Problem& problem, std::size_t task, Time start, const EndOf& end_of) {
  Time ready = 0;
  for (const std::size_t need : needs_of(problem, task)) {
    ready = std::max(ready, end_of(need).value_or(0));
  }
  return std::max<Duration>(0, start - ready);
}

class WaitCounter {
 public:
  void add(Duration wait, const std::string& task) {
    sum_ += wait;
    ++count_;
    if (wait <= facts_.longest) return;
    facts_.longest = wait;
    facts_.task = task;
  }
  WaitFacts take() {
    if (count_ > 0) facts_.mean = sum_ / count_;
    return std::move(facts_);
  }

 private:
  Duration sum_ = 0;
  Duration count_ = 0;
  WaitFacts facts_ = {};
};

class Counter {
 public:
  Counter(const Problem& problem, const RunState& state, std::optional<Time> now)
      : problem_(problem), state_(state), counted_(successes(state)) {
    facts_.algorithm = state.algorithm();
    facts_.deadline = problem.deadline();
    facts_.processors =
        std::max(problem.platform().clusters().front().processors, state.processors().value_or(0));
    if (now) facts_.now = std::max(*now, state.last().at);
  }

  RunFacts count() {
    count_states();
    count_decisions();
    count_plan();
    for (std::size_t task = 0; task < state_.tasks().size(); ++task) add_task(task);
    count_waits();
    count_kinds();
    count_attempts();
    look_ahead();
    return std::move(facts_);
  }

 private:
  // The assumed end of tasks that still run.
  Time latest() const { return facts_.now.value_or(state_.last().at); }

  void count_states() {
    facts_.done = state_.count(TaskState::done);
    facts_.failed = state_.count(TaskState::failed);
    facts_.running = state_.count(TaskState::running);
    facts_.waiting = state_.count(TaskState::waiting);
    facts_.is_done = facts_.done == state_.tasks().size();
    for (const TaskStatus& status : state_.tasks()) {
      facts_.kept += status.state == TaskState::done && status.was_kept;
    }
  }

  void count_decisions() {
    const auto& decisions = state_.decisions();
    for (std::size_t i = 1; i < decisions.size(); ++i) {
      ++facts_.decisions;
      facts_.plans_made += decisions[i].candidate || decisions[i].adopted;
      facts_.plans_adopted += decisions[i].adopted;
    }
  }

  void count_plan() {
    WaitCounter waits;
    const auto& plan = state_.first_plan();
    const auto end_of = [&](std::size_t task) -> std::optional<Time> {
      if (plan[task].procs == 0) return std::nullopt;
      return plan[task].end;
    };
    for (std::size_t task = 0; task < plan.size(); ++task) {
      const planning::Slot& slot = plan[task];
      if (slot.procs == 0) continue;
      facts_.turnaround.planned = std::max(facts_.turnaround.planned, slot.end);
      facts_.cpu_seconds.planned += area(slot.procs, slot.end - slot.start);
      waits.add(wait_before(problem_, task, slot.start, end_of), problem_.task_name(task));
    }
    facts_.wait.planned = waits.take();
    const double room = area(facts_.processors, facts_.turnaround.planned);
    facts_.use.planned = share(facts_.cpu_seconds.planned, room);
  }

  planning::Slot planned_slot(std::size_t task) const {
    if (!state_.first_plan().empty() && state_.first_plan()[task].procs > 0) {
      return state_.first_plan()[task];
    }
    return state_.plan().empty() ? planning::Slot{} : state_.plan()[task];
  }

  void add_task(std::size_t task) {
    const TaskStatus& status = state_.tasks()[task];
    TaskFacts row{.name = problem_.task_name(task),
                  .state = status.state,
                  .was_kept = status.was_kept,
                  .planned = planned_slot(task),
                  .attempts = status.attempt};
    if (counted_[task] != nullptr) {
      const PastAttempt& attempt = *counted_[task];
      row.real = {attempt.processors, attempt.started, attempt.ended};
    } else if (status.state == TaskState::running) {
      row.real = {status.processors, status.started, std::max(status.started, latest())};
    }
    facts_.tasks.push_back(std::move(row));
  }

  void count_attempts() {
    std::vector<Interval> busy;
    std::map<std::size_t, std::size_t> begun;
    for (const PastAttempt& attempt : state_.attempts()) {
      TaskFacts& row = facts_.tasks[attempt.task];
      const double taken = area(attempt.processors, attempt.ended - attempt.started);
      facts_.cpu_seconds.real += taken;
      facts_.offered_cpu_seconds += taken;
      facts_.used_cpu_seconds += attempt.cpu_seconds;
      if (counted_[attempt.task] != &attempt) facts_.lost_cpu_seconds += taken;
      facts_.vain_attempts += !attempt.succeeded;
      ++begun[attempt.task];
      row.end = state_.tasks()[attempt.task].end;
      row.missing = state_.tasks()[attempt.task].missing;
      if (row.state == TaskState::failed || row.state == TaskState::waiting) {
        row.real = {attempt.processors, attempt.started, attempt.ended};
      }
      busy.push_back({attempt.started, attempt.ended});
    }
    for (std::size_t task = 0; task < facts_.tasks.size(); ++task) {
      const TaskFacts& row = facts_.tasks[task];
      if (row.state != TaskState::running) continue;
      facts_.cpu_seconds.real += area(row.real.procs, row.real.end - row.real.start);
      busy.push_back({row.real.start, row.real.end});
      ++begun[task];
    }
    for (const auto& [task, times] : begun) facts_.tasks_tried_again += times > 1;
    count_time(std::move(busy));
  }

  void count_time(std::vector<Interval> busy) {
    std::ranges::sort(busy, {}, &Interval::begin);
    Time covered = 0;
    for (const Interval& run : busy) {
      facts_.idle += std::max<Duration>(0, run.begin - covered);
      covered = std::max(covered, run.end);
    }
    facts_.turnaround.real = std::max(covered, facts_.now.value_or(0));
    facts_.use.real =
        share(facts_.cpu_seconds.real, area(facts_.processors, facts_.turnaround.real));
  }

  // Counts the waits of started tasks until their first attempts.
  void count_waits() {
    std::map<std::size_t, Time> first_start;
    for (const PastAttempt& attempt : state_.attempts()) {
      const auto [found, is_new] = first_start.emplace(attempt.task, attempt.started);
      if (!is_new) found->second = std::min(found->second, attempt.started);
    }
    for (std::size_t task = 0; task < facts_.tasks.size(); ++task) {
      const TaskFacts& row = facts_.tasks[task];
      if (row.state == TaskState::running) first_start.emplace(task, row.real.start);
    }
    const auto end_of = [&](std::size_t task) -> std::optional<Time> {
      if (counted_[task] == nullptr) return std::nullopt;
      return counted_[task]->ended;
    };
    WaitCounter waits;
    for (const auto& [task, start] : first_start) {
      TaskFacts& row = facts_.tasks[task];
      row.wait = wait_before(problem_, task, start, end_of);
      waits.add(*row.wait, row.name);
    }
    facts_.wait.real = waits.take();
  }

  void count_kinds() {
    std::map<std::string, std::size_t, std::less<>> known;
    for (std::size_t task = 0; task < facts_.tasks.size(); ++task) {
      const TaskRef ref = problem_.task_at(task);
      const auto kind = problem_.workflows()[ref.workflow].kind(ref.task);
      const auto [found, is_new] = known.emplace(kind, facts_.kinds.size());
      if (is_new) facts_.kinds.push_back({.kind = std::string(kind)});
      KindFacts& row = facts_.kinds[found->second];
      ++row.tasks;
      const planning::Slot& planned = facts_.tasks[task].planned;
      const bool is_comparable = planned.procs > 0 || state_.algorithm().empty();
      if (counted_[task] == nullptr || !is_comparable) continue;
      ++row.timed;
      row.time.planned += planned.end - planned.start;
      row.time.real += counted_[task]->ended - counted_[task]->started;
    }
  }

  void look_ahead() {
    if (!facts_.now) return;
    const PlanRecord outlook = outlook_record(problem_, state_, *facts_.now);
    facts_.expected_end = std::max(outlook.now + outlook.makespan, *facts_.now);
  }

  const Problem& problem_;
  const RunState& state_;
  const std::vector<const PastAttempt*> counted_;
  RunFacts facts_ = {};
};

}  // namespace

RunFacts facts_of(const Problem& problem, const RunState& state, std::optional<Time> now) {
  return Counter(problem, state, now).count();
}

}  // namespace dovetail::run
