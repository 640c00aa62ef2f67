// Three workflows that share a cluster: planned so that none waits out of proportion, and how each
// fares. One of them counts twice, and one becomes ready later.
#include <cstdio>

#include "dovetail/answer.hpp"
#include "dovetail/check.hpp"
#include "dovetail/fairness.hpp"

namespace {

using namespace dovetail;

// One task, `width` tasks side by side, one at the end; hours on one processor.
Workflow fan(const char* name, int width, double hours, const WorkflowTerms& terms = {}) {
  WorkflowBuilder builder(name);
  builder.set_terms(terms);
  const auto time = [&](double part) { return TimeSpec::amdahl(3600 * hours * part, 0.05); };
  const TaskId first = builder.add_task({.id = "first", .time = time(0.1)});
  const TaskId last = builder.add_task({.id = "last", .time = time(0.1)});
  for (int i = 0; i < width; ++i) {
    const TaskId part =
        builder.add_task({.id = "part_" + std::to_string(i), .time = time(0.8 / width)});
    builder.add_edge(first, part);
    builder.add_edge(part, last);
  }
  return std::move(builder).build();
}

}  // namespace

int main() {
  const Problem problem({fan("large", 40, 300), fan("small", 8, 20, {.weight = 2}),
                         fan("late", 8, 20, {.ready_at = 3'600'000})},
                        Platform::empty(32), Goal::fair);
  PlanningContext context(problem);
  const Plan plan = find_answer(context).plan;
  const Fairness fairness = measure_fairness(problem, plan);
  std::printf("%s: stretch %.2f on average, %.2f at most\n", plan.algorithm.c_str(),
              fairness.average_stretch, fairness.maximum_stretch);
  for (std::size_t i = 0; i < fairness.workflows.size(); ++i) {
    const Fate& fate = fairness.workflows[i];
    std::printf("%-6s %8s alone, %8s here\n", problem.workflows()[i].name().c_str(),
                format_duration(fate.alone).c_str(), format_duration(fate.length).c_str());
  }
  return check(problem, plan).empty() ? 0 : 1;
}
