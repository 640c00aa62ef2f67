#include "planners/ensemble/post_queue.hpp"

#include <algorithm>
#include <cassert>

namespace dovetail {

PostQueue::PostQueue(const MonthProblem& problem, std::vector<MonthRun>* runs)
    : problem_(problem), runs_(runs) {}

// More processors than there are post tasks would never be used.
void PostQueue::add_processors(Count first, Count count) {
  const auto most = static_cast<std::size_t>(problem_.posts * problem_.all_months());
  for (Count i = 0; i < count && free_.size() < most; ++i) free_.push(first + i);
}

Time PostQueue::busy_until(Count first) const {
  Time end = 0;
  for (const RunningPost& run : running_) {
    if (run.processor >= first) end = std::max(end, run.end);
  }
  return end;
}

void PostQueue::remove_processors_from(Count first) {
  assert(busy_until(first) == 0);
  decltype(free_) kept;
  for (; !free_.empty() && free_.top() < first; free_.pop()) kept.push(free_.top());
  free_ = std::move(kept);
}

void PostQueue::push(std::uint32_t scenario, Count month) {
  if (problem_.post == 0 || problem_.posts == 0) {
    ended_ += problem_.posts;
    return;
  }
  queue_.push_back({scenario, month, problem_.posts});
  waiting_ += problem_.posts;
}

void PostQueue::run_before(Time t) {
  while (waiting_ > 0 && !running_.empty() && running_.front().end < t) {
    start_at(running_.front().end);
  }
}

void PostQueue::release(Time t) {
  while (!running_.empty() && running_.front().end <= t) {
    free_.push(running_.front().processor);
    running_.pop_front();
    ++ended_;
  }
}

void PostQueue::start_at(Time t) {
  release(t);
  const auto starting = std::min(waiting_, static_cast<std::int64_t>(free_.size()));
  if (starting == 0) return;
  const Duration each = length(static_cast<std::int64_t>(running_.size()) + starting);
  for (std::int64_t i = 0; i < starting; ++i) start_one(t, each);
}

// With k tasks at a time, each lasts k / full_speed_posts times as long. What runs already keeps
// the length with which it started.
Duration PostQueue::length(std::int64_t at_a_time) const {
  const std::int64_t most = problem_.full_speed_posts;
  if (most == 0 || at_a_time <= most) return problem_.post;
  return (problem_.post * at_a_time + most - 1) / most;
}

void PostQueue::start_one(Time t, Duration length) {
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

}  // namespace dovetail
