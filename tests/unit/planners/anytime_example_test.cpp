// The example of docs/anytime.md: five tasks on four processors, and a certificate made by hand.
#include <gtest/gtest.h>

#include "dovetail/certificate.hpp"
#include "dovetail/check.hpp"
#include "dovetail/metrics.hpp"
#include "planners/search/anytime.hpp"

namespace dovetail::planning {
namespace {

Problem example() {
  WorkflowBuilder builder("example");
  const auto add = [&](const char* id) {
    return builder.add_task(
        {.id = id, .time = TimeSpec::table({{1, 12 * 3600.0}, {2, 8 * 3600.0}, {4, 6 * 3600.0}})});
  };
  const TaskId a = add("a");
  const TaskId b = add("b");
  const TaskId c = add("c");
  add("d");
  add("e");
  builder.add_edge(a, b);
  builder.add_edge(b, c);
  return Problem({std::move(builder).build()},
                 Platform(0, {Cluster{.name = "four", .processors = 4}}));
}

// A flow of 4 from a through b to c.
Certificate by_hand(Time end) {
  constexpr std::int64_t kFour = 4 * Certificate::kUnit;
  return {.end = end,
          .span = {0, end},
          .ready = {0, 6 * kHour, 12 * kHour, 0, 0},
          .due = {end - 12 * kHour, end - 6 * kHour, end, end, end},
          .begin_flow = {kFour, 0, 0, 0, 0},
          .end_flow = {0, 0, kFour, 0, 0},
          .edge_flow = {kFour, kFour}};
}

TEST(AnytimeExample, ByHandNoPlanEndsBefore21Hours) {
  const Problem problem = example();
  EXPECT_EQ(refute(problem, by_hand(21 * kHour - 1)), "");
  EXPECT_NE(refute(problem, by_hand(21 * kHour)), "");
}

TEST(AnytimeExample, ThePlanTakes22HoursAndTheBoundIsNearly21) {
  const Problem problem = example();
  PlanningContext context(problem);
  const Plan plan = planning::plan_anytime(context, std::nullopt);
  EXPECT_EQ(makespan(plan), 22 * kHour);
  EXPECT_DOUBLE_EQ(cpu_hours(plan), 80);
  EXPECT_TRUE(check(problem, plan).empty());
  EXPECT_NEAR(*certified_gap(plan), 0.048, 0.001);
}

TEST(AnytimeExample, WithTimeEnoughTheFewestCpuHoursAreProvedToBeTheBestPossible) {
  const Problem problem = example();
  PlanningContext context(problem);
  const Time deadline = 40 * kHour;
  const Plan plan = planning::plan_anytime(context, deadline);
  EXPECT_DOUBLE_EQ(cpu_hours(plan), 60);
  EXPECT_EQ(certified_gap(plan), 0);
  Certificate proof = *plan.search->certificate;
  EXPECT_EQ(refute(problem, proof), "");
  ++proof.work;
  EXPECT_NE(refute(problem, proof), "");
}

}  // namespace
}  // namespace dovetail::planning
