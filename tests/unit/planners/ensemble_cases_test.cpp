// The worked cases of the specification, to the second.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "planners/ensemble/month_dispatch.hpp"
#include "planners/ensemble/month_formula.hpp"
#include "planners/ensemble/month_simulation.hpp"
#include "support/test_data.hpp"

namespace dovetail::planning {
namespace {

using nlohmann::json;

planning::MonthProblem problem_of(const json& document, const json& worked) {
  planning::MonthProblem problem{.scenarios = worked["scenarios"],
                                 .months = worked["months"],
                                 .processors = worked["processors"],
                                 .post = document["post"].get<Duration>() * kSecond};
  for (const auto& [procs, seconds] : document["times"].items()) {
    problem.sizes.push_back({std::stoi(procs), seconds.get<Duration>() * kSecond});
  }
  std::sort(problem.sizes.begin(), problem.sizes.end(),
            [](const GroupTime& a, const GroupTime& b) { return a.procs < b.procs; });
  return problem;
}

void expect_worked(const planning::MonthProblem& problem, planning::Dispatch rule,
                   const json& answers) {
  for (const auto& [name, expected] : answers.items()) {
    SCOPED_TRACE(name);
    const planning::Grouping grouping = planning::find_grouping(name)->make(problem, rule);
    EXPECT_EQ(grouping.groups, expected["groups"].get<std::vector<Count>>());
    EXPECT_EQ(grouping.post_processors, expected["post_procs"].get<Count>());
    EXPECT_EQ(planning::simulate_months(problem, grouping, rule).makespan,
              expected["simulated"].get<Duration>() * kSecond);
    if (!expected.contains("formula")) continue;
    EXPECT_EQ(planning::formula_makespan(problem, grouping),
              expected["formula"].get<Duration>() * kSecond);
  }
}

TEST(EnsembleCases, GroupsAndMakespansAreTheWorkedOnes) {
  const auto files = testing::files_in(testing::cases_dir(), "ensembles-", ".json");
  ASSERT_FALSE(files.empty());
  for (const auto& file : files) {
    const json document = json::parse(std::ifstream(file));
    ASSERT_FALSE(document["cases"].empty());
    for (const json& worked : document["cases"]) {
      SCOPED_TRACE(file.filename().string() + " " + worked["dispatch"].get<std::string>() + " on " +
                   std::to_string(worked["processors"].get<int>()));
      for (const planning::DispatchInfo& rule : planning::dispatch_rules()) {
        if (rule.name != worked["dispatch"].get<std::string>()) continue;
        ASSERT_EQ(worked["expected"].size(), planning::groupings().size());
        expect_worked(problem_of(document, worked), rule.rule, worked["expected"]);
      }
    }
  }
}

}  // namespace
}  // namespace dovetail::planning
