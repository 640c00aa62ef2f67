// The chart of one plan inside a static picture: one panel per cluster (time to the right,
// processors upwards), or one panel with a row per resource if neighbouring clusters have one
// processor each. A picture may hold several charts on the same time axis, with marks at points in
// time.
//
//   const GanttScene scene = lay_out(record);
//   const GanttChart chart(record, scene, group_tasks(record),
//                          {.window = scene.window, .top = 66});
//   page += chart.draw();  // SVG from `top` to chart.bottom(), styled by chart_style()
//
// Every rectangle carries a tooltip. Runs that were cut short are painted with lost_patterns() of
// chart_legend.hpp. All functions are pure.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dovetail/plan_record.hpp"
#include "draw/gantt/gantt_layout.hpp"
#include "draw/gantt/gantt_look.hpp"

namespace dovetail::io {

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

class GanttChart {
 public:
  // Record, scene and clock must outlive the chart.
  GanttChart(const PlanRecord& record, const GanttScene& scene, TaskGroups groups,
             ChartOptions options);

  double bottom() const { return bottom_; }
  std::string draw() const;

 private:
  struct Box {
    double x, y, width, height;
  };

  // Rectangles too thin to be told from others at the same place. One is drawn for all of them,
  // which bounds the size of a picture for any number of tasks.
  class Specks {
   public:
    // Whether drawing the box would change nothing visible.
    bool hide(GanttKind kind, const Box& box);

   private:
    std::set<std::array<std::int64_t, 4>> drawn_;
  };

  // Where one cluster is drawn.
  struct Band {
    const GanttCluster* cluster;
    double top;
    double height;
    double y_of(std::int64_t row) const;
    double bottom() const { return top + height; }
  };

  // The area above one time axis: a cluster, or the resources of a pool.
  struct Panel {
    std::vector<Band> bands;
    double top;  // of the plot
    double height;
    double words;  // base line of the text above the plot
    bool is_pool() const { return bands.size() > 1; }
    double bottom() const { return top + height; }
  };

  void place_panels();
  void add_panel(std::span<const GanttCluster> clusters, std::size_t panels);
  double x_of(Time t) const;
  double plot_width() const { return plot_right_ - options_.left; }
  bool is_critical(const GanttItem& item) const;
  Box box_of(const Band& band, Interval window, RowBlock block) const;

  std::string draw_panel(const Panel& panel) const;
  std::string heading(const Panel& panel) const;
  std::string background(const Band& band) const;
  std::string time_axis(const Panel& panel) const;
  std::string processor_axis(const Band& band) const;
  std::string row_name(const Band& band) const;
  std::string frame(const Panel& panel) const;
  std::string now_line(const Panel& panel) const;
  std::string deadline_line(const Panel& panel) const;
  std::string mark_lines(const Panel& panel) const;
  std::string mark_numbers(const Panel& panel) const;
  std::string draw_items(const Band& band) const;
  std::string draw_item(const Band& band, const GanttItem& item, Specks& specks) const;
  std::string tooltip(const Band& band, const GanttItem& item) const;
  std::string fill(const GanttItem& item) const;
  std::string label(const Band& band, const GanttItem& item) const;
  std::string classes(const GanttItem& item, const Box& box) const;

  const PlanRecord& record_;
  const GanttScene& scene_;
  const TaskGroups groups_;
  const ChartOptions options_;
  const PlanRecord& clock_;
  double plot_right_ = kChartRight;
  double bottom_ = 0;
  std::vector<Panel> panels_ = {};
  std::vector<ChartMark> numbers_ = {};  // the marks with room for a number, strong ones first
  std::vector<ChartMark> ticks_ = {};    // those with room for a tick
};

// Where the plots of this scene should begin: further right if a pool's names are beside them.
double chart_left(const GanttScene& scene);

// The number above a mark's line, centred at x; `top` is the top of its frame.
std::string mark_badge(std::size_t number, bool strong, double x, double top);

// The style of a chart and of the page's title and facts, in light colours.
std::string_view chart_style();

}  // namespace dovetail::io
