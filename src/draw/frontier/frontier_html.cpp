// A frontier as a self-contained page. Everything visible is in the markup: the chart for several
// widths, the card of each plan, the table. The script only decides which card to show, so all
// drawing is done in one place and the page works without scripts.
#include <fmt/format.h>

#include <array>
#include <string>

#include "dovetail/draw.hpp"
#include "draw/frontier/frontier_chart.hpp"
#include "draw/frontier/frontier_gantt.hpp"
#include "draw/frontier/frontier_scene.hpp"
#include "draw/page.hpp"
#include "draw/plain_text.hpp"

namespace dovetail::draw {
namespace {

// The widths at which frontier.css switches lie between these.
struct ChartSize {
  double width, height;
};
constexpr std::array<ChartSize, 4> kSizes = {{{340, 400}, {540, 440}, {740, 480}, {980, 560}}};

class FrontierPage {
 public:
  FrontierPage(const FrontierScene& scene, std::span<const PlanRecord> plans)
      : scene_(scene), gantts_(draw_frontier_gantts(plans)) {}

  std::string content() const { return "<main>\n" + charts() + cards() + "</main>\n" + table(); }

 private:
  std::string charts() const {
    std::string out =
        fmt::format("<div id=\"charts\" class=\"charts\" data-first=\"{}\">\n", scene_.chosen + 1);
    for (const ChartSize& size : kSizes) {
      out += fmt::format("<svg viewBox=\"0 0 {} {}\">\n", size.width, size.height) +
             draw_chart(scene_, {size.width, size.height}) + "</svg>\n";
    }
    return out +
           "<p class=\"help\">Point at a plan to see it, click to keep it; the arrow keys go from "
           "plan to plan.</p>\n</div>\n";
  }

  std::string cards() const {
    std::string out = "<div class=\"cards\" aria-live=\"polite\">\n";
    for (std::size_t i = 0; i < scene_.points.size(); ++i) out += card(i);
    return out + "</div>\n";
  }

  std::string card(std::size_t i) const {
    const FrontierPoint& point = scene_.points[i];
    std::string out = fmt::format(
        "<article class=\"plan{}\" data-point=\"{}\">\n<div><h2>{}</h2>\n<dl>\n",
        i == scene_.chosen ? " shown" : "", i + 1, escape_markup(point_title(scene_, i)));
    for (const auto& [term, value] : point.facts) {
      out += fmt::format("<dt>{}</dt><dd>{}</dd>\n", term, escape_markup(value));
    }
    out += fmt::format("<dt>to get it</dt><dd><code>{}</code></dd>\n</dl></div>\n",
                       escape_markup(point.command));
    return out +
           fmt::format(
               "<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">\n{}</svg>\n</article>\n",
               kFrontierGanttWidth, kFrontierGanttHeight, "Gantt chart of this plan", gantts_[i]);
  }

  std::string table() const {
    std::string out =
        "<div class=\"points-box\"><table id=\"points\">\n<thead><tr><th>Plan</th>"
        "<th>Turn-around</th><th>CPU-hours</th><th>Processors</th><th>Algorithm</th><th></th>"
        "<th>To get it</th></tr></thead>\n<tbody>\n";
    for (std::size_t i = 0; i < scene_.points.size(); ++i) out += row(i);
    return out + "</tbody>\n</table></div>\n";
  }

  std::string row(std::size_t i) const {
    const FrontierPoint& point = scene_.points[i];
    return fmt::format(
        "<tr data-point=\"{0}\"><td>{0}</td><td>{1}</td><td>{2}</td><td>{3}</td>"
        "<td><span class=\"key {4}\"></span>{5}</td><td class=\"role-cell\">{6}</td>"
        "<td><code>{7}</code></td></tr>\n",
        i + 1, point.turnaround_text, point.hours_text, point.peak, names_of(point.kind).style,
        escape_markup(point.algorithm), escape_markup(roles_text(point)),
        escape_markup(point.command));
  }

  const FrontierScene& scene_;
  const std::vector<std::string> gantts_;
};

}  // namespace
}  // namespace dovetail::draw

namespace dovetail {

std::string frontier_html(std::span<const PlanRecord> plans, std::optional<double> budget) {
  const draw::FrontierScene scene = draw::make_scene(plans, budget);
  const std::string note = draw::escape_markup(scene.note);
  return draw::fill_page(
      "frontier.html",
      {{"title", draw::escape_markup(scene.title)},
       {"facts", draw::facts_list(scene.facts)},
       {"note", note.empty() ? "" : "<p class=\"note\">" + note + "</p>"},
       {"content", plans.empty() ? "" : draw::FrontierPage(scene, plans).content()}});
}

}  // namespace dovetail
