// Line charts as self-contained pictures and pages.
#include <fmt/format.h>

#include "draw/line_chart.hpp"
#include "draw/page.hpp"
#include "draw/plain_text.hpp"

namespace dovetail::draw {
namespace {

constexpr double kLinesWidth = 1100;
constexpr double kLinesHeight = 400;
constexpr double kLinesHeader = 62;

// Leaves out a title that repeats the page's.
std::string section(const LineChart& chart, const std::string& page) {
  const std::string title = escape_markup(plain_text(chart.title));
  return fmt::format(
      "<section>{}<p class=\"said\">{}</p>\n<svg viewBox=\"0 0 {} {}\" role=\"img\" "
      "aria-label=\"{}\">\n{}</svg></section>\n",
      chart.title == page ? "" : "<h2>" + title + "</h2>", escape_markup(facts_line(chart.facts)),
      kLinesWidth, kLinesHeight, title, draw_lines(chart, kLinesWidth, kLinesHeight));
}

}  // namespace

std::string lines_svg(const std::vector<LineChart>& charts) {
  std::string body;
  double top = 0;
  for (const LineChart& chart : charts) {
    body += fmt::format(
        "<text class=\"title\" x=\"24\" y=\"{}\">{}</text>\n"
        "<text class=\"small\" x=\"24\" y=\"{}\">{}</text>\n"
        "<g transform=\"translate(10 {})\">\n{}</g>\n",
        top + 30, escape_markup(fit(plain_text(chart.title), 110)), top + 50,
        escape_markup(fit(facts_line(chart.facts), 170)), top + kLinesHeader,
        draw_lines(chart, kLinesWidth, kLinesHeight));
    top += kLinesHeader + kLinesHeight + 10;
  }
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
      "viewBox=\"0 0 {0} {1}\">\n<style>\n{2}{3}</style>\n"
      "<path class=\"page\" d=\"M0 0H{0}V{1}H0Z\"/>\n{4}</svg>\n",
      kLinesWidth + 20, top, embedded_file("frontier_chart.css"), embedded_file("line_chart.css"),
      body);
}

std::string lines_html(const std::string& title, const std::vector<LineChart>& charts) {
  std::string sections;
  for (const LineChart& chart : charts) sections += section(chart, title);
  return fill_page(
      "charts.html",
      {{"title", escape_markup(plain_text(title))}, {"facts", ""}, {"charts", sections}});
}

}  // namespace dovetail::draw
