#include "planners/fair/periods.hpp"

#include <gtest/gtest.h>

#include "dovetail/metrics.hpp"
#include "planners/fair/fair_bound.hpp"
#include "planners/fair/list_map.hpp"

namespace dovetail::planning {
namespace {

// One task that takes so long on any number of processors.
Workflow of_length(double seconds, const std::string& name, const WorkflowTerms& terms = {}) {
  WorkflowBuilder builder(name);
  builder.set_terms(terms);
  builder.add_task({.id = "t", .time = TimeSpec::amdahl(seconds, 1)});
  return std::move(builder).build();
}

// The six workflows of the paper's Figure 1.
Problem six_workflows(Platform platform = Platform::empty(47), double weight = 1) {
  std::vector<Workflow> workflows;
  for (const double seconds : {45, 76, 93, 102, 221, 232}) {
    workflows.push_back(
        of_length(seconds, "w" + std::to_string(workflows.size()), {.weight = weight}));
  }
  return Problem(workflows, std::move(platform), Goal::fair);
}

struct Divided {
  explicit Divided(const Problem& problem, planning::Ratio slack = {1, 1})
      : context(problem),
        sharing(context),
        area(sharing.calendar(), sharing.now()),
        bound(planning::fair_bound(sharing, area).value()) {
    const planning::Ratio stretch =
        planning::Ratio::of(bound.above * slack.above, bound.below * slack.below);
    periods = planning::divide_time(sharing, area, {.stretch = stretch}).value();
  }

  std::vector<Time> ends() const {
    std::vector<Time> ends;
    for (const planning::Period& period : periods) ends.push_back(period.end);
    return ends;
  }

  std::vector<std::size_t> rows(std::size_t workflow) const {
    std::vector<std::size_t> rows;
    for (const planning::Period& period : periods) rows.push_back(period.rows[workflow].size());
    return rows;
  }

  PlanningContext context;
  planning::Sharing sharing;
  planning::FreeArea area;
  planning::Ratio bound;
  std::vector<planning::Period> periods;
};

using Rows = std::vector<std::size_t>;

void expect_the_papers_figure(const Divided& divided) {
  EXPECT_EQ(divided.bound, (planning::Ratio{769, 232}));
  EXPECT_EQ(divided.rows(0), (Rows{12, 0, 0}));
  EXPECT_EQ(divided.rows(1), (Rows{3, 16, 0}));
  EXPECT_EQ(divided.rows(2), (Rows{7, 16, 0}));
  EXPECT_EQ(divided.rows(3), (Rows{10, 15, 0}));
  EXPECT_EQ(divided.rows(4), (Rows{7, 0, 24}));
  EXPECT_EQ(divided.rows(5), (Rows{8, 0, 23}));
}

TEST(Periods, OfThePapersExample) {
  const Problem problem = six_workflows();
  const Divided divided(problem);
  expect_the_papers_figure(divided);
  EXPECT_EQ(divided.ends(), (std::vector<Time>{192'250, 384'500, 769'000}));
}

TEST(Periods, EqualWeightsChangeNothing) {
  const Problem problem = six_workflows(Platform::empty(47), 7.3);
  expect_the_papers_figure(Divided(problem));
}

TEST(Periods, SlackStretchesThemAll) {
  const Problem problem = six_workflows();
  const Divided divided(problem, {3, 2});
  EXPECT_EQ(divided.ends(), (std::vector<Time>{288'375, 576'750, 1'153'500}));
}

TEST(Periods, HalfTheWeightMayWaitTwiceAsLong) {
  const Problem problem(
      {of_length(10, "light", {.weight = 1}), of_length(10, "heavy", {.weight = 2})},
      Platform::empty(4), Goal::fair);
  const Divided divided(problem);
  EXPECT_EQ(divided.bound, (planning::Ratio{1, 1}));  // heavy within 10 s, light within 20 s
  EXPECT_EQ(divided.ends(), (std::vector<Time>{10'000, 20'000}));
  EXPECT_EQ(divided.rows(1), (Rows{4, 0}));
  EXPECT_EQ(divided.rows(0), (Rows{0, 4}));
}

TEST(Periods, ReadyMomentsAreBoundariesAndHalvesCountFromThem) {
  const Problem problem({of_length(40, "early"), of_length(4, "late", {.ready_at = 30'000})},
                        Platform::empty(4), Goal::fair);
  const Divided divided(problem);
  // late has S* x 4 s from 30 s on, early S* x 40 s from 0 on: 44 s of work suffice for early.
  EXPECT_NEAR(divided.bound.value(), 1.1, 0.001);
  const auto ends = divided.ends();
  EXPECT_NE(std::ranges::find(ends, 30'000), ends.end());
  for (std::size_t k = 0; k < ends.size(); ++k) {
    if (divided.rows(1)[k] == 0) continue;
    EXPECT_GE(divided.periods[k].begin, 30'000);
    EXPECT_LT(divided.periods[k].end - 30'000, 2 * 1.101 * 4'000);
  }
  EXPECT_NE(divided.rows(1), Rows(ends.size(), 0));
}

TEST(Periods, ReservationsTakeTheHighestRows) {
  Cluster cluster{.name = "c", .processors = 4, .reservations = {{5'000, 10'000, 3}}};
  const Problem problem({of_length(10, "a"), of_length(10, "b")}, Platform(0, {cluster}),
                        Goal::fair);
  const Divided divided(problem);
  // Alone, each runs at once, on the processor that is always free, for 10 s, while 25
  // processor-seconds are free. Both together find 50 of them by 16.25 s.
  EXPECT_EQ(divided.bound, planning::Ratio::of(16'250, 10'000));
  ASSERT_EQ(divided.ends(), (std::vector<Time>{16'250}));
  EXPECT_EQ(divided.periods[0].rows[0], (std::vector<Count>{0, 2}));
  EXPECT_EQ(divided.periods[0].rows[1], (std::vector<Count>{1, 3}));
  const Calendar own =
      planning::rows_calendar(divided.sharing.calendar(), divided.periods[0], {0, 2});
  EXPECT_EQ(own.free_at(0), 2);
  EXPECT_EQ(own.free_at(5'000), 1);
  EXPECT_EQ(own.free_at(10'000), 2);
}

TEST(FreeArea, CountsWhatReservationsLeave) {
  Calendar calendar(4);
  calendar.reserve({5, 10}, 4);
  const planning::FreeArea area(calendar, 0);
  EXPECT_EQ(area.until(5), 20);
  EXPECT_EQ(area.until(10), 20);
  EXPECT_EQ(area.until(12), 28);
  EXPECT_EQ(area.first_with(0), 0);
  EXPECT_EQ(area.first_with(20), 5);
  EXPECT_EQ(area.first_with(21), 11);
  EXPECT_EQ(area.first_with(25), 12);
  Calendar leaving(2);
  leaving.set_capacity({10, kForever}, 0);
  EXPECT_EQ(planning::FreeArea(leaving, 0).first_with(20), 10);
  EXPECT_FALSE(planning::FreeArea(leaving, 0).first_with(21).has_value());
}

// a (2 processors, 10 s), b (3 processors, 10 s, after it), c (1 processor, 5 s) on 4 processors.
TEST(ListMap, LeavesHolesThatCompactionFills) {
  WorkflowBuilder builder("w");
  builder.add_task({.id = "a", .time = TimeSpec::fixed(10, 2)});
  builder.add_task({.id = "b", .time = TimeSpec::fixed(10, 3)});
  builder.add_task({.id = "c", .time = TimeSpec::fixed(5, 2)});
  builder.add_edge(0, 1);
  const Problem problem({std::move(builder).build()}, Platform::empty(4), Goal::fair);
  PlanningContext context(problem);
  const planning::Sharing sharing(context);
  const auto slots = planning::list_map(sharing, sharing.tasks(), {{2, 3, 2}}).value();
  EXPECT_EQ(slots[0][0], (planning::Slot{2, 0, 10'000}));
  EXPECT_EQ(slots[0][1], (planning::Slot{3, 10'000, 20'000}));
  // One processor is free from 0 on, the others from 20 s on.
  EXPECT_EQ(slots[0][2], (planning::Slot{2, 20'000, 25'000}));
  const auto moved = planning::compact(sharing, slots).value();
  EXPECT_EQ(moved[0][2], (planning::Slot{2, 0, 5'000}));
  EXPECT_EQ(moved[0][1], slots[0][1]);
}

}  // namespace
}  // namespace dovetail::planning
