#include "dovetail/metrics.hpp"

#include <gtest/gtest.h>

namespace dovetail {
namespace {

const Plan kPlan{
    .algorithm = "x",
    .now = 1000,
    .placements = {{.workflow = 0, .task = 0, .procs = 4, .start = 1000, .end = 3000},
                   {.workflow = 0, .task = 1, .procs = 2, .start = 2000, .end = 5000},
                   {.workflow = 1, .task = 0, .procs = 3, .start = 3000, .end = 4000}}};

TEST(Metrics, MakespanCountsFromNow) {
  EXPECT_EQ(makespan(kPlan), 4000);
  EXPECT_EQ(makespan(kPlan, 1), 3000);
  EXPECT_EQ(makespan(Plan{.now = 7}), 0);
}

TEST(Metrics, ConsumptionIsProcessorsTimesDuration) {
  EXPECT_EQ(static_cast<Duration>(consumed(kPlan)), 4 * 2000 + 2 * 3000 + 3 * 1000);
  EXPECT_DOUBLE_EQ(cpu_hours(kPlan), 17.0 / 3600);
}

TEST(Metrics, PeakCountsWhatEndsBeforeWhatBegins) { EXPECT_EQ(peak_procs(kPlan), 6); }

TEST(Metrics, ConsumptionDoesNotOverflow) {
  const Plan large{.placements = {{.procs = kMaxProcessors, .start = 0, .end = kForever},
                                  {.procs = kMaxProcessors, .start = 0, .end = kForever}}};
  EXPECT_GT(cpu_hours(large), 1e19);
}

}  // namespace
}  // namespace dovetail
