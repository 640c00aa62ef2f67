#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "dovetail/io.hpp"
#include "support/sample_plan.hpp"

namespace dovetail {
namespace {

TEST(FrontierJson, HasThePointsWithTheirPlans) {
  PlanRecord early = testing::small_plan();
  early.lambda = 0.5;
  PlanRecord cheap = testing::small_plan();
  cheap.algorithm = "BL_1_BD_CPA";
  cheap.deadline.reset();
  const auto json = nlohmann::json::parse(format_frontier(0, std::vector{early, cheap}));
  EXPECT_EQ(json["now"], 0);
  ASSERT_EQ(json["points"].size(), 2U);
  const auto& first = json["points"][0];
  EXPECT_EQ(first["turnaround"], to_seconds(early.makespan));
  EXPECT_EQ(first["cpu_hours"], early.cpu_hours);
  EXPECT_EQ(first["algorithm"], early.algorithm);
  EXPECT_EQ(first["deadline"], to_seconds(*early.deadline));
  EXPECT_EQ(first["lambda"], 0.5);
  EXPECT_TRUE(json["points"][1]["deadline"].is_null());
  EXPECT_FALSE(json["points"][1].contains("lambda"));
}

TEST(FrontierJson, ThePlanOfAPointIsAPlanFile) {
  const PlanRecord plan = testing::small_plan();
  const auto json = nlohmann::json::parse(format_frontier(0, std::vector{plan}));
  const PlanRecord read = parse_plan(json["points"][0]["plan"].dump(), "p.json");
  EXPECT_EQ(read.tasks.size(), plan.tasks.size());
  EXPECT_EQ(read.makespan, plan.makespan);
  EXPECT_TRUE(read.tasks[0].critical);
  EXPECT_EQ(format_plan(read), format_plan(plan));
}

TEST(FrontierJson, WithoutPlansHasNoPoints) {
  const auto json = nlohmann::json::parse(format_frontier(7500, {}));
  EXPECT_TRUE(json["points"].empty());
  EXPECT_EQ(json["now"], 7.5);
}

}  // namespace
}  // namespace dovetail
