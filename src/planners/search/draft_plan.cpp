#include "planners/search/draft_plan.hpp"

#include <algorithm>
#include <numeric>

#include "core/order.hpp"
#include "planners/fair/fair_scale.hpp"
#include "planners/list/earliest_slot.hpp"

namespace dovetail::planning {

namespace {

// Used when only one end counts, not those of several workflows.
struct NoMeter {
  static void reset() {}
  static Time due(TaskId) { return kForever; }
  static bool add(TaskId, Time) { return true; }
};

// Finer grids cost more time than they gain.
constexpr Count next_on_grid(Count procs) { return procs + std::max<Count>(1, procs * 3 / 25); }

}  // namespace

std::vector<std::uint32_t> places_in(std::span<const TaskId> order) {
  std::vector<std::uint32_t> places(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) places[order[i]] = i;
  return places;
}

void move_task(std::vector<TaskId>& order, std::vector<std::uint32_t>& places, TaskId task,
               std::uint32_t to) {
  const std::uint32_t from = places[task];
  const auto at = [&](std::uint32_t i) { return order.begin() + static_cast<std::ptrdiff_t>(i); };
  if (to < from) {
    std::rotate(at(to), at(from), at(from + 1));
  } else {
    std::rotate(at(from), at(from + 1), at(to + 1));
  }
  for (std::uint32_t i = std::min(from, to); i <= std::max(from, to); ++i) places[order[i]] = i;
}

DraftPlan draft_of(std::span<const Slot> slots) {
  const auto start_of = [&](TaskId task) { return slots[task].start; };
  DraftPlan draft{.order = order_by<TaskId>(slots.size(), start_of),
                  .bounds = {},
                  .is_exact = std::vector<char>(slots.size(), 1)};
  for (const Slot& slot : slots) draft.bounds.push_back({slot.procs, slot.end - slot.start});
  return draft;
}

std::vector<Slot> slots_of(const Plan& plan) {
  std::vector<Slot> slots;
  slots.reserve(plan.placements.size());
  for (const Placement& placement : plan.placements) {
    slots.push_back({placement.procs, placement.start, placement.end});
  }
  return slots;
}

DecodedPlan measured(std::vector<Slot> slots, Time now) {
  DecodedPlan plan{.slots = std::move(slots), .end = now};
  for (const Slot& slot : plan.slots) {
    plan.end = std::max(plan.end, slot.end);
    plan.area += slot.area();
  }
  return plan;
}

DraftDecoder::DraftDecoder(const ClusterView& view, const SizeMenu& menu, const Calendar& calendar,
                           Time now)
    : view_(view), menu_(menu), now_(now), line_(calendar, now, view.size() + 1) {
  std::vector<Count> widest(view.size());
  for (TaskId task = 0; task < view.size(); ++task) {
    widest[task] = menu.widest(task).procs;
    least_total_ += menu.least_area(task);
  }
  tails_ = bottom_levels(view, widest);
  for (TaskId task = 0; task < view.size(); ++task) tails_[task] -= menu.widest(task).length;
  by_time_.resize(view.size());
}

// Tries widths from the widest to the narrowest. Narrower ones last longer, so the search stops
// once the duration alone is too long.
bool DraftDecoder::place(TaskId task, const SizeChoice& bound, bool is_exact, Time limit,
                         Slot& slot) {
  const Time ready = slot.start;
  const std::size_t step = line_.place_of(ready);
  ScratchCalendar::ScratchPlace best;
  SizeChoice chosen{};
  const auto attempt = [&](const SizeChoice& choice) {
    if (const auto place = line_.earliest_fit(choice.procs, choice.length, step, ready, limit)) {
      best = *place;
      chosen = choice;
      limit = best.start + choice.length;
    }
  };
  attempt(bound);
  if (!is_exact) {
    const auto menu = menu_.of(task);
    auto choice = std::ranges::lower_bound(menu, bound.procs, {}, &SizeChoice::procs);
    while (choice != menu.begin()) {
      --choice;
      if (ready + choice->length > limit) break;
      attempt(*choice);
    }
  }
  if (chosen.procs == 0) return false;
  line_.reserve(best, chosen.length, chosen.procs);
  slot = {chosen.procs, best.start, best.start + chosen.length};
  return true;
}

template <typename Meter>
bool DraftDecoder::decode_by(const DraftPlan& draft, const DecodeLimits& limits, Meter& meter,
                             DecodedPlan& plan) {
  line_.reset();
  meter.reset();
  plan.slots.resize(view_.size());
  plan.end = now_;
  plan.area = least_total_;
  for (const TaskId task : draft.order) {
    Slot& slot = plan.slots[task];
    slot.start = ready_time(view_, task, plan.slots);
    const Time end = std::min(limits.end, meter.due(task)) - tails_[task];
    if (!place(task, draft.bounds[task], draft.is_exact[task] != 0, end, slot)) return false;
    if (!meter.add(task, slot.end + tails_[task])) return false;
    plan.end = std::max(plan.end, slot.end);
    plan.area += slot.area() - menu_.least_area(task);
    if (plan.area > limits.area) return false;
  }
  return true;
}

bool DraftDecoder::decode(const DraftPlan& draft, const DecodeLimits& limits, DecodedPlan& plan) {
  NoMeter meter;
  return decode_by(draft, limits, meter, plan);
}

bool DraftDecoder::decode(const DraftPlan& draft, const DecodeLimits& limits, FairMeter& meter,
                          DecodedPlan& plan) {
  if (!decode_by(draft, limits, meter, plan)) return false;
  plan.fairness = meter.value();
  return true;
}

void DraftDecoder::justify(DecodedPlan& plan, const FairScale* scale) {
  if (scale == nullptr) return justify_by(plan, [end = plan.end](TaskId) { return end; });
  justify_by(plan, [&, ends = scale->ends_of(plan)](TaskId task) {
    return ends[scale->workflow_of(task)];
  });
  scale->measure(plan);
}

template <typename EndOf>
void DraftDecoder::justify_by(DecodedPlan& plan, const EndOf& end_of) {
  std::iota(by_time_.begin(), by_time_.end(), TaskId{0});
  std::ranges::sort(by_time_, [&](TaskId a, TaskId b) {
    return std::pair(plan.slots[b].end, b) < std::pair(plan.slots[a].end, a);
  });
  line_.reset();
  for (const TaskId task : by_time_) {
    Slot& slot = plan.slots[task];
    const Duration length = slot.end - slot.start;
    const Time due = due_time(view_, task, plan.slots, end_of(task));
    const auto place = line_.latest_fit(slot.procs, length, slot.start, due);
    line_.reserve(*place, length, slot.procs);
    slot = {slot.procs, place->start, place->start + length};
  }
  std::ranges::sort(by_time_, [&](TaskId a, TaskId b) {
    return std::pair(plan.slots[a].start, a) < std::pair(plan.slots[b].start, b);
  });
  line_.reset();
  plan.end = now_;
  for (const TaskId task : by_time_) {
    Slot& slot = plan.slots[task];
    const Duration length = slot.end - slot.start;
    const Time ready = ready_time(view_, task, plan.slots);
    const auto place =
        line_.earliest_fit(slot.procs, length, line_.place_of(ready), ready, kForever);
    line_.reserve(*place, length, slot.procs);
    slot = {slot.procs, place->start, place->start + length};
    plan.end = std::max(plan.end, slot.end);
  }
}

void find_critical(std::span<const Slot> slots, Time end, std::vector<TaskId>& by_end,
                   std::vector<char>& is_critical, std::vector<TaskId>& chain) {
  by_end.resize(slots.size());
  std::iota(by_end.begin(), by_end.end(), TaskId{0});
  std::ranges::sort(by_end, [&](TaskId a, TaskId b) {
    return std::pair(slots[a].end, a) < std::pair(slots[b].end, b);
  });
  is_critical.assign(slots.size(), 0);
  chain.clear();
  const auto take_those_ending = [&](Time moment) {
    auto next =
        std::ranges::lower_bound(by_end, moment, {}, [&](TaskId task) { return slots[task].end; });
    for (; next != by_end.end() && slots[*next].end == moment; ++next) {
      if (is_critical[*next]) continue;
      is_critical[*next] = 1;
      chain.push_back(*next);
    }
  };
  take_those_ending(end);
  for (std::size_t i = 0; i < chain.size(); ++i) take_those_ending(slots[chain[i]].start);
}

SizeMenu::SizeMenu(const ClusterView& view) {
  first_.reserve(view.size() + 1);
  least_areas_.reserve(view.size());
  for (TaskId task = 0; task < view.size(); ++task) {
    const TaskTime& time = view.time(task);
    const Count most = view.bounded(task, view.processors());
    first_.push_back(choices_.size());
    Area least = Area{kForever} * kMaxProcessors;
    for (Count procs = time.min_procs();;) {
      choices_.push_back({procs, time.duration(procs)});
      least = std::min(least, Area{procs} * choices_.back().length);
      if (procs >= most) break;
      const Count next = time.next_allowed(next_on_grid(procs) - 1);
      procs = next == 0 ? most : std::min(next, most);
    }
    least_areas_.push_back(least);
  }
  first_.push_back(choices_.size());
}

}  // namespace dovetail::planning
