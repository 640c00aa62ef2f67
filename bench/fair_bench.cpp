// Several workflows on one cluster: the library's planners and the plain ones (plain_fair.hpp) in
// turns, on sets like those of the study, and as sets grow.
//
// Names are ratio/PLANNER/class/workflows and PLANNER/growth/workflows. ratio fails when the plans
// differ. Counters: milliseconds a plan, how many times longer the plain planner takes, and the
// three metrics of the plan. "tight" are random graphs of all sizes on 47 processors.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "dovetail/fairness.hpp"
#include "dovetail/planner.hpp"
#include "gen/kernel_graphs.hpp"
#include "gen/layered_dag.hpp"
#include "measure.hpp"
#include "oracles/plain_fair.hpp"

namespace dovetail::bench {
namespace {

// Random graphs of 50 tasks, as the paper timed them: on its largest cluster.
Problem random_set(std::size_t count, Count procs) {
  std::vector<Workflow> workflows;
  for (std::size_t i = 0; i < count; ++i) {
    Random random = Random(1).split(i);
    gen::LayeredDagSpec spec{.tasks = 50};
    spec.times.alpha_max = 0.25;
    spec.times.kernels = gen::KernelCosts{.gigaflops = 3.388};
    workflows.push_back(gen::layered_dag(spec, random, "w" + std::to_string(i)));
  }
  return Problem(workflows, Platform::empty(procs), Goal::fair);
}

Problem kernel_set(gen::KernelClass kernels, std::size_t count, Count procs,
                   std::uint64_t seed = 7) {
  Random random(seed);
  std::vector<Workflow> workflows;
  for (std::size_t i = 0; i < count; ++i) {
    workflows.push_back(gen::kernel_graph(kernels, random.below(gen::population(kernels)), 1,
                                          "w" + std::to_string(i)));
  }
  return Problem(workflows, Platform::empty(procs), Goal::fair);
}

bool same(const Plan& plan, const plain::FairPlanner::Slots& slots) {
  for (const Placement& placed : plan.placements) {
    const plain::Slot& slot = slots[placed.workflow][placed.task];
    if (placed.procs != slot.procs || placed.start != slot.start || placed.end != slot.end) {
      return false;
    }
  }
  return plan.feasible;
}

void report_fairness(benchmark::State& state, const Problem& problem, const Plan& plan) {
  report_quality(state, plan);
  const Fairness fairness = measure_fairness(problem, plan);
  state.counters["average_stretch"] = fairness.average_stretch;
  state.counters["maximum_stretch"] = fairness.maximum_stretch;
}

void ratio(benchmark::State& state, const std::string& name, const Problem& problem) {
  const PlannerInfo& planner = *find_planner(name);
  const Plan plan_made = time_in_turns(
      state, [&] { return plan(planner, problem); },
      [&] { return plain::FairPlanner(problem).plan(name); }, same);
  report_fairness(state, problem, plan_made);
}

void growth(benchmark::State& state, const std::string& name) {
  const Problem problem = random_set(static_cast<std::size_t>(state.range(0)), 216);
  const PlannerInfo& planner = *find_planner(name);
  Plan made;
  for (auto _ : state) made = plan(planner, problem);
  report_fairness(state, problem, made);
}

void register_ratio(const std::string& name, const std::string& set, const Problem& problem) {
  benchmark::RegisterBenchmark(("ratio/" + name + "/" + set).c_str(), [=](benchmark::State& state) {
    ratio(state, name, problem);
  })->Unit(benchmark::kMillisecond);
}

// A set for which MAGS has to search its slack: some ten attempts instead of one.
Problem slack_set() {
  for (std::uint64_t seed = 1; seed < 1000; ++seed) {
    Problem problem = kernel_set(gen::KernelClass::random, 10, 216, seed);
    if (plan(*find_planner("MAGS"), problem).division->slack > 1) return problem;
  }
  return kernel_set(gen::KernelClass::random, 10, 216);
}

int register_all() {
  for (const PlannerInfo& planner : planners()) {
    if (planner.goal != Goal::fair || planner.is_search) continue;
    const std::string name(planner.name);
    const bool slow = name == "CAFM_K_SHELVES";
    register_ratio(name, "random/10", random_set(10, 216));
    register_ratio(name, "tight/10", kernel_set(gen::KernelClass::random, 10, 47));
    if (!slow) {
      register_ratio(name, "fft/10", kernel_set(gen::KernelClass::fft, 10, 216));
      register_ratio(name, "strassen/10", kernel_set(gen::KernelClass::strassen, 10, 216));
    }
    benchmark::RegisterBenchmark((name + "/growth").c_str(),
                                 [=](benchmark::State& state) { growth(state, name); })
        ->Unit(benchmark::kMillisecond)
        ->Arg(10)
        ->Arg(slow ? 20 : 40);
  }
  register_ratio("MAGS", "slack/10", slack_set());
  return 0;
}

[[maybe_unused]] const int kRegistered = register_all();

}  // namespace
}  // namespace dovetail::bench
