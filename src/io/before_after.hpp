// What the pictures of a plan before and after have in common: the words, the rows about what
// happened, and the two charts, one below the other on one axis of time, with marks on both.
//
//   const BeforeAfterCharts charts(before, after, 66);
//   page += charts.draw();  // SVG from 66 to charts.bottom(), styled by before_after_style()
//
// `after` is the same tasks once everything in its history has happened. All functions are pure.
#pragma once

#include <string>
#include <vector>

#include "dovetail/plan_record.hpp"
#include "io/chart_legend.hpp"
#include "io/gantt_chart.hpp"
#include "io/gantt_layout.hpp"

namespace dovetail::io {

// One thing that happened, in words. Plain, not escaped.
struct EventRow {
  std::size_t number = 0;  // 1, 2, ... as on the marks
  std::string time;
  std::string event;
  std::string old_end;   // where the old plan would end, or why it would not
  std::string new_end;   // the same of the new plan
  std::string decision;  // "adopted, 4s earlier", "kept, no gain"
  bool adopted = false;
};

// The history of `after` without its start.
std::vector<EventRow> event_rows(const PlanRecord& before, const PlanRecord& after);

// "weather: AHEFT, as planned and as it went".
std::string before_after_title(const PlanRecord& after);

// "3 events", "1 new plan".
std::vector<std::string> before_after_facts(const std::vector<EventRow>& rows);

// "12m (8 %) later than planned"; empty without two plans to compare.
std::string change_text(const PlanRecord& before, const PlanRecord& after);

std::string before_after_style();

class BeforeAfterCharts {
 public:
  // The records must outlive the charts.
  BeforeAfterCharts(const PlanRecord& before, const PlanRecord& after, double top);
  BeforeAfterCharts(const BeforeAfterCharts&) = delete;
  BeforeAfterCharts& operator=(const BeforeAfterCharts&) = delete;

  double bottom() const { return after_.bottom() + ChartLegend::kHeight; }
  std::string draw() const;

 private:
  static constexpr double kPartHeading = 34;

  // What both charts have to agree on.
  struct Shared {
    Shared(const PlanRecord& before, const PlanRecord& after);

    std::vector<EventRow> rows;
    GanttScene before_scene;
    GanttScene after_scene;
    TaskGroups groups;  // of the tasks before
    Interval window;
    double left;
  };

  GanttChart make_chart(const PlanRecord& record, const GanttScene& scene, double top) const;
  bool any_lost() const;
  std::string legend() const;

  const PlanRecord& before_record_;
  const PlanRecord& after_record_;
  const double top_;
  const Shared shared_;
  const GanttChart before_;
  const GanttChart after_;
};

}  // namespace dovetail::io
