// The planners: against a plain reading of the specification, side by side, and as problems grow.
//
// Instances are random layered workflows on a cluster whose reservations fill about half of a week
// (instances.hpp). Names are planner/instance/size; ratio/... times the library's planner and the
// plain one in turns and fails when their plans differ. Counters: quality (makespan_h, cpu_h) and,
// for the ratio, milliseconds a plan and how many times longer the plain planner takes.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "dovetail/planner.hpp"
#include "gen/shapes.hpp"
#include "instances.hpp"
#include "measure.hpp"
#include "oracles/plain_turnaround.hpp"

namespace dovetail::bench {
namespace {

bool same(const Plan& plan, const std::vector<plain::Slot>& slots) {
  return plan.feasible && plan.placements.size() == slots.size() &&
         std::all_of(plan.placements.begin(), plan.placements.end(), [&](const Placement& placed) {
           const plain::Slot& slot = slots[placed.task];
           return placed.procs == slot.procs && placed.start == slot.start &&
                  placed.end == slot.end;
         });
}

void ratio(benchmark::State& state, const std::string& level, const std::string& bound) {
  const PlannerInfo& planner = *find_planner("BL_" + level + "_BD_" + bound);
  const Problem problem = dense_problem(100, kProcessors, static_cast<std::size_t>(state.range(0)));
  const Plan ours = time_in_turns(
      state, [&] { return plan(planner, problem); },
      [&] { return plain::Planner(problem).plan(level, bound); }, same);
  report_quality(state, ours);
}

void one_plan(benchmark::State& state, const PlannerInfo& planner, const Problem& problem) {
  Plan result;
  for (auto _ : state) {
    result = plan(planner, problem);
    benchmark::DoNotOptimize(result);
  }
  report_quality(state, result);
}

void small(benchmark::State& state, const PlannerInfo& planner) {
  one_plan(state, planner,
           dense_problem(static_cast<std::uint32_t>(state.range(0)), kProcessors, kReservations));
}

// As many processors and reservations as tasks.
void growth(benchmark::State& state, const PlannerInfo& planner) {
  const auto size = static_cast<std::uint32_t>(state.range(0));
  one_plan(state, planner, dense_problem(size, static_cast<Count>(size), size));
}

// One long path that never changes: the worst case of looking at the whole path in every step.
void chain_growth(benchmark::State& state, const PlannerInfo& planner) {
  const auto size = static_cast<std::uint32_t>(state.range(0));
  Random random(1);
  const Problem problem({gen::chain({.tasks = size}, random)},
                        Platform::empty(static_cast<Count>(size)));
  one_plan(state, planner, problem);
}

void all_planners(benchmark::State& state) {
  const Problem problem =
      dense_problem(static_cast<std::uint32_t>(state.range(0)), kProcessors, kReservations);
  std::vector<Plan> plans;
  for (auto _ : state) {
    plans = plan_all(problem);
    benchmark::DoNotOptimize(plans);
  }
  state.counters["plans"] = static_cast<double>(plans.size());
  report_quality(state, plans[best_plan(plans)]);
}

void add_ratios() {
  const auto add = [](const std::string& level, const std::string& bound) {
    const std::string name = "ratio/BL_" + level + "_BD_" + bound + "/reservations";
    benchmark::RegisterBenchmark(name.c_str(), ratio, level, bound)
        ->Arg(500)
        ->Arg(1'000)
        ->Arg(2'000)
        ->Unit(benchmark::kMillisecond);
  };
  add("CPAR", "CPAR");
  add("CPAR", "ALL");
}

void add_planners() {
  for (const PlannerInfo& planner : planners()) {
    if (planner.goal != Goal::turnaround) continue;
    benchmark::RegisterBenchmark((std::string(planner.name) + "/dense").c_str(),
                                 [&planner](benchmark::State& state) { small(state, planner); })
        ->Arg(10)
        ->Arg(25)
        ->Arg(50)
        ->Arg(75)
        ->Arg(100)
        ->Unit(benchmark::kMicrosecond);
  }
}

void add_growth() {
  for (const char* name : {"BL_CPAR_BD_CPAR", "BL_1_BD_ALL"}) {
    const PlannerInfo& planner = *find_planner(name);
    benchmark::RegisterBenchmark((std::string(name) + "/growth").c_str(),
                                 [&planner](benchmark::State& state) { growth(state, planner); })
        ->Arg(1'250)
        ->Arg(2'500)
        ->Arg(5'000)
        ->Arg(10'000)
        ->Unit(benchmark::kMillisecond);
  }
  const PlannerInfo& planner = *find_planner("BL_CPAR_BD_CPAR");
  benchmark::RegisterBenchmark(
      "BL_CPAR_BD_CPAR/chain",
      [&planner](benchmark::State& state) { chain_growth(state, planner); })
      ->Arg(1'000)
      ->Arg(4'000)
      ->Unit(benchmark::kMillisecond);
}

const bool kRegistered = [] {
  add_ratios();
  add_planners();
  add_growth();
  benchmark::RegisterBenchmark("plan_all/dense", all_planners)
      ->Arg(10)
      ->Arg(50)
      ->Arg(100)
      ->Unit(benchmark::kMillisecond);
  return true;
}();

}  // namespace
}  // namespace dovetail::bench
