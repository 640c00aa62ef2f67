// Min-Min, just in time: a task is given a resource when its predecessors have ended, and only then
// do its files leave. The baseline of Yu and Shi (2007).
#pragma once

#include <optional>
#include <span>

#include "dovetail/planner.hpp"
#include "planners/replan/aheft.hpp"

namespace dovetail {

// What is executed when the events, in order of time, happen. Nothing when tasks are left over that
// no resource can run. `lost` gets the runs that were cut short.
std::optional<Schedule> run_min_min(const UnlikeGraph& graph, Time now,
                                    std::vector<ResourceId> pool, std::span<const Event> events,
                                    StageIn stage_in = StageIn::parallel,
                                    std::vector<LostRun>* lost = nullptr);

}  // namespace dovetail
