// The periods of MAGS: when they end, which workflow is due in which, and which rows of the cluster
// each workflow owns in each.
//
// Source: Casanova, Desprez and Suter (2010), section IV-A. Idea: with stretch S every workflow has
// to end by S times its due length. Boundaries lie at the last of these ends and at halves,
// quarters and so on of it, so that a workflow due at the next boundary waits less than twice as
// long as it has to. (The paper prints boundaries that double from the first end on; those of its
// own example, and a schedule that wastes nothing behind the last end, come from halving.)
// Processors go one by one, in turns, to the workflows due in a period until each has its work,
// then, to those that need more, in the periods before.
//
// The paper has an empty cluster and one start; here there is a calendar, and workflows become
// ready later. So the time since the workflow became ready is halved, and each such time is a
// boundary. Row r of the cluster is free whenever more than r processors are, so that reservations
// take the highest rows; a row counts for as much work as its free time.
//
// Times are exact fractions; they are rounded to milliseconds only when tasks are placed.
#pragma once

#include <optional>
#include <vector>

#include "planners/fair/fair_bound.hpp"
#include "planners/fair/sharing.hpp"

namespace dovetail::planning {

struct Period {
  Time begin = 0;
  Time end = 0;
  std::vector<std::vector<Count>> rows = {};  // by workflow: those it owns, in increasing order
};

struct PeriodOptions {
  Ratio stretch;  // slack x S*
  // Workflows due in one period whose widest tasks do not fit side by side get consecutive parts of
  // the period, so that each can have as many rows as it needs.
  bool one_after_the_other = false;
};

// The periods in order. Nothing when they would exceed the range of Time.
std::optional<std::vector<Period>> divide_time(const Sharing& sharing, const FreeArea& area,
                                               const PeriodOptions& options);

// The rows of one workflow in one period as a calendar. Needs a period that is not empty: some are,
// where boundaries lie within one millisecond.
Calendar rows_calendar(const Calendar& cluster, const Period& period,
                       const std::vector<Count>& rows);

}  // namespace dovetail::planning
