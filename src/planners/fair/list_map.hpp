// Classic list scheduling with fixed allocations: every task, in the order of a list, goes where it
// can begin first after the tasks placed before it. Holes left by earlier tasks stay unused;
// compaction fills them afterwards.
//
// Idea: a processor that a task takes counts as taken from the beginning on, so the rest of the
// calendar is what each processor offers after its last task. On an empty cluster this is the time
// at which each processor becomes free, as in the papers. Reservations stay unchanged: tasks go
// around them.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "planners/fair/sharing.hpp"

namespace dovetail::planning {

// The last step of every planner for the goal fair: conservative backfilling. Tasks keep their
// processors and move, in the order of their starts, to the earliest place that is free. If the
// calendar has room for all old places, no task moves later: the tasks handled before it start no
// later than they did, so its old place is still free.
//
// Equal starts go to the lower workflow, then to the lower task. Old places may ignore
// reservations; then tasks may move later, and the result is nothing when one fits nowhere.
std::optional<SharedSlots> compact(const Sharing& sharing, const SharedSlots& slots);

// `list` must have every task after its predecessors; allocations are by workflow, then by task.
// Nothing when a task fits nowhere.
std::optional<SharedSlots> list_map(const Sharing& sharing, std::span<const TaskRef> list,
                                    const std::vector<std::vector<Count>>& allocations);

// The plan of the list: mapped, then compacted.
Plan plan_list(const Sharing& sharing, std::string_view name, std::span<const TaskRef> list,
               const std::vector<std::vector<Count>>& allocations);

}  // namespace dovetail::planning
