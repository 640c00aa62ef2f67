#include "draw/gantt/gantt_layout.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "support/sample_plan.hpp"

namespace dovetail::draw {
namespace {

using dovetail::testing::kTestHour;
using dovetail::testing::kTestMinute;
using dovetail::testing::random_plan;
using dovetail::testing::RandomPlanShape;
using dovetail::testing::small_plan;

PlanRecord one_cluster(Count processors, std::vector<Reservation> reservations,
                       std::vector<TaskRecord> tasks) {
  PlanRecord record;
  record.clusters = {{"c", processors, std::move(reservations)}};
  record.tasks = std::move(tasks);
  return record;
}

TaskRecord task(const std::string& id, Time start, Time end, Count procs) {
  return {"w", id, "c", start, end, procs, false};
}

const GanttItem& item_of(const GanttScene& scene, GanttKind kind, std::size_t index) {
  for (const GanttCluster& cluster : scene.clusters) {
    for (const GanttItem& item : cluster.items) {
      if (item.kind == kind && item.index == index) return item;
    }
  }
  throw std::out_of_range("no such item");
}

// A rectangle of the picture that lives while the sweep passes over it.
struct Event {
  Time at;
  bool begins;
  RowBlock block;
};

// Whether two blocks share a row at the same moment: a sweep that keeps the rows in use.
bool overlaps(const GanttCluster& cluster) {
  std::vector<Event> events;
  for (const GanttItem& item : cluster.items) {
    if (item.window.begin == item.window.end) continue;
    for (const RowBlock& block : item.blocks) {
      events.push_back({item.window.begin, true, block});
      events.push_back({item.window.end, false, block});
    }
  }
  std::sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
    return a.at != b.at ? a.at < b.at : a.begins < b.begins;
  });
  std::set<std::int64_t> used;
  for (const Event& event : events) {
    for (std::int64_t row = event.block.row; row < event.block.row + event.block.rows; ++row) {
      if (!event.begins) {
        used.erase(row);
      } else if (!used.insert(row).second) {
        return true;
      }
    }
  }
  return false;
}

std::int64_t rows_of(const GanttItem& item) {
  std::int64_t rows = 0;
  for (const RowBlock& block : item.blocks) rows += block.rows;
  return rows;
}

TEST(GanttLayout, RandomValidPlansNeverOverlapAndStayWithinTheirCluster) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const RandomPlanShape shape{.tasks = static_cast<int>(seed % 60),
                                .processors = static_cast<Count>(4 + seed % 90),
                                .reservations = static_cast<int>(seed % 45),
                                .clusters = static_cast<int>(1 + seed % 3)};
    const PlanRecord record = random_plan(seed, shape);
    const GanttScene scene = lay_out(record);
    std::size_t tasks = 0;
    for (const GanttCluster& cluster : scene.clusters) {
      EXPECT_FALSE(overlaps(cluster));
      EXPECT_EQ(cluster.rows, cluster.processors);
      for (const GanttItem& item : cluster.items) {
        ASSERT_FALSE(item.blocks.empty());
        EXPECT_EQ(rows_of(item), item.procs);
        EXPECT_GE(item.blocks.front().row, 0);
        EXPECT_LE(item.blocks.back().row + item.blocks.back().rows, cluster.processors);
        if (item.kind == GanttKind::reservation) continue;
        ++tasks;
        EXPECT_EQ(item.window.begin, record.tasks[item.index].start);
        EXPECT_EQ(item.window.end, record.tasks[item.index].end);
        EXPECT_GE(item.blocks.front().row, cluster.first_shown);
      }
    }
    EXPECT_EQ(tasks, record.tasks.size());
  }
}

TEST(GanttLayout, LostRunsHaveRowsOfTheirOwnAmongTasksAndReservations) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    PlanRecord record = random_plan(seed, {.tasks = 60, .processors = 40, .clusters = 2});
    // Every third task counts as a run that was cut short; the plan stays within its capacity.
    std::vector<TaskRecord> tasks;
    for (std::size_t i = 0; i < record.tasks.size(); ++i) {
      (i % 3 == 0 ? record.lost : tasks).push_back(record.tasks[i]);
    }
    record.tasks = std::move(tasks);
    const GanttScene scene = lay_out(record);
    std::size_t lost = 0;
    for (const GanttCluster& cluster : scene.clusters) {
      EXPECT_FALSE(overlaps(cluster));
      EXPECT_EQ(cluster.rows, cluster.processors);
      for (const GanttItem& item : cluster.items) {
        EXPECT_EQ(rows_of(item), item.procs);
        if (item.kind == GanttKind::reservation) continue;
        lost += item.kind == GanttKind::lost;
        EXPECT_EQ(item.window.begin, run_of(record, item).start);
        EXPECT_EQ(cluster.name, run_of(record, item).cluster);
      }
    }
    EXPECT_EQ(lost, record.lost.size());
  }
}

TEST(GanttLayout, PictureHoldsLostRunsWhereThereAreNoTasks) {
  PlanRecord record = one_cluster(8, {}, {});
  record.lost = {task("a", -20, 100, 3)};
  record.lost.push_back({"w", "b", "gone", 0, 50, 5, false});
  const GanttScene scene = lay_out(record);
  EXPECT_EQ(scene.window, (Interval{-20, 100}));
  ASSERT_EQ(scene.clusters.size(), 2u);
  EXPECT_EQ(scene.clusters[1].processors, 5);
  EXPECT_EQ(item_of(scene, GanttKind::lost, 0).blocks, (std::vector<RowBlock>{{5, 3}}));
}

TEST(GanttLayout, NarrowBandHoldsLostRunsToo) {
  PlanRecord record = one_cluster(400, {}, {task("a", 50, 100, 8)});
  EXPECT_GT(lay_out(record).clusters[0].first_shown, 0);
  record.lost = {task("a", 0, 40, 300)};
  EXPECT_EQ(lay_out(record).clusters[0].first_shown, 0);
}

TEST(GanttLayout, OverlapCheckSeesAnOverlap) {
  GanttCluster cluster{.name = "c", .processors = 4, .rows = 4};
  cluster.items = {{GanttKind::task, 0, {0, 10}, 2, {{0, 2}}},
                   {GanttKind::task, 1, {9, 12}, 1, {{1, 1}}}};
  EXPECT_TRUE(overlaps(cluster));
  cluster.items[1].window = {10, 12};
  EXPECT_FALSE(overlaps(cluster));
}

TEST(GanttLayout, ReservationsLieAtTheBottomAndTasksHangFromTheTop) {
  const GanttScene scene =
      lay_out(one_cluster(10, {{0, 100, 3}}, {task("a", 0, 50, 2), task("b", 10, 60, 1)}));
  EXPECT_EQ(item_of(scene, GanttKind::reservation, 0).blocks, (std::vector<RowBlock>{{0, 3}}));
  EXPECT_EQ(item_of(scene, GanttKind::task, 0).blocks, (std::vector<RowBlock>{{8, 2}}));
  EXPECT_EQ(item_of(scene, GanttKind::task, 1).blocks, (std::vector<RowBlock>{{7, 1}}));
}

TEST(GanttLayout, TaskIsSplitOnlyWhenNoRunOfRowsIsLongEnough) {
  // At 20 the rows of b and d are free, with c between them.
  const GanttScene scene = lay_out(
      one_cluster(8, {},
                  {task("a", 0, 90, 2), task("b", 1, 20, 2), task("c", 2, 90, 2),
                   task("d", 3, 20, 2), task("split", 20, 90, 3), task("whole", 90, 99, 8)}));
  EXPECT_EQ(item_of(scene, GanttKind::task, 4).blocks.size(), 2u);
  EXPECT_EQ(rows_of(item_of(scene, GanttKind::task, 4)), 3);
  EXPECT_EQ(item_of(scene, GanttKind::task, 5).blocks, (std::vector<RowBlock>{{0, 8}}));
}

TEST(GanttLayout, ReservationsAreClippedToNowAndToThePicture) {
  PlanRecord record =
      one_cluster(8, {{-50, 30, 1}, {-50, 0, 1}, {90, kForever, 1}, {500, 600, 1}}, {});
  record.tasks = {task("a", 0, 100, 1)};
  const GanttScene scene = lay_out(record);
  ASSERT_EQ(scene.clusters[0].items.size(), 3u);
  EXPECT_EQ(item_of(scene, GanttKind::reservation, 0).window, (Interval{0, 30}));
  EXPECT_EQ(item_of(scene, GanttKind::reservation, 2).window, (Interval{90, 100}));
}

TEST(GanttLayout, RunningTasksKeepTheirStartBeforeNow) {
  PlanRecord record = one_cluster(8, {}, {task("a", 40, 160, 1)});
  record.now = 100;
  EXPECT_EQ(lay_out(record).window, (Interval{40, 160}));
}

TEST(GanttLayout, OverbookedPlanGetsRowsAboveItsProcessors) {
  const GanttScene scene =
      lay_out(one_cluster(4, {{0, 100, 3}}, {task("a", 0, 50, 3), task("b", 60, 70, 1)}));
  EXPECT_EQ(scene.clusters[0].rows, 6);
  EXPECT_FALSE(overlaps(scene.clusters[0]));
  EXPECT_EQ(rows_of(item_of(scene, GanttKind::task, 0)), 3);
  EXPECT_EQ(item_of(scene, GanttKind::task, 1).blocks, (std::vector<RowBlock>{{3, 1}}));
}

TEST(GanttLayout, BrokenPlansStillGetALayout) {
  const GanttScene scene = lay_out(one_cluster(
      0, {{0, 10, -3}},
      {task("reversed", 50, 10, 2), task("none", 0, 10, 0), task("negative", 0, 10, -4),
       task("instant", 5, 5, 1), task("endless", -kForever, kForever, kMaxProcessors)}));
  EXPECT_EQ(item_of(scene, GanttKind::task, 0).window, (Interval{50, 50}));
  EXPECT_TRUE(item_of(scene, GanttKind::task, 1).blocks.empty());
  EXPECT_TRUE(item_of(scene, GanttKind::task, 2).blocks.empty());
  EXPECT_EQ(rows_of(item_of(scene, GanttKind::task, 3)), 1);
  EXPECT_GE(scene.clusters[0].rows, kMaxProcessors);
}

TEST(GanttLayout, RandomOverbookedPlansNeverOverlap) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    PlanRecord record = random_plan(seed, {.tasks = 40, .processors = 24, .reservations = 20});
    record.clusters[0].processors = 9;
    const GanttScene scene = lay_out(record);
    EXPECT_FALSE(overlaps(scene.clusters[0]));
    for (const GanttItem& item : scene.clusters[0].items) EXPECT_EQ(rows_of(item), item.procs);
  }
}

TEST(GanttLayout, ClusterThatOnlyTasksNameIsAsLargeAsTheyNeed) {
  PlanRecord record = small_plan();
  for (TaskRecord& t : record.tasks) t.cluster = "elsewhere";
  const GanttScene scene = lay_out(record);
  ASSERT_EQ(scene.clusters.size(), 2u);
  EXPECT_EQ(scene.clusters[1].name, "elsewhere");
  EXPECT_EQ(scene.clusters[1].processors, 10);
  EXPECT_EQ(scene.clusters[1].rows, 10);
}

TEST(GanttLayout, WindowHoldsADeadlineThatIsNearAndLeavesOutOneThatIsFar) {
  PlanRecord record = one_cluster(4, {}, {task("a", 0, 100, 1)});
  record.deadline = 150;
  EXPECT_EQ(lay_out(record).window, (Interval{0, 150}));
  record.deadline = 5000;
  EXPECT_EQ(lay_out(record).window, (Interval{0, 100}));
  record.deadline = 20;
  EXPECT_EQ(lay_out(record).window, (Interval{0, 100}));
}

TEST(GanttLayout, EmptyRecordsHaveAWindow) {
  const GanttScene nothing = lay_out(PlanRecord{});
  EXPECT_LT(nothing.window.begin, nothing.window.end);
  EXPECT_TRUE(nothing.clusters.empty());
  const GanttScene idle = lay_out(one_cluster(4, {{0, 5 * kTestHour, 2}}, {}));
  EXPECT_EQ(idle.window, (Interval{0, 5 * kTestHour}));
}

TEST(GanttLayout, SmallPlanOnALargeClusterShowsOnlyItsOwnRows) {
  PlanRecord record = small_plan();
  EXPECT_EQ(lay_out(record).clusters[0].first_shown, 0);
  record.clusters[0].processors = 2000;
  const GanttScene scene = lay_out(record);
  EXPECT_GT(scene.clusters[0].first_shown, 1950);
  EXPECT_LT(scene.clusters[0].first_shown, 1990);
}

TEST(GanttLayout, TenThousandTasksOnTenThousandProcessorsKeepTheirRows) {
  const PlanRecord record =
      random_plan(7, {.tasks = 10'000, .processors = 10'000, .reservations = 500});
  const GanttScene scene = lay_out(record);
  EXPECT_EQ(scene.clusters[0].rows, 10'000);
  for (const GanttItem& item : scene.clusters[0].items) ASSERT_EQ(rows_of(item), item.procs);
}

TEST(GanttLayout, WindowReachesAtLeastToTheGivenMoment) {
  const PlanRecord record = small_plan();
  const Time end = lay_out(record).window.end;
  EXPECT_EQ(lay_out(record, end - 1).window, lay_out(record).window);
  const GanttScene scene = lay_out(record, end + 50 * kTestMinute);
  EXPECT_EQ(scene.window.end, end + 50 * kTestMinute);
  const bool longer =
      std::any_of(scene.clusters[0].items.begin(), scene.clusters[0].items.end(),
                  [&](const GanttItem& item) { return item.window.end == end + 50 * kTestMinute; });
  EXPECT_TRUE(longer) << "the reservation until minute 300";
}

}  // namespace
}  // namespace dovetail::draw
