// The worked cases of the specification, task by task.
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

void expect_tasks(const json& expected, const Problem& problem, const Plan& ours) {
  EXPECT_EQ(check(problem, ours), std::vector<std::string>{});
  EXPECT_EQ(static_cast<Time>(consumed(ours)), milliseconds(expected["cpu_seconds"]));
  ASSERT_EQ(ours.placements.size(), expected["tasks"].size());
  for (const Placement& placement : ours.placements) {
    const std::string id(problem.workflows()[0].id(placement.task));
    const json& slot = expected["tasks"][id];
    EXPECT_EQ(placement.start, milliseconds(slot[0])) << id;
    EXPECT_EQ(placement.end, milliseconds(slot[1])) << id;
    EXPECT_EQ(placement.procs, slot[2].get<Count>()) << id;
  }
}

struct Case {
  std::string name;
  Workflow workflow;
  Platform platform;
  json answers;
};

std::vector<Case> read_cases() {
  std::vector<Case> cases;
  for (const auto& file : testing::files_in(testing::cases_dir(), "reservations-", ".json")) {
    json document = json::parse(std::ifstream(file));
    cases.push_back({file.filename().string(),
                     parse_workflow(document["workflow"].dump(), "workflow"),
                     parse_platform(document["cluster"].dump(), "cluster"), std::move(document)});
  }
  return cases;
}

TEST(ReservationCases, TurnaroundPlansAreTheWorkedOnes) {
  const auto cases = read_cases();
  ASSERT_FALSE(cases.empty());
  for (const Case& worked : cases) {
    const Problem problem({worked.workflow}, worked.platform);
    ASSERT_EQ(worked.answers["turnaround"].size(), 16U);
    for (const auto& [name, expected] : worked.answers["turnaround"].items()) {
      SCOPED_TRACE(worked.name + " " + name);
      const Plan ours = plan(*find_planner(name), problem);
      EXPECT_EQ(makespan(ours), milliseconds(expected["turnaround"]));
      expect_tasks(expected, problem, ours);
    }
  }
}

TEST(ReservationCases, DeadlinePlansAreTheWorkedOnes) {
  const auto cases = read_cases();
  ASSERT_FALSE(cases.empty());
  for (const Case& worked : cases) {
    for (const auto& [deadline, answers] : worked.answers["deadline"].items()) {
      const Problem problem({worked.workflow}, worked.platform, Goal::deadline,
                            time_floor(std::stod(deadline)));
      ASSERT_EQ(answers.size(), 7U);
      for (const auto& [name, expected] : answers.items()) {
        SCOPED_TRACE(worked.name + " " + deadline + " " + name);
        const Plan ours = plan(*find_planner(name), problem);
        ASSERT_EQ(ours.feasible, expected["feasible"].get<bool>());
        EXPECT_EQ(ours.deadline, problem.deadline());
        if (!ours.feasible) continue;
        ASSERT_EQ(ours.lambda.has_value(), expected.contains("lambda"));
        EXPECT_DOUBLE_EQ(ours.lambda.value_or(0), expected.value("lambda", 0.0));
        expect_tasks(expected, problem, ours);
      }
    }
  }
}

}  // namespace
}  // namespace dovetail::planning
