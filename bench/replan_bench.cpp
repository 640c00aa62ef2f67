// Planning again in the middle of a run, against planning the whole workflow anew.
//
// Instances are random layered workflows of moldable tasks on 64 processors, of which a third has
// run, some run, and one of these is late. Times are for one decision: from the picture of the run
// to the slots of all that waits. `rest` is what is left of the turn-around, as a share of what the
// plan in hand would leave, and `moved` the share of the tasks that wait which the new plan moves.
#include <benchmark/benchmark.h>

#include <algorithm>

#include "dovetail/planner.hpp"
#include "gen/layered_dag.hpp"
#include "run/replanner.hpp"

namespace dovetail::bench {
namespace {

Plan make_plan(const Problem& problem) { return plan(*find_planner("BL_CPAR_BD_CPAR"), problem); }

Problem make_problem(std::int64_t tasks) {
  Random random(1);
  return Problem({gen::layered_dag({.tasks = static_cast<std::uint32_t>(tasks)}, random)},
                 Platform::empty(64));
}

// By the plan, at a third of its time; what runs and would end first takes twice as long.
run::RunPicture picture_of(const Problem& problem) {
  const Plan plan = make_plan(problem);
  Time end = 0;
  for (const Placement& placed : plan.placements) end = std::max(end, placed.end);
  run::RunPicture picture{.now = end / 3,
                          .processors = 64,
                          .has_plan = true,
                          .not_before = std::vector<Time>(problem.task_count()),
                          .factors = std::vector<double>(problem.task_count(), 1),
                          .reason = "late"};
  std::optional<std::size_t> late;
  for (const Placement& placed : plan.placements) {
    const bool runs = placed.start < picture.now && placed.end > picture.now;
    picture.slots.push_back({placed.procs, placed.start, placed.end});
    picture.progress.push_back(runs                        ? planning::TaskProgress::running
                               : placed.end <= picture.now ? planning::TaskProgress::finished
                                                           : planning::TaskProgress::waiting);
    const std::size_t task = picture.slots.size() - 1;
    if (runs && (!late || placed.end < picture.slots[*late].end)) late = task;
  }
  if (late) picture.slots[*late].end += picture.slots[*late].end - picture.slots[*late].start;
  return picture;
}

void replan_one(benchmark::State& state, const planning::ClusterWorldOptions& options) {
  const Problem problem = make_problem(state.range(0));
  const run::RunPicture picture = picture_of(problem);
  run::NewPlan plan;
  for (auto _ : state) plan = run::replan(problem, make_plan, picture, options);
  const auto waiting = std::ranges::count(picture.progress, planning::TaskProgress::waiting);
  const auto left = [&](Time end) { return static_cast<double>(end - picture.now); };
  const Evaluation& made = plan.decision;
  const Time end = made.adopted ? *made.candidate : *made.current;
  state.counters["rest"] = left(end) / left(*made.current);
  state.counters["moved"] =
      made.adopted ? static_cast<double>(*made.moved) / static_cast<double>(waiting) : 0;
}
BENCHMARK_CAPTURE(replan_one, search, {.stability = planning::kStability, .searches = true})
    ->Name("replan/search")
    ->Arg(50)
    ->Arg(100)
    ->Arg(1'000)
    ->Arg(10'000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(replan_one, anew, {})
    ->Name("replan/BL_CPAR_BD_CPAR")
    ->Arg(50)
    ->Arg(100)
    ->Arg(1'000)
    ->Arg(10'000)
    ->Unit(benchmark::kMillisecond);

void plan_all_anew(benchmark::State& state) {
  const Problem problem = make_problem(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(make_plan(problem));
}
BENCHMARK(plan_all_anew)
    ->Name("whole plan")
    ->Arg(100)
    ->Arg(1'000)
    ->Arg(10'000)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace dovetail::bench
