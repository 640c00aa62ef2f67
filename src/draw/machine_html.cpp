// A machine over time as a self-contained page. The markup holds the chart for several widths; the
// script only shows the values at the pointer.
#include <fmt/format.h>

#include <array>

#include "draw/embedded.hpp"
#include "draw/machine_chart.hpp"
#include "draw/page.hpp"
#include "draw/plain_text.hpp"
#include "io/text.hpp"

namespace dovetail::io {
namespace {

// The widths at which frontier.css switches lie between these.
constexpr std::array<MachineChartOptions, 4> kCharts = {{{.width = 340, .height = 400},
                                                         {.width = 540, .height = 440},
                                                         {.width = 740, .height = 480},
                                                         {.width = 1180, .height = 600}}};

std::string charts(const MachinePicture& picture) {
  std::string out;
  for (const MachineChartOptions& chart : kCharts) {
    const MachinePlot plot = machine_plot(chart);
    out += fmt::format(
        "<svg viewBox=\"0 0 {0} {1}\" data-width=\"{0}\" data-left=\"{2}\" data-right=\"{3}\">\n{4}"
        "<path class=\"cursor\" d=\"M0 {5}V{6}\"/>\n</svg>\n",
        chart.width, chart.height, plot.left, plot.right, draw_machine(picture, chart), plot.top,
        plot.bottom);
  }
  return out;
}

// The data of the script: a text for each time step.
std::string moments(const MachinePicture& picture) {
  std::string out = "[";
  for (const MachineMoment& moment : picture.moments) {
    out += (out.size() > 1 ? ",\n" : "") + json_string(values_text(picture, moment));
  }
  return out + "]";
}

std::string facts_list(const MachinePicture& picture) {
  std::string items;
  for (const std::string& fact : picture.facts) {
    items += "<li>" + escape_markup(plain_text(fact)) + "</li>";
  }
  return items;
}

std::string value_of(std::string_view slot, const MachinePicture& picture) {
  if (slot == "title") return escape_markup(plain_text(picture.title));
  if (slot == "facts") return facts_list(picture);
  if (slot == "charts") return charts(picture);
  if (slot == "moments") return moments(picture);
  if (slot == "steps") {
    const auto span = static_cast<double>(picture.window.end - picture.window.begin);
    return number_text(span / static_cast<double>(picture.step));
  }
  return std::string(embedded_file(slot));
}

}  // namespace

std::string machine_html(const MachinePicture& picture) {
  return fill_page(embedded_file("machine.html"),
                   [&](std::string_view slot) { return value_of(slot, picture); });
}

}  // namespace dovetail::io
