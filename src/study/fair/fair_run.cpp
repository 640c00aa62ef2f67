// Runs the fair study: every set on every cluster, by every algorithm.
#include <algorithm>

#include "core/mapped.hpp"
#include "dovetail/error.hpp"
#include "dovetail/fairness.hpp"
#include "dovetail/metrics.hpp"
#include "gen/task_times.hpp"
#include "study/fair/fair_study.hpp"
#include "study/timing.hpp"

namespace dovetail::study {
namespace {

constexpr std::size_t kMostSets = 10'000;
constexpr std::size_t kMostWorkflows =
    20;  // at most as many as the smallest cluster has processors
constexpr std::size_t kTimedSets = 5;

template <typename T>
std::vector<T> chosen_or(const std::vector<T>& chosen, std::vector<T> all) {
  return chosen.empty() ? all : chosen;
}

std::vector<FairCluster> clusters_of(const FairStudyOptions& options) {
  std::vector<FairCluster> clusters;
  for (const FairCluster& cluster : fair_clusters()) {
    const auto& wanted = options.processors;
    if (wanted.empty() || std::ranges::count(wanted, cluster.processors) > 0) {
      clusters.push_back(cluster);
    }
  }
  return clusters;
}

std::vector<FairCase> cases_of(const FairStudyOptions& options, std::size_t sets) {
  const auto classes = chosen_or<gen::KernelClass>(
      options.classes, {std::begin(gen::kKernelClasses), std::end(gen::kKernelClasses)});
  std::vector<FairCase> cases;
  for (const gen::KernelClass kernels : classes) {
    for (const std::size_t workflows :
         chosen_or<std::size_t>(options.workflows, {2, 4, 6, 8, 10})) {
      gen::check_range("workflows", static_cast<double>(workflows), 1, kMostWorkflows);
      for (std::size_t set = 0; set < sets; ++set) {
        for (const FairCluster& cluster : clusters_of(options)) {
          cases.push_back(
              {.kernels = kernels, .workflows = workflows, .set = set, .cluster = cluster});
        }
      }
    }
  }
  return cases;
}

// The same set on every cluster.
Problem problem_of(const FairCase& one, std::uint64_t seed) {
  Random random = Random(seed)
                      .split(static_cast<std::uint64_t>(one.kernels))
                      .split(one.workflows)
                      .split(one.set);
  std::vector<Workflow> workflows;
  for (std::size_t i = 0; i < one.workflows; ++i) {
    workflows.push_back(gen::kernel_graph(one.kernels, random.below(gen::population(one.kernels)),
                                          seed, "w" + std::to_string(i)));
  }
  const Cluster cluster{.name = std::string(one.cluster.name),
                        .processors = one.cluster.processors,
                        .speed = one.cluster.gigaflops};
  return Problem(std::move(workflows), Platform(0, {cluster}), Goal::fair);
}

bool keeps_bound(const Plan& plan, const Fairness& fairness) {
  const double limit = 2 * plan.division->slack * plan.division->bound;
  return std::ranges::all_of(fairness.workflows, [&](const Fate& fate) {
    // Periods end at whole milliseconds, rounded up.
    return static_cast<double>(fate.length) <= limit * static_cast<double>(fate.alone) + 1;
  });
}

void plan_case(FairCase& one, std::uint64_t seed) {
  const Problem problem = problem_of(one, seed);
  PlanningContext context(problem);
  for (const PlannerInfo* planner : fair_planners()) {
    const Plan plan = plan_by(*planner, context, std::nullopt);
    const Fairness fairness = measure_fairness(problem, plan);
    one.metrics.push_back(
        {to_seconds(makespan(plan)), fairness.average_stretch, fairness.maximum_stretch});
    if (!plan.division) continue;
    one.slack = plan.division->slack;
    one.keeps_bound = keeps_bound(plan, fairness);
  }
}

// Ten random workflows on the largest cluster, as the paper timed them.
std::vector<FairTiming> measure_timings(std::uint64_t seed) {
  std::vector<Problem> problems;
  for (std::size_t set = 0; set < kTimedSets; ++set) {
    problems.push_back(problem_of({.kernels = gen::KernelClass::random,
                                   .workflows = 10,
                                   .set = set,
                                   .cluster = fair_clusters().back()},
                                  seed));
  }
  return mapped(fair_planners(), [&](const PlannerInfo* planner) {
    return FairTiming{planner->name, mean_milliseconds(planner->name, problems)};
  });
}

}  // namespace

FairStudyResult run_fair_study(const FairStudyOptions& options) {
  const std::size_t sets = options.sets.value_or(options.scale == StudyScale::paper ? 25 : 2);
  gen::check_range("sets", static_cast<double>(sets), 1, kMostSets);
  FairStudyResult result{.scale = options.scale, .seed = options.seed, .sets = sets};
  result.cases = cases_of(options, sets);
  if (result.cases.empty()) {
    throw InputError("no cluster has that many processors; choose 20, 47, 120 or 216");
  }
  parallel_for(
      result.cases.size(), options.threads,
      [&](std::size_t i) { plan_case(result.cases[i], options.seed); }, options.progress);
  if (options.timing) {
    result.timings = measure_timings(options.seed);
    result.timed_sets = kTimedSets;
  }
  return result;
}

}  // namespace dovetail::study
