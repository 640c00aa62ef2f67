// The deadline planners: against a plain reading of the specification, side by side, and in
// numbers.
//
// Instances are those of planners_bench (instances.hpp); deadlines are given in per cent of the
// turn-around of BL_CPAR_BD_CPAR. ratio/... times the library's planner and the plain one in turns
// and fails when their plans differ. Counters: whether the deadline is met, lambda, quality
// (makespan_h, cpu_h) and, for the ratio, milliseconds a plan and how many times longer the plain
// planner takes.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "dovetail/frontier.hpp"
#include "dovetail/planner.hpp"
#include "instances.hpp"
#include "measure.hpp"
#include "oracles/plain_deadline.hpp"
#include "planners/list/tightest.hpp"

namespace dovetail::bench {
namespace {

// The same problem with a deadline.
Problem due(const Problem& problem, std::int64_t per_cent) {
  const Duration turnaround = makespan(plan(*find_planner("BL_CPAR_BD_CPAR"), problem));
  return Problem({problem.workflows()[0]}, problem.platform(), Goal::deadline,
                 problem.now() + turnaround * per_cent / 100);
}

bool same(const Plan& plan, const plain::DeadlinePlan& expected) {
  if (plan.feasible != expected.feasible()) return false;
  if (plan.lambda.has_value() != expected.twentieths.has_value()) return false;
  if (plan.lambda && *plan.lambda != *expected.twentieths / 20.0) return false;
  return std::all_of(plan.placements.begin(), plan.placements.end(), [&](const Placement& placed) {
    const plain::Slot& slot = expected.slots[placed.task];
    return placed.procs == slot.procs && placed.start == slot.start && placed.end == slot.end;
  });
}

void report(benchmark::State& state, const Plan& plan) {
  state.counters["met"] = plan.feasible;
  if (plan.lambda) state.counters["lambda"] = *plan.lambda;
  if (plan.feasible) report_quality(state, plan);
}

void ratio(benchmark::State& state, const PlannerInfo& planner) {
  const Problem problem = due(
      dense_problem(100, kProcessors, static_cast<std::size_t>(state.range(0))), state.range(1));
  const Plan ours = time_in_turns(
      state, [&] { return plan(planner, problem); },
      [&] { return plain::DeadlinePlanner(problem, planner.name).plan(*problem.deadline()); },
      same);
  report(state, ours);
}

void one_plan(benchmark::State& state, const PlannerInfo& planner) {
  const Problem problem = due(
      dense_problem(static_cast<std::uint32_t>(state.range(0)), kProcessors, kReservations), 130);
  Plan result;
  for (auto _ : state) {
    result = plan(planner, problem);
    benchmark::DoNotOptimize(result);
  }
  report(state, result);
}

void tightest(benchmark::State& state, const PlannerInfo& planner) {
  const Problem problem =
      dense_problem(static_cast<std::uint32_t>(state.range(0)), kProcessors, kReservations);
  Plan result;
  for (auto _ : state) {
    PlanningContext context(problem);
    result = planning::tightest_plan(planner, context);
    benchmark::DoNotOptimize(result);
  }
  report(state, result);
}

void whole_frontier(benchmark::State& state) {
  const Problem problem =
      dense_problem(static_cast<std::uint32_t>(state.range(0)), kProcessors, kReservations);
  std::vector<Plan> front;
  for (auto _ : state) {
    PlanningContext context(problem);
    front = frontier(context);
    benchmark::DoNotOptimize(front);
  }
  state.counters["points"] = static_cast<double>(front.size());
  state.counters["first_cpu_h"] = cpu_hours(front.front());
  state.counters["last_cpu_h"] = cpu_hours(front.back());
}

void add_ratios() {
  for (const char* name : {"DL_RCBD_CPAR-lambda", "DL_RC_CPAR-lambda"}) {
    const PlannerInfo& planner = *find_planner(name);
    benchmark::RegisterBenchmark((std::string("ratio/") + name).c_str(),
                                 [&planner](benchmark::State& state) { ratio(state, planner); })
        ->ArgNames({"reservations", "per_cent"})
        ->ArgsProduct({{500, 1'000, 2'000}, {90, 105, 130, 250}})
        ->Unit(benchmark::kMillisecond);
  }
}

void add_planners() {
  for (const PlannerInfo& planner : planners()) {
    if (planner.goal != Goal::deadline) continue;
    const std::string name(planner.name);
    benchmark::RegisterBenchmark((name + "/dense").c_str(),
                                 [&planner](benchmark::State& state) { one_plan(state, planner); })
        ->Arg(10)
        ->Arg(25)
        ->Arg(50)
        ->Arg(75)
        ->Arg(100)
        ->Unit(benchmark::kMicrosecond);
    benchmark::RegisterBenchmark(("tightest/" + name).c_str(),
                                 [&planner](benchmark::State& state) { tightest(state, planner); })
        ->Arg(50)
        ->Unit(benchmark::kMillisecond);
  }
}

const bool kRegistered = [] {
  add_ratios();
  add_planners();
  benchmark::RegisterBenchmark("frontier", whole_frontier)->Arg(50)->Unit(benchmark::kMillisecond);
  return true;
}();

}  // namespace
}  // namespace dovetail::bench
