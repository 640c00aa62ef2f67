// The planner DOVETAIL: starts from published plans and improves on them by search, for as many
// trials as it is given.
//
// Source: ours. Idea: list planners differ in the order of the tasks and in how wide each may be;
// both are searched (anneal.hpp), beginning with the best published plan and with allocations that
// follow from a lower bound (window_flow.hpp). Cost: one trial is one list placement that is given
// up as soon as it cannot be accepted; about 300,000 a second for 50 tasks. Never worse than the
// published plans it begins with. The same seed and trials give the same plan on any number of
// threads and any machine: work is cut into lanes with settings and seeds of their own, whose best
// plans are compared in order.
//
//   SearchResult result = plan_anytime(context, {.trials = 10'000});
//   result.plan, result.bound
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "dovetail/certificate.hpp"
#include "dovetail/plan.hpp"
#include "dovetail/planner.hpp"
#include "planners/one_cluster.hpp"

namespace dovetail {

struct SearchLimits {
  std::uint64_t trials = 20'000;  // in all lanes together
  std::uint64_t seed = 1;
  unsigned threads = 1;
  // CPU time that the plan may use, as a share of what BL_CPAR_BD_CPAR uses; nothing: any. The
  // least turn-around alone costs twice as much CPU time as most people would pay.
  std::optional<double> cpu_factor = 1.25;
  std::optional<Area> budget = {};     // instead: processor-milliseconds
  std::optional<Time> deadline = {};   // instead: least CPU time of plans that end by then
  std::function<bool()> is_over = {};  // asked now and then, by one thread: stop before time
};

struct SearchResult {
  Plan plan;
  Certificate bound;          // on the end, or with a deadline on the CPU time
  std::uint64_t trials = 0;   // that were made
  bool is_truncated = false;  // by is_over
};

// Infeasible when there is no plan within the limits. Needs single_cluster_unfit to be empty.
SearchResult plan_anytime(PlanningContext& context, const SearchLimits& limits);

}  // namespace dovetail
