// Plans a small workflow on a cluster where others have reserved processors, checks the plan and
// prints it: the plan that `dovetail plan` gives for the same workflow and cluster. Needs nothing
// but the library's core and planners.
#include <cstdio>

#include "dovetail/answer.hpp"
#include "dovetail/check.hpp"
#include "dovetail/metrics.hpp"

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

  // 32 processors; others have reserved 24 of them for the first half hour.
  const Platform platform(
      0, {{.name = "cluster", .processors = 32, .reservations = {{0, 1'800'000, 24}}}});
  const Problem problem({std::move(builder).build()}, platform);

  PlanningContext context(problem);
  const Plan plan = find_answer(context).plan;
  std::printf("%s ends after %s and uses %.1f CPU-hours\n", plan.algorithm.c_str(),
              format_duration(makespan(plan)).c_str(), cpu_hours(plan));
  for (const Placement& placement : plan.placements) {
    const std::string id(problem.workflows()[0].id(placement.task));
    std::printf("%-8s %8s s to %8s s on %2d processors\n", id.c_str(),
                format_seconds(placement.start).c_str(), format_seconds(placement.end).c_str(),
                placement.procs);
  }
  return check(problem, plan).empty() ? 0 : 1;
}
