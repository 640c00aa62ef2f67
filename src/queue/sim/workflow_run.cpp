#include "queue/sim/workflow_run.hpp"

#include <algorithm>
#include <cassert>
#include <functional>
#include <queue>
#include <stdexcept>

namespace dovetail::queue {

namespace {

struct SimulatedPilot {
  JobSlot slot = 0;
  PilotRecord record;
  bool has_worked = false;
  bool is_over = false;

  bool is_running() const { return record.start.has_value() && !is_over; }
  Time limit() const { return *record.start + record.request; }
};

class Run final : public Desk {
 public:
  Run(Background background, const StrategyInfo& strategy, RunTimes& run_times,
      const StrategyOptions& options, std::int64_t user)
      : background_(std::move(background)),
        tasks_(run_times.tasks()),
        schedule_(run_times.job_tasks()),
        ran_(tasks_.size()),
        ran_on_(tasks_.is_plain() ? 0 : tasks_.size()),
        strategy_(strategy.make(run_times, options)),
        user_(user) {}

  WorkflowResult run() {
    const Time submitted = now();
    strategy_->begin(*this);
    settle();
    while (!live_.empty() || done_ < tasks_.size()) {
      const Time time = next();
      if (time == kForever) throw std::logic_error("a workflow stands still in the queue");
      instant(time);
    }
    return result(submitted);
  }

  Time now() const override { return background_now(); }

  const WaitEstimator& queue() override {
    estimator_.emplace(background_.machine().outlook(), now(), user_);
    return *estimator_;
  }

  std::vector<LivePilot> live() const override {
    std::vector<LivePilot> live;
    for (const PilotId id : live_) {
      const SimulatedPilot& pilot = pilots_[id];
      live.push_back(
          {id, pilot.record.nodes, pilot.record.request, pilot.record.start, pilot.has_worked});
    }
    return live;
  }

  std::size_t live_count() const override { return live_.size(); }

  TaskStage state(TaskId task) const override {
    switch (schedule_.state(task)) {
      case JobTaskState::done:
        return TaskStage::done;
      case JobTaskState::in_no_job:
        return TaskStage::open;
      default:
        return TaskStage::held;
    }
  }

  std::optional<Duration> recent_wait(Duration request) const override {
    return background_.recent_waits().median(now(), request);
  }

  std::optional<double> recent_use() const override { return background_.recent_use().mean(now()); }

  void submit(const PilotDraft& draft) override {
    SimulatedPilot pilot;
    const PilotId id = schedule_.add_job(draft.tasks);
    assert(id == pilots_.size());
    pilot.slot = background_.machine().submit_open_ended(
        {.nodes = draft.nodes, .length = draft.request, .user = user_});
    pilot.record = {
        .tasks = draft.tasks, .nodes = draft.nodes, .request = draft.request, .submit = now()};
    pilot.record.first_level = tasks_.level(draft.tasks.front());
    for (const TaskId task : draft.tasks) {
      pilot.record.first_level = std::min(pilot.record.first_level, tasks_.level(task));
      pilot.record.last_level = std::max(pilot.record.last_level, tasks_.level(task));
    }
    if (slots_.size() <= pilot.slot) slots_.resize(pilot.slot + 1, kNobody);
    slots_[pilot.slot] = id;
    pilots_.push_back(std::move(pilot));
    live_.push_back(id);
    has_acted_ = true;
  }

  void cancel(PilotId id) override {
    end(id, PilotOutcome::cancelled);
    has_acted_ = true;
  }

 private:
  static constexpr PilotId kNobody = ~PilotId{0};

  struct TaskEnd {
    Time time;
    TaskId task;
    PilotId pilot;
    friend bool operator>(const TaskEnd& a, const TaskEnd& b) {
      return a.time != b.time ? a.time > b.time : a.task > b.task;
    }
  };

  Time background_now() const { return background_.machine().now(); }

  Time next() {
    Time time = background_.next();
    if (!task_ends_.empty()) time = std::min(time, task_ends_.top().time);
    for (const PilotId id : live_) {
      if (pilots_[id].is_running()) time = std::min(time, pilots_[id].limit());
    }
    return time;
  }

  // One instant, in the order that the specification of the queue gives.
  void instant(Time time) {
    background_.open(time);
    complete_tasks();
    end_pilots();
    background_.arrive();
    settle();
  }

  void complete_tasks() {
    for (; !task_ends_.empty() && task_ends_.top().time <= now(); task_ends_.pop()) {
      const auto [time, task, id] = task_ends_.top();
      if (pilots_[id].is_over) continue;  // lost with its job
      schedule_.succeed(id, task);
      ran_[task] = {time - tasks_.time(task), time};
      ++done_;
    }
  }

  // Jobs whose tasks are all done end; then those that have used up their request are killed.
  void end_pilots() {
    const std::vector<PilotId> live = live_;
    for (const PilotId id : live) {
      if (pilots_[id].is_running() && schedule_.is_done(id)) tell_end(id, PilotOutcome::done);
    }
    for (const PilotId id : live) {
      const SimulatedPilot& pilot = pilots_[id];
      if (pilot.is_running() && pilot.limit() <= now()) tell_end(id, PilotOutcome::expired);
    }
  }

  void tell_end(PilotId id, PilotOutcome outcome) {
    end(id, outcome);
    ended_.emplace_back(id, outcome);
  }

  void end(PilotId id, PilotOutcome outcome) {
    SimulatedPilot& pilot = pilots_[id];
    background_.machine().end(pilot.slot);
    slots_[pilot.slot] = kNobody;
    pilot.is_over = true;
    pilot.record.end = now();
    pilot.record.outcome = outcome;
    schedule_.end_job(pilot.record.tasks);
    std::erase(live_, id);
  }

  // Passes of the scheduler and answers of the strategy until both are quiet; then nodes take what
  // fits on them.
  void settle() {
    do {
      has_acted_ = false;
      std::vector<PilotId> started;
      for (const JobSlot slot : background_.pass()) {
        if (slot < slots_.size() && slots_[slot] != kNobody) started.push_back(slots_[slot]);
      }
      for (const PilotId id : started) start(id);
      const auto ended = std::exchange(ended_, {});
      for (const auto& [id, outcome] : ended) strategy_->ended(*this, id, outcome);
      for (const PilotId id : started) {
        if (!pilots_[id].is_over) strategy_->started(*this, id);
      }
    } while (has_acted_);
    fill_nodes();
  }

  void start(PilotId id) {
    pilots_[id].record.start = now();
    schedule_.add_nodes(id, pilots_[id].record.nodes);
    in_start_order_.push_back(id);
  }

  void fill_nodes() {
    std::erase_if(in_start_order_, [&](PilotId id) { return pilots_[id].is_over; });
    for (const PilotId id : in_start_order_) {
      while (const auto task = schedule_.start_next(id)) {
        pilots_[id].has_worked = true;
        if (!ran_on_.empty()) {
          const auto nodes = schedule_.nodes_of(*task);
          ran_on_[*task].assign(nodes.begin(), nodes.end());
        }
        task_ends_.push({now() + tasks_.time(*task), *task, id});
      }
    }
  }

  WorkflowResult result(Time submitted) {
    WorkflowResult result{.submitted = submitted, .tasks = ran_, .task_nodes = ran_on_};
    result.single_mode = strategy_->in_single_mode();
    result.used = tasks_.work();
    for (SimulatedPilot& pilot : pilots_) {
      result.makespan = std::max(result.makespan, pilot.record.end - submitted);
      if (pilot.record.start) {
        result.held += (pilot.record.end - *pilot.record.start) * pilot.record.nodes;
      }
      result.jobs.push_back(std::move(pilot.record));
    }
    return result;
  }

  Background background_;
  const LeveledTasks& tasks_;
  JobSchedule schedule_;       // its jobs are the pilots
  std::vector<Interval> ran_;  // by task
  std::vector<std::vector<NodeId>> ran_on_;
  std::size_t done_ = 0;

  std::vector<SimulatedPilot> pilots_;  // all that were ever submitted
  std::vector<PilotId> live_;           // by submission
  std::vector<PilotId> in_start_order_;
  std::vector<PilotId> slots_;  // by the machine's slot
  std::vector<std::pair<PilotId, PilotOutcome>> ended_;
  std::priority_queue<TaskEnd, std::vector<TaskEnd>, std::greater<>> task_ends_;

  std::unique_ptr<Strategy> strategy_;
  std::optional<OutlookEstimator> estimator_;
  std::int64_t user_;
  bool has_acted_ = false;
};

}  // namespace

Duration WorkflowResult::total_wait() const {
  Duration sum = 0;
  for (const PilotRecord& job : jobs) sum += job.start.value_or(job.end) - job.submit;
  return sum;
}

std::size_t WorkflowResult::count(PilotOutcome outcome) const {
  return static_cast<std::size_t>(std::ranges::count(jobs, outcome, &PilotRecord::outcome));
}

WorkflowResult run_workflow(Background background, const StrategyInfo& strategy,
                            RunTimes& run_times, const StrategyOptions& options,
                            std::int64_t user) {
  return Run(std::move(background), strategy, run_times, options, user).run();
}

}  // namespace dovetail::queue
