#include "draw/gantt/gantt_look.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "draw/plain_text.hpp"
#include "draw/proof_text.hpp"
#include "io/text.hpp"

namespace dovetail::draw {
namespace {

// Neighbours differ in hue; all have about the same lightness, so that no group dominates.
constexpr std::array<std::string_view, 10> kChosen = {"#8ab6e8", "#f2b56f", "#93cf9d", "#c6a5e3",
                                                      "#7fcdc8", "#eea0ad", "#e6cf73", "#a5b0ee",
                                                      "#bcd67c", "#d0b294"};
constexpr std::size_t kColours = 40;

// The hue is in degrees, saturation and lightness are from 0 to 1.
std::string colour_text(double hue, double saturation, double lightness) {
  const double spread = saturation * std::min(lightness, 1 - lightness);
  const auto part = [&](double offset) {
    const double k = std::fmod(offset + hue / 30, 12);
    return std::lround(255 * (lightness - spread * std::clamp(std::min(k - 3, 9 - k), -1.0, 1.0)));
  };
  return fmt::format("#{:02x}{:02x}{:02x}", part(0), part(8), part(4));
}

// Beyond the chosen ones, hues advance by the golden angle, so that each lies between earlier ones.
// Alternate colours are darker and lighter than the chosen ones.
std::vector<std::string> make_palette() {
  constexpr double kGoldenAngle = 137.508;
  constexpr std::array kLightness = {0.64, 0.87};
  std::vector<std::string> palette(kChosen.begin(), kChosen.end());
  for (std::size_t i = 0; palette.size() < kColours; ++i) {
    palette.push_back(colour_text(std::fmod(kGoldenAngle * static_cast<double>(i), 360), 0.55,
                                  kLightness[i % kLightness.size()]));
  }
  return palette;
}

std::string kind_of(std::string_view id) {
  std::string kind(id);
  std::erase_if(kind, io::is_digit);
  return kind.substr(0, kind.find_last_not_of("_-.") + 1);
}

// Groups the tasks for which `name_of` gives the same name.
template <typename NameOf>
TaskGroups group_by(const PlanRecord& record, TaskGroups::By by, NameOf name_of) {
  TaskGroups groups{.by = by};
  std::unordered_map<std::string, std::size_t> numbers;
  const auto number = [&](const std::string& name) {
    const auto [found, is_new] = numbers.emplace(name, numbers.size());
    if (is_new) groups.names.push_back(plain_text(name));
    return found->second;
  };
  if (by == TaskGroups::By::workflow) {
    for (const WorkflowRecord& workflow : record.workflows) number(workflow.name);
  }
  for (const TaskRecord& task : record.tasks) groups.of_task.push_back(number(name_of(task)));
  for (const TaskRecord& run : record.lost) groups.of_lost.push_back(number(name_of(run)));
  return groups;
}

Duration axis_step(Duration span, int count) {
  const std::pair<Duration, std::vector<Duration>> steps[] = {
      {1, {1, 2, 5, 10, 20, 50, 100, 200, 500}},
      {kSecond, {1, 2, 5, 10, 15, 30}},
      {kMinute, {1, 2, 5, 10, 15, 30}},
      {kHour, {1, 2, 3, 6, 12}},
      {kDay, {1, 2, 5, 10, 20}}};
  const Duration least = span / count + 1;
  for (const auto& [unit, multiples] : steps) {
    for (const Duration multiple : multiples) {
      if (multiple * unit >= least) return multiple * unit;
    }
  }
  Duration step = 20 * kDay;
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

// Names the time zone once, at the first date.
void name_zone(std::vector<AxisTick>& ticks) {
  if (ticks.empty()) return;
  AxisTick& first = ticks.front();
  (first.date.empty() ? first.label : first.date) += " UTC";
}

std::string processors_text(Count processors) { return io::counted(processors, "processor"); }

double lost_hours(const PlanRecord& record) {
  double hours = 0;
  for (const TaskRecord& run : record.lost) {
    hours += to_seconds(run.end - run.start) / 3600 * run.processors;
  }
  return hours;
}

std::string window_text(const PlanRecord& record, Time start, Time end) {
  if (end >= kForever) return fmt::format("start {}\nno end\n", moment_text(record, start));
  return fmt::format("start {}\nend {}\nduration {} ({} s)\n", moment_text(record, start),
                     moment_text(record, end), format_duration(end - start),
                     format_seconds(end - start));
}

std::string run_name(const PlanRecord& record, const TaskRecord& run) {
  const std::string id = plain_text(run.id);
  return record.workflows.size() > 1 ? id + " of " + plain_text(run.workflow) : id;
}

std::string run_text(const PlanRecord& record, const TaskRecord& run) {
  return window_text(record, run.start, run.end) + processors_text(run.processors) + " of " +
         plain_text(run.cluster);
}

}  // namespace

TaskGroups group_tasks(const PlanRecord& record) {
  using By = TaskGroups::By;
  TaskGroups workflows =
      group_by(record, By::workflow, [](const TaskRecord& task) { return task.workflow; });
  if (workflows.names.size() > 1) return workflows;
  TaskGroups kinds =
      group_by(record, By::kind, [](const TaskRecord& task) { return kind_of(task.id); });
  const bool handful = kinds.names.size() > 1 && kinds.names.size() <= kChosen.size();
  const bool telling = kinds.names.size() < record.tasks.size();
  if (handful && telling) return kinds;
  TaskGroups each = group_by(record, By::task, [](const TaskRecord& task) { return task.id; });
  each.names.clear();
  return each;
}

std::size_t palette_size() { return kColours; }

std::string_view group_colour(std::size_t group) {
  static const std::vector<std::string> palette = make_palette();
  return palette[group % kColours];
}

std::vector<std::string> legend_names(const PlanRecord& record, const TaskGroups& groups) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < groups.names.size(); ++i) {
    names.push_back(fit(groups.names[i], 24));
    const bool is_workflow = groups.by == TaskGroups::By::workflow && i < record.workflows.size();
    if (!is_workflow || !record.workflows[i].dedicated_makespan) continue;
    names.back() += fmt::format(" {:.2f}x", record.workflows[i].stretch);
  }
  return names;
}

std::vector<AxisTick> axis_ticks(const PlanRecord& record, Interval window, int count) {
  const Duration step = axis_step(window.end - window.begin, count);
  // Dates are round by the clock, durations are round relative to now.
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
  if (record.wall_clock) name_zone(ticks);
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
  return std::ranges::any_of(scene.clusters, [](const GanttCluster& cluster) {
    return std::ranges::count(cluster.items, GanttKind::reservation, &GanttItem::kind) > 0;
  });
}

bool has_critical(const PlanRecord& record) {
  return std::ranges::any_of(record.tasks, &TaskRecord::critical);
}

std::vector<Time> shown_periods(const PlanRecord& record) {
  std::vector<Time> shown;
  if (!record.division) return shown;
  const Time until = record.now + record.makespan + record.makespan / 4;
  for (const Time end : record.division->periods) {
    if (end <= until) shown.push_back(end);
  }
  return shown;
}

Time periods_end(const PlanRecord& record) {
  const std::vector<Time> periods = shown_periods(record);
  return periods.empty() ? kBeginning : periods.back();
}

std::string moment_text(const PlanRecord& record, Time moment) {
  return record.wall_clock ? format_date(moment) : format_duration(moment - record.now);
}

std::vector<std::string> plan_facts(const PlanRecord& record) {
  if (!record.feasible) {
    if (!has_lost(record)) return {"no plan was found"};
    return {"no plan was found", io::hours_text(lost_hours(record)) + " CPU-hours lost"};
  }
  std::vector<std::string> facts = {
      "turn-around " + format_duration(record.makespan),
      fmt::format("{} CPU-hours{}", io::hours_text(record.cpu_hours),
                  has_lost(record) ? " + " + io::hours_text(lost_hours(record)) + " lost" : ""),
      io::counted(std::ssize(record.tasks), "task")};
  if (record.workflows.size() > 1) {
    facts.push_back(fmt::format("{} workflows", record.workflows.size()));
  }
  if (record.average_stretch && record.maximum_stretch && record.workflows.size() > 1) {
    facts.push_back(fmt::format("stretch {:.2f} on average, {:.2f} at most",
                                *record.average_stretch, *record.maximum_stretch));
    if (record.maximum_weighted_stretch) {
      facts.back() += fmt::format(", {:.2f} by weight", *record.maximum_weighted_stretch);
    }
  }
  if (record.deadline) {
    const bool met = record.now + record.makespan <= *record.deadline;
    facts.push_back(fmt::format("deadline {} ({})", moment_text(record, *record.deadline),
                                met ? "met" : "missed"));
  }
  if (const std::string proof = proof_text(record); !proof.empty()) {
    facts.push_back("proved " + proof);
  }
  return facts;
}

// "weather: BL_CPA_BD_CPA"; several workflows are named in the legend.
std::string plan_title(const PlanRecord& record) {
  const std::string how = record.algorithm.empty() ? "plan" : plain_text(record.algorithm);
  if (record.workflows.size() != 1) return how;
  return plain_text(record.workflows[0].name) + ": " + how;
}

std::string task_text(const PlanRecord& record, const TaskRecord& task) {
  return run_name(record, task) + "\n" + run_text(record, task) +
         (task.critical ? "\non the critical chain" : "");
}

std::string lost_text(const PlanRecord& record, const TaskRecord& run) {
  return fmt::format("{}, lost after {}\n{}", run_name(record, run),
                     format_duration(run.end - run.start), run_text(record, run));
}

std::string reservation_text(const PlanRecord& record, const Reservation& reservation) {
  return "reserved by others\n" + window_text(record, reservation.start, reservation.end) +
         processors_text(reservation.procs);
}

}  // namespace dovetail::draw
