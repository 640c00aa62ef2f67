// The chart of a frontier as a piece of SVG: turn-around to the right, CPU-hours upwards, a
// staircase through the points, and labels at the important ones.
//
//   page += draw_chart(scene, {.width = 720, .height = 440});
//
// The piece fills 0,0 to width,height. Its style is in web/frontier_chart.css. Letters have the
// same size in every chart: a page for small screens draws a small chart rather than shrinking a
// large one.
#pragma once

#include <functional>
#include <string>

#include "draw/frontier/frontier_scene.hpp"

namespace dovetail::draw {

struct FrontierChartOptions {
  double width = 760;
  double height = 480;
  // SVG to put into the group of a point, in addition to its dot.
  std::function<std::string(std::size_t point)> inside_point = {};
};

// Needs a scene with points.
std::string draw_chart(const FrontierScene& scene, const FrontierChartOptions& options);

}  // namespace dovetail::draw
