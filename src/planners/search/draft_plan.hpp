// A plan as a search represents it: an order of the tasks and how wide each may be. The plan
// follows by placing one task after the other where it ends earliest, as list planners do.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dovetail/metrics.hpp"
#include "planners/list/cluster_view.hpp"
#include "planners/list/slot.hpp"
#include "planners/search/scratch_calendar.hpp"

namespace dovetail::planning {

struct SizeChoice {
  Count procs = 0;
  Duration length = 0;
};

// The processor counts that a search tries for each task, with their durations: a grid in steps of
// about an eighth, from the fewest to the most that the task may use. Safe to share between
// threads.
class SizeMenu {
 public:
  explicit SizeMenu(const ClusterView& view);

  // In increasing order of processors, so in decreasing order of length.
  std::span<const SizeChoice> of(TaskId task) const {
    return {choices_.data() + first_[task], choices_.data() + first_[task + 1]};
  }
  const SizeChoice& widest(TaskId task) const { return choices_[first_[task + 1] - 1]; }

  // The least consumption of the task over all its counts.
  Area least_area(TaskId task) const { return least_areas_[task]; }

 private:
  std::vector<SizeChoice> choices_;
  std::vector<std::size_t> first_;  // by task, with one extra entry
  std::vector<Area> least_areas_;
};

struct DraftPlan {
  std::vector<TaskId> order = {};       // topological
  std::vector<SizeChoice> bounds = {};  // by task: the widest that it may be
  std::vector<char> is_exact = {};      // by task: it must be exactly that wide
};

// The position of each task in an order.
std::vector<std::uint32_t> places_in(std::span<const TaskId> order);

// Moves a task; those in between shift by one. `places` are the positions in the order.
void move_task(std::vector<TaskId>& order, std::vector<std::uint32_t>& places, TaskId task,
               std::uint32_t to);

// A draft whose plan is at least as good: in order of start, each task exactly as wide as in the
// slots.
DraftPlan draft_of(std::span<const Slot> slots);

class FairMeter;
class FairScale;

// A draft with its plan.
struct DecodedPlan {
  std::vector<Slot> slots = {};  // by task
  Time end = 0;
  Area area = 0;
  std::int64_t fairness = 0;  // if measured (fair_scale.hpp): less is better
};

// The slots by task: placements are by workflow and task, the order in which views of several
// workflows count tasks.
std::vector<Slot> slots_of(const Plan& plan);

// The slots with their area and their end, which is not before `now`.
DecodedPlan measured(std::vector<Slot> slots, Time now);

// The limits of a plan. The search draws its acceptance threshold first, so most drafts are given
// up as soon as one task cannot meet it.
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

  // The same for several workflows; `meter` checks the limits and measures the plan.
  bool decode(const DraftPlan& draft, const DecodeLimits& limits, FairMeter& meter,
              DecodedPlan& plan);

  // Moves every task as late as possible, then as early as possible, with the same processors.
  // Never ends later; for several workflows, with their scale, none of them does, and the plan is
  // measured.
  void justify(DecodedPlan& plan, const FairScale* scale);

  const ClusterView& view() const { return view_; }
  const SizeMenu& menu() const { return menu_; }
  Time now() const { return now_; }

  // The longest path after a task, with every task as wide as it may be.
  Duration tail(TaskId task) const { return tails_[task]; }

 private:
  template <typename Meter>
  bool decode_by(const DraftPlan& draft, const DecodeLimits& limits, Meter& meter,
                 DecodedPlan& plan);
  template <typename EndOf>
  void justify_by(DecodedPlan& plan, const EndOf& end_of);
  bool place(TaskId task, const SizeChoice& bound, bool is_exact, Time limit, Slot& slot);

  const ClusterView& view_;
  const SizeMenu& menu_;
  Time now_;
  ScratchCalendar line_;
  std::vector<Duration> tails_;
  Area least_total_ = 0;
  std::vector<TaskId> by_time_;  // scratch
};

// The tasks on which the end of a plan depends: those that end last, and all tasks whose end is the
// start of one of these. In no particular order.
void find_critical(std::span<const Slot> slots, Time end, std::vector<TaskId>& by_end,
                   std::vector<char>& is_critical, std::vector<TaskId>& chain);

}  // namespace dovetail::planning
