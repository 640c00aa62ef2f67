// A machine over time as a static picture. It is self-contained and follows the reader's light or
// dark colours.
#include <fmt/format.h>

#include "draw/embedded.hpp"
#include "draw/machine_chart.hpp"
#include "draw/plain_text.hpp"

namespace dovetail::io {
namespace {

constexpr double kPageWidth = 1200;
constexpr double kPageHeader = 70;
constexpr double kMachineLeft = 10;
constexpr MachineChartOptions kChart = {.width = 1180, .height = 560, .tooltips = true};
constexpr double kPageHeight = kPageHeader + kChart.height + 8;

constexpr std::string_view kMachineStyle = R"(
.page{fill:#ffffff}
.title{font-size:20px;font-weight:600}
.facts{font-size:13px;fill:#59636e}
@media (prefers-color-scheme:dark){
.page{fill:#0f1419}
.facts{fill:#9aa5b1}
}
)";

}  // namespace

std::string machine_svg(const MachinePicture& picture) {
  const std::string title = plain_text(picture.title);
  const std::string facts = plain_text(fmt::format("{}", fmt::join(picture.facts, "  \u00b7  ")));
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
      "viewBox=\"0 0 {0} {1}\">\n<title>{2}</title>\n<style>\n{3}{4}{5}</style>\n"
      "<path class=\"page\" d=\"M0 0H{0}V{1}H0Z\"/>\n"
      "<text class=\"title\" x=\"24\" y=\"34\">{6}</text>\n"
      "<text class=\"facts\" x=\"24\" y=\"56\">{7}</text>\n"
      "<g transform=\"translate({8} {9})\">\n{10}</g>\n</svg>\n",
      kPageWidth, kPageHeight, escape_markup(title), embedded_file("frontier_chart.css"),
      embedded_file("machine_chart.css"), kMachineStyle, escape_markup(fit(title, 100)),
      escape_markup(fit(facts, 180)), kMachineLeft, kPageHeader, draw_machine(picture, kChart));
}

}  // namespace dovetail::io
