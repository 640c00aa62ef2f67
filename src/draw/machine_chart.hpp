// The chart of a machine over time as a piece of SVG that fills 0,0 to width,height.
//
//   page += draw_machine(picture, {.width = 740, .height = 480});
//
// Its style is in web/frontier_chart.css and web/machine_chart.css. Letters have the same size in
// every chart: a page for small screens draws a small chart.
#pragma once

#include <string>

#include "draw/gantt/gantt_look.hpp"
#include "draw/machine_picture.hpp"

namespace dovetail::draw {

struct MachineChartOptions {
  double width = 980;
  double height = 520;
  bool tooltips = false;  // each time step shows its values on hover
};

std::string draw_machine(const MachinePicture& picture, const MachineChartOptions& options);

// The extent of the plots inside a chart.
struct MachinePlot {
  double left = 0;
  double right = 0;
  double top = 0;
  double bottom = 0;
};
MachinePlot machine_plot(const MachineChartOptions& options);

// Round times in the window, at most `count` >= 2 of them, on the picture's own clock.
std::vector<AxisTick> machine_ticks(const MachinePicture& picture, int count);

// One line: when, how many nodes are busy, how many jobs wait.
std::string values_text(const MachinePicture& picture, const MachineMoment& moment);

}  // namespace dovetail::draw
