// Reduces the CPU-hours of a plan: each task in turn gets as few processors as its neighbours leave
// time for, placed late first, then early. Nothing ends after `end`, and no pass costs more than
// the one before.
#pragma once

#include <functional>
#include <span>

#include "planners/search/draft_plan.hpp"

namespace dovetail::planning {

// Not safe to share between threads; the view must outlive it.
class Shrinker {
 public:
  Shrinker(const ClusterView& view, const Calendar& calendar, Time now);

  // Needs a valid plan that ends by then. Stops when a pass saves nothing, after at most four
  // passes, or in the middle of one when time runs out.
  void shrink(DecodedPlan& plan, Time end, const std::function<bool()>& is_over = {});

  // The same with a due time for each task, which the plan must already keep.
  void shrink(DecodedPlan& plan, std::span<const Time> dues,
              const std::function<bool()>& is_over = {});

 private:
  void book(const DecodedPlan& plan);
  bool pass(DecodedPlan& plan, std::span<const Time> dues, bool is_late,
            const std::function<bool()>& is_over);
  void narrow(TaskId task, DecodedPlan& plan, Time due, bool is_late);
  std::optional<Slot> cheapest_within(TaskId task, const Slot& now, Interval window, bool is_late);

  const ClusterView& view_;
  Time now_;
  ScratchCalendar line_;
  std::vector<TaskId> by_time_;
};

}  // namespace dovetail::planning
