#include "draw/ensemble_picture.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "draw/gantt/gantt_look.hpp"
#include "draw/line_chart.hpp"
#include "draw/page.hpp"
#include "draw/svg_writer.hpp"

namespace dovetail::draw {
namespace {

constexpr double kSheetWidth = 1180;
constexpr double kRowsLeft = 170;
constexpr double kRowsRight = 16;
constexpr double kGroupHeight = 22;
constexpr double kRowAir = 3;
constexpr double kLegendLine = 19;
constexpr double kLegendStep = 44;  // from scenario to scenario
constexpr std::size_t kMostLegendLines = 4;
constexpr double kRowsBottom = 36;  // the time axis
constexpr double kNarrowest = 1.5;  // of any drawn shape
constexpr double kNameWidth = 46;
constexpr double kDateDistance = 110;
constexpr double kProgressHeight = 300;
constexpr double kProgressLeft = kRowsLeft - 64;  // the plot itself begins where the rows do
constexpr std::size_t kMostProgressPoints = 300;

// One colour per scenario: beyond the palette, hues a golden angle apart.
std::string scenario_colour(std::uint32_t scenario, std::uint32_t scenarios) {
  if (scenarios <= palette_size()) return std::string(group_colour(scenario));
  constexpr double kGoldenAngle = 137.508;
  constexpr std::array kLightness = {68, 78, 56};
  const double hue = std::fmod(scenario * kGoldenAngle, 360);
  return fmt::format("hsl({:.0f},60%,{}%)", hue, kLightness[scenario % kLightness.size()]);
}

class GroupChart : SvgWriter {
 public:
  explicit GroupChart(const EnsemblePicture& picture)
      : picture_(picture), top_(11 + kLegendLine * static_cast<double>(legend_lines())) {}

  double height() const {
    return top_ + kGroupHeight * static_cast<double>(picture_.rows.size()) + kRowsBottom;
  }

  std::string draw() {
    const double bottom = height() - kRowsBottom;
    put("<path class=\"plot\" d=\"M{0:.1f} {1:.1f}H{2:.1f}V{3:.1f}H{0:.1f}Z\"/>\n", kRowsLeft, top_,
        right(), bottom);
    time_axis(bottom);
    for (std::size_t i = 0; i < picture_.rows.size(); ++i) row(picture_.rows[i], i);
    legend();
    return std::move(out_);
  }

 private:
  // Months drawn as one rectangle.
  struct Piece {
    Time start = 0;
    Time end = 0;
    std::map<std::uint32_t, Duration> by_scenario = {};
    Count first_month = 0;
    std::size_t months = 0;
  };

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
    const int count = std::max(2, static_cast<int>((right() - kRowsLeft) / kDateDistance));
    for (const AxisTick& tick : axis_ticks(clock(), picture_.window, count)) {
      put("<path class=\"grid\" d=\"M{:.1f} {:.1f}V{:.1f}\"/>\n", x(tick.at), top_, bottom);
      put("<text class=\"small\" text-anchor=\"middle\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n",
          x(tick.at), bottom + 16, tick.label);
      if (tick.date.empty()) continue;
      put("<text class=\"tick\" text-anchor=\"middle\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n",
          x(tick.at), bottom + 29, tick.date);
    }
  }

  void row(const GroupRow& row, std::size_t number) {
    const double top = top_ + kGroupHeight * static_cast<double>(number);
    put("<text class=\"small\" text-anchor=\"end\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n",
        kRowsLeft - 8, top + kGroupHeight / 2 + 4, escape_markup(fit(plain_text(row.name), 26)));
    for (const Interval& absent : row.absent) {
      put("<rect class=\"unreached\" x=\"{:.2f}\" y=\"{:.1f}\" width=\"{:.2f}\" "
          "height=\"{:.1f}\"><title>not ours\n{} to {}</title></rect>\n",
          x(absent.begin), top, x(absent.end) - x(absent.begin), kGroupHeight,
          moment_text(clock(), absent.begin), moment_text(clock(), absent.end));
    }
    draw_spells(row, top);
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

  // The mean number of busy processors, column by column; the maximum fills the height of the row.
  void draw_spells(const GroupRow& row, double top) {
    if (row.spells.empty()) return;
    const auto columns = static_cast<std::size_t>((right() - kRowsLeft) / kNarrowest);
    std::vector<double> busy(columns, 0);
    for (const BusySpell& spell : row.spells) {
      const double first = (x(spell.start) - kRowsLeft) / kNarrowest;
      const double last = (x(spell.end) - kRowsLeft) / kNarrowest;
      for (auto c = static_cast<std::size_t>(first); c < columns && static_cast<double>(c) < last;
           ++c) {
        const auto column = static_cast<double>(c);
        busy[c] += spell.procs * (std::min(last, column + 1) - std::max(first, column));
      }
    }
    const double most = *std::max_element(busy.begin(), busy.end());
    const double bottom = top + kGroupHeight - kRowAir;
    put("<path class=\"spells\" d=\"M{:.1f} {:.1f}", kRowsLeft, bottom);
    double height = 0;
    for (std::size_t c = 0; c < columns; ++c) {
      const double next = busy[c] / most * (kGroupHeight - 2 * kRowAir);
      if (next == height) continue;
      height = next;
      put("H{:.1f}V{:.1f}", kRowsLeft + static_cast<double>(c) * kNarrowest, bottom - height);
    }
    put("H{:.1f}V{:.1f}Z\"><title>post tasks, on {:.3g} processors at most</title></path>\n",
        right(), bottom, most);
  }

  void draw_piece(const Piece& piece, double top) {
    if (piece.months == 0) return;
    const auto most =
        std::ranges::max_element(piece.by_scenario, {}, [](const auto& one) { return one.second; });
    const double left = x(piece.start);
    const double width = std::max(kNarrowest, x(piece.end) - left);
    put("<rect class=\"month{}\" fill=\"{}\" x=\"{:.2f}\" y=\"{:.1f}\" width=\"{:.2f}\" "
        "height=\"{:.1f}\"><title>{}</title></rect>\n",
        width > 4 ? " edge" : "", scenario_colour(most->first, picture_.scenarios), left,
        top + kRowAir, width, kGroupHeight - 2 * kRowAir, piece_text(piece));
    if (piece.months != 1 || width < kNameWidth) return;
    put("<text class=\"month-name\" text-anchor=\"middle\" x=\"{:.1f}\" y=\"{:.1f}\">s{} "
        "m{}</text>\n",
        left + width / 2, top + kGroupHeight / 2 + 3.5, most->first + 1, piece.first_month + 1);
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

  // The first scenario takes two places, to fit its name.
  static std::size_t legend_places() {
    return static_cast<std::size_t>((right() - kRowsLeft) / kLegendStep);
  }

  std::size_t legend_lines() const {
    const std::size_t places = picture_.scenarios + std::size_t{1};
    return std::min(kMostLegendLines, (places + legend_places() - 1) / legend_places());
  }

  void legend() {
    const std::size_t most = legend_lines() * legend_places();
    const bool has_all = picture_.scenarios < most;
    std::size_t place = 0;
    for (std::uint32_t s = 0; s < picture_.scenarios && place < most; ++s) {
      const double at = kRowsLeft + kLegendStep * static_cast<double>(place % legend_places());
      const double top = 7 + kLegendLine * static_cast<double>(place / legend_places());
      if (!has_all && place + 1 == most) {
        put("<text class=\"small\" x=\"{:.1f}\" y=\"{:.1f}\">to {}</text>\n", at, top + 10,
            picture_.scenarios);
        return;
      }
      put("<rect class=\"month edge\" fill=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"12\" "
          "height=\"12\"/><text class=\"small\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n",
          scenario_colour(s, picture_.scenarios), at, top, at + 17, top + 10,
          s == 0 ? "scenario 1" : std::to_string(s + 1));
      place += s == 0 ? 2 : 1;
    }
  }

  const EnsemblePicture& picture_;
  double top_;  // of the rows; the legend is above
};

// Months done against time, one line per scenario, level while it waits. The groups above explain
// the colours.
LineChart progress_chart(const EnsemblePicture& picture) {
  LineChart chart{.x_name = "time",
                  .y_name = "months done",
                  .x_unit = AxisUnit::milliseconds,
                  .from_zero = true,
                  .has_legend = false};
  std::vector<std::vector<Interval>> runs(picture.scenarios);
  for (const GroupRow& row : picture.rows) {
    for (const GroupRun& run : row.runs) runs[run.scenario].push_back({run.start, run.end});
  }
  const Time begin = picture.window.begin;
  const Duration longest_step =
      (picture.window.end - begin) / static_cast<Duration>(kMostProgressPoints);
  for (std::uint32_t s = 0; s < picture.scenarios; ++s) {
    LineSeries series{.name = std::to_string(s + 1),
                      .points = {{0, 0}},
                      .colour = scenario_colour(s, picture.scenarios)};
    const auto add = [&](Time at, std::size_t months) {
      series.points.emplace_back(static_cast<double>(at - begin), static_cast<double>(months));
    };
    std::ranges::sort(runs[s], {}, &Interval::end);
    const std::size_t step = std::max<std::size_t>(1, runs[s].size() / kMostProgressPoints);
    Time before = begin;
    for (std::size_t i = 0; i < runs[s].size(); ++i) {
      if (runs[s][i].begin - before > longest_step) {
        if (series.points.back().second < static_cast<double>(i)) add(before, i);
        add(runs[s][i].begin, i);
      }
      before = runs[s][i].end;
      if (i % step == 0 || i + 1 == runs[s].size()) add(before, i + 1);
    }
    // Extends the line to the end of the picture, so that the axis matches that of the groups.
    if (before < picture.window.end) add(picture.window.end, runs[s].size());
    chart.series.push_back(std::move(series));
  }
  return chart;
}

}  // namespace

std::string ensemble_svg(const EnsemblePicture& picture) {
  constexpr double kHead = 66;
  GroupChart groups(picture);
  const double progress = kHead + groups.height() + 10;
  const double height = progress + kProgressHeight + 6;
  const std::string style = "\n" + std::string(embedded_file("frontier_chart.css")) +
                            std::string(embedded_file("line_chart.css"));
  const std::string title = fit(plain_text(picture.title), 100);
  return picture_opening(kSheetWidth, height, title, style) +
         fmt::format(
             "<text class=\"title\" x=\"24\" y=\"30\">{}</text>\n"
             "<text class=\"small\" x=\"24\" y=\"52\">{}</text>\n"
             "<g transform=\"translate(0 {})\">\n{}</g>\n"
             "<g transform=\"translate({} {})\">\n{}</g>\n</svg>\n",
             escape_markup(title), escape_markup(facts_line(picture.facts)), kHead, groups.draw(),
             kProgressLeft, progress,
             draw_lines(progress_chart(picture), kSheetWidth - kProgressLeft, kProgressHeight));
}

std::string ensemble_html(const EnsemblePicture& picture) {
  GroupChart groups(picture);
  const std::string charts = fmt::format(
      "<section><h2>Groups</h2>\n<svg viewBox=\"0 0 {0} {1}\">\n{2}</svg></section>\n"
      "<section><h2>Progress</h2>\n<svg viewBox=\"0 0 {0} {3}\">\n"
      "<g transform=\"translate({4} 0)\">\n{5}</g></svg></section>\n",
      kSheetWidth, groups.height(), groups.draw(), kProgressHeight, kProgressLeft,
      draw_lines(progress_chart(picture), kSheetWidth - kProgressLeft, kProgressHeight));
  return fill_page("charts.html", {{"title", escape_markup(plain_text(picture.title))},
                                   {"facts", facts_list(picture.facts)},
                                   {"charts", charts}});
}

}  // namespace dovetail::draw
