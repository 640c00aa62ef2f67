// Turn-around against CPU time: the plans among which a person chooses.
//
//   PlanningContext context(problem);
//   for (const Plan& plan : frontier(context)) ...   // earliest first, each cheaper than the last
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "dovetail/metrics.hpp"
#include "dovetail/planner.hpp"

namespace dovetail {

// Plans of which none is beaten: no other ends as early or earlier and is as cheap or cheaper.
class Frontier {
 public:
  // Takes the plan in unless it is infeasible or beaten, and drops those that it beats. Of two
  // plans alike the first stays.
  bool offer(Plan plan);

  // Earliest end first; CPU time falls strictly.
  const std::vector<Plan>& plans() const { return plans_; }

  // The least consumption of a plan that is at most so long; nothing when all are longer.
  std::optional<Area> cheapest_within(Duration length) const;

 private:
  struct Point {
    Duration length;
    Area area;
  };
  std::vector<Plan> plans_;
  std::vector<Point> points_;  // of the plans, in the same order
};

struct FrontierOptions {
  // How many deadlines are tried, half of them evenly spread (by ratio), half where the frontier is
  // still coarse.
  std::size_t deadlines = 128;
  // Whether plans of planners are improved by search, as far as the context's options say.
  bool by_search = true;
  std::function<void(std::size_t done, std::size_t total)> progress = {};
};

// Over all planners for turn-around and for deadlines, and what a search finds from there on: the
// latter at their tightest deadlines and at deadlines from there to where nothing gets cheaper,
// pulled forward. A plan made for a deadline has it in Plan::deadline. Needs a problem that
// planners for one cluster can plan, and looks at none of its deadlines.
std::vector<Plan> frontier(PlanningContext& context, const FrontierOptions& options = {});

// What can be found out without making anybody wait: the frontier, for up to kFewTasks tasks; for
// more the plans for turn-around, with the tightest ones (pulled forward) up to kManyTasks.
Frontier known_plans(PlanningContext& context);

// The same with a closer look at what can be done by one deadline: the frontier up to kManyTasks,
// for more the plans for that very deadline and those for turn-around. The plans may end later.
Frontier known_plans_by(PlanningContext& context, Time deadline);

// Under a time limit, as much of it as a fifth of the time allows: published plans for that very
// deadline, then for those near it.
Frontier known_in_time(PlanningContext& context, Time deadline);

// The one of the first two that serves the problem's goal.
Frontier known_for_goal(PlanningContext& context);

inline constexpr std::size_t kFewTasks = 500;
inline constexpr std::size_t kManyTasks = 2000;

// The first of the known plans as an answer of its own: without the deadline it was made for, and
// for several workflows with how each would fare alone. Infeasible when none is known.
Plan earliest_plan(PlanningContext& context, const Frontier& known);

// The last, so the cheapest, plan of a frontier that is at most so long; null when all are longer.
const Plan* last_within(std::span<const Plan> frontier, Duration length);

// The first plan of a frontier that consumes at most so many CPU-hours; null when all need more.
const Plan* fastest_within(std::span<const Plan> frontier, double cpu_hours);

}  // namespace dovetail
