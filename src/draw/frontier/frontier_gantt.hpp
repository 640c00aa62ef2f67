// Small Gantt charts of the plans of a frontier, all on the same axes of time and processors, so
// that stepping from one to the next shows how the plan changes.
//
//   page += draw_frontier_gantts(plans)[7];
//
// Few tasks are drawn as rectangles, as in the large chart. Many rectangles would make the file
// many megabytes large and be too small to see; then the chart shows the number of processors in
// use, column by column.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "dovetail/plan_record.hpp"

namespace dovetail::draw {

// Of each chart.
inline constexpr double kFrontierGanttWidth = 356;
inline constexpr double kFrontierGanttHeight = 238;

// The chart of each plan (at least one), as an SVG fragment that fills 0,0 to width,height. The
// reservations of others come from the longest plan, since a record leaves out those that begin
// after its plan.
std::vector<std::string> draw_frontier_gantts(std::span<const PlanRecord> plans);

}  // namespace dovetail::draw
