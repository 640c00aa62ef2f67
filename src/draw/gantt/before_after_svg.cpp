// A plan before and after the events, as a static picture: both charts, then a table of events. It
// is self-contained and follows the reader's light or dark colours.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "dovetail/draw.hpp"
#include "draw/gantt/before_after.hpp"
#include "draw/page.hpp"
#include "draw/plain_text.hpp"

namespace dovetail::draw {
namespace {

constexpr double kTitleHeight = 66;
constexpr double kTableLeft = 24;
constexpr double kTableTop = 8;
constexpr double kTableRow = 21;
constexpr double kTableLetter = 7;
constexpr std::size_t kMostRows = 40;

constexpr std::string_view kBeforeAfterStyle = R"(
.page{fill:#ffffff}
@media (prefers-color-scheme:dark){.page{fill:#0f1419}}
)";

// Where the columns begin.
struct Columns {
  double number, time, event, old_end, new_end, decision;
};

// Dates need more room than durations; the events column gets the rest.
constexpr Columns columns_for(bool dates) {
  const double moment = dates ? 160 : 110;
  constexpr double kTime = kTableLeft + 44;
  constexpr double kDecision = 900;
  return {.number = kTableLeft + 16,  // its middle
          .time = kTime,
          .event = kTime + (dates ? moment : 90),
          .old_end = kDecision - 2 * moment,
          .new_end = kDecision - moment,
          .decision = kDecision};
}

// The rows that fit into the table: new plans take precedence, sorted by time.
std::vector<EventRow> rows_shown(const std::vector<EventRow>& rows) {
  if (rows.size() <= kMostRows) return rows;
  std::vector<EventRow> shown = rows;
  std::ranges::stable_partition(shown, &EventRow::adopted);
  shown.resize(kMostRows);
  std::ranges::sort(shown, {}, &EventRow::number);
  return shown;
}

class EventTable {
 public:
  EventTable(const std::vector<EventRow>& rows, bool dates, double top)
      : all_(rows), shown_(rows_shown(rows)), columns_(columns_for(dates)), y_(top + kTableTop) {}

  double height() const {
    if (all_.empty()) return 0;
    const std::size_t lines = shown_.size() + (shown_.size() < all_.size() ? 2 : 1);
    return kTableTop + kTableRow * static_cast<double>(lines) + 16;
  }

  std::string draw() {
    if (all_.empty()) return {};
    line("head", {.time = "time",
                  .event = "what happened",
                  .old_end = "old plan ends",
                  .new_end = "new plan ends",
                  .decision = "so the plan was"});
    for (const EventRow& row : shown_) {
      out_ +=
          fmt::format("<path class=\"grid\" d=\"M{} {:.1f}H{}\"/>\n{}\n", kTableLeft, y_,
                      kChartRight, mark_badge(row.number, row.adopted, columns_.number, y_ + 3));
      line("cell", row);
    }
    if (shown_.size() < all_.size()) rest();
    return std::move(out_);
  }

 private:
  void line(std::string_view style, const EventRow& row) {
    cell(style, columns_.time, columns_.event, row.time);
    cell(style, columns_.event, columns_.old_end, row.event);
    cell(style, columns_.old_end, columns_.new_end, row.old_end);
    cell(style, columns_.new_end, columns_.decision, row.new_end);
    cell(row.adopted ? "cell adopted" : style, columns_.decision, kChartRight, row.decision);
    y_ += kTableRow;
  }

  void cell(std::string_view style, double left, double right, const std::string& text) {
    const std::string cut = fit(text, static_cast<int>((right - left - 8) / kTableLetter));
    const std::string whole =
        cut == text ? "" : fmt::format("<title>{}</title>", escape_markup(text));
    out_ += fmt::format("<text class=\"{}\" x=\"{}\" y=\"{:.1f}\">{}{}</text>\n", style, left,
                        y_ + 15, escape_markup(cut), whole);
  }

  void rest() {
    const auto adopted = std::ranges::count(all_, true, &EventRow::adopted);
    const bool kept = adopted <= static_cast<std::ptrdiff_t>(kMostRows);
    out_ += fmt::format("<text class=\"head\" x=\"{}\" y=\"{:.1f}\">and {} more{}</text>\n",
                        columns_.time, y_ + 15, all_.size() - shown_.size(),
                        kept ? " that changed nothing" : "");
  }

  const std::vector<EventRow>& all_;
  const std::vector<EventRow> shown_;
  const Columns columns_;
  double y_;
  std::string out_ = {};
};

std::string opening(const BeforeAfterText& text, double height) {
  return picture_opening(kChartWidth, std::nearbyint(height), text.title,
                         before_after_style() + std::string(kBeforeAfterStyle)) +
         fmt::format(
             "<text class=\"title\" x=\"24\" y=\"34\">{}</text>\n"
             "<text class=\"facts\" x=\"24\" y=\"56\">{}</text>\n",
             escape_markup(fit(text.title, 90)), escape_markup(facts_line(text.facts)));
}

}  // namespace

std::string before_after_picture(const PlanRecord& before, const PlanRecord& after,
                                 const BeforeAfterText& text) {
  const std::vector<EventRow> rows = event_rows(before, after);
  const DrawnChart charts = draw_before_after(before, after, text, kTitleHeight);
  EventTable table(rows, before.wall_clock, charts.bottom);
  return opening(text, charts.bottom + table.height()) + charts.svg + table.draw() + "</svg>\n";
}

}  // namespace dovetail::draw

namespace dovetail {

std::string before_after_svg(const PlanRecord& before, const PlanRecord& after) {
  return draw::before_after_picture(before, after, draw::before_after_text(before, after));
}

}  // namespace dovetail
