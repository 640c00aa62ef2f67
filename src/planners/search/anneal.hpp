// The search behind the planner DOVETAIL: simulated annealing over drafts.
//
// A trial changes the order of a few tasks or how wide they may be. The acceptance threshold is
// drawn first, so a trial is decoded only until it is clear that it will be rejected. After a long
// time without progress a large part of the draft is drawn anew. Temperature and kicks depend on
// the number of trials, never on a clock, so the same seed and trials give the same plan.
//
//   const auto found = anneal(decoder, goal, draft, {.random = Random(1), .trials = 10'000});
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/random.hpp"
#include "planners/fair/fair_scale.hpp"
#include "planners/search/draft_plan.hpp"

namespace dovetail::planning {

enum class SearchValue { end, area, fairness };

// What the search minimises, and the limits it must keep.
struct SearchGoal {
  SearchValue value = SearchValue::end;
  DecodeLimits limits = {};
  Area enough = 0;                   // stop at this value: hardly anything is left to gain
  const FairScale* scale = nullptr;  // for fairness: measures plans and says which are allowed

  Area value_of(const DecodedPlan& plan, Time now) const {
    if (value == SearchValue::end) return Area{plan.end - now};
    return value == SearchValue::area ? plan.area : Area{plan.fairness};
  }
  // The second criterion, for plans of the same value.
  Area other_of(const DecodedPlan& plan, Time now) const {
    return value == SearchValue::area ? Area{plan.end - now} : plan.area;
  }
  bool is_better(const DecodedPlan& a, const DecodedPlan& b, Time now) const {
    return std::pair(value_of(a, now), other_of(a, now)) <
           std::pair(value_of(b, now), other_of(b, now));
  }
  bool allows(const DecodedPlan& plan) const {
    return plan.end <= limits.end && plan.area <= limits.area &&
           (scale == nullptr || scale->allows(plan));
  }
};

// One run of the search.
struct AnnealingRun {
  bool is_bold = false;  // makes larger moves
  Random random;
  std::uint64_t trials = 0;
  std::function<bool()> is_over = {};  // asked every few trials: whether to stop early
};

struct AnnealedPlan {
  DecodedPlan best;
  std::uint64_t trials = 0;  // made
};

// Nothing when the draft has no plan within the limits.
std::optional<AnnealedPlan> anneal(DraftDecoder& decoder, const SearchGoal& goal,
                                   const DraftPlan& start, const AnnealingRun& run);

}  // namespace dovetail::planning
