#include "planners/search/shrink.hpp"

#include <algorithm>
#include <numeric>

#include "planners/list/earliest_slot.hpp"

namespace dovetail::planning {

namespace {

constexpr int kMostPasses = 4;

// Tasks between two checks of the time.
constexpr std::size_t kLookAfter = 100;

// Removing a task and putting it back makes four changes at most.
constexpr std::size_t kChangesPerTask = 4;

}  // namespace

Shrinker::Shrinker(const ClusterView& view, const Calendar& calendar, Time now)
    : view_(view), now_(now), line_(calendar, now, kChangesPerTask * view.size() + 1) {
  by_time_.resize(view.size());
}

void Shrinker::book(const DecodedPlan& plan) {
  line_.reset();
  for (const Slot& slot : plan.slots) {
    line_.reserve({slot.start, line_.place_of(slot.start)}, slot.end - slot.start, slot.procs);
  }
}

void Shrinker::shrink(DecodedPlan& plan, Time end, const std::function<bool()>& is_over) {
  shrink(plan, std::vector<Time>(view_.size(), end), is_over);
}

void Shrinker::shrink(DecodedPlan& plan, std::span<const Time> dues,
                      const std::function<bool()>& is_over) {
  std::iota(by_time_.begin(), by_time_.end(), TaskId{0});
  for (int i = 0; i < kMostPasses; ++i) {
    const Area before = plan.area;
    if (!pass(plan, dues, true, is_over) || !pass(plan, dues, false, is_over)) break;
    if (plan.area == before) break;
  }
  plan.end = now_;
  for (const Slot& slot : plan.slots) plan.end = std::max(plan.end, slot.end);
}

// False when time ran out before its end.
bool Shrinker::pass(DecodedPlan& plan, std::span<const Time> dues, bool is_late,
                    const std::function<bool()>& is_over) {
  std::ranges::sort(by_time_, [&](TaskId a, TaskId b) {
    const Slot& one = plan.slots[a];
    const Slot& two = plan.slots[b];
    return is_late ? std::pair(two.start, b) < std::pair(one.start, a)
                   : std::pair(one.end, a) < std::pair(two.end, b);
  });
  book(plan);
  for (std::size_t i = 0; i < by_time_.size(); ++i) {
    // The first tasks are processed without a time check, since few tasks take no time.
    if (is_over && i % kLookAfter == kLookAfter - 1 && is_over()) return false;
    narrow(by_time_[i], plan, dues[by_time_[i]], is_late);
  }
  return true;
}

void Shrinker::narrow(TaskId task, DecodedPlan& plan, Time due, bool is_late) {
  const Interval window{ready_time(view_, task, plan.slots),
                        due_time(view_, task, plan.slots, due)};
  Slot& slot = plan.slots[task];
  line_.release({slot.start, slot.end}, slot.procs);
  const Slot found = cheapest_within(task, slot, window, is_late).value_or(slot);
  line_.reserve({found.start, line_.place_of(found.start)}, found.end - found.start, found.procs);
  plan.area += found.area() - slot.area();
  slot = found;
}

// Fewer processors are cheaper, except where measured times say otherwise.
std::optional<Slot> Shrinker::cheapest_within(TaskId task, const Slot& now, Interval window,
                                              bool is_late) {
  const TaskTime& time = view_.time(task);
  const Count first = time.fewest_within(window.end - window.begin, time.min_procs(), now.procs);
  for (Count procs = first; procs != 0 && procs <= now.procs; procs = time.next_allowed(procs)) {
    const Duration length = time.duration(procs);
    if (Area{procs} * length > now.area()) continue;
    const auto place = is_late ? line_.latest_fit(procs, length, window.begin, window.end)
                               : line_.earliest_fit(procs, length, line_.place_of(window.begin),
                                                    window.begin, window.end);
    if (place) return Slot{procs, place->start, place->start + length};
  }
  return std::nullopt;
}

}  // namespace dovetail::planning
