#include "io/gantt_look.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

#include "io/plain_text.hpp"

namespace dovetail::io {
namespace {

// Neighbours differ in hue; all have about the same lightness, so that no group shouts.
constexpr std::array<std::string_view, 10> kPalette = {"#8ab6e8", "#f2b56f", "#93cf9d", "#c6a5e3",
                                                       "#7fcdc8", "#eea0ad", "#e6cf73", "#a5b0ee",
                                                       "#bcd67c", "#d0b294"};

constexpr Duration kSecond = 1000;
constexpr Duration kMinute = 60 * kSecond;
constexpr Duration kHour = 60 * kMinute;
constexpr Duration kDay = 24 * kHour;

constexpr std::array<Duration, 31> kSteps = {1,
                                             2,
                                             5,
                                             10,
                                             20,
                                             50,
                                             100,
                                             200,
                                             500,
                                             kSecond,
                                             2 * kSecond,
                                             5 * kSecond,
                                             10 * kSecond,
                                             15 * kSecond,
                                             30 * kSecond,
                                             kMinute,
                                             2 * kMinute,
                                             5 * kMinute,
                                             10 * kMinute,
                                             15 * kMinute,
                                             30 * kMinute,
                                             kHour,
                                             2 * kHour,
                                             3 * kHour,
                                             6 * kHour,
                                             12 * kHour,
                                             kDay,
                                             2 * kDay,
                                             5 * kDay,
                                             10 * kDay,
                                             20 * kDay};

std::string kind_of(std::string_view id) {
  std::string kind;
  for (const char c : id) {
    if (c < '0' || c > '9') kind += c;
  }
  while (!kind.empty() && (kind.back() == '_' || kind.back() == '-' || kind.back() == '.')) {
    kind.pop_back();
  }
  return kind;
}

// Numbers names in order of first use.
class GroupNames {
 public:
  explicit GroupNames(TaskGroups::By by) { groups_.by = by; }

  std::size_t number(const std::string& name) {
    const auto [found, is_new] = numbers_.emplace(name, groups_.names.size());
    if (is_new) groups_.names.push_back(plain_text(name));
    return found->second;
  }

  void add_task(const std::string& name) { groups_.of_task.push_back(number(name)); }

  TaskGroups take() { return std::move(groups_); }

 private:
  TaskGroups groups_;
  std::unordered_map<std::string, std::size_t> numbers_;
};

TaskGroups group_by_workflow(const PlanRecord& record) {
  GroupNames names(TaskGroups::By::workflow);
  for (const WorkflowRecord& workflow : record.workflows) names.number(workflow.name);
  for (const TaskRecord& task : record.tasks) names.add_task(task.workflow);
  return names.take();
}

TaskGroups group_by_kind(const PlanRecord& record) {
  GroupNames names(TaskGroups::By::kind);
  for (const TaskRecord& task : record.tasks) names.add_task(kind_of(task.id));
  return names.take();
}

TaskGroups one_group_each(const PlanRecord& record) {
  TaskGroups groups;
  for (std::size_t i = 0; i < record.tasks.size(); ++i) groups.of_task.push_back(i);
  return groups;
}

Duration axis_step(Duration span, int count) {
  const Duration least = span / count + 1;
  for (const Duration step : kSteps) {
    if (step >= least) return step;
  }
  Duration step = kSteps.back();
  while (step < least) step *= 2;
  return step;
}

Time round_up(Time t, Duration step) {
  const Time down = t / step * step;
  return down < t ? down + step : down;
}

// "2026-11-15 08:00:00Z" has the date in its first 10 letters and the clock from the 12th on.
AxisTick date_tick(Time at, Duration step) {
  const std::string date = format_date(at);
  if (step >= kDay || date.size() < 20) return {at, date.substr(0, 10), ""};
  return {at, date.substr(11, step >= kMinute ? 5 : 8), date.substr(0, 10)};
}

std::string processors_text(Count processors) {
  return fmt::format("{} processor{}", processors, processors == 1 ? "" : "s");
}

std::string window_text(const PlanRecord& record, Time start, Time end) {
  if (end >= kForever) return fmt::format("start {}\nno end\n", moment_text(record, start));
  return fmt::format("start {}\nend {}\nduration {} ({} s)\n", moment_text(record, start),
                     moment_text(record, end), format_duration(end - start),
                     format_seconds(end - start));
}

}  // namespace

TaskGroups group_tasks(const PlanRecord& record) {
  TaskGroups workflows = group_by_workflow(record);
  if (workflows.names.size() > 1) return workflows;
  TaskGroups kinds = group_by_kind(record);
  const bool handful = kinds.names.size() > 1 && kinds.names.size() <= kPalette.size();
  const bool telling = kinds.names.size() < record.tasks.size();
  return handful && telling ? kinds : one_group_each(record);
}

std::size_t palette_size() { return kPalette.size(); }

std::string_view group_colour(std::size_t group) { return kPalette[group % kPalette.size()]; }

std::vector<AxisTick> axis_ticks(const PlanRecord& record, Interval window, int count) {
  const Duration step = axis_step(window.end - window.begin, count);
  // Dates are round by the clock, durations are round counted from now.
  const Time origin = record.wall_clock ? 0 : record.now;
  std::vector<AxisTick> ticks;
  std::string day;
  for (Time offset = round_up(window.begin - origin, step); offset <= window.end - origin;
       offset += step) {
    if (!record.wall_clock) {
      ticks.push_back({origin + offset, format_duration(offset), ""});
      continue;
    }
    AxisTick tick = date_tick(offset, step);
    if (tick.date == day) {
      tick.date.clear();
    } else {
      day = tick.date;
    }
    ticks.push_back(std::move(tick));
  }
  return ticks;
}

std::int64_t processor_step(std::int64_t processors) {
  if (processors >= 8 && processors % 4 == 0) return processors / 4;
  std::int64_t step = 1;
  for (std::int64_t decade = 1; processors / step > 5; decade *= 10) {
    for (const std::int64_t factor : {1, 2, 5}) {
      step = factor * decade;
      if (processors / step <= 5) break;
    }
  }
  return step;
}

std::string size_text(const GanttCluster& cluster) {
  const std::string all = processors_text(cluster.processors);
  if (cluster.first_shown == 0) return all;
  return fmt::format("{}, the top {} shown", all, cluster.processors - cluster.first_shown);
}

bool has_reservations(const GanttScene& scene) {
  return std::any_of(scene.clusters.begin(), scene.clusters.end(), [](const auto& cluster) {
    return std::any_of(cluster.items.begin(), cluster.items.end(),
                       [](const GanttItem& item) { return item.kind == GanttKind::reservation; });
  });
}

bool has_critical(const PlanRecord& record) {
  return std::any_of(record.tasks.begin(), record.tasks.end(),
                     [](const TaskRecord& task) { return task.critical; });
}

std::string moment_text(const PlanRecord& record, Time moment) {
  return record.wall_clock ? format_date(moment) : format_duration(moment - record.now);
}

std::vector<std::string> plan_facts(const PlanRecord& record) {
  if (!record.feasible) return {"no plan was found"};
  std::vector<std::string> facts = {
      "turn-around " + format_duration(record.makespan),
      fmt::format("{:.1f} CPU-hours", record.cpu_hours),
      fmt::format("{} task{}", record.tasks.size(), record.tasks.size() == 1 ? "" : "s")};
  if (record.workflows.size() > 1) {
    facts.push_back(fmt::format("{} workflows", record.workflows.size()));
  }
  if (record.deadline) {
    const bool met = record.now + record.makespan <= *record.deadline;
    facts.push_back(fmt::format("deadline {} ({})", moment_text(record, *record.deadline),
                                met ? "met" : "missed"));
  }
  return facts;
}

// "weather: BL_CPA_BD_CPA"; several workflows are in the legend.
std::string plan_title(const PlanRecord& record) {
  const std::string how = record.algorithm.empty() ? "plan" : plain_text(record.algorithm);
  if (record.workflows.size() != 1) return how;
  return plain_text(record.workflows[0].name) + ": " + how;
}

std::string task_text(const PlanRecord& record, const TaskRecord& task) {
  std::string text = plain_text(task.id);
  if (record.workflows.size() > 1) text += " of " + plain_text(task.workflow);
  text += "\n" + window_text(record, task.start, task.end);
  text += processors_text(task.processors) + " of " + plain_text(task.cluster);
  if (task.critical) text += "\non the critical chain";
  return text;
}

std::string reservation_text(const PlanRecord& record, const Reservation& reservation) {
  return "reserved by others\n" + window_text(record, reservation.start, reservation.end) +
         processors_text(reservation.procs);
}

}  // namespace dovetail::io
