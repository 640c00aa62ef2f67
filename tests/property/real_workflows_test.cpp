// Real workflows: each loads, plans with every planner, and passes the
// checker, on a cluster where others hold reservations.
#include <gtest/gtest.h>

#include "dovetail/check.hpp"
#include "dovetail/io.hpp"
#include "dovetail/planner.hpp"
#include "support/test_data.hpp"

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

void expect_all_plan(const std::filesystem::path& folder, const std::string& ending,
                     std::size_t count) {
  const auto files = testing::files_in(folder, "", ending);
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

TEST(RealWorkflows, SmallPegasusOnesPlanAndCheck) {
  expect_all_plan(testing::real_dir() / "dax/glume", ".dax", 12);
}

TEST(RealWorkflows, SmallWfCommonsOnesPlanAndCheck) {
  expect_all_plan(testing::real_dir() / "wfinstances", ".json", 11);
}

TEST(RealWorkflows, PegasusOnesPlanAndCheck) {
  if (!testing::archive_dir()) GTEST_SKIP() << testing::kNoArchive;
  expect_all_plan(*testing::archive_dir() / "dax/glume", ".dax", 33);
}

TEST(RealWorkflows, WfCommonsOnesPlanAndCheck) {
  if (!testing::archive_dir()) GTEST_SKIP() << testing::kNoArchive;
  expect_all_plan(*testing::archive_dir() / "wfinstances", ".json", 45);
}

}  // namespace
}  // namespace dovetail
