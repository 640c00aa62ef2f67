// How much planning tries depends on the number of tasks: every such threshold, and its reason.
//
// They were set so that an answer with default options takes a few seconds at most.
#pragma once

#include <cstddef>

namespace dovetail::planning {

// Up to here two more searches, for the earliest ways that `plan` shows, are not noticed.
inline constexpr std::size_t kTasksForEarliestWays = 200;

// Up to here a run begins with the plans of all published planners; beyond, making them would keep
// its first task waiting longer than a better plan saves.
inline constexpr std::size_t kTasksForAllPlanners = 300;

// Up to here there is time for everything: a frontier to begin with, all published plans inside the
// search, and widths and bounds by flows. Their cost grows faster than the number of tasks.
inline constexpr std::size_t kFewTasks = 500;

// Beyond, the published planners alone take longer than people wait: a search begins on its own,
// and of the planners for several workflows only the default one is asked.
inline constexpr std::size_t kManyTasks = 2000;

}  // namespace dovetail::planning
