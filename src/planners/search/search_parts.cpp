#include "planners/search/search_parts.hpp"

#include <algorithm>

#include "planners/list/cluster_view.hpp"

namespace dovetail::planning {

namespace {

std::vector<Time> shares_of(Time now, Time end, std::span<const double> shares) {
  std::vector<Time> ends;
  for (const double share : shares) {
    ends.push_back(now + static_cast<Time>(static_cast<double>(end - now) * share));
  }
  return ends;
}

}  // namespace

SearchParts::SearchParts(PlanningContext& context)
    : cluster(context.shared<OneCluster>()),
      limits(context.options().search),
      clock(limits),
      bound(view(), cluster.calendar(), now()),
      search(view(), cluster.calendar(), now(), limits, clock),
      shrinker(view(), cluster.calendar(), now()) {}

DecodedPlan SearchParts::decoded(const Plan& plan) const { return measured(slots_of(plan), now()); }

SearchRecord SearchParts::record() const {
  return {.seed = limits.seed, .trials = search.trials(), .is_truncated = clock.was_over()};
}

void SearchParts::for_each_width(std::span<const Time> ends, double share_of_time,
                                 const std::function<void(DecodedPlan)>& take) {
  DraftDecoder decoder = search.make_decoder();
  for (const Time end : ends) {
    if (clock.is_over(share_of_time)) return;
    const auto widths = bound.widths_for(end);
    DecodedPlan plan;
    if (widths && decoder.decode(draft_by(*widths), {}, plan)) take(std::move(plan));
  }
}

DraftPlan SearchParts::draft_by(std::span<const Count> widths) const {
  DraftPlan draft{.order = by_decreasing_level(bottom_levels(view(), widths)),
                  .bounds = {},
                  .is_exact = std::vector<char>(widths.size(), 0)};
  for (TaskId task = 0; task < widths.size(); ++task) {
    draft.bounds.push_back({widths[task], view().time(task).duration(widths[task])});
  }
  return draft;
}

Area allowed_area(const SearchLimits& limits, Area thrifty) {
  if (!limits.cpu_factor) return DecodeLimits{}.area;
  return std::max(thrifty, static_cast<Area>(static_cast<double>(thrifty) * *limits.cpu_factor));
}

std::vector<Time> width_ends_before(Time now, Time deadline) {
  constexpr double kShares[] = {1, 0.94, 0.97, 0.9, 0.85};
  return shares_of(now, deadline, kShares);
}

std::vector<Time> width_ends_after(Time now, Time least) {
  constexpr double kShares[] = {1.02, 1.1, 1.05, 1.01, 1.18, 1.33};
  return shares_of(now, least, kShares);
}

}  // namespace dovetail::planning
