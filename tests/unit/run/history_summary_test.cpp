// What is said about the tasks of a kind, and what is suggested to ask for.
#include "run/history/history_summary.hpp"

#include <gtest/gtest.h>

#include "support/measured_tasks.hpp"

namespace dovetail::run {
namespace {

using testing::Dice;
using testing::measure;
using testing::measured;

TEST(HistorySummary, ComparesEstimatesThatWereMoreThanAssumptions) {
  std::vector<Measurement> all = {measured(3, 4, 10, 40), measured(2, 2, 20, 40),
                                  measured(1, 1, 40, 40)};
  all[0].estimate = 12;
  all[1].estimate = 18;
  all[2].estimate = 60;
  all[2].was_assumed = true;
  all[1].peak_kib = 100 * 1024;
  const auto summary = summarise(all);
  ASSERT_TRUE(summary);
  EXPECT_EQ(summary->measurements, 3U);
  EXPECT_EQ(summary->tasks, 1U);
  EXPECT_EQ(summary->runs, 3U);
  EXPECT_EQ(summary->processors, (std::vector<Count>{1, 2, 4}));
  EXPECT_EQ(summary->median_seconds, 20);
  EXPECT_EQ(summary->assumed, 1U);
  ASSERT_TRUE(summary->error);
  EXPECT_NEAR(*summary->error, 0.15, 1e-9);
  EXPECT_NEAR(summary->fit.seconds, 40, 1e-9);
  EXPECT_NEAR(summary->fit.alpha, 0, 1e-9);
  EXPECT_EQ(summary->request.processors, 4);
  EXPECT_EQ(workflow_fields(summary->request), "time: 40, alpha: 0, timeout: 30s");
  EXPECT_EQ(sbatch_options(summary->request), "--cpus-per-task=4 --time=00:00:30 --mem=130M");
}

TEST(HistorySummary, ARequestWastesAtMostHalfOfItsProcessors) {
  Dice dice(1);
  const auto summary =
      summarise(measure({.seconds = 1000, .alpha = 0.3}, {1, 2, 4, 8}, 8, 0, dice));
  EXPECT_EQ(summary->request.processors, 4);
  EXPECT_EQ(workflow_fields(summary->request), "time: 1000, alpha: 0.3, timeout: 18m");
}

TEST(HistorySummary, SaysNothingOfNothing) {
  EXPECT_FALSE(summarise({}));
  EXPECT_FALSE(summarise(std::vector{measured(1, 1, 0, 0)}));
}

TEST(HistorySummary, OneNumberOfProcessorsIsAskedForAsItIs) {
  const std::vector<Measurement> all = {measured(1, 4, 12.3456, 40)};
  const auto summary = summarise(all);
  EXPECT_EQ(workflow_fields(summary->request), "time: 12.3, processors: 4, timeout: 50s");
  EXPECT_FALSE(summary->error);
}

}  // namespace
}  // namespace dovetail::run
