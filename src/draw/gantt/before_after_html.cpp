// A plan before and after the events, as a self-contained page without scripts.
#include <fmt/format.h>

#include <string>

#include "dovetail/draw.hpp"
#include "draw/gantt/before_after.hpp"
#include "draw/page.hpp"
#include "draw/plain_text.hpp"

namespace dovetail::draw {
namespace {

std::string picture(const PlanRecord& before, const PlanRecord& after,
                    const BeforeAfterText& text) {
  const DrawnChart charts = draw_before_after(before, after, text, 0);
  return fmt::format(
      "<svg viewBox=\"0 0 {} {:.0f}\" role=\"img\" aria-label=\"Gantt charts of the plan before "
      "and after\">\n{}</svg>\n",
      kChartWidth, charts.bottom, charts.svg);
}

std::string table_row(const EventRow& row) {
  return fmt::format(
      "<tr{}><td><span class=\"mark-number\">{}</span></td><td>{}</td><td>{}</td><td>{}</td>"
      "<td>{}</td><td>{}</td></tr>\n",
      row.adopted ? " class=\"adopted\"" : "", row.number, escape_markup(row.time),
      escape_markup(row.event), escape_markup(row.old_end), escape_markup(row.new_end),
      escape_markup(row.decision));
}

std::string table(const std::vector<EventRow>& rows) {
  if (rows.empty()) return {};
  std::string out =
      "<div class=\"table-box\"><table id=\"events\">\n<thead><tr><th></th><th>Time</th>"
      "<th>What happened</th><th>Old plan ends</th><th>New plan ends</th><th>So the plan was</th>"
      "</tr></thead>\n<tbody>\n";
  for (const EventRow& row : rows) out += table_row(row);
  return out + "</tbody>\n</table></div>\n";
}

}  // namespace

std::string before_after_page(const PlanRecord& before, const PlanRecord& after,
                              const BeforeAfterText& text) {
  return fill_page("before_after.html", {{"title", escape_markup(text.title)},
                                         {"facts", facts_list(text.facts)},
                                         {"style", before_after_style()},
                                         {"charts", picture(before, after, text)},
                                         {"table", table(event_rows(before, after))},
                                         {"more", text.more}});
}

}  // namespace dovetail::draw

namespace dovetail {

std::string before_after_html(const PlanRecord& before, const PlanRecord& after) {
  return draw::before_after_page(before, after, draw::before_after_text(before, after));
}

}  // namespace dovetail
