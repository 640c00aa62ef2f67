// Lines over a common axis: makespans, gains, progress.
//
//   LineChart chart{.title = "makespan", .x_name = "processors", .y_name = "makespan",
//                   .series = {{"basic", {{11, 500}, {12, 450}}}}};
//   write_file("chart.svg", lines_svg(chart));
//
// All functions are pure and return self-contained text that follows the reader's light or dark
// colours.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "draw/frontier/frontier_axis.hpp"

namespace dovetail::draw {

// How the points of a series are joined: by lines, by steps that keep the last value, or not at
// all.
enum class LineLook { line, stairs, dots };

struct LineSeries {
  std::string name = {};
  std::vector<std::pair<double, double>> points = {};  // by increasing x, unless they are dots
  std::string colour = {};                             // "#rrggbb"; empty: by its number
  LineLook look = LineLook::line;
};

// How the numbers of an axis are written.
enum class AxisUnit { number, milliseconds };

struct LineChart {
  std::string title = {};
  std::vector<std::string> facts = {};
  std::string x_name = {};
  std::string y_name = {};
  AxisUnit x_unit = AxisUnit::number;
  AxisUnit y_unit = AxisUnit::number;
  bool from_zero = false;  // the y axis begins at 0
  bool has_legend = true;
  bool log_x = false;  // logarithmic when values differ much and are positive
  bool log_y = false;
  std::vector<LineSeries> series = {};
};

// The chart with its legend as a piece of SVG that fills 0,0 to width,height. Its style is in
// web/frontier_chart.css and web/line_chart.css.
std::string draw_lines(const LineChart& chart, double width, double height);

// How many colours there are before they repeat.
inline constexpr std::size_t kLineColours = 8;

// The charts as a picture or a page, one below the other.
std::string lines_svg(const std::vector<LineChart>& charts);
std::string lines_html(const std::string& title, const std::vector<LineChart>& charts);

}  // namespace dovetail::draw
