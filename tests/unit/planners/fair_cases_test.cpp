// The worked cases of the specification for several workflows, task by task.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "dovetail/check.hpp"
#include "dovetail/io.hpp"
#include "dovetail/metrics.hpp"
#include "dovetail/planner.hpp"
#include "support/test_data.hpp"

namespace dovetail::planning {
namespace {

using nlohmann::json;

Time milliseconds(const json& seconds) { return std::llround(seconds.get<double>() * 1000.0); }

void expect_workflow(const json& expected, const Problem& problem, const Plan& plan,
                     std::size_t number) {
  const Workflow& workflow = problem.workflows()[number];
  EXPECT_EQ(plan.alone[number], milliseconds(expected["dedicated_makespan"]));
  EXPECT_EQ(makespan(plan, number), milliseconds(expected["makespan"]));
  ASSERT_EQ(workflow.size(), expected["tasks"].size());
  for (const Placement& placement : plan.placements) {
    if (placement.workflow != number) continue;
    const std::string id(workflow.id(placement.task));
    const json& slot = expected["tasks"][id];
    EXPECT_EQ(placement.start, milliseconds(slot[0])) << id;
    EXPECT_EQ(placement.end, milliseconds(slot[1])) << id;
    EXPECT_EQ(placement.procs, slot[2].get<Count>()) << id;
  }
}

TEST(FairCases, PlansAreTheWorkedOnes) {
  const auto files = testing::files_in(testing::cases_dir(), "fair-", ".json");
  ASSERT_FALSE(files.empty());
  for (const auto& file : files) {
    const json document = json::parse(std::ifstream(file));
    std::vector<Workflow> workflows;
    for (const json& workflow : document["workflows"]) {
      workflows.push_back(parse_workflow(workflow.dump(), "workflow"));
    }
    const Problem problem(workflows, parse_platform(document["cluster"].dump(), "cluster"),
                          Goal::fair);
    ASSERT_EQ(document["expected"].size(), 5U);
    for (const auto& [name, expected] : document["expected"].items()) {
      SCOPED_TRACE(file.filename().string() + " " + name);
      const Plan ours = plan(*find_planner(name), problem);
      EXPECT_EQ(check(problem, ours), std::vector<std::string>{});
      EXPECT_EQ(makespan(ours), milliseconds(expected["makespan"]));
      ASSERT_EQ(ours.division.has_value(), expected.contains("slack"));
      EXPECT_EQ(ours.division ? ours.division->slack : 0, expected.value("slack", 0.0));
      for (std::size_t i = 0; i < workflows.size(); ++i) {
        expect_workflow(expected["workflows"][workflows[i].name()], problem, ours, i);
      }
    }
  }
}

}  // namespace
}  // namespace dovetail::planning
