#include "io/ensemble_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "io/embedded.hpp"
#include "io/gantt_look.hpp"
#include "io/line_chart.hpp"
#include "io/page.hpp"
#include "io/plain_text.hpp"

namespace dovetail::io {
namespace {

constexpr double kSheetWidth = 1180;
constexpr double kRowsLeft = 170;
constexpr double kRowsRight = 16;
constexpr double kRowHeight = 22;
constexpr double kRowAir = 3;
constexpr double kRowsTop = 30;     // the legend stands above
constexpr double kRowsBottom = 36;  // the time axis
constexpr double kNarrowest = 1.5;  // of what is drawn
constexpr double kNameWidth = 46;
constexpr double kTickDistance = 110;
constexpr double kProgressHeight = 300;
constexpr std::size_t kMostProgressPoints = 300;

class GroupChart {
 public:
  explicit GroupChart(const EnsemblePicture& picture) : picture_(picture) {}

  double height() const {
    return kRowsTop + kRowHeight * static_cast<double>(picture_.rows.size()) + kRowsBottom;
  }

  std::string draw() {
    const double bottom = height() - kRowsBottom;
    put("<path class=\"plot\" d=\"M{0:.1f} {1:.1f}H{2:.1f}V{3:.1f}H{0:.1f}Z\"/>\n", kRowsLeft,
        kRowsTop, right(), bottom);
    time_axis(bottom);
    for (std::size_t i = 0; i < picture_.rows.size(); ++i) row(picture_.rows[i], i);
    legend();
    return std::move(out_);
  }

 private:
  // Months that are drawn as one.
  struct Piece {
    Time start = 0;
    Time end = 0;
    std::map<std::uint32_t, Duration> by_scenario = {};
    Count first_month = 0;
    std::size_t months = 0;
  };

  template <typename... Values>
  void put(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Values>(values)...);
  }

  static double right() { return kSheetWidth - kRowsRight; }

  double x(Time t) const {
    const auto span = static_cast<double>(picture_.window.end - picture_.window.begin);
    return kRowsLeft +
           (right() - kRowsLeft) * static_cast<double>(t - picture_.window.begin) / span;
  }

  PlanRecord clock() const {
    PlanRecord record;
    record.now = picture_.window.begin;
    record.wall_clock = picture_.wall_clock;
    return record;
  }

  void time_axis(double bottom) {
    const int count = std::max(2, static_cast<int>((right() - kRowsLeft) / kTickDistance));
    for (const AxisTick& tick : axis_ticks(clock(), picture_.window, count)) {
      put("<path class=\"grid\" d=\"M{:.1f} {:.1f}V{:.1f}\"/>\n", x(tick.at), kRowsTop, bottom);
      put("<text class=\"small\" text-anchor=\"middle\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n",
          x(tick.at), bottom + 16, tick.label);
      if (tick.date.empty()) continue;
      put("<text class=\"tick\" text-anchor=\"middle\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n",
          x(tick.at), bottom + 29, tick.date);
    }
  }

  void row(const GroupRow& row, std::size_t number) {
    const double top = kRowsTop + kRowHeight * static_cast<double>(number);
    put("<text class=\"small\" text-anchor=\"end\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n",
        kRowsLeft - 8, top + kRowHeight / 2 + 4, escape_markup(fit(plain_text(row.name), 26)));
    Piece piece;
    for (const GroupRun& run : row.runs) {
      const bool has_gap = piece.months > 0 && x(run.start) - x(piece.end) > kNarrowest;
      if (has_gap || x(piece.end) - x(piece.start) >= kNarrowest) {
        draw_piece(piece, top);
        piece = {};
      }
      if (piece.months++ == 0) {
        piece.start = run.start;
        piece.first_month = run.month;
      }
      piece.end = run.end;
      piece.by_scenario[run.scenario] += run.end - run.start;
    }
    draw_piece(piece, top);
  }

  void draw_piece(const Piece& piece, double top) {
    if (piece.months == 0) return;
    const auto most =
        std::max_element(piece.by_scenario.begin(), piece.by_scenario.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    const double left = x(piece.start);
    const double width = std::max(kNarrowest, x(piece.end) - left);
    put("<rect class=\"month{}\" fill=\"{}\" x=\"{:.2f}\" y=\"{:.1f}\" width=\"{:.2f}\" "
        "height=\"{:.1f}\"><title>{}</title></rect>\n",
        width > 4 ? " edge" : "", group_colour(most->first), left, top + kRowAir, width,
        kRowHeight - 2 * kRowAir, piece_text(piece));
    if (piece.months != 1 || width < kNameWidth) return;
    put("<text class=\"month-name\" text-anchor=\"middle\" x=\"{:.1f}\" y=\"{:.1f}\">s{} "
        "m{}</text>\n",
        left + width / 2, top + kRowHeight / 2 + 3.5, most->first + 1, piece.first_month + 1);
  }

  std::string piece_text(const Piece& piece) const {
    const auto when = [&](Time t) { return moment_text(clock(), t); };
    if (piece.months == 1) {
      return fmt::format("scenario {}, month {}\n{} to {}", piece.by_scenario.begin()->first + 1,
                         piece.first_month + 1, when(piece.start), when(piece.end));
    }
    std::vector<std::uint32_t> numbers;
    for (const auto& [scenario, time] : piece.by_scenario) numbers.push_back(scenario + 1);
    return fmt::format("{} months of scenarios {}\n{} to {}", piece.months,
                       fmt::join(numbers, ", "), when(piece.start), when(piece.end));
  }

  void legend() {
    double at = kRowsLeft;
    for (std::uint32_t s = 0; s < picture_.scenarios && at + 90 < right(); ++s) {
      put("<rect class=\"month edge\" fill=\"{}\" x=\"{:.1f}\" y=\"7\" width=\"12\" height=\"12\"/>"
          "<text class=\"small\" x=\"{:.1f}\" y=\"17\">{}</text>\n",
          group_colour(s), at, at + 17, s == 0 ? "scenario 1" : std::to_string(s + 1));
      at += s == 0 ? 88 : 44;
    }
  }

  const EnsemblePicture& picture_;
  std::string out_;
};

// Months done against time, a line for each scenario.
LineChart progress_chart(const EnsemblePicture& picture) {
  LineChart chart{.x_name = "time",
                  .y_name = "months done",
                  .x_unit = AxisUnit::milliseconds,
                  .from_zero = true};
  std::vector<std::vector<Time>> ends(picture.scenarios);
  for (const GroupRow& row : picture.rows) {
    for (const GroupRun& run : row.runs) ends[run.scenario].push_back(run.end);
  }
  for (std::uint32_t s = 0; s < picture.scenarios; ++s) {
    std::sort(ends[s].begin(), ends[s].end());
    LineSeries series{
        .name = std::to_string(s + 1), .points = {{0, 0}}, .colour = std::string(group_colour(s))};
    const std::size_t step = std::max<std::size_t>(1, ends[s].size() / kMostProgressPoints);
    for (std::size_t i = 0; i < ends[s].size(); ++i) {
      if (i % step != 0 && i + 1 != ends[s].size()) continue;
      series.points.emplace_back(static_cast<double>(ends[s][i] - picture.window.begin),
                                 static_cast<double>(i + 1));
    }
    chart.series.push_back(std::move(series));
  }
  return chart;
}

std::string ensemble_facts(const EnsemblePicture& picture) {
  std::string out;
  for (const std::string& fact : picture.facts) {
    out += "<li>" + escape_markup(plain_text(fact)) + "</li>";
  }
  return out;
}

}  // namespace

std::string ensemble_svg(const EnsemblePicture& picture) {
  constexpr double kHead = 66;
  GroupChart groups(picture);
  const double progress = kHead + groups.height() + 10;
  const double height = progress + kProgressHeight + 6;
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
      "viewBox=\"0 0 {0} {1}\">\n<title>{2}</title>\n<style>\n{3}{4}</style>\n"
      "<path class=\"page\" d=\"M0 0H{0}V{1}H0Z\"/>\n<text class=\"title\" x=\"24\" y=\"30\">{2}"
      "</text>\n<text class=\"small\" x=\"24\" y=\"52\">{5}</text>\n"
      "<g transform=\"translate(0 {6})\">\n{7}</g>\n<g transform=\"translate({8} "
      "{9})\">\n{10}</g>\n"
      "</svg>\n",
      kSheetWidth, height, escape_markup(fit(plain_text(picture.title), 100)),
      embedded_file("frontier_chart.css"), embedded_file("line_chart.css"),
      escape_markup(plain_text(fmt::format("{}", fmt::join(picture.facts, "  \u00b7  ")))), kHead,
      groups.draw(), kRowsLeft - 64, progress,
      draw_lines(progress_chart(picture), kSheetWidth - kRowsLeft + 64, kProgressHeight));
}

std::string ensemble_html(const EnsemblePicture& picture) {
  return fill_page(embedded_file("charts.html"), [&](std::string_view slot) -> std::string {
    if (slot == "title") return escape_markup(plain_text(picture.title));
    if (slot == "facts") return ensemble_facts(picture);
    if (slot != "charts") return std::string(embedded_file(slot));
    GroupChart groups(picture);
    return fmt::format(
        "<section><h2>Groups</h2>\n<svg viewBox=\"0 0 {0} {1}\">\n{2}</svg></section>\n"
        "<section><h2>Progress</h2>\n<svg viewBox=\"0 0 {0} {3}\">\n{4}</svg></section>\n",
        kSheetWidth, groups.height(), groups.draw(), kProgressHeight,
        draw_lines(progress_chart(picture), kSheetWidth, kProgressHeight));
  });
}

}  // namespace dovetail::io
