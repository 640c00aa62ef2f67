#include "cli/plan/describe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "cli/command.hpp"
#include "cli/deadline_option.hpp"
#include "dovetail/critical.hpp"
#include "dovetail/metrics.hpp"
#include "draw/proof_text.hpp"
#include "io/text.hpp"

namespace dovetail::cli {

namespace {

// Each task where it is fastest.
double sequential_hours(const Problem& problem) {
  double hours = 0;
  for (std::size_t w = 0; w < problem.workflows().size(); ++w) {
    const Workflow& workflow = problem.workflows()[w];
    for (TaskId task = 0; task < workflow.size(); ++task) {
      const Count procs = workflow.time(task).min_procs();
      Duration fastest = kForever;
      for (std::size_t c = 0; c < problem.platform().clusters().size(); ++c) {
        if (!problem.allows(w, task, c, procs)) continue;
        fastest = std::min(fastest, problem.time(w, task, c).duration(procs));
      }
      hours += procs * to_seconds(fastest) / 3600.0;
    }
  }
  return hours;
}

// "in 5h12m, 20m before the deadline".
std::string describe_end(const Problem& problem, const Plan& plan) {
  const Duration length = makespan(plan);
  std::string text = "in " + format_duration(length);
  if (problem.platform().wall_clock()) text += "  (" + format_date(plan.now + length) + ")";
  if (plan.deadline) {
    const Duration spare = *plan.deadline - plan.now - length;
    text +=
        spare == 0 ? ", at the deadline" : ", " + format_duration(spare) + " before the deadline";
  }
  return text;
}

// A plan made backwards from its deadline begins as late as it can.
std::string describe_begin(const Plan& plan) {
  Time first = plan.placements.front().start;
  for (const Placement& placement : plan.placements) first = std::min(first, placement.start);
  return first == plan.now ? "at once" : "in " + format_duration(first - plan.now);
}

// "t17 -> t31 -> t48 are critical; 1h05m waits for the reservation that ends 4h from now".
std::string describe_reason(const Problem& problem, const Plan& plan,
                            const std::vector<CriticalLink>& chain) {
  std::string text;
  constexpr std::size_t kShown = 4;
  for (std::size_t i = 0; i < chain.size(); ++i) {
    if (chain.size() > kShown && i == kShown - 1 && i + 1 < chain.size()) {
      text += fmt::format(" -> ({} more)", chain.size() - kShown);
      i = chain.size() - 1;
    }
    const Placement& placement = plan.placements[chain[i].placement];
    if (!text.empty()) text += " -> ";
    const Workflow& workflow = problem.workflows()[placement.workflow];
    if (problem.workflows().size() > 1) text += workflow.name() + "/";
    text += workflow.id(placement.task);
  }
  text += chain.size() == 1 ? " is critical" : " are critical";
  const auto longest = std::max_element(
      chain.begin(), chain.end(), [](const CriticalLink& a, const CriticalLink& b) {
        return (a.for_reservation ? a.waited : 0) < (b.for_reservation ? b.waited : 0);
      });
  if (longest != chain.end() && longest->for_reservation) {
    text +=
        fmt::format("; {} waits for the reservation that ends {}", format_duration(longest->waited),
                    moment_text(problem.platform(), plan.placements[longest->placement].start));
  }
  return text;
}

bool same_point(const Plan& a, const Plan& b) {
  return makespan(a) == makespan(b) && consumed(a) == consumed(b);
}

// The first plan between two of a frontier that is at most so dear, `share` of the way from one to
// the other by ratio.
std::size_t between(const std::vector<Plan>& frontier, std::size_t from, std::size_t to,
                    double share) {
  const double dear = cpu_hours(frontier[from]);
  const double wanted = dear * std::pow(cpu_hours(frontier[to]) / dear, share);
  while (from < to && cpu_hours(frontier[from]) > wanted) ++from;
  return from;
}

// At most four: the first, the last, the chosen one, and what lies between.
std::set<std::size_t> few_of(const std::vector<Plan>& frontier, std::size_t chosen) {
  const std::size_t last = frontier.size() - 1;
  std::set<std::size_t> shown{0, chosen, last};
  if (chosen == 0 || chosen == last) {
    shown.insert(between(frontier, 0, last, 1.0 / 3));
    shown.insert(between(frontier, 0, last, 2.0 / 3));
  } else {
    shown.insert(between(frontier, chosen, last, 0.5));
  }
  return shown;
}

// " on 8 nodes, 4 GPUs"; empty for a cluster without nodes.
std::string describe_nodes(std::span<const NodeType> types) {
  std::size_t nodes = 0;
  std::size_t gpus = 0;
  for (const NodeType& type : types) {
    nodes += static_cast<std::size_t>(type.count);
    gpus += static_cast<std::size_t>(type.count) * static_cast<std::size_t>(type.gpus);
  }
  if (nodes == 0) return {};
  return " on " + counted(nodes, "node") + (gpus > 0 ? ", " + counted(gpus, "GPU") : "");
}

std::string describe_cluster(const Cluster& cluster, Time now) {
  const auto coming = std::ranges::count_if(cluster.reservations, [&](const Reservation& r) {
    return r.end > now && r.start < now + 7 * 86'400'000;
  });
  return fmt::format("{}: {}{}, {} in the next 7 days", cluster.name,
                     counted(static_cast<std::size_t>(cluster.processors), "processor"),
                     describe_nodes(cluster.node_types),
                     counted(static_cast<std::size_t>(coming), "reservation"));
}

// "50 resources, 5 of them join later".
std::string describe_pool(std::span<const Cluster> clusters, Time now) {
  const auto joining =
      std::ranges::count_if(clusters, [&](const Cluster& c) { return c.joins > now; });
  const auto leaving =
      std::ranges::count_if(clusters, [](const Cluster& c) { return c.leaves < kForever; });
  std::string text = counted(clusters.size(), "resource");
  if (joining > 0)
    text += fmt::format(", {} of them {} later", joining, joining == 1 ? "joins" : "join");
  if (leaving > 0) text += fmt::format(", {} {}", leaving, leaving == 1 ? "leaves" : "leave");
  return text;
}

std::string describe_search(const Plan& plan) {
  std::string text;
  const std::string proof = draw::proof_text(plan);
  if (!proof.empty()) text += fmt::format("  {:<11} {}\n", "proved", proof);
  if (plan.search && plan.search->is_truncated) {
    text += fmt::format("  {:<11} cut short by the time limit after {}\n", "search",
                        counted(plan.search->trials, "trial"));
  }
  return text;
}

}  // namespace

std::string describe_problem(const Problem& problem) {
  std::string text;
  for (const Workflow& workflow : problem.workflows()) {
    if (!text.empty()) text += ", ";
    text += fmt::format("{}: {}, {}", workflow.name(), counted(workflow.size(), "task"),
                        counted(workflow.edge_count(), "edge"));
  }
  const double hours = sequential_hours(problem);
  text += hours < 1 ? ", " + format_duration(time_ceil(hours * 3600)) + " sequential"
                    : fmt::format(", {:.1f} h sequential", hours);
  const auto clusters = problem.platform().clusters();
  return text + "        " +
         (clusters.size() == 1 ? describe_cluster(clusters.front(), problem.now())
                               : describe_pool(clusters, problem.now()));
}

std::string describe_plan(const Problem& problem, const Plan& plan) {
  std::string text = fmt::format("  {:<11} {}\n", "ends", describe_end(problem, plan));
  const auto chain = critical_chain(problem, plan);
  if (chain.empty()) text += fmt::format("  {:<11} {}\n", "begins", describe_begin(plan));
  text +=
      fmt::format("  {:<11} {} CPU-hours, at most {}\n", "uses", io::hours_text(cpu_hours(plan)),
                  counted(static_cast<std::size_t>(peak_procs(plan)), "processor"));
  if (!chain.empty()) {
    text += fmt::format("  {:<11} {}\n", "because", describe_reason(problem, plan, chain));
  }
  return text + describe_search(plan);
}

std::string describe_workflows(const Problem& problem, const Plan& plan) {
  constexpr std::size_t kShown = 10;
  const auto workflows = problem.workflows();
  const auto shown = workflows.first(std::min(workflows.size(), kShown));
  std::size_t width = 0;
  for (const Workflow& workflow : shown) width = std::max(width, workflow.name().size());
  std::vector<Area> areas(workflows.size());
  for (const Placement& placement : plan.placements) {
    areas[placement.workflow] += Area{placement.procs} * (placement.end - placement.start);
  }
  std::string text;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    text += fmt::format("  {:<11} {:<{}} ends in {}, {} CPU-hours\n", i == 0 ? "workflows" : "",
                        shown[i].name(), width, format_duration(makespan(plan, i)),
                        io::hours_text(static_cast<double>(areas[i]) / 3.6e6));
  }
  if (workflows.size() <= kShown) return text;
  return text + fmt::format("  {:<11} ({} more)\n", "", workflows.size() - kShown);
}

std::string describe_ways(const std::vector<Plan>& frontier, const Plan& chosen,
                          bool is_earliest_sure) {
  std::size_t marked = 0;
  while (marked < frontier.size() && !same_point(frontier[marked], chosen)) ++marked;
  if (marked == frontier.size() || frontier.size() == 1) return {};
  std::string text;
  for (const std::size_t i : few_of(frontier, marked)) {
    const Plan& plan = i == marked ? chosen : frontier[i];
    const char* what = i == marked                ? "this plan"
                       : i == 0                   ? "earliest"
                       : i + 1 == frontier.size() ? "cheapest"
                       : i < marked               ? "earlier"
                                                  : "cheaper";
    const std::string how = i == marked ? plan.algorithm : how_to_get(plan, i == 0);
    // The search by a deadline begins with this very plan, and mostly finds a cheaper one.
    const char* most = i == marked                               ? ""
                       : how.starts_with("--deadline")           ? "at most"
                       : how == "--fastest" && !is_earliest_sure ? "about"
                                                                 : "";
    text += fmt::format("  {:<11} {:<9} {:>9}  {:>7} {:>8} h      {}\n", i == 0 ? "other ways" : "",
                        what, format_duration(makespan(plan)), most,
                        io::hours_text(cpu_hours(plan)), how);
  }
  return text;
}

std::string describe_earliest(const Plan& plan) {
  return fmt::format("in {}, {} CPU-hours, by {}: --deadline {}", format_duration(makespan(plan)),
                     io::hours_text(cpu_hours(plan)), plan.algorithm,
                     deadline_text(makespan(plan)));
}

bool misses_deadline(const Plan& plan) {
  return plan.deadline && plan.now + makespan(plan) > *plan.deadline;
}

std::string how_to_get(const Plan& plan, bool is_earliest) {
  const PlannerInfo* planner = find_planner(plan.algorithm);
  const bool is_search = planner != nullptr && planner->is_search;
  const bool for_deadline = planner != nullptr && planner->goal == Goal::deadline && plan.deadline;
  if (is_search && is_earliest) return "--fastest";
  if (is_search || for_deadline) return "--deadline " + deadline_text(makespan(plan));
  return "--algorithm " + plan.algorithm;
}

}  // namespace dovetail::cli
