// The strategies that cut a workflow into batch jobs, as their specification reads, on top of the
// plain queue. They are the oracle of the property tests and share nothing with the library. Times
// are whole seconds.
//
//   std::vector<plain::Task> tasks{{50, {}}, {40, {0}}, {40, {0}}};
//   plain::WorkflowRun run = plain::run_workflow("GLUME", tasks, log, rules, 86400);
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "oracles/plain_cuts.hpp"
#include "oracles/plain_queue.hpp"

namespace dovetail::plain {

enum class Outcome { done, expired, cancelled };

struct WorkflowJob {
  int first_level = 0, last_level = 0;
  std::vector<int> tasks = {};
  int nodes = 0;
  Seconds request = 0, submit = 0;
  Seconds start = -1;  // -1: cancelled before
  Seconds end = -1;    // done, killed or cancelled
  Outcome outcome = Outcome::done;
};

struct WorkflowRun {
  Seconds makespan = 0;
  std::vector<WorkflowJob> jobs;  // in order of submission
  bool single_mode = false;
  std::vector<Seconds> task_start, task_end;  // of the attempt that succeeded
};

enum class Strategy { one_job_per_task, one_job, level_by_level, zhang, glume };

inline Strategy strategy_named(std::string_view name) {
  if (name == "ONEJOBPERTASK") return Strategy::one_job_per_task;
  if (name == "ONEJOB") return Strategy::one_job;
  if (name == "LEVELBYLEVEL") return Strategy::level_by_level;
  if (name == "ZHANG") return Strategy::zhang;
  if (name == "GLUME") return Strategy::glume;
  throw std::invalid_argument("no strategy " + std::string(name));
}

// A workflow whose jobs go through the queue together with those of a log.
class Agent {
 public:
  Agent(Strategy strategy, const std::vector<Task>& tasks, const std::vector<Job>& log,
        const Rules& rules, Seconds at, const QueueOptions& options)
      : strategy_(strategy),
        flow_(tasks, options.pick),
        options_(options),
        nodes_(rules.nodes),
        at_(at),
        first_key_(static_cast<int>(log.size())),
        machine_(log, rules),
        state_(tasks.size(), State::open) {
    result_.task_start.assign(tasks.size(), -1);
    result_.task_end.assign(tasks.size(), -1);
  }

  WorkflowRun run() {
    while (unfinished()) {
      const Seconds now = next();
      if (now == kNever) throw std::invalid_argument("the workflow may submit no job");
      std::vector<int> ended = finish(now);
      machine_.enter(now);
      bool begins = now == at_;
      do {
        const std::vector<int> started = pass();
        acted_ = false;
        if (begins) told(Notice::begin);
        for (int job : ended) {
          told(job_of(job).outcome == Outcome::done ? Notice::end : Notice::expiry);
        }
        for (std::size_t i = 0; i < started.size(); ++i) told(Notice::start);
        begins = false;
        ended.clear();
      } while (acted_);
      start_tasks();
    }
    for (const WorkflowJob& job : result_.jobs) {
      result_.makespan = std::max(result_.makespan, job.end - at_);
    }
    return std::move(result_);
  }

 private:
  enum class State { open, held, running, done };
  enum class Notice { begin, end, expiry, start };
  enum class Phase { waiting, running, gone };

  static std::size_t index(int number) { return static_cast<std::size_t>(number); }
  WorkflowJob& job_of(int job) { return result_.jobs[index(job)]; }
  const WorkflowJob& job_of(int job) const { return result_.jobs[index(job)]; }
  State& state(int task) { return state_[index(task)]; }
  State state(int task) const { return state_[index(task)]; }

  bool unfinished() const {
    return std::any_of(state_.begin(), state_.end(), [](State s) { return s != State::done; });
  }

  std::vector<int> jobs_that_are(Phase phase) const {
    std::vector<int> jobs;
    for (int job = 0; job < static_cast<int>(phase_.size()); ++job) {
      if (phase_[index(job)] == phase) jobs.push_back(job);
    }
    return jobs;
  }

  int tasks_of(int job, State wanted) const {
    const std::vector<int>& tasks = job_of(job).tasks;
    return static_cast<int>(
        std::count_if(tasks.begin(), tasks.end(), [&](int task) { return state(task) == wanted; }));
  }

  // The next instant for the machine, a task, a limit or the workflow's begin.
  Seconds next() const {
    Seconds next = machine_.next();
    if (at_ > machine_.now()) next = std::min(next, at_);
    for (int job : jobs_that_are(Phase::running)) {
      next = std::min(next, job_of(job).start + job_of(job).request);
      for (int task : job_of(job).tasks) {
        if (state(task) == State::running) next = std::min(next, result_.task_end[index(task)]);
      }
    }
    return next;
  }

  // Tasks and then jobs that end now; a job that is finished at its limit is not killed. Returns
  // the jobs in order of submission.
  std::vector<int> finish(Seconds now) {
    for (int task = 0; task < flow_.size(); ++task) {
      const bool ends = result_.task_end[index(task)] == now;
      if (ends && state(task) == State::running) state(task) = State::done;
    }
    std::vector<int> ended;
    for (int job : jobs_that_are(Phase::running)) {
      const bool done = tasks_of(job, State::done) == static_cast<int>(job_of(job).tasks.size());
      if (!done && job_of(job).start + job_of(job).request != now) continue;
      remove(job, done ? Outcome::done : Outcome::expired, now);
      ended.push_back(job);
    }
    return ended;
  }

  // Takes a job out of the system; its tasks that are not done are open again.
  void remove(int job, Outcome outcome, Seconds now) {
    machine_.queue().leave(first_key_ + job);
    phase_[index(job)] = Phase::gone;
    job_of(job).end = now;
    job_of(job).outcome = outcome;
    for (int task : job_of(job).tasks) {
      if (state(task) != State::done) state(task) = State::open;
    }
  }

  // One pass of the queue. Returns the workflow's jobs that start.
  std::vector<int> pass() {
    std::vector<int> jobs;
    for (int key : machine_.pass()) {
      if (machine_.has_key(key)) continue;
      const int job = key - first_key_;
      phase_[index(job)] = Phase::running;
      job_of(job).start = machine_.now();
      jobs.push_back(job);
    }
    return jobs;
  }

  bool is_ready(int task) const {
    const std::vector<int>& parents = flow_.parents(task);
    return std::all_of(parents.begin(), parents.end(),
                       [&](int parent) { return state(parent) == State::done; });
  }

  // Idle nodes of running jobs take ready tasks.
  void start_tasks() {
    for (int job : jobs_that_are(Phase::running)) {
      std::set<std::pair<Seconds, int>> ready;
      for (int task : job_of(job).tasks) {
        if (state(task) == State::held && is_ready(task)) ready.insert(flow_.rank(task));
      }
      int idle = job_of(job).nodes - tasks_of(job, State::running);
      for (auto it = ready.begin(); it != ready.end() && idle > 0; ++it, --idle) {
        const int task = it->second;
        state(task) = State::running;
        result_.task_start[index(task)] = machine_.now();
        result_.task_end[index(task)] = machine_.now() + flow_.time(task);
      }
    }
  }

  void told(Notice notice) {
    switch (strategy_) {
      case Strategy::one_job_per_task:
        if (notice != Notice::start) submit_singles();
        break;
      case Strategy::one_job:
        if (notice == Notice::begin) submit_best(open_tasks());
        break;
      case Strategy::level_by_level:
        if (notice != Notice::start) submit_level();
        break;
      case Strategy::zhang:
      case Strategy::glume:
        if (notice == Notice::expiry && !result_.single_mode) cancel_idle_jobs();
        invoke();
        break;
    }
  }

  std::vector<int> open_tasks() const {
    std::vector<int> open;
    for (int task = 0; task < flow_.size(); ++task) {
      if (state(task) == State::open) open.push_back(task);
    }
    return open;
  }

  int live_jobs() const {
    return static_cast<int>(jobs_that_are(Phase::waiting).size() +
                            jobs_that_are(Phase::running).size());
  }

  Chooser chooser() const { return {flow_, options_, nodes_, machine_.estimate(options_.user)}; }

  void submit_singles() {
    for (int task : open_tasks()) {
      if (live_jobs() < options_.cap && is_ready(task)) submit({{task}, 1, flow_.time(task)});
    }
  }

  void submit_best(std::vector<int> set) {
    if (!set.empty()) submit(chooser().best_nodes(std::move(set), 0));
  }

  void submit_level() {
    const std::vector<int> open = open_tasks();
    if (open.empty() || live_jobs() > 0) return;
    const int level = flow_.lowest_level(open);
    submit_best(flow_.between(open, level, level));
  }

  void invoke() {
    if (result_.single_mode) return submit_singles();
    const std::vector<int> open = open_tasks();
    if (!jobs_that_are(Phase::waiting).empty() || open.empty()) return;
    if (live_jobs() >= options_.cap) return;
    if (strategy_ == Strategy::glume) return submit(chooser().glume(open, delay()));
    const std::optional<Cut> cut = chooser().zhang(open, delay());
    if (cut) return submit(*cut);
    result_.single_mode = true;
    submit_singles();
  }

  // How long the running jobs may still hold what they requested.
  Seconds delay() const {
    const Seconds spare = options_.request_rule == RequestRule::authors ? 60 : 0;
    Seconds delay = 0;
    for (int job : jobs_that_are(Phase::running)) {
      const Seconds end = job_of(job).start + job_of(job).request - spare;
      delay = std::max(delay, end - machine_.now());
    }
    return delay;
  }

  // After an expiry: what waits, and what runs without having started a task, was cut for a course
  // of events that no longer holds.
  void cancel_idle_jobs() {
    std::vector<int> idle = jobs_that_are(Phase::waiting);
    for (int job : jobs_that_are(Phase::running)) {
      if (tasks_of(job, State::held) == static_cast<int>(job_of(job).tasks.size())) {
        idle.push_back(job);
      }
    }
    for (int job : idle) remove(job, Outcome::cancelled, machine_.now());
    if (!idle.empty()) acted_ = true;
  }

  void submit(const Cut& cut) {
    Seconds request = cut.run + cut.leeway;
    if (options_.request_rule == RequestRule::authors) request = 60 * (1 + 11 * request / 600);
    WorkflowJob job{flow_.lowest_level(cut.tasks),
                    flow_.highest_level(cut.tasks),
                    cut.tasks,
                    cut.nodes,
                    request,
                    machine_.now()};
    for (int task : cut.tasks) state(task) = State::held;
    machine_.queue().submit(first_key_ + static_cast<int>(result_.jobs.size()),
                            {cut.nodes, request, options_.user});
    result_.jobs.push_back(std::move(job));
    phase_.push_back(Phase::waiting);
    acted_ = true;
  }

  Strategy strategy_;
  Flow flow_;
  QueueOptions options_;
  int nodes_;
  Seconds at_;
  int first_key_;  // of the workflow's jobs in the queue
  Machine machine_;
  std::vector<State> state_;  // of each task
  std::vector<Phase> phase_;  // of each job
  bool acted_ = false;        // submitted or cancelled since the last pass
  WorkflowRun result_;
};

// The workflow is handed to its strategy at that instant; the log goes on until it is done.
inline WorkflowRun run_workflow(std::string_view strategy, const std::vector<Task>& tasks,
                                const std::vector<Job>& log, const Rules& rules, Seconds at,
                                const QueueOptions& options = {}) {
  return Agent(strategy_named(strategy), tasks, log, rules, at, options).run();
}

}  // namespace dovetail::plain
