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

// The last, so the cheapest, plan of a frontier that is at most so long; null when all are longer.
const Plan* last_within(std::span<const Plan> frontier, Duration length);

// The first plan of a frontier that consumes at most `cpu_hours`; null when all need more.
const Plan* fastest_within(std::span<const Plan> frontier, double cpu_hours);

}  // namespace dovetail
