// One walk over the steps of a calendar that follows every processor count of a task at once.
//
// A count is free "since" the time from which at least that many processors have been free.
// Neighbouring counts that are free since the same time form a group; more processors are free
// since a later time. So the groups form a stack, and a step of the calendar changes only its top.
#pragma once

#include <algorithm>
#include <vector>

#include "dovetail/calendar.hpp"
#include "dovetail/speedup.hpp"
#include "planners/list/slot.hpp"

namespace dovetail::planning {

class Sweep {
 public:
  // Follows the allowed counts from `least` to `most`; both must be allowed.
  Sweep(const TaskTime& time, Count least, Count most) : time_(time), least_(least), most_(most) {}

  // Processes the next step, which must begin where the last one ended, unless idle().
  void feed(const Step& step) {
    const Count usable = step.free >= most_ ? most_ : time_.floor_allowed(step.free);
    Count covered = groups_.empty() ? 0 : groups_.back().high;
    if (usable < covered) covered = drop_above(usable);
    if (usable > covered && usable >= least_) {
      push(covered == 0 ? least_ : time_.next_allowed(covered), usable, step.begin);
    }
  }

  // Whether no count is free at the end of the last step.
  bool idle() const { return groups_.empty(); }

  Count least() const { return least_; }
  Count most() const { return most_; }

  // Whether the task, started as soon as its count was free, ends by `moment` on some count.
  bool ends_by(Time moment) const {
    return !groups_.empty() && groups_.back().earliest_end <= moment;
  }

  // The count with the earliest end, the fewest of equals. Needs some group.
  Slot earliest() const {
    const Time end = groups_.back().earliest_end;
    const Group& group = first_that_ends_by(end);
    return slot(group, fewest_within(group, end - group.start));
  }

  // The smallest count with which the task ends by `moment`. Needs ends_by(moment).
  Slot fewest(Time moment) const {
    const Group& group = first_that_ends_by(moment);
    return slot(group, fewest_within(group, moment - group.start));
  }

  // Drops counts above `most`; false when none is left.
  bool limit_to(Count most) {
    most_ = time_.floor_allowed(most);
    if (most_ < least_) return false;
    drop_above(most_);
    return true;
  }

 private:
  // Within a group the largest count ends first, because durations never grow with the count; so
  // one end per group suffices.
  struct Group {
    Count low;
    Count high;
    Time start;
    Time earliest_end;  // the least end that this group or one below it on the stack can reach
  };

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

  const Group& first_that_ends_by(Time moment) const {
    return *std::find_if(groups_.begin(), groups_.end(),
                         [&](const Group& group) { return group.earliest_end <= moment; });
  }

  Count fewest_within(const Group& group, Duration length) const {
    return time_.fewest_within(length, group.low, group.high);
  }

  Slot slot(const Group& group, Count procs) const {
    return {procs, group.start, group.start + time_.duration(procs)};
  }

  const TaskTime& time_;
  Count least_;
  Count most_;
  std::vector<Group> groups_;
};

}  // namespace dovetail::planning
