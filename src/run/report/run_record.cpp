#include "run/report/run_record.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "dovetail/metrics.hpp"
#include "run/dispatcher.hpp"

namespace dovetail::run {

namespace {

// The name of the first decision in the event loop; pictures do not mark it.
constexpr const char* kStart = "start";

// A task that starts this soon after its last input did not wait for anything else: noticing the
// end and starting the process take a moment.
constexpr Duration kAtOnce = 250;

Placement place(const Problem& problem, std::size_t task, const planning::Slot& slot) {
  const TaskRef ref = problem.task_at(task);
  return {.workflow = ref.workflow,
          .task = ref.task,
          .cluster = 0,
          .procs = slot.procs,
          .start = slot.start,
          .end = std::max(slot.start, slot.end)};
}

planning::Slot slot_of(const PastAttempt& attempt) {
  return {attempt.processors, attempt.started, attempt.ended};
}

// The limit may have changed during the run.
Count most_processors(const Problem& problem, const RunState& state, Plan plan,
                      std::span<const Placement> lost) {
  plan.placements.insert(plan.placements.end(), lost.begin(), lost.end());
  return std::max({problem.platform().clusters().front().processors, state.processors().value_or(0),
                   peak_procs(plan)});
}

PlanRecord make_run_record(const Problem& problem, const RunState& state, const Plan& plan,
                           std::span<const Placement> lost = {}) {
  PlanRecord record = make_record(problem, plan, lost);
  record.clusters.front().processors = most_processors(problem, state, plan, lost);
  return record;
}

Plan empty_plan(const Problem& problem, const RunState& state) {
  return {.algorithm = state.algorithm(), .now = 0, .deadline = problem.deadline()};
}

// The chain of runs that decided the end. Unlike in a plan, starts follow ends by a few
// milliseconds, and a failed run may have delayed a task.
class DecisiveChain {
 public:
  DecisiveChain(const Problem& problem, const std::vector<Placement>& placements,
                const std::vector<Placement>& lost)
      : problem_(problem), runs_(placements), placement_of_(problem.task_count(), kNone) {
    for (std::size_t i = 0; i < placements.size(); ++i) {
      placement_of_[number_of(i)] = i;
      if (last_ == kNone || runs_[i].end > runs_[last_].end) last_ = i;
    }
    runs_.insert(runs_.end(), lost.begin(), lost.end());
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      by_end_.emplace(runs_[i].end, i);
      if (i >= placements.size()) lost_of_.emplace(number_of(i), i);
    }
  }

  // By run: the placements, then the lost ones.
  std::vector<bool> walk() const {
    std::vector<bool> is_in(runs_.size(), false);
    for (std::size_t at = last_; at != kNone && !is_in[at]; at = before(at)) is_in[at] = true;
    return is_in;
  }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  std::size_t number_of(std::size_t run) const {
    return problem_.number_of({runs_[run].workflow, runs_[run].task});
  }

  std::size_t before(std::size_t run) const {
    const std::size_t previous = previous_attempt(run);
    if (previous != kNone) return previous;
    const std::size_t input = last_input(run);
    const Time ready = input == kNone ? 0 : runs_[input].end;
    if (runs_[run].start - ready <= kAtOnce) return input;
    for (auto next = by_end_.upper_bound(runs_[run].start); next != by_end_.begin();) {
      --next;
      if (next->first <= ready) break;
      if (next->second != run) return next->second;
    }
    return input;
  }

  std::size_t previous_attempt(std::size_t run) const {
    std::size_t previous = kNone;
    const auto [begin, end] = lost_of_.equal_range(number_of(run));
    for (auto next = begin; next != end; ++next) {
      const std::size_t at = next->second;
      if (at == run || runs_[at].end > runs_[run].start) continue;
      if (previous == kNone || runs_[at].end > runs_[previous].end) previous = at;
    }
    return previous;
  }

  std::size_t last_input(std::size_t run) const {
    const Placement& placed = runs_[run];
    std::size_t last = kNone;
    for (const TaskId task : problem_.workflows()[placed.workflow].predecessors(placed.task)) {
      const std::size_t at = placement_of_[problem_.number_of({placed.workflow, task})];
      if (at != kNone && (last == kNone || runs_[at].end > runs_[last].end)) last = at;
    }
    return last;
  }

  const Problem& problem_;
  std::vector<Placement> runs_;
  std::vector<std::size_t> placement_of_;  // by task
  std::size_t last_ = kNone;               // the placement that ends last
  std::multimap<Time, std::size_t> by_end_ = {};
  std::multimap<std::size_t, std::size_t> lost_of_ = {};  // by task
};

// All finished attempts.
struct Past {
  Past(const Problem& problem, const RunState& state) : plan(empty_plan(problem, state)) {
    const std::vector<const PastAttempt*> counted = successes(state);
    for (std::size_t task = 0; task < counted.size(); ++task) {
      if (counted[task] == nullptr) continue;
      plan.placements.push_back(place(problem, task, slot_of(*counted[task])));
    }
    for (const PastAttempt& attempt : state.attempts()) {
      if (counted[attempt.task] == &attempt) continue;
      lost.push_back(place(problem, attempt.task, slot_of(attempt)));
    }
    plan.history = state.decisions();
    if (!plan.history.empty()) plan.history.front().event = kStart;
  }

  PlanRecord record(const Problem& problem, const RunState& state) const {
    PlanRecord made = make_run_record(problem, state, plan, lost);
    const std::vector<bool> is_decisive = DecisiveChain(problem, plan.placements, lost).walk();
    for (std::size_t i = 0; i < made.tasks.size(); ++i) made.tasks[i].critical = is_decisive[i];
    return made;
  }

  Plan plan;
  std::vector<Placement> lost = {};
};

// Simulates the rest of a run with the real dispatcher.
class Rest {
 public:
  Rest(const Problem& problem, const RunState& state, Time now)
      : problem_(problem), dispatcher_(problem, limit(problem, state)), now_(now) {
    dispatcher_.follow(state.plan());
    // Successes first, so that no finished task becomes ready again.
    const std::vector<TaskStatus>& tasks = state.tasks();
    for (std::size_t task = 0; task < tasks.size(); ++task) {
      if (tasks[task].state == TaskState::done) dispatcher_.adopt_success(task);
    }
    for (std::size_t task = 0; task < tasks.size(); ++task) adopt_started(task, tasks[task]);
  }

  std::vector<Placement> play() {
    for (Time next = now_; next != kForever; next = next_end()) {
      now_ = next;
      end_tasks();
      for (const std::size_t task : dispatcher_.start(now_)) {
        add(task, dispatcher_.processors_of(task), now_);
      }
    }
    return std::move(placements_);
  }

 private:
  static Count limit(const Problem& problem, const RunState& state) {
    return state.processors().value_or(problem.platform().clusters().front().processors);
  }

  void adopt_started(std::size_t task, const TaskStatus& status) {
    if (status.state == TaskState::running) {
      dispatcher_.adopt_running(task, status.processors, status.started);
      dispatcher_.expect(task, std::max(dispatcher_.expected_end(task), now_));
      add(task, status.processors, status.started);
    } else if (status.state == TaskState::failed) {
      dispatcher_.adopt_running(task, status.processors, status.started);
      dispatcher_.end(task, false);
    } else if (status.state == TaskState::waiting && status.not_before > now_) {
      dispatcher_.adopt_running(task, dispatcher_.processors_of(task), now_);
      dispatcher_.retry(task, status.not_before);
    }
  }

  void add(std::size_t task, Count procs, Time start) {
    placements_.push_back(place(problem_, task, {procs, start, dispatcher_.expected_end(task)}));
  }

  void end_tasks() {
    const std::set<std::size_t> running = dispatcher_.running();
    for (const std::size_t task : running) {
      if (dispatcher_.expected_end(task) <= now_) dispatcher_.end(task, true);
    }
  }

  Time next_end() const {
    Time next = dispatcher_.next_chance(now_);
    for (const std::size_t task : dispatcher_.running()) {
      next = std::min(next, std::max(dispatcher_.expected_end(task), now_ + 1));
    }
    return next;
  }

  const Problem& problem_;
  Dispatcher dispatcher_;
  Time now_;
  std::vector<Placement> placements_ = {};
};

}  // namespace

std::vector<const PastAttempt*> successes(const RunState& state) {
  std::vector<const PastAttempt*> counted(state.tasks().size(), nullptr);
  for (const PastAttempt& attempt : state.attempts()) {
    const bool is_done = state.tasks()[attempt.task].state == TaskState::done;
    if (attempt.succeeded && is_done) counted[attempt.task] = &attempt;
  }
  return counted;
}

PlanRecord planned_record(const Problem& problem, const RunState& state) {
  Plan plan = empty_plan(problem, state);
  for (std::size_t task = 0; task < state.first_plan().size(); ++task) {
    const planning::Slot& slot = state.first_plan()[task];
    if (slot.procs > 0) plan.placements.push_back(place(problem, task, slot));
  }
  return make_run_record(problem, state, plan);
}

PlanRecord executed_record(const Problem& problem, const RunState& state) {
  return Past(problem, state).record(problem, state);
}

PlanRecord outlook_record(const Problem& problem, const RunState& state, Time now) {
  Past past(problem, state);
  std::vector<Placement> rest = Rest(problem, state, std::max(now, state.last().at)).play();
  past.plan.placements.insert(past.plan.placements.end(), rest.begin(), rest.end());
  std::ranges::stable_sort(past.plan.placements, {}, [&](const Placement& placed) {
    return problem.number_of({placed.workflow, placed.task});
  });
  return past.record(problem, state);
}

}  // namespace dovetail::run
