// A machine over time as a self-contained page and as a static picture. The markup of the page
// holds the chart for several widths; its script only shows the values at the pointer. The picture
// follows the reader's light or dark colours.
#include <fmt/format.h>

#include <array>

#include "draw/machine_chart.hpp"
#include "draw/page.hpp"
#include "draw/plain_text.hpp"
#include "io/text.hpp"

namespace dovetail::draw {
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

constexpr double kPageWidth = 1200;
constexpr double kPageHeader = 70;
constexpr double kMachineLeft = 10;
constexpr MachineChartOptions kChart = {.width = 1180, .height = 560, .tooltips = true};

constexpr std::string_view kMachineStyle = R"(
.page{fill:#ffffff}
.title{font-size:20px;font-weight:600}
.facts{font-size:13px;fill:#59636e}
@media (prefers-color-scheme:dark){
.page{fill:#0f1419}
.facts{fill:#9aa5b1}
}
)";

// The data of the script: a text for each time step.
std::string moments(const MachinePicture& picture) {
  std::string out = "[";
  for (const MachineMoment& moment : picture.moments) {
    out += (out.size() > 1 ? ",\n" : "") + io::json_string(values_text(picture, moment));
  }
  return out + "]";
}

}  // namespace

std::string machine_html(const MachinePicture& picture) {
  const auto span = static_cast<double>(picture.window.end - picture.window.begin);
  return fill_page("machine.html",
                   {{"title", escape_markup(plain_text(picture.title))},
                    {"facts", facts_list(picture.facts)},
                    {"charts", charts(picture)},
                    {"moments", moments(picture)},
                    {"steps", io::number_text(span / static_cast<double>(picture.step))}});
}

std::string machine_svg(const MachinePicture& picture) {
  const std::string title = plain_text(picture.title);
  const std::string style = fmt::format("\n{}{}{}", embedded_file("frontier_chart.css"),
                                        embedded_file("machine_chart.css"), kMachineStyle);
  return picture_opening(kPageWidth, kPageHeader + kChart.height + 8, title, style) +
         fmt::format(
             "<text class=\"title\" x=\"24\" y=\"34\">{}</text>\n"
             "<text class=\"facts\" x=\"24\" y=\"56\">{}</text>\n"
             "<g transform=\"translate({} {})\">\n{}</g>\n</svg>\n",
             escape_markup(fit(title, 100)), escape_markup(fit(facts_line(picture.facts), 180)),
             kMachineLeft, kPageHeader, draw_machine(picture, kChart));
}

}  // namespace dovetail::draw
