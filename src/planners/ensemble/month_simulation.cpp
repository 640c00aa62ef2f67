#include "planners/ensemble/month_simulation.hpp"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <deque>
#include <functional>
#include <queue>
#include <tuple>
#include <vector>

#include "planners/ensemble/grouping.hpp"
#include "planners/ensemble/month_dispatch.hpp"

namespace dovetail::planning {

namespace {

// Post tasks of an ensemble in simulated time: first come, first served, on the processors that
// nothing else uses, lowest number first.
//
//   posts.push(scenario, month);   // waits
//   posts.start_at(now);           // free processors take what waits
//   posts.run_before(next);        // and go on when they are free again
//
// All tasks are equally long, so that they end in the order of their starts and cost a few steps
// each; only tasks that slow each other down are sorted in.
class PostQueue {
 public:
  // What ran is appended to `runs`, unless that is null.
  PostQueue(const MonthProblem& problem, std::vector<MonthRun>* runs)
      : problem_(problem), runs_(runs) {}

  // Processors first .. first + count - 1 may be used from now on; more than there are post tasks
  // never would be.
  void add_processors(Count first, Count count) {
    const auto most = static_cast<std::size_t>(problem_.posts * problem_.all_months());
    for (Count i = 0; i < count && free_.size() < most; ++i) free_.push(first + i);
  }

  // When the last task on these processors and those above ends; 0: none runs there.
  Time busy_until(Count first) const {
    Time end = 0;
    for (const RunningPost& run : running_) {
      if (run.processor >= first) end = std::max(end, run.end);
    }
    return end;
  }

  // These processors and those above may not be used any more. Needs them to be free.
  void remove_processors_from(Count first) {
    assert(busy_until(first) == 0);
    decltype(free_) kept;
    for (; !free_.empty() && free_.top() < first; free_.pop()) kept.push(free_.top());
    free_ = std::move(kept);
  }

  // The post tasks of a month wait from now on.
  void push(std::uint32_t scenario, Count month) {
    if (problem_.post == 0 || problem_.posts == 0) {
      ended_ += problem_.posts;
      return;
    }
    queue_.push_back({scenario, month, problem_.posts});
    waiting_ += problem_.posts;
  }

  // Everything that starts before t.
  void run_before(Time t) {
    while (waiting_ > 0 && !running_.empty() && running_.front().end < t) {
      start_at(running_.front().end);
    }
  }

  // Tasks that have ended by t free their processors.
  void release(Time t) {
    while (!running_.empty() && running_.front().end <= t) {
      free_.push(running_.front().processor);
      running_.pop_front();
      ++ended_;
    }
  }

  // The same, and free processors take what waits.
  void start_at(Time t) {
    release(t);
    const auto starting = std::min(waiting_, static_cast<std::int64_t>(free_.size()));
    if (starting == 0) return;
    const Duration each = length(static_cast<std::int64_t>(running_.size()) + starting);
    for (std::int64_t i = 0; i < starting; ++i) start_one(t, each);
  }

  std::int64_t unfinished() const { return waiting_ + static_cast<std::int64_t>(running_.size()); }
  std::int64_t ended() const { return ended_; }

  // Of all tasks that have started.
  Time last_end() const { return last_end_; }

 private:
  struct WaitingPost {
    std::uint32_t scenario = 0;
    Count month = 0;
    Count tasks = 0;
  };
  struct RunningPost {
    Time end = 0;
    Count processor = 0;
  };

  // With k tasks at a time, each lasts k / full_speed_posts times as long. What runs already keeps
  // the length with which it started.
  Duration length(std::int64_t at_a_time) const {
    const std::int64_t most = problem_.full_speed_posts;
    if (most == 0 || at_a_time <= most) return problem_.post;
    return (problem_.post * at_a_time + most - 1) / most;
  }

  void start_one(Time t, Duration length) {
    WaitingPost& task = queue_.front();
    const RunningPost run{t + length, free_.top()};
    free_.pop();
    if (runs_) {
      runs_->push_back(
          {MonthRun::RunKind::post, task.scenario, task.month, 0, run.processor, t, run.end});
    }
    auto place = running_.end();
    while (place != running_.begin() && std::prev(place)->end > run.end) --place;
    running_.insert(place, run);
    last_end_ = std::max(last_end_, run.end);
    --waiting_;
    if (--task.tasks == 0) queue_.pop_front();
  }

  const MonthProblem& problem_;
  std::vector<MonthRun>* runs_;
  std::deque<WaitingPost> queue_;
  std::int64_t waiting_ = 0;         // tasks in the queue
  std::deque<RunningPost> running_;  // by end
  std::priority_queue<Count, std::vector<Count>, std::greater<>> free_;
  std::int64_t ended_ = 0;
  Time last_end_ = 0;
};

// A main task that runs. Those that end together are taken by scenario.
struct RunningMonth {
  Time end = 0;
  std::uint32_t scenario = 0;
  std::uint32_t group = 0;
  Count month = 0;
  friend auto operator<=>(const RunningMonth&, const RunningMonth&) = default;
};

std::vector<Duration> times_of(const MonthProblem& problem, const Grouping& grouping) {
  std::vector<Duration> times;
  for (const Count procs : grouping.groups) times.push_back(problem.time_of(procs));
  return times;
}

class MonthSimulation {
 public:
  MonthSimulation(const MonthProblem& problem, const Grouping& grouping, Dispatch rule,
                  KeepRuns keep)
      : problem_(problem),
        grouping_(grouping),
        times_(times_of(problem, grouping)),
        dispatcher_(rule, problem.scenarios, problem.months, times_),
        runs_(keep == KeepRuns::yes ? &result_.runs : nullptr),
        posts_(problem, runs_),
        is_lent_(times_.size(), false) {
    // Those that only do post tasks have the lowest numbers and take post tasks first.
    Count first = post_processors();
    posts_.add_processors(0, first);
    for (const Count procs : grouping.groups) {
      first_.push_back(first);
      first += procs;
    }
  }

  MonthResult run() {
    dispatch();
    while (true) {
      lend_idle_groups();
      posts_.start_at(now_);
      if (running_.empty()) {
        posts_.run_before(kForever);
        if (dispatcher_.left() == 0) break;
        if (!resume()) break;
      } else {
        next_instant();
      }
      dispatch();
    }
    return finish();
  }

 private:
  Count post_processors() const { return problem_.processors - grouping_.grouped(); }

  void next_instant() {
    now_ = running_.top().end;
    posts_.run_before(now_);
    posts_.release(now_);
    while (!running_.empty() && running_.top().end == now_) {
      const RunningMonth month = running_.top();
      running_.pop();
      posts_.push(month.scenario, month.month);
      dispatcher_.end(month.group);
      result_.main_end = now_;
      ++result_.months_done;
    }
  }

  void dispatch() {
    while (const auto start = dispatcher_.takeover()) run_month(*start);
    // Asked once: the margin lets a whole wave start together, since half a wave costs as much
    // time.
    if (!is_flushing_ && dispatcher_.left() > 0 && room_on_disk() < margin()) flush();
    while (!is_flushing_) {
      const auto start = dispatcher_.propose();
      if (!start) return;
      if (problem_.disk && room_on_disk() < problem_.disk->month) return flush();
      dispatcher_.start(*start);
      run_month(*start);
    }
  }

  void flush() {
    is_flushing_ = true;
    ++result_.flushes;
  }

  void run_month(const MonthStart& start) {
    const Time end = now_ + times_[start.group];
    running_.push({end, start.scenario, start.group, start.month});
    if (!runs_) return;
    runs_->push_back({MonthRun::RunKind::main, start.scenario, start.month, start.group,
                      first_[start.group], now_, end});
  }

  std::int64_t room_on_disk() const {
    if (!problem_.disk) return 0;
    const DiskSpec& disk = *problem_.disk;
    const std::int64_t posts = std::max<Count>(1, problem_.posts);
    const auto running = static_cast<std::int64_t>(running_.size());
    const std::int64_t months = (posts_.unfinished() + posts - 1) / posts + running;
    return disk.capacity - disk.month * months - disk.archive * (posts_.ended() / posts);
  }

  // A flush begins when there is less room.
  std::int64_t margin() const {
    if (!problem_.disk) return 0;
    const auto groups = static_cast<std::int64_t>(times_.size());
    return std::max(problem_.disk->margin_for(groups), problem_.disk->month);
  }

  // Groups that have nothing to do any more, or all of them while the disk is emptied.
  void lend_idle_groups() {
    const bool is_last_phase = dispatcher_.left() == 0;
    if (!is_last_phase && !(is_flushing_ && running_.empty())) return;
    std::vector<bool> is_busy(times_.size(), false);
    for (auto left = running_; !left.empty(); left.pop()) is_busy[left.top().group] = true;
    for (std::size_t g = 0; g < times_.size(); ++g) {
      if (is_busy[g] || is_lent_[g]) continue;
      is_lent_[g] = true;
      posts_.add_processors(first_[g], grouping_.groups[g]);
    }
  }

  // After the disk was emptied; false when that did not help.
  bool resume() {
    now_ = std::max(now_, posts_.busy_until(post_processors()));
    posts_.release(now_);
    posts_.remove_processors_from(post_processors());
    is_lent_.assign(times_.size(), false);
    is_flushing_ = false;
    if (room_on_disk() >= margin()) return true;
    now_ = std::max(now_, posts_.last_end());
    posts_.release(now_);
    result_.is_stuck = room_on_disk() < margin();
    return !result_.is_stuck;
  }

  MonthResult finish() {
    result_.makespan = std::max(result_.main_end, posts_.last_end());
    const auto by_start = [](const MonthRun& a, const MonthRun& b) {
      return std::tie(a.start, a.kind, a.processor) < std::tie(b.start, b.kind, b.processor);
    };
    std::sort(result_.runs.begin(), result_.runs.end(), by_start);
    return std::move(result_);
  }

  const MonthProblem& problem_;
  const Grouping& grouping_;
  std::vector<Duration> times_;
  std::vector<Count> first_;  // processor of each group
  MonthDispatch dispatcher_;
  MonthResult result_;
  std::vector<MonthRun>* runs_;
  PostQueue posts_;
  std::vector<bool> is_lent_;
  std::priority_queue<RunningMonth, std::vector<RunningMonth>, std::greater<>> running_;
  bool is_flushing_ = false;
  Time now_ = 0;
};

}  // namespace

MonthResult simulate_months(const MonthProblem& problem, const Grouping& grouping,
                            Dispatch dispatch, KeepRuns keep) {
  return MonthSimulation(problem, grouping, dispatch, keep).run();
}

}  // namespace dovetail::planning
