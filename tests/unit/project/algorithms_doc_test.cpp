// docs/algorithms.md, docs/queue.md and docs/ensembles.md keep up with the tables of the program.
#include <gtest/gtest.h>

#include "dovetail/planner.hpp"
#include "planners/ensemble/month_dispatch.hpp"
#include "planners/ensemble/repartition.hpp"
#include "queue/policies/scheduler.hpp"
#include "queue/strategies/strategy.hpp"
#include "support/documents.hpp"

namespace dovetail {
namespace {

TEST(AlgorithmsDocument, NamesEveryPlannerOfTheTable) {
  const std::string text = test::read_document("docs/algorithms.md");
  ASSERT_FALSE(planners().empty());
  for (const PlannerInfo& planner : planners()) {
    EXPECT_NE(text.find("`" + std::string(planner.name) + "`"), std::string::npos)
        << "docs/algorithms.md does not name `" << planner.name << "`";
  }
}

TEST(QueueDocument, NamesEveryStrategyAndPolicy) {
  const std::string text = test::read_document("docs/queue.md");
  for (const queue::StrategyInfo& strategy : queue::strategies()) {
    EXPECT_NE(text.find("`" + std::string(strategy.name) + "`"), std::string::npos)
        << strategy.name;
  }
  for (const queue::PolicyInfo& policy : queue::policies()) {
    EXPECT_NE(text.find("**" + std::string(policy.name) + "**"), std::string::npos) << policy.name;
  }
}

TEST(EnsemblesDocument, NamesEveryHeuristicRuleAndRepartition) {
  const std::string text = test::read_document("docs/ensembles.md");
  const auto expect_named = [&](std::string_view name) {
    EXPECT_NE(text.find("`" + std::string(name) + "`"), std::string::npos) << name;
  };
  for (const planning::GroupingInfo& row : planning::groupings()) expect_named(row.name);
  for (const planning::DispatchInfo& row : planning::dispatch_rules()) expect_named(row.name);
  for (const planning::RepartitionInfo& row : planning::repartitions()) {
    EXPECT_NE(text.find(row.name), std::string::npos) << row.name;
  }
}

}  // namespace
}  // namespace dovetail
