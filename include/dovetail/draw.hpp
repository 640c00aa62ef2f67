// Pictures of plans. Each is self-contained text: an SVG, a page without outside parts, or lines
// for a terminal.
//
//   write_file("plan.html", gantt_html(make_record(problem, plan)));
#pragma once

#include <optional>
#include <span>
#include <string>

#include "dovetail/plan_record.hpp"

namespace dovetail {

std::string gantt_html(const PlanRecord& record);
std::string gantt_svg(const PlanRecord& record);
std::string gantt_text(const PlanRecord& record, int columns, bool colour);
std::string chrome_trace(const PlanRecord& record);

// A plan before and after the events that happened while it ran, one below the other on a common
// time axis. The history of `after` holds the events.
std::string before_after_html(const PlanRecord& before, const PlanRecord& after);
std::string before_after_svg(const PlanRecord& before, const PlanRecord& after);

// A frontier: plans of one problem, earliest first, each cheaper than the one before. With a budget
// (CPU-hours), the fastest plan within it is highlighted.
std::string frontier_html(std::span<const PlanRecord> plans, std::optional<double> budget = {});
std::string frontier_svg(std::span<const PlanRecord> plans, std::optional<double> budget = {});

}  // namespace dovetail
