// A frontier as a static picture: the chart, and beside it the card of one plan with its own small
// Gantt chart. Pointing at a dot (or reaching it with the tab key) shows its card on top, by CSS
// alone. The picture is self-contained and follows the reader's light or dark colours.
#include <fmt/format.h>

#include <string>

#include "dovetail/draw.hpp"
#include "draw/frontier/frontier_chart.hpp"
#include "draw/frontier/frontier_gantt.hpp"
#include "draw/frontier/frontier_scene.hpp"
#include "draw/page.hpp"
#include "draw/plain_text.hpp"

namespace dovetail::draw {
namespace {

constexpr double kWidth = 1200;
constexpr double kHeader = 72;
constexpr double kFrontierWidth = 760;
constexpr double kFrontierHeight = 500;
constexpr double kFrontierLeft = 20;
constexpr double kCardLeft = kFrontierLeft + kFrontierWidth + 12;
constexpr double kCardWidth = kWidth - 20 - kCardLeft;
constexpr double kHeight = kHeader + kFrontierHeight + 12;
constexpr double kFirstFact = 68;
constexpr double kFactLine = 19.5;
constexpr double kEmptyHeight = 120;

constexpr std::string_view kFrontierStyle = R"(
.page{fill:#ffffff}
.title{font-size:20px;font-weight:600}
.facts{font-size:13px;fill:#59636e}
.note{font-size:13px;font-weight:600;fill:#8250df}
.card-back{fill:#f6f8fa;stroke:#d1d9e0}
.card-name{font-size:14px;font-weight:600}
.term{font-size:12.5px;fill:#59636e}
.value{font-size:12.5px;text-anchor:end}
.command{font-size:12.5px;font-family:ui-monospace,"SFMono-Regular",Menlo,"DejaVu Sans Mono",monospace}
.card{pointer-events:none}
.point .card{visibility:hidden}
.point:hover .card,.point:focus .card{visibility:visible}
svg:has(.point:hover) .chosen:not(:hover) .ring{visibility:hidden}
@media (prefers-color-scheme:dark){
.page{fill:#0f1419}
.facts,.term{fill:#9aa5b1}
.note{fill:#b98cff}
.card-back{fill:#181e25;stroke:#343c46}
}
)";

std::string opening(const FrontierScene& scene, double height) {
  const std::string style =
      fmt::format("\n{}{}", embedded_file("frontier_chart.css"), kFrontierStyle);
  return picture_opening(kWidth, height, scene.title, style) +
         fmt::format("<text class=\"title\" x=\"24\" y=\"36\">{}</text>\n",
                     escape_markup(fit(scene.title, 90)));
}

// The facts, then the note about the budget.
std::string subtitle(const FrontierScene& scene) {
  std::string line = fmt::format("<text x=\"24\" y=\"58\"><tspan class=\"facts\">{}</tspan>",
                                 escape_markup(facts_line(scene.facts)));
  if (!scene.note.empty()) {
    line += fmt::format("<tspan class=\"note\" dx=\"16\">{}</tspan>", escape_markup(scene.note));
  }
  return line + "</text>\n";
}

class SvgCards {
 public:
  SvgCards(const FrontierScene& scene, std::span<const PlanRecord> plans)
      : scene_(scene), gantts_(draw_frontier_gantts(plans)) {}

  // Uses page coordinates, whatever group it is put into.
  std::string draw(std::size_t i) const {
    const FrontierPoint& point = scene_.points[i];
    std::string out =
        fmt::format("<g class=\"card\" transform=\"translate({} {})\">\n", kCardLeft, kHeader + 4);
    out += fmt::format("<rect class=\"card-back\" width=\"{}\" height=\"{}\" rx=\"8\"/>\n",
                       kCardWidth, kFrontierHeight - 8);
    out += fmt::format(
        "<text class=\"card-name\" x=\"16\" y=\"26\">{}</text>"
        "<text class=\"term\" x=\"16\" y=\"44\">{}</text>\n",
        point_name(scene_, i), escape_markup(fit(roles_text(point), 50)));
    double y = kFirstFact;
    for (const auto& [term, value] : point.facts) {
      out += fmt::format(
          "<text class=\"term\" x=\"16\" y=\"{0}\">{1}</text>"
          "<text class=\"value\" x=\"{2}\" y=\"{0}\">{3}</text>\n",
          y, term, kCardWidth - 16, escape_markup(fit(value, 34)));
      y += kFactLine;
    }
    out += fmt::format(
        "<text class=\"term\" x=\"16\" y=\"{0}\">to get it</text>"
        "<text class=\"value command\" x=\"{1}\" y=\"{0}\">{2}</text>\n",
        y, kCardWidth - 16, escape_markup(fit(point.command, 36)));
    const double gantt_top = kFrontierHeight - 8 - kFrontierGanttHeight - 6;
    return out + fmt::format("<g transform=\"translate({:.1f} {:.1f})\">{}</g>\n</g>\n",
                             (kCardWidth - kFrontierGanttWidth) / 2, gantt_top, gantts_[i]);
  }

 private:
  const FrontierScene& scene_;
  const std::vector<std::string> gantts_;
};

std::string draw_picture(const FrontierScene& scene, std::span<const PlanRecord> plans) {
  const SvgCards cards(scene, plans);
  const auto inside_point = [&](std::size_t i) {
    std::string inside = "<title>" + escape_markup(point_text(scene, i)) + "</title>\n";
    // The chosen plan's card is already on the page.
    if (i != scene.chosen) {
      inside += fmt::format("<g transform=\"translate({} {})\">{}</g>", -kFrontierLeft, -kHeader,
                            cards.draw(i));
    }
    return inside;
  };
  return opening(scene, kHeight) + subtitle(scene) + cards.draw(scene.chosen) +
         fmt::format("<g transform=\"translate({} {})\">\n", kFrontierLeft, kHeader) +
         draw_chart(scene, {kFrontierWidth, kFrontierHeight, inside_point}) + "</g>\n</svg>\n";
}

}  // namespace
}  // namespace dovetail::draw

namespace dovetail {

std::string frontier_svg(std::span<const PlanRecord> plans, std::optional<double> budget) {
  const draw::FrontierScene scene = draw::make_scene(plans, budget);
  if (plans.empty()) return draw::opening(scene, draw::kEmptyHeight) + "</svg>\n";
  return draw::draw_picture(scene, plans);
}

}  // namespace dovetail
