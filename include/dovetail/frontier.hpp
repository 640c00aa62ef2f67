// Turn-around against CPU time: the plans from which a user chooses.
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

// A set of plans in which no plan beats another: a plan is beaten when another one ends no later
// and costs no more.
class Frontier {
 public:
  // Adds the plan unless it is infeasible or beaten, and drops the plans it beats. Of two equal
  // plans the first stays.
  bool offer(Plan plan);

  // Earliest end first; CPU time strictly decreases.
  const std::vector<Plan>& plans() const { return plans_; }

  // The least CPU time of any plan with at most this makespan; nothing when all are longer.
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
  // How many deadlines to try: half of them evenly spread (by ratio), half where the frontier is
  // still coarse.
  std::size_t deadlines = 128;
  // Whether to improve the planners' plans by search, within the limits of the context's options.
  bool by_search = true;
  std::function<void(std::size_t done, std::size_t total)> progress = {};
};

// The frontier over all planners for turn-around and for deadlines, and over what a search finds
// from there. Deadline planners run at their tightest deadlines and at later ones up to where plans
// get no cheaper; their plans are pulled forward. A plan made for a deadline keeps it in
// Plan::deadline. Needs a problem that planners for one cluster can plan; ignores its deadline.
std::vector<Plan> frontier(PlanningContext& context, const FrontierOptions& options = {});

// The last, and so the cheapest, plan of a frontier with at most this makespan; null when all are
// longer.
const Plan* last_within(std::span<const Plan> frontier, Duration length);

// The first, and so the fastest, plan of a frontier that uses at most this many CPU-hours; null
// when all need more.
const Plan* fastest_within(std::span<const Plan> frontier, double cpu_hours);

}  // namespace dovetail
