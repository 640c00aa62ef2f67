// The common parts of searches for plans on one cluster, and their starting points.
#pragma once

#include <functional>
#include <span>

#include "planners/list/one_cluster.hpp"
#include "planners/search/lower_bound.hpp"
#include "planners/search/plan_search.hpp"
#include "planners/search/shrink.hpp"
#include "planners/task_limits.hpp"

namespace dovetail::planning {

struct SearchParts {
  // The context must outlive it.
  explicit SearchParts(PlanningContext& context);

  const ClusterView& view() const { return cluster.view(); }
  std::size_t size() const { return view().size(); }
  Time now() const { return cluster.now(); }

  bool has_few_tasks() const { return size() <= kFewTasks; }

  // A plan of the context's problem in the form of the search.
  DecodedPlan decoded(const Plan& plan) const;

  // What the search has done so far, without a certificate.
  SearchRecord record() const;

  // Plans whose widths need little work if they are to end by one of these times, in the order of
  // their bottom levels. None once the given share of the time is used.
  void for_each_width(std::span<const Time> ends, double share_of_time,
                      const std::function<void(DecodedPlan)>& take);

  OneCluster& cluster;
  const SearchLimits& limits;
  SearchClock clock;
  LowerBound bound;
  PlanSearch search;
  Shrinker shrinker;

 private:
  DraftPlan draft_by(std::span<const Count> widths) const;
};

// The CPU time that the factor allows, at least that of the thrifty plan; unlimited without a
// factor.
Area allowed_area(const SearchLimits& limits, Area thrifty);

// Ends worth computing widths for: slightly before a deadline, since widths alone do not capture
// everything, and slightly after the least end that is not proved impossible.
std::vector<Time> width_ends_before(Time now, Time deadline);
std::vector<Time> width_ends_after(Time now, Time least);

}  // namespace dovetail::planning
