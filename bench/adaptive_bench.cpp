// Planning on heterogeneous resources: against a plain reading of the specification, and as
// problems grow.
//
// Instances are the random graphs of the HEFT papers (gen/heft_graph.hpp) on resources of one
// processor. Sizes are tasks x resources at the start; `children` is the most that a task draws,
// and `every` the seconds after which a fifth more resources join. ratio/... times the library's
// planner and the plain one in turns and fails when their plans differ. All timings are for one
// plan from a ready Problem. Memory is counted in bytes that the planner asks for.
#include <benchmark/benchmark.h>
#include <malloc.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "dovetail/planner.hpp"
#include "gen/heft_graph.hpp"
#include "measure.hpp"
#include "oracles/plain_adaptive.hpp"
#include "oracles/plain_min_min.hpp"

namespace {

// What operator new has given and not got back since the count began. Off while time is taken.
struct HeapCount {
  bool is_on = false;
  std::int64_t now = 0;
  std::int64_t peak = 0;

  void add(std::int64_t bytes) {
    now += bytes;
    peak = std::max(peak, now);
  }
};

// operator new has no other way to reach it.
HeapCount heap_count;

std::int64_t size_of(void* block) { return static_cast<std::int64_t>(malloc_usable_size(block)); }

}  // namespace

void* operator new(std::size_t bytes) {
  void* const block = std::malloc(std::max<std::size_t>(bytes, 1));
  if (!block) throw std::bad_alloc();
  if (heap_count.is_on) heap_count.add(size_of(block));
  return block;
}

void operator delete(void* block) noexcept {
  if (heap_count.is_on && block) heap_count.add(-size_of(block));
  std::free(block);
}

void operator delete(void* block, std::size_t) noexcept { operator delete(block); }

namespace dovetail::bench {
namespace {

// The most bytes in use at a time during a call, beyond what was in use before it.
template <typename Call>
double peak_bytes(Call call) {
  heap_count = {.is_on = true};
  call();
  heap_count.is_on = false;
  return static_cast<double>(heap_count.peak);
}

struct Size {
  std::uint32_t tasks = 0;
  std::uint32_t resources = 0;
  std::uint32_t children = 4;

  std::string name() const { return std::to_string(tasks) + "x" + std::to_string(resources); }
};

gen::PoolFlow draw_flow(const Size& size) {
  Random random(1);
  return gen::heft_graph({.tasks = size.tasks, .out_degree = 1.0 * size.children / size.tasks}, {},
                         random);
}

Problem to_problem(const gen::PoolFlow& flow, const gen::PoolSpec& pool, Time until) {
  Platform platform = gen::to_platform(pool, until);
  Workflow workflow = gen::to_workflow(flow, platform.clusters().size(), "flow");
  return Problem({std::move(workflow)}, std::move(platform));
}

// Nothing joins.
Problem steady_problem(const Size& size) {
  return to_problem(draw_flow(size), {.resources = size.resources}, 0);
}

// Resources join for as long as HEFT takes on those of the start.
Problem growing_problem(const Size& size, double interval_seconds) {
  const gen::PoolFlow flow = draw_flow(size);
  const gen::PoolSpec pool{.resources = size.resources, .interval_seconds = interval_seconds};
  const Plan heft = plan(*find_planner("HEFT"), to_problem(flow, pool, 0));
  return to_problem(flow, pool, makespan(heft));
}

// A chain that goes to and fro between two resources leaves a gap of a second at every turn, and as
// many tasks follow that fit into none of them: the worst case of looking for a gap.
Problem gaps_problem(std::uint32_t tasks) {
  WorkflowBuilder builder("gaps");
  for (TaskId task = 0; task < tasks; ++task) {
    const char* resource = task % 2 == 0 ? "r1" : "r2";
    builder.add_task(
        {.id = "turn" + std::to_string(task), .time = TimeSpec::per_resource({{resource, 1}})});
    if (task > 0) builder.add_edge(task - 1, task);
  }
  for (TaskId task = 0; task < tasks; ++task) {
    builder.add_task({.id = "long" + std::to_string(task), .time = TimeSpec::fixed(1.5)});
  }
  return Problem({std::move(builder).build()}, gen::to_platform({.resources = 2}, 0));
}

struct PlainPool {
  explicit PlainPool(const Problem& problem) {
    const auto clusters = problem.platform().clusters();
    for (std::size_t r = 0; r < clusters.size(); ++r) {
      if (clusters[r].joins <= problem.now()) {
        at_start.push_back(r);
      } else {
        joins.push_back({.time = clusters[r].joins, .resource = r});
      }
    }
  }

  std::vector<std::size_t> at_start;
  std::vector<plain::Change> joins;
};

plain::Spots plain_plan(const std::string& planner, const Problem& problem) {
  const plain::Dag dag(problem);
  const PlainPool pool(problem);
  const Time now = problem.now();
  if (planner == "MINMIN") return plain::MinMin(dag, now, pool.at_start).run(pool.joins);
  if (planner == "AHEFT") return plain::Adaptive(dag, now, pool.at_start).run(pool.joins).spots;
  const plain::AdaptiveRules heft{.ranks = {plain::RankBy::mean},
                                  .files = {plain::Files::inflight}};
  return plain::Adaptive(dag, now, pool.at_start, heft).run({}).spots;
}

bool same(const Plan& plan, const plain::Spots& spots) {
  return plan.feasible && plan.placements.size() == spots.size() &&
         std::all_of(plan.placements.begin(), plan.placements.end(), [&](const Placement& placed) {
           return spots[placed.task] == plain::Spot{placed.cluster, placed.start, placed.end};
         });
}

// `evaluations` counts the first plan and one for every moment at which something joined.
void report(benchmark::State& state, const Problem& problem, const Plan& plan) {
  state.counters["edges"] = static_cast<double>(problem.workflows()[0].edge_count());
  state.counters["resources"] = static_cast<double>(problem.platform().clusters().size());
  if (plan.history.size() > 1) {
    const auto adopted = std::ranges::count(plan.history, true, &Evaluation::adopted);
    state.counters["evaluations"] = static_cast<double>(plan.history.size());
    state.counters["adopted"] = static_cast<double>(adopted);
  }
  report_quality(state, plan);
}

void ratio(benchmark::State& state, const std::string& planner, const Problem& problem) {
  const PlannerInfo& info = *find_planner(planner);
  const Plan ours = time_in_turns(
      state, [&] { return plan(info, problem); }, [&] { return plain_plan(planner, problem); },
      same);
  report(state, problem, ours);
}

void one_plan(benchmark::State& state, const std::string& planner, const Problem& problem) {
  const PlannerInfo& info = *find_planner(planner);
  Plan result;
  for (auto _ : state) {
    result = plan(info, problem);
    benchmark::DoNotOptimize(result);
  }
  report(state, problem, result);
}

// `bytes_per` is for each number of the input: tasks, edges, costs. The problem is not counted.
void growth(benchmark::State& state) {
  const Size size{static_cast<std::uint32_t>(state.range(0)), 100,
                  static_cast<std::uint32_t>(state.range(1))};
  const Problem problem = steady_problem(size);
  one_plan(state, "HEFT", problem);
  const double bytes = peak_bytes([&] { plan(*find_planner("HEFT"), problem); });
  const double costs = 1.0 * size.tasks * size.resources;
  state.counters["peak_MB"] = bytes / 1e6;
  state.counters["bytes_per"] = bytes / (size.tasks + state.counters["edges"] + costs);
}

void add_steady() {
  for (const Size& size : {Size{100, 10}, Size{300, 20}, Size{1'000, 50}}) {
    benchmark::RegisterBenchmark(("ratio/HEFT/" + size.name()).c_str(), [=](auto& state) {
      ratio(state, "HEFT", steady_problem(size));
    })->Unit(benchmark::kMillisecond);
  }
  benchmark::RegisterBenchmark(
      "HEFT/1000x50",
      [](auto& state) {
        one_plan(state, "HEFT",
                 steady_problem({1'000, 50, static_cast<std::uint32_t>(state.range(0))}));
      })
      ->ArgName("children")
      ->Arg(4)
      ->Arg(20)
      ->Arg(200)
      ->Unit(benchmark::kMillisecond);
}

void add_growing() {
  const auto add = [](const std::string& group, auto measure, const std::string& planner,
                      const Size& size) {
    return benchmark::RegisterBenchmark(
               (group + planner + "/" + size.name()).c_str(),
               [=](benchmark::State& state) {
                 measure(state, planner,
                         growing_problem(size, static_cast<double>(state.range(0))));
               })
        ->ArgName("every")
        ->Arg(400)
        ->Unit(benchmark::kMillisecond);
  };
  add("ratio/", ratio, "AHEFT", {100, 5})->Arg(100);
  add("ratio/", ratio, "AHEFT", {300, 5});
  add("ratio/", ratio, "MINMIN", {100, 5})->Arg(100);
  add("ratio/", ratio, "MINMIN", {300, 5});
  for (const char* planner : {"AHEFT", "AHEFT_PAPER", "MINMIN"}) {
    add("", one_plan, planner, {100, 5})->Arg(100);
    add("", one_plan, planner, {1'000, 5})->Arg(100);
  }
}

void add_growth() {
  auto* tasks = benchmark::RegisterBenchmark("HEFT/growth", growth);
  tasks->ArgNames({"tasks", "children"})->Unit(benchmark::kMillisecond);
  for (const int count : {12'500, 25'000, 50'000, 100'000}) tasks->Args({count, 4});
  for (const int children : {16, 64, 256}) tasks->Args({25'000, children});

  benchmark::RegisterBenchmark("HEFT/gaps",
                               [](auto& state) {
                                 one_plan(state, "HEFT",
                                          gaps_problem(static_cast<std::uint32_t>(state.range(0))));
                               })
      ->Arg(6'250)
      ->Arg(12'500)
      ->Arg(25'000)
      ->Arg(50'000)
      ->Unit(benchmark::kMillisecond);

  benchmark::RegisterBenchmark("MINMIN/blast",
                               [](auto& state) {
                                 Random random(1);
                                 const gen::PoolFlow flow = gen::blast_for_pool(
                                     static_cast<std::uint32_t>(state.range(0)), {}, random);
                                 one_plan(state, "MINMIN", to_problem(flow, {.resources = 20}, 0));
                               })
      ->ArgName("ways")
      ->Arg(500)
      ->Arg(1'000)
      ->Arg(2'000)
      ->Unit(benchmark::kMillisecond);
}

const bool kRegistered = [] {
  add_steady();
  add_growing();
  add_growth();
  return true;
}();

}  // namespace
}  // namespace dovetail::bench
