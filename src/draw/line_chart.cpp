#include "draw/line_chart.hpp"

#include <algorithm>

#include "draw/page.hpp"
#include "draw/svg_writer.hpp"

namespace dovetail::draw {
namespace {

constexpr double kLinesLeft = 64;
constexpr double kLinesRight = 16;
constexpr double kLinesTop = 44;  // the legend and the y axis name are above
constexpr double kLinesBottom = 40;
constexpr double kMarkRoomX = 80;
constexpr double kMarkRoomY = 36;
constexpr double kLegendLetter = 7;

class LineDrawing : SvgWriter {
 public:
  LineDrawing(const LineChart& chart, double width, double height)
      : chart_(chart),
        left_(kLinesLeft),
        right_(width - kLinesRight),
        top_(kLinesTop),
        bottom_(height - kLinesBottom),
        x_(axis(&std::pair<double, double>::first, {.log = chart.log_x, .air = 0})),
        y_(axis(&std::pair<double, double>::second,
                {.from_zero = chart.from_zero, .log = chart.log_y, .air = Axis::kAir})) {}

  std::string draw() {
    put("<path class=\"plot\" d=\"M{0:.1f} {1:.1f}H{2:.1f}V{3:.1f}H{0:.1f}Z\"/>\n", left_, top_,
        right_, bottom_);
    grid();
    for (std::size_t i = 0; i < chart_.series.size(); ++i) line(chart_.series[i], i);
    if (chart_.has_legend) legend();
    return std::move(out_);
  }

 private:
  struct AxisWish {
    bool from_zero = false;
    bool log = false;
    double air = 0;
  };

  // A value of 0 among the others keeps an axis from becoming logarithmic.
  Axis axis(double std::pair<double, double>::*value, const AxisWish& wish) const {
    std::vector<double> values;
    for (const LineSeries& series : chart_.series) {
      for (const auto& point : series.points) values.push_back(point.*value);
    }
    if (values.empty()) values.push_back(1);
    const auto [low, high] = std::ranges::minmax(values);
    if (wish.from_zero || (!wish.log && low > 0 && high > 8 * low)) values.push_back(0);
    return Axis::around(values, wish.air);
  }

  double at_x(double value) const { return left_ + (right_ - left_) * x_.share(value); }
  double at_y(double value) const { return bottom_ - (bottom_ - top_) * y_.share(value); }

  static std::vector<Mark> marks(const Axis& axis, AxisUnit unit, int count) {
    return unit == AxisUnit::milliseconds ? time_marks(axis, count) : hour_marks(axis, count);
  }

  void grid() {
    const int columns = std::max(2, static_cast<int>((right_ - left_) / kMarkRoomX));
    for (const Mark& mark : marks(x_, chart_.x_unit, columns)) {
      const double at = at_x(mark.value);
      if (at < left_ - 0.5 || at > right_ + 0.5) continue;
      put("<path class=\"grid\" d=\"M{:.1f} {:.1f}V{:.1f}\"/>\n", at, top_, bottom_);
      put("<text class=\"small\" text-anchor=\"middle\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", at,
          bottom_ + 16, mark.label);
    }
    const int rows = std::max(2, static_cast<int>((bottom_ - top_) / kMarkRoomY));
    for (const Mark& mark : marks(y_, chart_.y_unit, rows)) {
      const double at = at_y(mark.value);
      if (at < top_ - 0.5 || at > bottom_ + 0.5) continue;
      put("<path class=\"{}\" d=\"M{:.1f} {:.1f}H{:.1f}\"/>\n", mark.value == 0 ? "axis" : "grid",
          left_, at, right_);
      put("<text class=\"small\" text-anchor=\"end\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n",
          left_ - 7, at + 4, mark.label);
    }
    put("<text class=\"axis-name\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", left_, top_ - 8,
        escape_markup(chart_.y_name));
    put("<text class=\"axis-name\" text-anchor=\"end\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n",
        right_, bottom_ + 32, escape_markup(chart_.x_name));
  }

  void line(const LineSeries& series, std::size_t number) {
    if (series.points.empty()) return;
    if (series.look == LineLook::dots) {
      for (const auto& [x, y] : series.points) dot(series, number, at_x(x), at_y(y));
      return;
    }
    put("<path class=\"line l{}\"{} d=\"M", number % kLineColours, style_of(series));
    bool first = true;
    for (const auto& [x, y] : series.points) {
      if (!first && series.look == LineLook::stairs) put("H{:.1f}", at_x(x));
      put("{}{:.1f} {:.1f}", first ? "" : "L", at_x(x), at_y(y));
      first = false;
    }
    put("\"><title>{}</title></path>\n", escape_markup(plain_text(series.name)));
  }

  // A line of zero length with round ends, so that the dot has the colour of lines.
  void dot(const LineSeries& series, std::size_t number, double x, double y) {
    put("<path class=\"line dot l{}\"{} d=\"M{:.1f} {:.1f}h0\"><title>{}</title></path>\n",
        number % kLineColours, style_of(series), x, y, escape_markup(plain_text(series.name)));
  }

  static std::string style_of(const LineSeries& series) {
    return series.colour.empty() ? "" : fmt::format(" style=\"stroke:{}\"", series.colour);
  }

  void legend() {
    double x = left_;
    for (std::size_t i = 0; i < chart_.series.size(); ++i) {
      const std::string name = plain_text(chart_.series[i].name);
      const double room = 30 + kLegendLetter * display_width(name);
      if (x + room > right_) return;
      if (chart_.series[i].look == LineLook::dots) {
        dot(chart_.series[i], i, x + 9, 11);
      } else {
        put("<path class=\"line l{}\"{} d=\"M{:.1f} 11H{:.1f}\"/>\n", i % kLineColours,
            style_of(chart_.series[i]), x, x + 18);
      }
      put("<text class=\"small\" x=\"{:.1f}\" y=\"15\">{}</text>\n", x + 23, escape_markup(name));
      x += room + 8;
    }
  }

  const LineChart& chart_;
  double left_;
  double right_;
  double top_;
  double bottom_;
  Axis x_;
  Axis y_;
};

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

std::string draw_lines(const LineChart& chart, double width, double height) {
  return LineDrawing(chart, width, height).draw();
}

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
