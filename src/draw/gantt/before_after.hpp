// The common part of the before-and-after pictures: the texts, the table of events, and the two
// charts, one below the other on one time axis, with marks on both.
//
//   const BeforeAfterText text = before_after_text(before, after);
//   const DrawnChart charts = draw_before_after(before, after, text, 66);
//   page += charts.svg;  // from 66 to charts.bottom, styled by before_after_style()
//
// `after` holds the same tasks after all events of its history. All functions are pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dovetail/plan_record.hpp"
#include "draw/gantt/gantt_chart.hpp"

namespace dovetail::draw {

// One event in words. Plain text, not escaped.
struct EventRow {
  std::size_t number = 0;  // 1, 2, ... as on the marks
  std::string time;
  std::string event;
  std::string old_end;   // when the old plan would end, or why it cannot
  std::string new_end;   // the same for the new plan
  std::string decision;  // "adopted, 4s earlier", "kept, no gain"
  bool adopted = false;
};

// The history of `after` without its start.
std::vector<EventRow> event_rows(const PlanRecord& before, const PlanRecord& after);

// "12m (8 %) later than planned"; empty unless there are two plans to compare.
std::string change_text(const PlanRecord& before, const PlanRecord& after);
std::string change_text(Duration before, Duration after);

// The texts of a picture about its two plans. Plain, not escaped, except `more`.
struct BeforeAfterText {
  std::string title;
  std::vector<std::string> facts = {};  // below the title
  bool has_before = true;               // else `after` is drawn alone
  std::vector<std::string> before_facts = {};
  std::vector<std::string> after_facts = {};
  std::string after_heading = "As it went";
  std::string lost = "cut short";
  std::optional<Time> now = {};  // up to here `after` has happened; nothing: all of it has
  std::string more = {};         // markup at the end of the page, already escaped
};

// "weather: AHEFT, as planned and as it went", "3 events", "1 new plan".
BeforeAfterText before_after_text(const PlanRecord& before, const PlanRecord& after);

// before_after_html and before_after_svg with other texts.
std::string before_after_page(const PlanRecord& before, const PlanRecord& after,
                              const BeforeAfterText& text);
std::string before_after_picture(const PlanRecord& before, const PlanRecord& after,
                                 const BeforeAfterText& text);

std::string before_after_style();

// Both charts and their legend, from `top` on.
DrawnChart draw_before_after(const PlanRecord& before, const PlanRecord& after,
                             const BeforeAfterText& text, double top);

}  // namespace dovetail::draw
