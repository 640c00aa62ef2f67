// The worked cases of the specification, task by task.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "dovetail/check.hpp"
#include "dovetail/io.hpp"
#include "dovetail/metrics.hpp"
#include "dovetail/planner.hpp"
#include "support/shared_files.hpp"

namespace dovetail {
namespace {

using nlohmann::json;

Time milliseconds(const json& seconds) { return std::llround(seconds.get<double>() * 1000.0); }

void expect_case(const json& answers, const Problem& problem) {
  const Workflow& workflow = problem.workflows()[0];
  for (const auto& [name, expected] : answers.items()) {
    SCOPED_TRACE(name);
    const PlannerInfo* planner = find_planner(name);
    ASSERT_NE(planner, nullptr);
    const Plan ours = plan(*planner, problem);
    EXPECT_EQ(check(problem, ours), std::vector<std::string>{});
    EXPECT_EQ(makespan(ours), milliseconds(expected["turnaround"]));
    EXPECT_EQ(static_cast<Time>(consumed(ours)), milliseconds(expected["cpu_seconds"]));
    ASSERT_EQ(ours.placements.size(), expected["tasks"].size());
    for (const Placement& placement : ours.placements) {
      const std::string id(workflow.id(placement.task));
      const json& slot = expected["tasks"][id];
      EXPECT_EQ(placement.start, milliseconds(slot[0])) << id;
      EXPECT_EQ(placement.end, milliseconds(slot[1])) << id;
      EXPECT_EQ(placement.procs, slot[2].get<Count>()) << id;
    }
  }
}

TEST(ReservationCases, TurnaroundPlansAreTheWorkedOnes) {
  const auto files = testing::files_in(testing::cases_dir(), "reservations-", ".json");
  if (files.empty()) GTEST_SKIP() << "no worked cases in " << testing::cases_dir();
  for (const auto& file : files) {
    SCOPED_TRACE(file.filename().string());
    const json document = json::parse(std::ifstream(file));
    const Problem problem({parse_workflow(document["workflow"].dump(), "workflow")},
                          parse_platform(document["cluster"].dump(), "cluster"));
    ASSERT_EQ(document["turnaround"].size(), 16U);
    expect_case(document["turnaround"], problem);
  }
}

}  // namespace
}  // namespace dovetail
