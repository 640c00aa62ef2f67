// Plans three tasks on four processors with the installed library and prints the makespan.
#include <dovetail/answer.hpp>
#include <dovetail/check.hpp>
#include <dovetail/io.hpp>
#include <dovetail/metrics.hpp>
#include <iostream>

int main() {
  dovetail::WorkflowBuilder builder("outside");
  const auto prepare = builder.add_task({.id = "prepare", .time = dovetail::TimeSpec::fixed(60)});
  const auto solve = builder.add_task({.id = "solve", .time = dovetail::TimeSpec::fixed(3600, 4)});
  const auto draw = builder.add_task({.id = "draw", .time = dovetail::TimeSpec::fixed(30)});
  builder.add_edge(prepare, solve);
  builder.add_edge(solve, draw);

  // Read from text, so that the file formats and what they link to are used too.
  const auto platform =
      dovetail::parse_platform("clusters: [{name: small, processors: 4}]", "cluster.yaml");
  const dovetail::Problem problem({std::move(builder).build()}, platform);
  dovetail::PlanningContext context(problem);
  const auto plan = dovetail::find_answer(context).plan;
  if (!dovetail::check(problem, plan).empty()) return 1;
  std::cout << "makespan " << dovetail::format_seconds(dovetail::makespan(plan)) << '\n';
}
