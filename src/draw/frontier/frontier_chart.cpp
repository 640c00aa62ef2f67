#include "draw/frontier/frontier_chart.hpp"

#include <algorithm>
#include <cmath>

#include "draw/frontier/frontier_axis.hpp"
#include "draw/frontier/frontier_labels.hpp"
#include "draw/svg_writer.hpp"

namespace dovetail::draw {
namespace {

// The mean width of 12 px letters in the widest of the fonts that the style names.
constexpr double kLabelLetter = 6.9;
constexpr double kBoldLetter = 8;
constexpr double kLineHeight = 15;
constexpr double kLegendRow = 20;
constexpr double kDot = 4.5;
constexpr double kLargeDot = 6.5;

constexpr double kHeadroom = 50;     // for the label of the most expensive point
constexpr double kAroundPlot = 130;  // legend and axis names, roughly

struct Spot {
  double x = 0;
  double y = 0;
};

class FrontierChart : SvgWriter {
 public:
  FrontierChart(const FrontierScene& scene, const FrontierChartOptions& options)
      : scene_(scene),
        options_(options),
        x_axis_(Axis::around(turnarounds(scene))),
        y_axis_(Axis::around(hours(scene), kHeadroom / (options.height - kAroundPlot))) {
    y_marks_ = hour_marks(y_axis_, std::max(3, static_cast<int>(options.height / 65)));
    int widest = 3;
    for (const Mark& mark : y_marks_) widest = std::max(widest, display_width(mark.label));
    left_ = kLabelLetter * widest + 16;
    right_ = options.width - 12;
    bottom_ = options.height - 44;
  }

  std::string draw() {
    legend();
    for (const FrontierPoint& point : scene_.points) {
      spots_.push_back({x_of(point.turnaround), y_of(point.hours)});
    }
    out_ += "<g class=\"chart\">\n";
    unreached();
    axes();
    staircase();
    budget_line();
    labels();
    points();
    out_ += "</g>\n";
    return std::move(out_);
  }

 private:
  static std::vector<double> turnarounds(const FrontierScene& scene) {
    std::vector<double> values;
    for (const FrontierPoint& point : scene.points) values.push_back(point.turnaround);
    return values;
  }

  static std::vector<double> hours(const FrontierScene& scene) {
    std::vector<double> values;
    for (const FrontierPoint& point : scene.points) values.push_back(point.hours);
    if (scene.budget) values.push_back(*scene.budget);
    return values;
  }

  double x_of(double turnaround) const {
    return left_ + (right_ - left_) * x_axis_.share(turnaround);
  }
  double y_of(double cpu_hours) const {
    return bottom_ - (bottom_ - top_) * y_axis_.share(cpu_hours);
  }

  void text(std::string_view style, double x, double y, std::string_view anchor,
            std::string_view words) {
    out_ += svg_words(style, x, y, anchor, words);
  }

  // Drawn above the plot, in as many rows as needed; the plot begins below it.
  void legend() {
    double x = 4;
    double y = 14;
    const auto entry = [&](std::string_view symbol, std::string_view words) {
      const double width = 18 + kLabelLetter * display_width(words);
      if (x > 4 && x + width > right_) {
        x = 4;
        y += kLegendRow;
      }
      put("<g transform=\"translate({:.1f} {:.1f})\">{}</g>", x + 6, y - 4, symbol);
      text("small", x + 16, y, "start", words);
      x += width + 18;
    };
    for (std::size_t i = 0; i < kPlanKinds; ++i) {
      const auto kind = static_cast<PlanKind>(i);
      if (std::ranges::count(scene_.points, kind, &FrontierPoint::kind) == 0) continue;
      entry(fmt::format("<circle class=\"dot {}\" r=\"4.5\"/>", names_of(kind).style),
            names_of(kind).text);
    }
    entry("<path class=\"unreached swatch\" d=\"M-6-5h12v10h-12z\"/>", "no known plan here");
    top_ = y + 36;
  }

  // The corners of the staircase between and around the points, from the top edge to the right one.
  std::string stairs() const {
    std::string path = fmt::format("M{:.1f} {:.1f}", spots_[0].x, top_);
    for (const Spot& spot : spots_) {
      fmt::format_to(std::back_inserter(path), "H{:.1f}V{:.1f}", spot.x, spot.y);
    }
    return path + fmt::format("H{:.1f}", right_);
  }

  void unreached() {
    put("<path class=\"plot\" d=\"M{:.1f} {:.1f}H{:.1f}V{:.1f}H{:.1f}z\"/>\n", left_, top_, right_,
        bottom_, left_);
    put("<path class=\"unreached\" d=\"{}V{:.1f}H{:.1f}V{:.1f}z\"/>\n", stairs(), bottom_, left_,
        top_);
  }

  void staircase() { put("<path class=\"stairs\" d=\"{}\"/>\n", stairs()); }

  void axes() {
    const int count = std::max(3, static_cast<int>((right_ - left_) / 75));
    for (const Mark& mark : time_marks(x_axis_, count)) {
      const double x = x_of(mark.value);
      put("<path class=\"grid\" d=\"M{:.1f} {:.1f}V{:.1f}\"/>\n", x, top_, bottom_ + 4);
      text("small", x, bottom_ + 18, "middle", mark.label);
    }
    for (const Mark& mark : y_marks_) {
      const double y = y_of(mark.value);
      put("<path class=\"grid\" d=\"M{:.1f} {:.1f}H{:.1f}\"/>\n", left_ - 4, y, right_);
      text("small", left_ - 8, y + 4, "end", mark.label);
    }
    put("<path class=\"axis\" d=\"M{:.1f} {:.1f}V{:.1f}H{:.1f}\"/>\n", left_, top_, bottom_,
        right_);
    text("axis-name", 4, top_ - 9, "start", axis_name("CPU-hours", y_axis_));
    text("axis-name", right_, bottom_ + 36, "end", axis_name("turn-around", x_axis_));
  }

  static std::string axis_name(const std::string& name, const Axis& axis) {
    return axis.logarithmic() ? name + " (log scale)" : name;
  }

  void budget_line() {
    if (!scene_.budget) return;
    const double y = y_of(*scene_.budget);
    put("<path class=\"budget\" d=\"M{:.1f} {:.1f}H{:.1f}\"/>\n", left_, y, right_);
    const double width = kBoldLetter * display_width(scene_.budget_text) + 4;
    budget_text_ = {right_ - width - 2, y - 18, width, 16};
    if (budget_text_.y < top_) budget_text_.y = y + 3;
    text("budget-text", right_ - 4, budget_text_.y + 13, "end", scene_.budget_text);
  }

  void labels() {
    LabelPlacer placer({left_ + 4, top_ + 2, right_ - left_ - 6, bottom_ - top_ - 6});
    for (const Spot& spot : spots_) {
      placer.avoid(
          {spot.x - kLargeDot - 1, spot.y - kLargeDot - 1, 2 * kLargeDot + 2, 2 * kLargeDot + 2});
    }
    avoid_lines(placer);
    for (std::size_t i = 0; i < scene_.points.size(); ++i) {
      if (!scene_.points[i].roles.empty()) label(placer, i);
    }
  }

  void avoid_lines(LabelPlacer& placer) const {
    constexpr double kThin = 2;
    for (std::size_t i = 0; i < spots_.size(); ++i) {
      const double above = i == 0 ? top_ : spots_[i - 1].y;
      const double after = i + 1 == spots_.size() ? right_ : spots_[i + 1].x;
      placer.rather_avoid({spots_[i].x - kThin / 2, above, kThin, spots_[i].y - above});
      placer.rather_avoid({spots_[i].x, spots_[i].y - kThin / 2, after - spots_[i].x, kThin});
    }
    if (!scene_.budget) return;
    placer.avoid({left_, y_of(*scene_.budget) - 2, right_ - left_, 4});
    placer.avoid(budget_text_);
  }

  void label(LabelPlacer& placer, std::size_t i) {
    const FrontierPoint& point = scene_.points[i];
    const std::string numbers = point.turnaround_text + ", " + point.hours_text + " h";
    double width = kLabelLetter * display_width(numbers);
    for (const std::string& role : point.roles) {
      width = std::max(width, kBoldLetter * display_width(role));
    }
    const PlacedLabel placed =
        placer.place(spots_[i].x, spots_[i].y, std::min(width + 4, right_ - left_),
                     kLineHeight * static_cast<double>(point.roles.size() + 1));
    if (placed.far) leader(spots_[i], placed.box);
    const double x = placed.to_the_left ? placed.box.right() - 2 : placed.box.x + 2;
    const std::string_view anchor = placed.to_the_left ? "end" : "start";
    double y = placed.box.y + 12;
    for (const std::string& role : point.roles) {
      text("role", x, y, anchor, role);
      y += kLineHeight;
    }
    text("numbers", x, y, anchor, numbers);
  }

  // A line from the dot to the nearest point of the label.
  void leader(const Spot& spot, const LabelBox& box) {
    const double x = std::clamp(spot.x, box.x, box.right());
    const double y = std::clamp(spot.y, box.y, box.bottom());
    put("<path class=\"leader\" d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\"/>\n", spot.x, spot.y, x, y);
  }

  // Half the way to the nearest other point, within sizes that a pointer can hit.
  double reach(std::size_t i) const {
    double nearest = 28;
    for (std::size_t other = 0; other < spots_.size(); ++other) {
      if (other == i) continue;
      nearest = std::min(nearest,
                         std::hypot(spots_[other].x - spots_[i].x, spots_[other].y - spots_[i].y));
    }
    return std::max(kDot, nearest / 2);
  }

  // The point within the budget comes last, so that no other covers it.
  void points() {
    for (std::size_t i = 0; i < scene_.points.size(); ++i) {
      if (scene_.within != i) point(i);
    }
    if (scene_.within) point(*scene_.within);
  }

  void point(std::size_t i) {
    const bool within = scene_.within == i;
    put("<g class=\"point {}{}{}\" data-point=\"{}\" tabindex=\"0\" role=\"img\" "
        "aria-label=\"{}\">\n",
        names_of(scene_.points[i].kind).style, within ? " within" : "",
        i == scene_.chosen ? " chosen" : "", i + 1, escape_markup(point_text(scene_, i)));
    const auto circle = [&](std::string_view name, double radius) {
      put("<circle class=\"{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\"/>", name, spots_[i].x,
          spots_[i].y, radius);
    };
    circle("hit", reach(i));
    circle("ring", (within ? kLargeDot : kDot) + 4);
    circle("dot", within ? kLargeDot : kDot);
    if (options_.inside_point) out_ += options_.inside_point(i);
    out_ += "</g>\n";
  }

  const FrontierScene& scene_;
  const FrontierChartOptions& options_;
  const Axis x_axis_;
  const Axis y_axis_;
  std::vector<Mark> y_marks_;
  double left_ = 0;
  double right_ = 0;
  double top_ = 0;
  double bottom_ = 0;
  std::vector<Spot> spots_;
  LabelBox budget_text_;
};

}  // namespace

std::string draw_chart(const FrontierScene& scene, const FrontierChartOptions& options) {
  return FrontierChart(scene, options).draw();
}

}  // namespace dovetail::draw
