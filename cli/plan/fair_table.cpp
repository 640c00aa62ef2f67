#include "cli/plan/fair_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "cli/command.hpp"
#include "dovetail/metrics.hpp"
#include "io/text.hpp"

namespace dovetail::cli {

namespace {

using Json = nlohmann::ordered_json;

// A promise of MAGS that is looser than this says nothing. (Published slacks are below 2, but for
// two in 1,500.)
constexpr double kMostSlack = 2;

// "big 12m, huge 3m40s, 2 more, reservations 5m". A workflow that waits for none may still have got
// fewer processors.
std::string delays_text(const Problem& problem, const Fate& fate) {
  constexpr std::size_t kShown = 3;
  const std::vector<Delay>& delays = fate.delays;
  std::string text;
  for (std::size_t i = 0; i < std::min(delays.size(), kShown); ++i) {
    text += fmt::format("{}{} {}", i == 0 ? "" : ", ", problem.workflows()[delays[i].by].name(),
                        format_duration(delays[i].length));
  }
  if (delays.size() > kShown) text += fmt::format(", {} more", delays.size() - kShown);
  if (fate.reserved > 0) {
    text +=
        fmt::format("{}reservations {}", text.empty() ? "" : ", ", format_duration(fate.reserved));
  }
  if (!text.empty()) return text;
  return fate.stretch > 1.005 ? "nothing, but has fewer processors" : "nothing";
}

Json delays_json(const Problem& problem, const std::vector<Delay>& delays) {
  Json list = Json::array();
  for (const Delay& delay : delays) {
    list.push_back({{"workflow", problem.workflows()[delay.by].name()},
                    {"seconds", to_seconds(delay.length)}});
  }
  return list;
}

}  // namespace

std::string describe_fates(const Problem& problem, const Plan& plan) {
  const Fairness fairness = measure_fairness(problem, plan);
  const bool weighted = differ_in_weight(problem);
  std::vector<std::string> header{"  workflow", "alone", "here", "stretch"};
  if (weighted) header.insert(header.end(), {"weight", "weighted"});
  std::size_t width = std::string_view("waits for")
                          .size();  // columns of numbers stand to the right, and this has words
  for (const Fate& fate : fairness.workflows) {
    width = std::max(width, delays_text(problem, fate).size());
  }
  header.push_back(fmt::format("{:<{}}", "waits for", width));
  Table table(header);
  for (std::size_t i = 0; i < fairness.workflows.size(); ++i) {
    const Fate& fate = fairness.workflows[i];
    const Workflow& workflow = problem.workflows()[i];
    std::vector<std::string> row{"  " + workflow.name(), format_duration(fate.alone),
                                 format_duration(fate.length), fmt::format("{:.2f}", fate.stretch)};
    if (weighted) {
      row.push_back(fmt::format("{:g}", workflow.terms().weight));
      row.push_back(fmt::format("{:.2f}", fate.weighted_stretch));
    }
    row.push_back(fmt::format("{:<{}}", delays_text(problem, fate), width));
    table.add(std::move(row));
  }
  std::string text = table.text();
  text += fmt::format("\n  {:<11} {:.2f} on average, {:.2f} at most", "stretch",
                      fairness.average_stretch, fairness.maximum_stretch);
  if (weighted) text += fmt::format(", {:.2f} at most by weight", fairness.weighted_stretch);
  if (plan.division && plan.division->slack <= kMostSlack) {
    const Division& division = *plan.division;
    text += fmt::format("; no more than {:.2f} was promised", 2 * division.slack * division.bound);
    if (division.slack > 1) text += fmt::format(" (slack {:.2f})", division.slack);
  }
  return text + "\n";
}

void note_left_out(const Problem& problem) {
  for (const PlannerInfo& planner : planners()) {
    const std::string unfit = planner.goal == Goal::fair ? planner.unfit(problem) : "";
    if (!unfit.empty()) tell("note: without {}, which {}\n", planner.name, unfit);
  }
}

Json plan_facts_json(const Plan& plan) {
  Json json = {{"algorithm", plan.algorithm}, {"feasible", plan.feasible}};
  if (!plan.feasible) return json;
  json["makespan"] = to_seconds(makespan(plan));
  json["turnaround"] = to_seconds(makespan(plan));
  json["cpu_hours"] = cpu_hours(plan);
  json["peak_processors"] = peak_procs(plan);
  return json;
}

FairTable::FairTable(const Problem& problem, const std::vector<Plan>& plans)
    : problem_(problem),
      metrics_{"makespan", "average_stretch",
               differ_in_weight(problem) ? "maximum_weighted_stretch" : "maximum_stretch"},
      least_(metrics_.size(), std::numeric_limits<double>::infinity()) {
  for (const Plan& plan : plans) {
    rows_.push_back({&plan, plan.feasible ? measure_fairness(problem, plan) : Fairness{}});
    if (!plan.feasible) continue;
    for (std::size_t i = 0; i < least_.size(); ++i) {
      least_[i] = std::min(least_[i], metric(rows_.back(), i));
    }
  }
}

// Of equal weights, stretch and weighted stretch are the same.
double FairTable::metric(const FairPlanRow& row, std::size_t which) const {
  if (which == 0) return to_seconds(makespan(*row.plan));
  return which == 1 ? row.fairness.average_stretch : row.fairness.weighted_stretch;
}

std::string FairTable::shown(double metric, std::size_t which) const {
  return which == 0 ? format_duration(time_ceil(metric)) : fmt::format("{:.3f}", metric);
}

std::string FairTable::text(const std::string& indent, const Plan* chosen) const {
  std::vector<std::string> header{indent + "algorithm"};
  for (std::string name : metrics_) {
    std::ranges::replace(name, '_', ' ');
    header.push_back(name + "  ");
  }
  header.insert(header.end(), {"CPU-hours", "slack", ""});
  Table table(header);
  for (const FairPlanRow& row : rows_) {
    const Plan& plan = *row.plan;
    std::vector<std::string> cells{indent + plan.algorithm};
    if (!plan.feasible) {
      cells.emplace_back(plan.deadline ? "too late" : "no plan");
      table.add(std::move(cells));
      continue;
    }
    for (std::size_t i = 0; i < least_.size(); ++i) {
      cells.push_back(shown(metric(row, i), i));
      cells.back() += cells.back() == shown(least_[i], i) ? " *" : "  ";
    }
    cells.push_back(io::hours_text(cpu_hours(plan)));
    cells.push_back(plan.division ? fmt::format("{:.3f}", plan.division->slack) : "");
    cells.emplace_back(chosen != nullptr && chosen->algorithm == plan.algorithm ? "<- this plan"
                                                                                : "");
    table.add(std::move(cells));
  }
  return table.text();
}

Json FairTable::plans_json() const {
  Json list = Json::array();
  for (const FairPlanRow& row : rows_) {
    const Plan& plan = *row.plan;
    Json& json = list.emplace_back(plan_facts_json(plan));
    if (!plan.feasible) continue;
    json["average_stretch"] = row.fairness.average_stretch;
    json["maximum_stretch"] = row.fairness.maximum_stretch;
    if (differ_in_weight(problem_)) {
      json["maximum_weighted_stretch"] = row.fairness.weighted_stretch;
    }
    if (plan.division) {
      json["slack"] = plan.division->slack;
      json["stretch_bound"] = plan.division->bound;
    }
    for (std::size_t i = 0; i < row.fairness.workflows.size(); ++i) {
      const Fate& fate = row.fairness.workflows[i];
      Json& workflow =
          json["workflows"].emplace_back(Json{{"name", problem_.workflows()[i].name()},
                                              {"makespan", to_seconds(fate.length)},
                                              {"dedicated_makespan", to_seconds(fate.alone)},
                                              {"stretch", fate.stretch}});
      if (differ_in_weight(problem_)) {
        workflow["weight"] = problem_.workflows()[i].terms().weight;
        workflow["weighted_stretch"] = fate.weighted_stretch;
      }
      workflow["delayed_by"] = delays_json(problem_, fate.delays);
      if (fate.reserved > 0) workflow["delayed_by_reservations"] = to_seconds(fate.reserved);
    }
  }
  return list;
}

Json FairTable::best_json() const {
  Json best = Json::object();
  for (std::size_t i = 0; i < least_.size(); ++i) {
    Json names = Json::array();
    for (const FairPlanRow& row : rows_) {
      if (row.plan->feasible && metric(row, i) <= least_[i]) names.push_back(row.plan->algorithm);
    }
    best[metrics_[i]] = std::move(names);
  }
  return best;
}

}  // namespace dovetail::cli
