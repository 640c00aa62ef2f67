#include "io/before_after.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <utility>

#include "io/embedded.hpp"
#include "io/gantt_look.hpp"
#include "io/plain_text.hpp"

namespace dovetail::io {
namespace {

// Two charts have to share a page.
constexpr ChartHeights kHeights = {.alone = 300, .together = 420, .pool = 700};
constexpr double kLegendRoom = 760;
constexpr double kLostRoom = 100;

// As the loop that follows a plan names the first decision, which is no event.
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

// What others hold after a plan's end is not in its record: its plots end there.
Time end_of(const PlanRecord& record, const GanttScene& scene) {
  if (record.tasks.empty() && record.lost.empty()) return scene.window.end;
  Time end = kBeginning;
  for (const TaskRecord& task : record.tasks) end = std::max(end, task.end);
  for (const TaskRecord& run : record.lost) end = std::max(end, run.end);
  return end;
}

// The same processors of a cluster are shown in both, or one could not compare them.
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

// A task has one colour, in whatever order the records name the tasks.
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

std::string part_heading(std::string_view name, const std::vector<std::string>& facts, double top) {
  return fmt::format(
      "<text x=\"24\" y=\"{:.1f}\"><tspan class=\"part\">{}</tspan>"
      "<tspan class=\"part-facts\" dx=\"14\">{}</tspan></text>\n",
      top + 24, name, escape_markup(fmt::format("{}", fmt::join(facts, "  \u00b7  "))));
}

}  // namespace

std::vector<EventRow> event_rows(const PlanRecord& before, const PlanRecord& after) {
  std::vector<EventRow> rows;
  for (const Evaluation& evaluation : after.history) {
    if (is_event(evaluation)) rows.push_back(make_row(before, evaluation, rows.size() + 1));
  }
  return rows;
}

std::string before_after_title(const PlanRecord& after) {
  return plan_title(after) + ", as planned and as it went";
}

std::vector<std::string> before_after_facts(const std::vector<EventRow>& rows) {
  if (rows.empty()) return {"nothing happened"};
  const auto adopted =
      std::count_if(rows.begin(), rows.end(), [](const EventRow& row) { return row.adopted; });
  return {fmt::format("{} event{}", rows.size(), rows.size() == 1 ? "" : "s"),
          fmt::format("{} new plan{}", adopted, adopted == 1 ? "" : "s")};
}

std::string change_text(const PlanRecord& before, const PlanRecord& after) {
  if (!before.feasible || !after.feasible) return {};
  const Duration change = after.now + after.makespan - before.now - before.makespan;
  if (change == 0) return "ends as planned";
  if (before.makespan <= 0) return later_text(change) + " than planned";
  const double share = static_cast<double>(change) / static_cast<double>(before.makespan);
  const double percent = 100 * std::abs(share);
  const double rounded = percent < 10 ? std::round(10 * percent) / 10 : std::round(percent);
  return fmt::format("{} ({} %) {} than planned", format_duration(std::abs(change)), rounded,
                     change > 0 ? "later" : "earlier");
}

std::string before_after_style() {
  return std::string(chart_style()) + std::string(embedded_file("before_after_chart.css"));
}

BeforeAfterCharts::Shared::Shared(const PlanRecord& before, const PlanRecord& after)
    : rows(event_rows(before, after)),
      before_scene(lay_out(before)),
      after_scene(lay_out(after)),
      groups(group_tasks(before)),
      window{std::min(before_scene.window.begin, after_scene.window.begin),
             std::max(before_scene.window.end, after_scene.window.end)},
      left(std::max(chart_left(before_scene), chart_left(after_scene))) {
  show_same_rows(before_scene, after_scene);
}

BeforeAfterCharts::BeforeAfterCharts(const PlanRecord& before, const PlanRecord& after, double top)
    : before_record_(before),
      after_record_(after),
      top_(top),
      shared_(before, after),
      before_(make_chart(before, shared_.before_scene, top_ + kPartHeading)),
      after_(make_chart(after, shared_.after_scene, before_.bottom() + kPartHeading)) {}

GanttChart BeforeAfterCharts::make_chart(const PlanRecord& record, const GanttScene& scene,
                                         double top) const {
  return {record, scene, groups_as_in(shared_.groups, before_record_, record),
          ChartOptions{.window = shared_.window,
                       .top = top,
                       .left = shared_.left,
                       .heights = kHeights,
                       .plot_end = end_of(record, scene),
                       .clock = &before_record_,
                       .marks = marks_of(after_record_, shared_.rows)}};
}

std::string BeforeAfterCharts::draw() const {
  std::vector<std::string> after_facts = plan_facts(after_record_);
  const std::string change = change_text(before_record_, after_record_);
  if (!change.empty()) after_facts.insert(after_facts.begin() + 1, change);
  return (any_lost() ? lost_patterns() : "") +
         part_heading("As planned", plan_facts(before_record_), top_) + before_.draw() +
         part_heading("As it went", after_facts, before_.bottom()) + after_.draw() + legend();
}

bool BeforeAfterCharts::any_lost() const {
  return has_lost(before_record_) || has_lost(after_record_);
}

std::string BeforeAfterCharts::legend() const {
  ChartLegend legend(shared_.left, after_.bottom());
  legend.add_groups(shared_.groups, kLegendRoom + (any_lost() ? kLostRoom : 0));
  if (has_reservations(shared_.before_scene) || has_reservations(shared_.after_scene))
    legend.add_reservations("reserved by others, or failed");
  if (has_critical(before_record_) || has_critical(after_record_)) legend.add_critical();
  if (any_lost()) legend.add_lost();
  for (const bool adopted : {true, false}) {
    if (std::any_of(shared_.rows.begin(), shared_.rows.end(),
                    [&](const EventRow& row) { return row.adopted == adopted; })) {
      legend.add_mark(adopted, adopted ? "new plan adopted" : "no new plan");
    }
  }
  return legend.take();
}

}  // namespace dovetail::io
