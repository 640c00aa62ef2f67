// Classic list scheduling with fixed allocations: every task, in the order of a list, where it can
// begin first behind what was placed before it. Holes that earlier tasks leave are not used;
// compaction (compaction.hpp) does that afterwards.
//
// Idea: a processor that a task takes counts as taken from the beginning on, so that what is left
// of the calendar is what each processor still offers behind its last task. On an empty cluster
// this is the instant at which each processor becomes free, as the papers have it. What others have
// reserved stays what it is: tasks go around it.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "planners/fair/sharing.hpp"

namespace dovetail {

// `list` must have every task after its predecessors; allocations are by workflow, then by task.
// Nothing when a task fits nowhere.
std::optional<SharedSlots> list_map(const Sharing& sharing, std::span<const TaskRef> list,
                                    const std::vector<std::vector<Count>>& allocations);

// The plan of the list: mapped, then compacted.
Plan plan_list(const Sharing& sharing, std::string_view name, std::span<const TaskRef> list,
               const std::vector<std::vector<Count>>& allocations);

}  // namespace dovetail
