// Min-Min, just in time: a task gets a resource when its predecessors have ended, and only then are
// its files sent. The baseline of Yu and Shi (2007).
#pragma once

#include <optional>
#include <span>

#include "dovetail/planner.hpp"
#include "planners/replan/aheft.hpp"

namespace dovetail::planning {

// The executed schedule under the events, sorted by time. Nothing when no resource can run the
// remaining tasks. `lost` receives the runs that were cut short.
std::optional<Schedule> run_min_min(const CostGraph& graph, Time now, std::vector<ResourceId> pool,
                                    std::span<const Event> events,
                                    StageIn stage_in = StageIn::parallel,
                                    std::vector<LostRun>* lost = nullptr);

}  // namespace dovetail::planning
