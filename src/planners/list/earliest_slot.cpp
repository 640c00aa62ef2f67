#include "planners/list/earliest_slot.hpp"

#include "planners/list/slot_sweep.hpp"

namespace dovetail::planning {

namespace {

// The sweeps run forwards in time, on a Line: a calendar up to `limit`, either as it is or
// mirrored. The earliest end on the mirrored line is the latest start on the calendar.
struct Forward {
  const Calendar& calendar;
  Time limit;

  std::optional<Time> earliest_fit(Count procs, Duration length, Time ready) const {
    return calendar.earliest_fit(procs, length, ready, limit);
  }
  StepRange steps(Time from) const { return calendar.steps({from, limit}); }
  static Step seen(const Step& step) { return step; }
};

struct Mirrored {
  const Calendar& calendar;
  Time limit;

  std::optional<Time> earliest_fit(Count procs, Duration length, Time ready) const {
    const auto start = calendar.latest_fit(procs, length, -limit, -ready);
    if (!start) return std::nullopt;
    return -(*start + length);
  }
  BackStepRange steps(Time from) const { return calendar.steps_back({-limit, -from}); }
  static Step seen(const Step& step) { return {-step.end, -step.begin, step.free}; }
};

Slot mirrored(const Slot& slot) { return {slot.procs, -slot.end, -slot.start}; }

std::optional<Slot> mirrored(const std::optional<Slot>& slot) {
  if (!slot) return std::nullopt;
  return mirrored(*slot);
}

// With a single choice of processors there is nothing to sweep.
template <typename Line>
std::optional<Slot> earliest_with(const Line& line, const TaskTime& time, Count procs, Time ready) {
  const Duration length = time.duration(procs);
  const auto start = line.earliest_fit(procs, length, ready);
  if (!start) return std::nullopt;
  return Slot{procs, *start, *start + length};
}

// Feeds the sweep from `ready` on until `enough` returns true or the line ends. Wherever the task
// runs, its least count is free for at least its shortest duration. So the sweep begins at such a
// place, and restarts whenever fewer processors are free.
template <typename Line, typename Enough>
void run_sweep(const Line& line, Sweep& sweep, const TaskTime& time, Time ready, Enough enough) {
  for (Time from = ready;;) {
    const auto start = line.earliest_fit(sweep.least(), time.duration(sweep.most()), from);
    if (!start) return;
    for (const Step& raw : line.steps(*start)) {
      const Step step = Line::seen(raw);
      sweep.feed(step);
      if (enough(step.end)) return;
      from = step.end;
      if (sweep.idle()) break;
    }
    if (!sweep.idle()) return;
  }
}

Count most_within(const TaskTime& time, Count bound) {
  return std::max(time.min_procs(), time.floor_allowed(bound));
}

template <typename Line>
std::optional<Slot> first_completion(const Line& line, const TaskTime& time, Count bound,
                                     Time ready) {
  const Count least = time.min_procs();
  const Count most = most_within(time, bound);
  if (least == most) return earliest_with(line, time, least, ready);
  Sweep sweep(time, least, most);
  std::optional<Slot> best;
  run_sweep(line, sweep, time, ready, [&](Time moment) {
    if (sweep.ends_by(moment)) best = sweep.earliest();
    return best.has_value();
  });
  return best;
}

template <typename Line>
std::optional<Slot> thriftiest(const Line& line, const TaskTime& time, Count bound, Time ready) {
  if (line.limit <= ready) return std::nullopt;
  const Count most = most_within(time, bound);
  const Count least = time.fewest_within(line.limit - ready, time.min_procs(), most);
  if (least == 0) return std::nullopt;
  // Usually the first count that is fast enough fits.
  if (const auto slot = earliest_with(line, time, least, ready)) return slot;
  if (least == most) return std::nullopt;
  Sweep sweep(time, time.next_allowed(least), most);
  std::optional<Slot> best;
  run_sweep(line, sweep, time, ready, [&](Time moment) {
    if (!sweep.ends_by(moment)) return false;
    best = sweep.fewest(moment);
    return !sweep.limit_to(best->procs - 1);
  });
  return best;
}

template <typename Choose>
std::optional<std::vector<Slot>> place_each(const ClusterView& view, std::span<const TaskId> order,
                                            Calendar& calendar, Choose choose) {
  std::vector<Slot> slots(view.size());
  for (TaskId task : order) {
    const std::optional<Slot> slot = choose(task, ready_time(view, task, slots));
    if (!slot) return std::nullopt;
    calendar.reserve({slot->start, slot->end}, slot->procs);
    slots[task] = *slot;
  }
  return slots;
}

}  // namespace

std::optional<Slot> earliest_completion(const Calendar& calendar, const TaskTime& time, Count bound,
                                        Time ready) {
  return first_completion(Forward{calendar, kForever}, time, bound, ready);
}

std::optional<Slot> latest_start(const Calendar& calendar, const TaskTime& time, Count bound,
                                 Interval window) {
  return mirrored(first_completion(Mirrored{calendar, -window.begin}, time, bound, -window.end));
}

std::optional<Slot> fewest_processors(const Calendar& calendar, const TaskTime& time, Count bound,
                                      Interval window) {
  return mirrored(thriftiest(Mirrored{calendar, -window.begin}, time, bound, -window.end));
}

std::optional<std::vector<Slot>> place_forward(const ClusterView& view,
                                               std::span<const TaskId> order,
                                               std::span<const Count> bounds, Calendar calendar) {
  return place_each(view, order, calendar, [&](TaskId task, Time ready) {
    return earliest_completion(calendar, view.time(task), bounds[task], ready);
  });
}

std::optional<std::vector<Slot>> place_fixed(const ClusterView& view, std::span<const TaskId> order,
                                             std::span<const Count> allocation, Calendar calendar) {
  return place_each(view, order, calendar, [&](TaskId task, Time ready) {
    return earliest_with(Forward{calendar, kForever}, view.time(task), allocation[task], ready);
  });
}

}  // namespace dovetail::planning
