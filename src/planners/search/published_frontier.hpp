// The frontier of what published planners find, before any search.
#pragma once

#include <functional>

#include "dovetail/frontier.hpp"

namespace dovetail {

using IsOver = std::function<bool()>;

inline bool never() { return false; }

// Without planners for deadlines there is nothing to sweep: what ends early is all there is.
bool has_deadline_planners(const Problem& problem);

// The plans of all planners for deadlines when `span` is the time allowed from now on, pulled
// forward; stops when it is over.
void offer_at(PlanningContext& context, Frontier& front, Duration span,
              const IsOver& is_over = never);

// The plans of all planners for turn-around, and with `tightest` those for the tightest deadlines.
void offer_earliest(PlanningContext& context, Frontier& front, bool tightest);

// All of these, the former at as many deadlines as the options say, until it is over. Needs
// has_deadline_planners.
Frontier published_frontier(PlanningContext& context, const FrontierOptions& options,
                            IsOver is_over = never);

}  // namespace dovetail
