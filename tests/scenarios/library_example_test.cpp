// The library gives what the program gives: the example that plans prints the plan of
// `dovetail plan` for the same workflow and cluster.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "dovetail/io.hpp"
#include "support/console.hpp"
#include "test_places.hpp"

namespace dovetail::test {
namespace {

constexpr const char* kWorkflow = R"(name: demo
tasks:
  - {id: prepare, time: 60}
  - {id: coarse, time: 3600, alpha: 0.05, after: [prepare]}
  - {id: fine, time: 14400, alpha: 0.02, after: [prepare]}
  - {id: collect, time: 120, after: [coarse, fine]}
)";

constexpr const char* kCluster = R"(clusters:
  - name: cluster
    processors: 32
    reservations: [{start: 0, end: 1800, processors: 24}]
)";

// As examples/01_plan_a_dag.cpp prints it.
std::string text_of(const PlanRecord& plan) {
  std::string text = fmt::format("{} ends after {} and uses {:.1f} CPU-hours\n", plan.algorithm,
                                 format_duration(plan.turnaround), plan.cpu_hours);
  for (const TaskRecord& task : plan.tasks) {
    text += fmt::format("{:<8} {:>8} s to {:>8} s on {:>2} processors\n", task.id,
                        format_seconds(task.start), format_seconds(task.end), task.processors);
  }
  return text;
}

TEST(LibraryExample, PrintsThePlanOfTheProgram) {
  const Console console(DOVETAIL_PROGRAM);
  console.write({"flow.yaml", kWorkflow});
  console.write({"cluster.yaml", kCluster});
  const Outcome planned = console.run("dovetail plan flow.yaml -c cluster.yaml -o plan.json");
  ASSERT_EQ(planned.exit, 0) << planned.output;
  const PlanRecord plan = read_plan((console.directory() / "plan.json").string());
  ASSERT_TRUE(plan.feasible);

  const auto example =
      std::filesystem::path(DOVETAIL_PROGRAM).parent_path() / "examples/example_01_plan_a_dag";
  const Outcome shown = console.run(example.string());
  EXPECT_EQ(shown.exit, 0);
  EXPECT_EQ(shown.output, text_of(plan));
}

}  // namespace
}  // namespace dovetail::test
