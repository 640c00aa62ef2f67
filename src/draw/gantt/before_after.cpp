#include "draw/gantt/before_after.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <utility>

#include "draw/chart_legend.hpp"
#include "draw/gantt/gantt_look.hpp"
#include "draw/page.hpp"
#include "draw/plain_text.hpp"
#include "io/text.hpp"

namespace dovetail::draw {
namespace {

// Two charts have to share a page.
constexpr ChartHeights kHeights = {.alone = 300, .together = 420, .pool = 700};

constexpr double kPartHeading = 34;

// The width of an entry in the legend.
constexpr double kGroupRoom = 130;
constexpr double kReservationsRoom = 230;
constexpr double kCriticalRoom = 130;
constexpr double kMarkRoom = 135;

// The replanning loop's name for the first decision, which is no event.
constexpr std::string_view kStart = "start";

std::string later_text(Duration change) {
  return fmt::format("{} {}", format_duration(std::abs(change)), change > 0 ? "later" : "earlier");
}

std::string decision_text(const Evaluation& evaluation) {
  if (!evaluation.current) {
    return evaluation.adopted ? "adopted, the old plan was impossible" : "no plan is left";
  }
  if (!evaluation.candidate) return "kept, no other was made";
  const Duration change = *evaluation.candidate - *evaluation.current;
  if (evaluation.adopted)
    return change == 0
               ? "adopted"
               : "adopted, " + std::string(change > 0 ? "cheaper; " : "") + later_text(change);
  if (change == 0) return "kept, no gain";
  return fmt::format("kept, the new one {}{}", change < 0 ? "only " : "", later_text(change));
}

EventRow make_row(const PlanRecord& clock, const Evaluation& evaluation, std::size_t number) {
  const auto end = [&](const std::optional<Time>& moment, const char* otherwise) {
    return moment ? moment_text(clock, *moment) : otherwise;
  };
  return {.number = number,
          .time = moment_text(clock, evaluation.time),
          .event = plain_text(evaluation.event),
          .old_end = end(evaluation.current, "impossible"),
          .new_end = end(evaluation.candidate, "\u2013"),
          .decision = decision_text(evaluation),
          .adopted = evaluation.adopted};
}

std::string row_text(const EventRow& row) {
  return fmt::format("{}: {}\nat {}\n{}\nold plan: {}\nnew plan: {}", row.number, row.event,
                     row.time, row.decision, row.old_end, row.new_end);
}

bool is_event(const Evaluation& evaluation) { return evaluation.event != kStart; }

std::vector<ChartMark> marks_of(const PlanRecord& after, const std::vector<EventRow>& rows) {
  std::vector<ChartMark> marks;
  for (const Evaluation& evaluation : after.history) {
    if (!is_event(evaluation)) continue;
    const EventRow& row = rows[marks.size()];
    marks.push_back({evaluation.time, row.number, row.adopted, row_text(row)});
  }
  return marks;
}

// The record has no reservations after the plan's end, so its plots end there.
Time end_of(const PlanRecord& record, const GanttScene& scene) {
  if (record.tasks.empty() && record.lost.empty()) return scene.window.end;
  Time end = kBeginning;
  for (const TaskRecord& task : record.tasks) end = std::max(end, task.end);
  for (const TaskRecord& run : record.lost) end = std::max(end, run.end);
  return end;
}

// Shows the same processors of a cluster in both charts, so that they can be compared.
void show_same_rows(GanttScene& a, GanttScene& b) {
  std::map<std::string_view, GanttCluster*> by_name;
  for (GanttCluster& cluster : a.clusters) by_name.emplace(cluster.name, &cluster);
  for (GanttCluster& cluster : b.clusters) {
    const auto found = by_name.find(cluster.name);
    if (found == by_name.end()) continue;
    cluster.first_shown = found->second->first_shown =
        std::min(cluster.first_shown, found->second->first_shown);
  }
}

// Gives a task the same colour in both, in whatever order the records name the tasks.
TaskGroups groups_as_in(const TaskGroups& groups, const PlanRecord& before,
                        const PlanRecord& after) {
  using Name = std::pair<std::string_view, std::string_view>;
  const auto name_of = [](const TaskRecord& task) { return Name(task.workflow, task.id); };
  std::map<Name, std::size_t> known;
  for (std::size_t i = 0; i < before.tasks.size(); ++i) {
    known.emplace(name_of(before.tasks[i]), groups.of_task[i]);
  }
  TaskGroups same = group_tasks(after);
  const auto adapt = [&](const std::vector<TaskRecord>& runs, std::vector<std::size_t>& own) {
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const auto found = known.find(name_of(runs[i]));
      if (found != known.end()) own[i] = found->second;
    }
  };
  adapt(after.tasks, same.of_task);
  adapt(after.lost, same.of_lost);
  return same;
}

std::vector<std::string> happened(const std::vector<EventRow>& rows) {
  if (rows.empty()) return {"nothing happened"};
  const auto adopted = std::ranges::count(rows, true, &EventRow::adopted);
  return {io::counted(std::ssize(rows), "event"), io::counted(adopted, "new plan")};
}

// The window of both plans; a plan without runs is ignored.
Interval window_of(const PlanRecord& before, const GanttScene& before_scene,
                   const PlanRecord& after, const GanttScene& after_scene) {
  const auto is_empty = [](const PlanRecord& record) {
    return record.tasks.empty() && record.lost.empty();
  };
  if (is_empty(after)) return before_scene.window;
  if (is_empty(before)) return after_scene.window;
  return {std::min(before_scene.window.begin, after_scene.window.begin),
          std::max(before_scene.window.end, after_scene.window.end)};
}

std::string part_heading(std::string_view name, const std::vector<std::string>& facts, double top) {
  return fmt::format(
      "<text x=\"24\" y=\"{:.1f}\"><tspan class=\"part\">{}</tspan>"
      "<tspan class=\"part-facts\" dx=\"14\">{}</tspan></text>\n",
      top + 24, escape_markup(name), escape_markup(facts_line(facts)));
}

// What both charts share.
struct BeforeAfterCharts {
  BeforeAfterCharts(const PlanRecord& before_record, const PlanRecord& after_record)
      : before(before_record),
        after(after_record),
        grouped(before.tasks.empty() ? after : before),
        rows(event_rows(before, after)),
        before_scene(lay_out(before)),
        after_scene(lay_out(after)),
        groups(group_tasks(grouped)),
        window(window_of(before, before_scene, after, after_scene)),
        left(std::max(chart_left(before_scene), chart_left(after_scene))) {
    show_same_rows(before_scene, after_scene);
  }

  DrawnChart draw(const PlanRecord& record, const GanttScene& scene, double top,
                  std::optional<Time> now) const {
    return draw_gantt(record, scene, groups_as_in(groups, grouped, record),
                      {.window = window,
                       .top = top,
                       .left = left,
                       .heights = kHeights,
                       .plot_end = end_of(record, scene),
                       .clock = &before,
                       .now = now,
                       .marks = marks_of(after, rows)});
  }

  bool any_lost() const { return has_lost(before) || has_lost(after); }

  std::string legend(double top, std::string_view lost) const {
    const bool any_reserved = has_reservations(before_scene) || has_reservations(after_scene);
    const bool any_critical = has_critical(before) || has_critical(after);
    const auto any_row = [&](bool adopted) {
      return std::ranges::count(rows, adopted, &EventRow::adopted) > 0;
    };
    ChartLegend legend(left, top);
    legend.add_groups(groups, kGroupRoom + any_reserved * kReservationsRoom +
                                  any_critical * kCriticalRoom + any_lost() * kLostRoom +
                                  (any_row(true) + any_row(false)) * kMarkRoom);
    if (any_reserved) legend.add_reservations("reserved by others, or failed");
    if (any_critical) legend.add_critical();
    if (any_lost()) legend.add_lost(lost);
    if (any_row(true)) legend.add_mark(true, "new plan adopted");
    if (any_row(false)) legend.add_mark(false, "no new plan");
    return legend.take();
  }

  const PlanRecord& before;
  const PlanRecord& after;
  const PlanRecord& grouped;  // decides the colours of tasks
  std::vector<EventRow> rows;
  GanttScene before_scene;
  GanttScene after_scene;
  TaskGroups groups;
  Interval window;
  double left;
};

}  // namespace

std::vector<EventRow> event_rows(const PlanRecord& before, const PlanRecord& after) {
  std::vector<EventRow> rows;
  for (const Evaluation& evaluation : after.history) {
    if (is_event(evaluation)) rows.push_back(make_row(before, evaluation, rows.size() + 1));
  }
  return rows;
}

std::string change_text(const PlanRecord& before, const PlanRecord& after) {
  if (!before.feasible || !after.feasible) return {};
  return change_text(before.makespan, after.now + after.makespan - before.now);
}

std::string change_text(Duration before, Duration after) {
  const Duration change = after - before;
  if (change == 0) return "ends as planned";
  if (before <= 0) return later_text(change) + " than planned";
  const double share = static_cast<double>(change) / static_cast<double>(before);
  const double percent = 100 * std::abs(share);
  const double rounded = percent < 10 ? std::round(10 * percent) / 10 : std::round(percent);
  return fmt::format("{} ({} %) {} than planned", format_duration(std::abs(change)), rounded,
                     change > 0 ? "later" : "earlier");
}

BeforeAfterText before_after_text(const PlanRecord& before, const PlanRecord& after) {
  BeforeAfterText text{.title = plan_title(after) + ", as planned and as it went",
                       .facts = happened(event_rows(before, after)),
                       .before_facts = plan_facts(before),
                       .after_facts = plan_facts(after)};
  const std::string change = change_text(before, after);
  if (!change.empty()) text.after_facts.insert(text.after_facts.begin() + 1, change);
  return text;
}

std::string before_after_style() {
  return std::string(chart_style()) + std::string(embedded_file("before_after_chart.css"));
}

DrawnChart draw_before_after(const PlanRecord& before, const PlanRecord& after,
                             const BeforeAfterText& text, double top) {
  const BeforeAfterCharts charts(before, after);
  std::string svg = charts.any_lost() ? lost_patterns() : "";
  if (text.has_before) {
    const DrawnChart planned = charts.draw(before, charts.before_scene, top + kPartHeading, {});
    svg += part_heading("As planned", text.before_facts, top) + planned.svg;
    top = planned.bottom;
  }
  const DrawnChart real = charts.draw(after, charts.after_scene, top + kPartHeading, text.now);
  svg += part_heading(text.after_heading, text.after_facts, top) + real.svg;
  return {svg + charts.legend(real.bottom, text.lost), real.bottom + ChartLegend::kHeight};
}

}  // namespace dovetail::draw
