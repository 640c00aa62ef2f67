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
  const auto json = nlohmann::json::parse(format_frontier(std::vector{early, cheap}));
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
  const auto json = nlohmann::json::parse(format_frontier(std::vector{plan}));
  EXPECT_FALSE(json["points"][0]["plan"].contains("clusters"));
  const PlanRecord read = parse_plan(json["points"][0]["plan"].dump(), "p.json");
  EXPECT_EQ(read.tasks.size(), plan.tasks.size());
  EXPECT_EQ(read.makespan, plan.makespan);
  EXPECT_TRUE(read.tasks[0].critical);
}

TEST(FrontierJson, WithoutPlansHasNoPoints) {
  const auto json = nlohmann::json::parse(format_frontier({}));
  EXPECT_TRUE(json["points"].empty());
}

}  // namespace
}  // namespace dovetail
