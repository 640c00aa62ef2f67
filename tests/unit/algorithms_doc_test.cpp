// docs/algorithms.md keeps up with the table of planners.
#include <gtest/gtest.h>

#include "dovetail/planner.hpp"
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

}  // namespace
}  // namespace dovetail
