// The real workflows of the shared data: each loads, plans with every planner, and passes the
// checker, on a cluster where others hold reservations.
#include <gtest/gtest.h>

#include "dovetail/check.hpp"
#include "dovetail/io.hpp"
#include "dovetail/planner.hpp"
#include "support/shared_files.hpp"

namespace dovetail {
namespace {

Platform busy_platform() {
  constexpr Time kMinute = 60'000;
  Cluster cluster{.name = "busy", .processors = 64, .free_on_average = 40};
  for (Time i = 0; i < 200; ++i) {
    cluster.reservations.push_back(
        {i * 7 * kMinute, (i * 7 + 5) * kMinute, static_cast<Count>(1 + (i * 37) % 64)});
  }
  return Platform(0, {cluster});
}

void expect_all_plan(const std::string& folder, const std::string& ending, std::size_t count) {
  const auto files = testing::files_in(testing::data_dir() / folder, "", ending);
  if (files.empty()) GTEST_SKIP() << "no workflows in " << testing::data_dir() / folder;
  EXPECT_EQ(files.size(), count);
  const Platform platform = busy_platform();
  for (const auto& file : files) {
    SCOPED_TRACE(file.filename().string());
    const Problem problem({read_workflow(file.string())}, platform);
    for (const Plan& plan : plan_all(problem)) {
      ASSERT_TRUE(plan.feasible) << plan.algorithm;
      ASSERT_EQ(check(problem, plan), std::vector<std::string>{}) << plan.algorithm;
    }
  }
}

TEST(RealWorkflows, PegasusOnesPlanAndCheck) { expect_all_plan("dax/glume", ".dax", 33); }

TEST(RealWorkflows, WfCommonsOnesPlanAndCheck) { expect_all_plan("wfinstances", ".json", 45); }

}  // namespace
}  // namespace dovetail
