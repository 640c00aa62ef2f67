#include "planners/place.hpp"

#include <algorithm>

namespace dovetail {

namespace {

// The counts low..high (allowed ones) that have all been free since `start`. Groups lie on a stack
// by increasing count: the more processors, the later the moment since when they are free.
struct Group {
  Count low;
  Count high;
  Time start;
  Time earliest_end;  // the least end that this group or one below it on the stack can reach
};

// The state of one sweep. Within a group the largest count ends first, because durations never grow
// with the count; so one end per group is enough.
class Sweep {
 public:
  Sweep(const TaskTime& time, Count bound) : time_(time), top_(time.floor_allowed(bound)) {}

  // Takes in the next step. True as soon as some count has been free for long enough.
  bool feed(const Step& step) {
    const Count usable = time_.floor_allowed(std::min(step.free, top_));
    Count covered = groups_.empty() ? 0 : groups_.back().high;
    if (usable < covered) covered = drop_above(usable);
    if (usable > covered) push(time_.next_allowed(covered), usable, step.begin);
    return !groups_.empty() && groups_.back().earliest_end <= step.end;
  }

  bool idle() const { return groups_.empty(); }

  // Once feed has answered true: the winner.
  Slot best() const {
    const Time end = groups_.back().earliest_end;
    const auto group = std::find_if(groups_.begin(), groups_.end(),
                                    [&](const Group& g) { return g.earliest_end == end; });
    return {fewest_with_same_duration(*group), group->start, end};
  }

 private:
  Count drop_above(Count usable) {
    while (!groups_.empty() && groups_.back().low > usable) groups_.pop_back();
    if (groups_.empty()) return 0;
    const Group cut = groups_.back();
    if (cut.high > usable) {
      groups_.pop_back();
      push(cut.low, usable, cut.start);
    }
    return groups_.back().high;
  }

  void push(Count low, Count high, Time start) {
    Time earliest_end = start + time_.duration(high);
    if (!groups_.empty()) earliest_end = std::min(earliest_end, groups_.back().earliest_end);
    groups_.push_back({low, high, start, earliest_end});
  }

  Count fewest_with_same_duration(const Group& group) const {
    const Duration wanted = time_.duration(group.high);
    if (time_.kind() == TimeKind::table) {
      // Measured times differ, but may be the same in milliseconds.
      Count procs = group.low;
      while (time_.duration(procs) != wanted) procs = time_.next_allowed(procs);
      return procs;
    }
    Count low = group.low;
    Count high = group.high;
    while (low < high) {
      const Count middle = low + (high - low) / 2;
      if (time_.duration(middle) == wanted) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  const TaskTime& time_;
  Count top_;
  std::vector<Group> groups_;
};

// A task with a single choice needs no sweep.
std::optional<Slot> earliest_with(const Calendar& calendar, const TaskTime& time, Count procs,
                                  Time ready) {
  const Duration length = time.duration(procs);
  const auto start = calendar.earliest_fit(procs, length, ready);
  if (!start) return std::nullopt;
  return Slot{procs, *start, *start + length};
}

Time ready_time(const ClusterView& view, TaskId task, const std::vector<Slot>& slots, Time now) {
  Time ready = now;
  for (TaskId before : view.workflow().predecessors(task)) {
    ready = std::max(ready, slots[before].end);
  }
  return ready;
}

template <typename Choose>
std::optional<std::vector<Slot>> place_each(const ClusterView& view, std::span<const TaskId> order,
                                            Calendar& calendar, Time now, Choose choose) {
  std::vector<Slot> slots(view.size());
  for (TaskId task : order) {
    const std::optional<Slot> slot = choose(task, ready_time(view, task, slots, now));
    if (!slot) return std::nullopt;
    calendar.reserve({slot->start, slot->end}, slot->procs);
    slots[task] = *slot;
  }
  return slots;
}

}  // namespace

std::optional<Slot> earliest_completion(const Calendar& calendar, const TaskTime& time, Count bound,
                                        Time ready) {
  const Count least = time.min_procs();
  const Count most = std::max(least, time.floor_allowed(bound));
  if (least == most) return earliest_with(calendar, time, least, ready);
  const Duration shortest = time.duration(most);
  Sweep sweep(time, most);
  // Wherever the task runs, its least count is free for at least its shortest duration; so the
  // sweep begins there, and begins anew whenever fewer processors are free.
  for (Time from = ready;;) {
    const auto start = calendar.earliest_fit(least, shortest, from);
    if (!start) return std::nullopt;
    for (const Step& step : calendar.steps({*start, kForever})) {
      if (sweep.feed(step)) return sweep.best();
      from = step.end;
      if (sweep.idle()) break;
    }
    if (!sweep.idle()) return std::nullopt;
  }
}

std::optional<std::vector<Slot>> place_forward(const ClusterView& view,
                                               std::span<const TaskId> order,
                                               std::span<const Count> bounds, Calendar calendar,
                                               Time now) {
  return place_each(view, order, calendar, now, [&](TaskId task, Time ready) {
    return earliest_completion(calendar, view.time(task), bounds[task], ready);
  });
}

std::optional<std::vector<Slot>> place_fixed(const ClusterView& view, std::span<const TaskId> order,
                                             std::span<const Count> allocation, Calendar calendar,
                                             Time now) {
  return place_each(view, order, calendar, now, [&](TaskId task, Time ready) {
    return earliest_with(calendar, view.time(task), allocation[task], ready);
  });
}

}  // namespace dovetail
