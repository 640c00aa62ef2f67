// A plan before and after what happened, as a page that needs nothing else and runs no script.
#include <fmt/format.h>

#include <string>

#include "dovetail/io.hpp"
#include "io/before_after.hpp"
#include "io/embedded.hpp"
#include "io/page.hpp"
#include "io/plain_text.hpp"

namespace dovetail::io {
namespace {

std::string facts_list(const std::vector<EventRow>& rows) {
  std::string items;
  for (const std::string& fact : before_after_facts(rows)) {
    items += "<li>" + escape_markup(fact) + "</li>";
  }
  return items;
}

std::string picture(const PlanRecord& before, const PlanRecord& after) {
  const BeforeAfterCharts charts(before, after, 0);
  return fmt::format(
      "<svg viewBox=\"0 0 {} {:.0f}\" role=\"img\" aria-label=\"Gantt charts of the plan before "
      "and after\">\n{}</svg>\n",
      kChartWidth, charts.bottom(), charts.draw());
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

std::string value_of(std::string_view slot, const PlanRecord& before, const PlanRecord& after) {
  const std::vector<EventRow> rows = event_rows(before, after);
  if (slot == "title") return escape_markup(before_after_title(after));
  if (slot == "facts") return facts_list(rows);
  if (slot == "style") return before_after_style();
  if (slot == "charts") return picture(before, after);
  if (slot == "table") return table(rows);
  return std::string(embedded_file(slot));
}

}  // namespace
}  // namespace dovetail::io

namespace dovetail {

std::string before_after_html(const PlanRecord& before, const PlanRecord& after) {
  return io::fill_page(io::embedded_file("before_after.html"),
                       [&](std::string_view slot) { return io::value_of(slot, before, after); });
}

}  // namespace dovetail
