// Plans a small workflow on a cluster where somebody else has reserved processors, checks the plan
// and prints it. Needs nothing but the library's core and planners.
#include <cstdio>

#include "dovetail/check.hpp"
#include "dovetail/metrics.hpp"
#include "dovetail/planner.hpp"

int main() {
  using namespace dovetail;

  // prepare -> two solvers side by side -> collect
  WorkflowBuilder builder("demo");
  const TaskId prepare = builder.add_task({.id = "prepare", .time = TimeSpec::fixed(60)});
  const TaskId coarse = builder.add_task({.id = "coarse", .time = TimeSpec::amdahl(3600, 0.05)});
  const TaskId fine = builder.add_task({.id = "fine", .time = TimeSpec::amdahl(14400, 0.02)});
  const TaskId collect = builder.add_task({.id = "collect", .time = TimeSpec::fixed(120)});
  builder.add_edge(prepare, coarse);
  builder.add_edge(prepare, fine);
  builder.add_edge(coarse, collect);
  builder.add_edge(fine, collect);

  // 32 processors; 24 of them belong to somebody else for the first half hour.
  const Platform platform(
      0, {{.name = "cluster", .processors = 32, .reservations = {{0, 1'800'000, 24}}}});
  const Problem problem({std::move(builder).build()}, platform);

  const std::vector<Plan> plans = plan_all(problem);
  const Plan& best = plans[best_plan(plans)];
  std::printf("%s ends after %s and uses %.1f CPU-hours\n", best.algorithm.c_str(),
              format_duration(makespan(best)).c_str(), cpu_hours(best));
  for (const Placement& placement : best.placements) {
    const std::string id(problem.workflows()[0].id(placement.task));
    std::printf("%-8s %8s s to %8s s on %2d processors\n", id.c_str(),
                format_seconds(placement.start).c_str(), format_seconds(placement.end).c_str(),
                placement.procs);
  }
  return check(problem, best).empty() ? 0 : 1;
}
