#include "planners/ensemble/chain_plan.hpp"

#include <algorithm>
#include <functional>
#include <queue>

#include "core/order.hpp"
#include "planners/ensemble/month_dispatch.hpp"

namespace dovetail::planning {

namespace {

// A month ends, or a group wakes; months first, so that what they leave is known.
struct GroupEvent {
  Time time = 0;
  bool is_wake = false;
  std::uint32_t group = 0;
  friend auto operator<=>(const GroupEvent&, const GroupEvent&) = default;
};

class ChainPlanner {
 public:
  ChainPlanner(const ChainProblem& problem, const Grouping& grouping, Dispatch rule)
      : problem_(problem),
        unit_(problem.unit),
        calendar_(problem.calendar),
        layouts_(layouts_of(problem, grouping)),
        dispatcher_(rule, problem.scenarios, problem.months, times_of(layouts_)),
        now_(problem.now) {
    const auto months = static_cast<std::size_t>(problem.scenarios) * months_per_scenario();
    plan_.placements.resize(months * unit_.workflow().size());
    chain_ends_.resize(months, problem.now);
  }

  std::optional<ChainPlan> run() {
    if (!place_chains()) return std::nullopt;
    if (!place_off_chain()) return std::nullopt;
    for (const Placement& placement : plan_.placements) {
      plan_.makespan = std::max(plan_.makespan, placement.end - problem_.now);
    }
    return std::move(plan_);
  }

 private:
  static std::vector<const UnitLayout*> layouts_of(const ChainProblem& problem,
                                                   const Grouping& grouping) {
    std::vector<const UnitLayout*> layouts;
    for (const Count procs : grouping.groups) layouts.push_back(&problem.there.layout(procs));
    return layouts;
  }

  static std::vector<Duration> times_of(const std::vector<const UnitLayout*>& layouts) {
    std::vector<Duration> times;
    times.reserve(layouts.size());
    for (const UnitLayout* layout : layouts) times.push_back(layout->time);
    return times;
  }

  std::size_t months_per_scenario() const { return static_cast<std::size_t>(problem_.months); }

  std::size_t month_number(std::uint32_t scenario, Count month) const {
    return scenario * months_per_scenario() + static_cast<std::size_t>(month);
  }

  Placement& placement(std::size_t month, TaskId task) {
    return plan_.placements[month * unit_.workflow().size() + task];
  }

  void put(std::size_t month, TaskId task, Slot slot) {
    calendar_.reserve({slot.start, slot.end}, slot.procs);
    const auto scenario = static_cast<std::uint32_t>(month / months_per_scenario());
    const auto first = static_cast<TaskId>(month % months_per_scenario() * unit_.workflow().size());
    placement(month, task) = {scenario, first + task, 0, slot.procs, slot.start, slot.end};
  }

  std::optional<Time> earliest(std::uint32_t group) const {
    return calendar_.earliest_fit(layouts_[group]->procs, layouts_[group]->time, now_);
  }

  bool place_chains() {
    if (!dispatch()) return false;
    while (!events_.empty()) {
      now_ = events_.top().time;
      while (!events_.empty() && events_.top().time == now_) {
        const GroupEvent event = events_.top();
        events_.pop();
        event.is_wake ? dispatcher_.wake(event.group) : dispatcher_.end(event.group);
      }
      if (!dispatch()) return false;
    }
    return dispatcher_.left() == 0;
  }

  // False when a month that must start finds no room for ever.
  bool dispatch() {
    while (const auto taken = dispatcher_.takeover()) {
      const auto start = earliest(taken->group);
      if (!start) return false;
      place_month(*taken, *start);
    }
    while (const auto next = dispatcher_.propose()) {
      const auto start = earliest(next->group);
      if (start == now_) {
        dispatcher_.start(*next);
        place_month(*next, now_);
      } else {
        dispatcher_.sleep(next->group);
        if (start) events_.push({*start, true, next->group});
      }
    }
    return true;
  }

  void place_month(const MonthStart& start, Time at) {
    const UnitLayout& layout = *layouts_[start.group];
    const std::size_t month = month_number(start.scenario, start.month);
    for (std::size_t i = 0; i < layout.slots.size(); ++i) {
      const Slot& slot = layout.slots[i];
      put(month, unit_.chain()[i], {slot.procs, at + slot.start, at + slot.end});
    }
    chain_ends_[month] = at + layout.time;
    events_.push({at + layout.time, false, start.group});
    plan_.runs.push_back({MonthRun::RunKind::main, start.scenario, start.month, start.group, 0, at,
                          at + layout.time});
  }

  bool place_off_chain() {
    const auto end_of = [&](std::size_t month) { return chain_ends_[month]; };
    for (const std::size_t month : order_by<std::size_t>(chain_ends_.size(), end_of)) {
      for (std::size_t i = 0; i < unit_.off_chain().size(); ++i) {
        if (!place_off_chain(month, i)) return false;
      }
    }
    return true;
  }

  bool place_off_chain(std::size_t month, std::size_t position) {
    const TaskId task = unit_.off_chain()[position];
    // Without predecessors it waits for the month before, as everything does.
    Time ready = month % months_per_scenario() == 0 ? problem_.now : chain_ends_[month - 1];
    for (const TaskId before : unit_.workflow().predecessors(task)) {
      ready = std::max(ready, placement(month, before).end);
    }
    const auto [procs, length] = problem_.there.off_chain()[position];
    const auto start = calendar_.earliest_fit(procs, length, ready);
    if (!start) return false;
    put(month, task, {procs, *start, *start + length});
    plan_.off_chain.push_back({procs, *start, *start + length});
    return true;
  }

  const ChainProblem& problem_;
  const RepeatedUnit& unit_;
  Calendar calendar_;
  std::vector<const UnitLayout*> layouts_;
  MonthDispatch dispatcher_;
  Time now_;
  std::vector<Time> chain_ends_;  // by month number
  std::priority_queue<GroupEvent, std::vector<GroupEvent>, std::greater<>> events_;
  ChainPlan plan_;
};

}  // namespace

std::optional<ChainPlan> plan_chains(const ChainProblem& problem, const Grouping& grouping,
                                     Dispatch dispatch) {
  return ChainPlanner(problem, grouping, dispatch).run();
}

}  // namespace dovetail::planning
