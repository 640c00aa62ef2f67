// The common part of the pictures of a plan: which tasks share a colour, the colours, the marks on
// the time axis, and the texts for a plan, a task and a time.
//
//   TaskGroups groups = group_tasks(record);
//   std::string_view fill = group_colour(groups.of_task[7]);
//
// All texts are plain (see plain_text.hpp) but not escaped. All functions are pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "dovetail/plan_record.hpp"
#include "draw/gantt/gantt_layout.hpp"

namespace dovetail::draw {

// Several workflows: one group each, in the record's order. One workflow: one group per kind of
// task if that gives a handful of kinds; the kind is the id without its digits (project_01,
// project_02). Otherwise every task is its own group.
struct TaskGroups {
  enum class By { workflow, kind, task };
  By by = By::task;
  std::vector<std::string> names = {};    // empty when every task is its own group
  std::vector<std::size_t> of_task = {};  // one entry for each task of the record
  std::vector<std::size_t> of_lost = {};  // one for each run that was cut short: its task's group
};
TaskGroups group_tasks(const PlanRecord& record);

// "#rrggbb", light enough for dark letters; colours repeat after palette_size groups.
std::size_t palette_size();
std::string_view group_colour(std::size_t group);

// The groups' names; workflows that share a cluster have their stretch added: "poster 1.33x".
std::vector<std::string> legend_names(const PlanRecord& record, const TaskGroups& groups);

struct AxisTick {
  Time at = 0;
  std::string label;  // "1h30m" after now, or "08:00" when the record has a wall clock
  std::string date;   // "2026-11-15 UTC" on the first tick, "2026-11-16" where the day changes

  // Both on one line.
  std::string text() const { return date.empty() ? label : date + " " + label; }
};

// Round times inside the window, at most `count` >= 2 of them.
std::vector<AxisTick> axis_ticks(const PlanRecord& record, Interval window, int count);

// A round step of a 1-2-5 kind, or a quarter, so that `processors` gets three to six marks.
std::int64_t processor_step(std::int64_t processors);

// "16 processors", "10000 processors, the top 60 shown".
std::string size_text(const GanttCluster& cluster);

// Whether the legend needs an entry for each of these.
bool has_reservations(const GanttScene& scene);
bool has_critical(const PlanRecord& record);
inline bool has_lost(const PlanRecord& record) { return !record.lost.empty(); }

// The ends of the periods by which the plan divides the cluster among workflows, as far as a
// picture shows them: compaction may leave the last ones empty. The second function says how far
// the picture should extend to show them.
std::vector<Time> shown_periods(const PlanRecord& record);
Time periods_end(const PlanRecord& record);

// "2026-11-15 08:00:00Z" with a wall clock, else "1h30m" after now.
std::string moment_text(const PlanRecord& record, Time moment);

// "turn-around 5h12m", "61.3 CPU-hours + 2.4 lost", "50 tasks", ...: the plan in a few words.
std::vector<std::string> plan_facts(const PlanRecord& record);

// The algorithm's name, or "plan" if it has none.
std::string plan_title(const PlanRecord& record);

// Several lines: name, start, end, duration, processors, cluster, critical.
std::string task_text(const PlanRecord& record, const TaskRecord& task);
// The same for a run that was cut short; its first line is "solve, lost after 58m".
std::string lost_text(const PlanRecord& record, const TaskRecord& run);
std::string reservation_text(const PlanRecord& record, const Reservation& reservation);

}  // namespace dovetail::draw
