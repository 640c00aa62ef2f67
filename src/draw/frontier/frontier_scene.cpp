#include "draw/frontier/frontier_scene.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "dovetail/metrics.hpp"
#include "draw/frontier/frontier_axis.hpp"
#include "draw/gantt/gantt_look.hpp"
#include "draw/plain_text.hpp"

namespace dovetail::draw {
namespace {

// Formats the CPU-hours of all points with the same decimals: at least three digits for the
// smallest, and one or two more if neighbours would read the same. Rounded up, as everywhere; see
// hours_text.
class HoursFormat {
 public:
  explicit HoursFormat(std::span<const PlanRecord> plans) {
    const double least = std::ranges::min_element(plans, {}, &PlanRecord::cpu_hours)->cpu_hours;
    decimals_ = least > 0 ? std::max(0, 2 - static_cast<int>(std::floor(std::log10(least)))) : 1;
    for (int more = 0; more < 2 && any_alike(plans); ++more) ++decimals_;
  }

  std::string text(double hours) const {
    constexpr int kMostDecimals = 6;
    if (decimals_ > kMostDecimals || std::abs(hours) >= 1e7) return short_number(hours);
    const double scale = std::pow(10.0, decimals_);
    return fmt::format("{:.{}f}", std::ceil(hours * scale - 1e-9) / scale, decimals_);
  }

 private:
  bool any_alike(std::span<const PlanRecord> plans) const {
    for (std::size_t i = 1; i < plans.size(); ++i) {
      if (text(plans[i].cpu_hours) == text(plans[i - 1].cpu_hours)) return true;
    }
    return false;
  }

  int decimals_ = 0;
};

std::string percent_text(double share) {
  if (share < 1 && share >= 0.995) return "over 99 %";
  return fmt::format("{:.{}f} %", 100 * share, share < 0.1 ? 1 : 0);
}

// "18 % longer, 32 % cheaper"; from twice as long on, "2.4 times as long".
std::string against_earliest(const FrontierPoint& point, const PlanRecord& earliest) {
  const double time = point.turnaround / static_cast<double>(earliest.makespan);
  const double cost = point.hours / earliest.cpu_hours;
  return fmt::format(
      "{}, {} {}",
      time < 2 ? percent_text(time - 1) + " longer" : fmt::format("{:.1f} times as long", time),
      percent_text(std::abs(1 - cost)), cost <= 1 ? "cheaper" : "dearer");
}

Count peak_of(const PlanRecord& record) {
  Plan plan;
  for (const TaskRecord& task : record.tasks) {
    plan.placements.push_back({.procs = task.processors, .start = task.start, .end = task.end});
  }
  return peak_procs(plan);
}

// Quoted for a shell, since names from files may hold anything.
std::string shell_word(const std::string& text) {
  constexpr std::string_view kSafe =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
  if (!text.empty() && text.find_first_not_of(kSafe) == std::string::npos) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string command_for(const PlanRecord& plan) {
  if (plan.deadline) return "--deadline " + exact_duration(*plan.deadline - plan.now);
  if (plan.algorithm == "DOVETAIL") return "--fastest";
  return "--algorithm " + shell_word(plain_text(plan.algorithm));
}

void add_facts(FrontierPoint& point, const PlanRecord& plan, const PlanRecord& earliest) {
  auto& facts = point.facts;
  facts.emplace_back("turn-around", point.turnaround_text);
  if (plan.wall_clock) facts.emplace_back("end", moment_text(plan, plan.now + plan.makespan));
  facts.emplace_back("CPU-hours", point.hours_text);
  if (&plan != &earliest && earliest.makespan > 0 && earliest.cpu_hours > 0) {
    facts.emplace_back("against the earliest", against_earliest(point, earliest));
  }
  facts.emplace_back("processors at most", std::to_string(point.peak));
  facts.emplace_back("algorithm", point.algorithm);
  if (plan.lambda) facts.emplace_back("lambda", short_number(std::round(*plan.lambda * 1e4) / 1e4));
  if (plan.deadline) {
    facts.emplace_back("deadline", plan.wall_clock ? moment_text(plan, *plan.deadline)
                                                   : format_duration(*plan.deadline - plan.now));
  }
}

FrontierPoint make_point(const PlanRecord& plan, const PlanRecord& earliest,
                         const HoursFormat& format) {
  FrontierPoint point{.kind = kind_of_plan(plan.algorithm),
                      .turnaround = static_cast<double>(plan.makespan),
                      .hours = plan.cpu_hours,
                      .turnaround_text = format_duration(plan.makespan),
                      .hours_text = format.text(plan.cpu_hours),
                      .algorithm = plan.algorithm.empty() ? "plan" : plain_text(plan.algorithm),
                      .peak = peak_of(plan),
                      .command = command_for(plan)};
  add_facts(point, plan, earliest);
  return point;
}

std::string title_of(const PlanRecord& plan) {
  const std::string subject = "turn-around against CPU-hours";
  if (plan.workflows.size() != 1) return subject;
  return plain_text(plan.workflows[0].name) + ": " + subject;
}

std::vector<std::string> facts_of(std::span<const FrontierPoint> points) {
  const FrontierPoint& first = points.front();
  const FrontierPoint& last = points.back();
  if (points.size() == 1) {
    return {"one plan", "turn-around " + first.turnaround_text, first.hours_text + " CPU-hours"};
  }
  return {fmt::format("{} plans", points.size()),
          fmt::format("turn-around {} to {}", first.turnaround_text, last.turnaround_text),
          fmt::format("{} to {} CPU-hours", first.hours_text, last.hours_text)};
}

void apply_budget(FrontierScene& scene, double budget) {
  const std::string limit = short_number(budget) + " h";
  // A far budget is drawn near the points, which must not be squeezed.
  constexpr double kBeyond = 1.25;
  scene.budget =
      std::clamp(budget, scene.points.back().hours / kBeyond, scene.points.front().hours * kBeyond);
  scene.budget_text = "budget " + limit;
  for (std::size_t i = 0; i < scene.points.size() && !scene.within; ++i) {
    if (scene.points[i].hours <= budget) scene.within = i;
  }
  if (scene.within) {
    scene.points[*scene.within].roles.push_back("fastest within " + limit);
    scene.chosen = *scene.within;
  } else {
    scene.note = fmt::format("No known plan keeps to {}; the cheapest takes {} h.", limit,
                             scene.points.back().hours_text);
  }
}

void apply_roles(FrontierScene& scene) {
  if (scene.points.size() == 1) {
    scene.points[0].roles.push_back("the only plan");
    return;
  }
  scene.points.front().roles.push_back("earliest");
  scene.points.back().roles.push_back("cheapest");
  if (const auto middle = knee(scene.points)) {
    scene.points[*middle].roles.push_back("good compromise");
    scene.chosen = *middle;
  }
}

}  // namespace

PlanKind kind_of_plan(std::string_view algorithm) {
  if (algorithm.ends_with("-lambda")) return PlanKind::hybrid;
  if (algorithm.starts_with("DL_BD_")) return PlanKind::aggressive;
  if (algorithm.starts_with("DL_RC")) return PlanKind::conservative;
  if (algorithm == "DOVETAIL") return PlanKind::search;
  if (algorithm.starts_with("BL_") || algorithm == "CPA") return PlanKind::turnaround;
  return PlanKind::other;
}

PlanKindNames names_of(PlanKind kind) {
  constexpr std::array<PlanKindNames, kPlanKinds> kNames = {
      {{"turn-around", "turnaround"},
       {"deadline, aggressive", "aggressive"},
       {"deadline, conservative", "conservative"},
       {"deadline, hybrid (lambda)", "hybrid"},
       {"search", "search"},
       {"other", "other"}}};
  return kNames[static_cast<std::size_t>(kind)];
}

std::optional<std::size_t> knee(std::span<const FrontierPoint> points) {
  if (points.size() < 3) return std::nullopt;
  const FrontierPoint& first = points.front();
  const FrontierPoint& last = points.back();
  std::optional<std::size_t> found;
  double farthest = 0;
  for (std::size_t i = 1; i + 1 < points.size(); ++i) {
    const double x =
        (points[i].turnaround - first.turnaround) / (last.turnaround - first.turnaround);
    const double y = (points[i].hours - last.hours) / (first.hours - last.hours);
    const double below = 1 - x - y;  // the distance up to a constant factor
    if (!(below > farthest)) continue;
    farthest = below;
    found = i;
  }
  return found;
}

FrontierScene make_scene(std::span<const PlanRecord> plans, std::optional<double> budget) {
  FrontierScene scene;
  if (plans.empty()) {
    scene.title = "no plan";
    return scene;
  }
  const HoursFormat format(plans);
  for (const PlanRecord& plan : plans) {
    scene.points.push_back(make_point(plan, plans.front(), format));
  }
  scene.title = title_of(plans.front());
  scene.facts = facts_of(scene.points);
  apply_roles(scene);
  if (budget && std::isfinite(*budget)) apply_budget(scene, *budget);
  return scene;
}

std::string roles_text(const FrontierPoint& point) {
  return fmt::format("{}", fmt::join(point.roles, ", "));
}

std::string point_name(const FrontierScene& scene, std::size_t point) {
  return fmt::format("plan {} of {}", point + 1, scene.points.size());
}

std::string point_title(const FrontierScene& scene, std::size_t point) {
  const std::string roles = roles_text(scene.points[point]);
  return point_name(scene, point) + (roles.empty() ? "" : ": " + roles);
}

std::string point_text(const FrontierScene& scene, std::size_t point) {
  const FrontierPoint& own = scene.points[point];
  return fmt::format("{}; turn-around {}, {} CPU-hours, {}", point_title(scene, point),
                     own.turnaround_text, own.hours_text, own.algorithm);
}

}  // namespace dovetail::draw
