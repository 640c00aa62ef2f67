// Ensembles: groupings and simulations against a plain reading of the specification, and as they
// grow.
//
// ratio/... times the library's grouping and simulation and the plain ones in turns and fails when
// groups or makespans differ. The others time the library alone: every number of processors from 11
// to 120 on the five reference clusters by four heuristics, and a thousand scenarios over a hundred
// clusters.
#include <benchmark/benchmark.h>

#include <string>

#include "gen/climate.hpp"
#include "measure.hpp"
#include "oracles/plain_ensemble.hpp"
#include "planners/ensemble/chain_ensemble.hpp"
#include "planners/ensemble/ensemble_plan.hpp"
#include "planners/ensemble/month_dispatch.hpp"
#include "planners/ensemble/month_simulation.hpp"

namespace dovetail::bench {
namespace {

planning::MonthProblem on_grillon(Count processors, Count scenarios, Count months) {
  EnsembleSite site = gen::reference_sites().front();
  site.processors = processors;
  return planning::month_problem(site, {}, scenarios, months);
}

plain::Months plainly(const planning::MonthProblem& problem) {
  plain::Months months{problem.scenarios, problem.months, problem.processors, {}, problem.post};
  for (const GroupTime& size : problem.sizes) months.times[size.procs] = size.time;
  return months;
}

// Groups and makespan, both ways, from nothing.
void ratio(benchmark::State& state, const std::string& heuristic, planning::Dispatch dispatch,
           const planning::MonthProblem& problem) {
  const planning::GroupingInfo& info = *planning::find_grouping(heuristic);
  const plain::Months months = plainly(problem);
  const std::string rule(planning::name_of(dispatch));
  double ours_ms = 0;
  double plain_ms = 0;
  for (auto _ : state) {
    const double start = processor_ms();
    const planning::Grouping grouping = info.make(problem, dispatch);
    const Duration makespan = planning::simulate_months(problem, grouping, dispatch).makespan;
    const double middle = processor_ms();
    const plain::Sizes groups = plain::grouping(months, heuristic, rule);
    const plain::Whole expected = plain::simulate(months, groups, rule);
    plain_ms += processor_ms() - middle;
    ours_ms += middle - start;
    if (grouping.groups != groups || makespan != expected) {
      state.SkipWithError("the plain program has another answer");
      break;
    }
  }
  const auto turns = static_cast<double>(state.iterations());
  state.counters["ours_ms"] = ours_ms / turns;
  state.counters["plain_ms"] = plain_ms / turns;
  state.counters["ratio"] = plain_ms / ours_ms;
}

void all_sizes(benchmark::State& state, Count months) {
  for (auto _ : state) {
    Duration sum = 0;
    for (EnsembleSite site : gen::reference_sites()) {
      for (site.processors = 11; site.processors <= 120; ++site.processors) {
        const planning::MonthProblem problem = planning::month_problem(site, {}, 10, months);
        for (const char* name : {"basic", "imp1", "imp2", "knapsack"}) {
          const planning::Grouping grouping =
              planning::find_grouping(name)->make(problem, planning::Dispatch::fair);
          sum += planning::simulate_months(problem, grouping, planning::Dispatch::fair).makespan;
        }
      }
    }
    benchmark::DoNotOptimize(sum);
  }
}

void over_clusters(benchmark::State& state, const std::string& heuristic, Count scenarios,
                   Count processors) {
  const Ensemble ensemble = gen::made_up_ensemble({.scenarios = scenarios,
                                                   .months = 180,
                                                   .clusters = 100,
                                                   .smallest = processors,
                                                   .largest = processors});
  const planning::EnsembleChoices choices{.heuristic = planning::find_grouping(heuristic)};
  double hours = 0;
  for (auto _ : state) {
    hours = to_seconds(planning::plan_ensemble(ensemble, choices).makespan) / 3600;
  }
  state.counters["makespan_h"] = hours;
}

// Ten scenarios in slots of ten hours, every task planned on the calendar.
void in_slots(benchmark::State& state, Count months) {
  const planning::MonthProblem problem = on_grillon(53, 10, months);
  const planning::ChainEnsemble ensemble{
      .platform = Platform::empty(53),
      .units = {planning::month_unit(problem.sizes, problem.post, 1)},
      .windows = {{.length = 10 * kHour, .every = kDay}},
      .scenarios = 10,
      .months = months};
  const planning::EnsembleChoices choices{.heuristic = planning::find_grouping("knapsack")};
  double days = 0;
  for (auto _ : state) {
    days = to_seconds(planning::plan_chain_ensemble(ensemble, choices)->summary.makespan) / 86'400;
  }
  state.counters["makespan_d"] = days;
}

template <typename Measure>
void add_bench(const std::string& name, Measure measure) {
  benchmark::RegisterBenchmark(name.c_str(), measure)->Unit(benchmark::kMillisecond);
}

const bool kRegistered = [] {
  for (const planning::GroupingInfo& heuristic : planning::groupings()) {
    const std::string name(heuristic.name);
    for (const planning::DispatchInfo& rule : planning::dispatch_rules()) {
      const planning::Dispatch dispatch = rule.rule;
      add_bench("ratio/" + name + "/" + std::string(rule.name) + "/10x1800x120",
                [=](auto& state) { ratio(state, name, dispatch, on_grillon(120, 10, 1800)); });
      add_bench("ratio/" + name + "/" + std::string(rule.name) + "/10x1800x97",
                [=](auto& state) { ratio(state, name, dispatch, on_grillon(97, 10, 1800)); });
    }
  }
  for (const char* rule : {"fair", "rotate"}) {
    const planning::Dispatch dispatch =
        rule == std::string("fair") ? planning::Dispatch::fair : planning::Dispatch::rotate;
    add_bench(std::string("ratio/knapsack/") + rule + "/60x60x400",
              [=](auto& state) { ratio(state, "knapsack", dispatch, on_grillon(400, 60, 60)); });
  }
  add_bench("all_sizes/180", [](auto& state) { all_sizes(state, 180); });
  add_bench("all_sizes/1800", [](auto& state) { all_sizes(state, 1800); });
  for (const char* heuristic : {"knapsack", "best"}) {
    const std::string name = heuristic;
    add_bench("clusters/" + name + "/1000x100x1000",
              [=](auto& state) { over_clusters(state, name, 1000, 1000); });
    add_bench("clusters/" + name + "/1000x100x50",
              [=](auto& state) { over_clusters(state, name, 1000, 50); });
  }
  add_bench("slots/10x180x53", [](auto& state) { in_slots(state, 180); });
  add_bench("slots/10x1800x53", [](auto& state) { in_slots(state, 1800); });
  return true;
}();

}  // namespace
}  // namespace dovetail::bench
