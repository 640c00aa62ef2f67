// A plan as a search sees it: an order of the tasks and how wide each may be. From these the plan
// follows by placing one task after the other where it ends earliest, as list planners do.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "planners/list/slot.hpp"
#include "planners/search/scratch_calendar.hpp"
#include "planners/search/size_menu.hpp"

namespace dovetail {

struct DraftPlan {
  std::vector<TaskId> order = {};       // topological
  std::vector<SizeChoice> bounds = {};  // by task: the widest that it may be
  std::vector<char> is_exact = {};      // by task: it may not be narrower either
};

// Where each task of an order is.
std::vector<std::uint32_t> places_in(std::span<const TaskId> order);

// Puts a task elsewhere, those between move up by one. `places` are those of the order.
void move_task(std::vector<TaskId>& order, std::vector<std::uint32_t>& places, TaskId task,
               std::uint32_t to);

// The draft whose plan is at least as good: in order of start, each task exactly as wide as it is.
DraftPlan draft_of(std::span<const Slot> slots);

class FairMeter;
class FairScale;

// A draft with its plan.
struct DecodedPlan {
  std::vector<Slot> slots = {};  // by task
  Time end = 0;
  Area area = 0;
  std::int64_t fairness = 0;  // where it is measured (fair_scale.hpp): less is better
};

// By task: placements are by workflow and task, as views of several workflows count them.
std::vector<Slot> slots_of(const Plan& plan);

// The slots with their end, not before `now`, and area.
DecodedPlan measured(std::vector<Slot> slots, Time now);

// What a plan may not exceed. The search draws what it would accept first: most drafts are given up
// as soon as one task cannot meet it.
struct DecodeLimits {
  Time end = kForever;
  Area area = Area{kForever} * kMaxProcessors;
};

// Places drafts on one cluster. Not safe to share between threads; the view must outlive it.
class DraftDecoder {
 public:
  DraftDecoder(const ClusterView& view, const SizeMenu& menu, const Calendar& calendar, Time now);

  // False when a task or the plan as a whole exceeds the limits; `plan` is undefined then.
  bool decode(const DraftPlan& draft, const DecodeLimits& limits, DecodedPlan& plan);

  // The same for several workflows; `meter` says what is exceeded, and measures the plan.
  bool decode(const DraftPlan& draft, const DecodeLimits& limits, FairMeter& meter,
              DecodedPlan& plan);

  // Everything as late as it can be, then as early as it can be, each task with the processors it
  // has. Never ends later.
  void justify(DecodedPlan& plan);

  // The same for several workflows, none of which ends later. Measures the plan.
  void justify(DecodedPlan& plan, const FairScale& scale);

  const ClusterView& view() const { return view_; }
  const SizeMenu& menu() const { return menu_; }
  Time now() const { return now_; }

  // The longest path behind a task, every task as wide as it may be.
  Duration tail(TaskId task) const { return tails_[task]; }

 private:
  template <typename Meter>
  bool decode_by(const DraftPlan& draft, const DecodeLimits& limits, Meter& meter,
                 DecodedPlan& plan);
  template <typename EndOf>
  void justify_by(DecodedPlan& plan, const EndOf& end_of);
  bool place(TaskId task, const SizeChoice& bound, bool is_exact, Time limit, Slot& slot);
  Time ready_time(TaskId task, std::span<const Slot> slots) const;
  Time due_time(TaskId task, std::span<const Slot> slots, Time end) const;

  const ClusterView& view_;
  const SizeMenu& menu_;
  Time now_;
  ScratchCalendar line_;
  std::vector<Duration> tails_;
  Area least_total_ = 0;
  std::vector<TaskId> by_time_;  // scratch
};

// The tasks on which the end of a plan depends: those that end last, and all whose end is the start
// of one of these. In no order.
void find_critical(std::span<const Slot> slots, Time end, std::vector<TaskId>& by_end,
                   std::vector<char>& is_critical, std::vector<TaskId>& chain);

}  // namespace dovetail
