// The perfectly fair bound: the least stretch S* that all workflows could have at once if they were
// fluid, that is, if any number of processors could work on any of them at any time.
//
// Source: Casanova, Desprez and Suter (2010), equation 2. There every workflow is ready at 0 and
// the cluster is empty: sorted by their time alone, S* is the greatest of (C*_1 + ... + C*_i) /
// C*_i. Here the work of a workflow is what is free while it would run alone, and the sum of the
// works must fit into what is free until S* times the due length of the last one. On an empty
// cluster both give the same fraction.
#pragma once

#include <optional>
#include <vector>

#include "dovetail/calendar.hpp"
#include "dovetail/metrics.hpp"
#include "planners/fair/sharing.hpp"

namespace dovetail::planning {

// How much work fits into a calendar: its free processors, summed over time.
class FreeArea {
 public:
  // Counts from `from` on.
  FreeArea(const Calendar& calendar, Time from);

  // Processor-milliseconds that are free until t.
  Area until(Time t) const;

  // The first whole millisecond by which this much is free; nothing when there never is.
  std::optional<Time> first_with(Area area) const;

 private:
  struct FreeStep {
    Step step;
    Area before = 0;  // what is free until it begins
  };
  std::vector<FreeStep> pieces_;
};

// An exact fraction of positive numbers, without common divisors.
struct Ratio {
  Area above = 1;
  Area below = 1;

  static Ratio of(Area above, Area below);
  double value() const { return static_cast<double>(above) / static_cast<double>(below); }
  friend bool operator==(const Ratio&, const Ratio&) = default;
};
bool operator<(const Ratio& a, const Ratio& b);

// What is free on the cluster while the workflow would run alone: its work as a fluid.
Area fluid_work(const FreeArea& area, const Member& member);

// S*, for the workflows of greatest weight; a workflow of half that weight may be stretched twice
// as much. Exact when all workflows are ready at the same time, else to one part in 1024. Nothing
// when there is not enough room before the cluster leaves. Needs sharing.is_possible().
std::optional<Ratio> fair_bound(const Sharing& sharing, const FreeArea& area);

}  // namespace dovetail::planning
