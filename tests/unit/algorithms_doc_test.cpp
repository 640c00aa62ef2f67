// docs/algorithms.md and docs/queue.md keep up with the tables of the program.
#include <gtest/gtest.h>

#include "dovetail/planner.hpp"
#include "policies/scheduler.hpp"
#include "queue/strategy.hpp"
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
  for (const StrategyInfo& strategy : strategies()) {
    EXPECT_NE(text.find("`" + std::string(strategy.name) + "`"), std::string::npos)
        << strategy.name;
  }
  for (const PolicyInfo& policy : policies()) {
    EXPECT_NE(text.find("**" + std::string(policy.name) + "**"), std::string::npos) << policy.name;
  }
}

}  // namespace
}  // namespace dovetail
