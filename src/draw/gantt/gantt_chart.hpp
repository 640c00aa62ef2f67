// The chart of one plan inside a static picture: one panel per cluster (time to the right,
// processors upwards), or one panel with a row per resource if neighbouring clusters have one
// processor each. A picture may hold several charts on the same time axis, with marks at points in
// time.
//
//   const GanttScene scene = lay_out(record);
//   const DrawnChart chart =
//       draw_gantt(record, scene, group_tasks(record), {.window = scene.window, .top = 66});
//   page += chart.svg;  // from `top` to chart.bottom, styled by chart_style()
//
// Every rectangle carries a tooltip. Runs that were cut short are painted with lost_patterns() of
// chart_legend.hpp. All functions are pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dovetail/plan_record.hpp"
#include "draw/gantt/gantt_layout.hpp"
#include "draw/gantt/gantt_look.hpp"

namespace dovetail::draw {

// As wide as a page, for every plan.
inline constexpr double kChartWidth = 1200;
inline constexpr double kChartLeft = 64;  // where plots begin, unless names stand at their left
inline constexpr double kLostRoom = 100;  // of a legend, for the runs that were cut short
inline constexpr double kChartRight = kChartWidth - 24;

// The time of an event: a line through the panels with its number above them, or a tick beside them
// if there are too many.
struct ChartMark {
  Time at = 0;
  std::size_t number = 0;
  bool strong = false;  // highlighted, and kept when there are too many to draw
  std::string tooltip = {};
};

// The maximum heights of panels.
struct ChartHeights {
  double alone = 460;     // the only panel
  double together = 640;  // several, shared among them
  double pool = 1100;     // a row per resource, unless rows get too thin
};

struct ChartOptions {
  Interval window;  // not empty; holds every run
  double top = 0;   // of the chart on the page
  double left = kChartLeft;
  ChartHeights heights = {};
  std::optional<Time> plot_end = {};  // nothing: with the window
  const PlanRecord* clock = nullptr;  // whose times labels use; nothing: the plan's own
  std::optional<Time> now = {};       // where to draw its line; nothing: the plan's own
  std::vector<ChartMark> marks = {};  // by time; not drawn outside the window
};

struct DrawnChart {
  std::string svg;
  double bottom = 0;
};

// The chart from `top` on.
DrawnChart draw_gantt(const PlanRecord& record, const GanttScene& scene, const TaskGroups& groups,
                      const ChartOptions& options);

// Where the plots of this scene should begin: further right if a pool's names are beside them.
double chart_left(const GanttScene& scene);

// The number above a mark's line, centred at x; `top` is the top of its frame.
std::string mark_badge(std::size_t number, bool strong, double x, double top);

// The style of a chart and of the page's title and facts, in light colours.
std::string_view chart_style();

}  // namespace dovetail::draw
