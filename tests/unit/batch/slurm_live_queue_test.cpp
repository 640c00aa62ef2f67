#include <gtest/gtest.h>

#include <random>

#include "batch/live_queue.hpp"
#include "support/cluster_pictures.hpp"
#include "support/file_checks.hpp"

namespace dovetail::batch {
namespace {

using testing::reserved;
using testing::running;
using testing::waiting;

constexpr WallTime kNow = testing::kPictureTime;

ClusterPicture four_nodes() { return testing::idle_nodes(4); }

TEST(LiveQueue, RunningJobsHoldTheirNodesToTheirLimit) {
  ClusterPicture picture = four_nodes();
  picture.jobs = {running({"n1", "n2"}, kHour), running({"n3"}, kMinute)};
  const LiveQueue queue(picture, "");
  EXPECT_EQ(queue.wait_of_job(1, kHour), 0);
  EXPECT_EQ(queue.wait_of_job(2, kHour), kMinute);
  EXPECT_EQ(queue.wait_of_job(3, kHour), kHour);
  EXPECT_EQ(queue.nodes(), 4);
}

TEST(LiveQueue, TwoJobsOnANodeTakeItOnce) {
  ClusterPicture picture = four_nodes();
  picture.jobs = {running({"n1"}, kHour), running({"n1"}, kMinute)};
  const LiveQueue queue(picture, "main");
  EXPECT_EQ(queue.wait_of_job(3, kHour), 0);
  EXPECT_EQ(queue.wait_of_job(4, kHour), kHour);
}

TEST(LiveQueue, ReservedNodesAreLeftAlone) {
  ClusterPicture picture = four_nodes();
  picture.reservations = {{.name = "maint",
                           .start = kNow + kHour,
                           .end = kNow + 3 * kHour,
                           .node_names = {"n1", "n2", "n3", "n4"}}};
  const LiveQueue queue(picture, "");
  EXPECT_EQ(queue.wait_of_job(4, kHour), 0);
  EXPECT_EQ(queue.wait_of_job(1, kHour + 1), 3 * kHour);
}

// A job inside a reservation holds nodes that are reserved anyway.
TEST(LiveQueue, JobInsideAReservationCountsOnce) {
  ClusterPicture picture = four_nodes();
  picture.jobs = {running({"n1"}, kHour)};
  picture.reservations = {
      {.name = "r", .start = kNow - kHour, .end = kNow + 2 * kHour, .node_names = {"n1", "n2"}}};
  const LiveQueue queue(picture, "");
  EXPECT_EQ(queue.wait_of_job(2, kHour), 0);
  EXPECT_EQ(queue.wait_of_job(3, kHour), 2 * kHour);
}

TEST(LiveQueue, ThoseThatWaitComeFirstInTheOrderOfTheirPriority) {
  ClusterPicture picture = four_nodes();
  picture.jobs = {running({"n1", "n2", "n3", "n4"}, kHour), waiting(4, kMinute, 1, "Priority"),
                  waiting(3, kHour, 9, "Resources")};
  const LiveQueue queue(picture, "");
  // First the three nodes for an hour, then all four for a minute; a fourth node is idle meanwhile.
  EXPECT_EQ(queue.wait_of_job(1, kHour), kHour);
  EXPECT_EQ(queue.wait_of_job(1, kHour + 1), 2 * kHour + kMinute);
}

TEST(LiveQueue, JobsThatSlurmDoesNotPlanAreLeftOut) {
  for (const char* reason : {"Dependency", "JobHeldUser", "JobHeldAdmin", "BeginTime",
                             "PartitionTimeLimit", "PartitionNodeLimit", "BadConstraints"}) {
    ClusterPicture picture = four_nodes();
    picture.jobs = {waiting(4, kHour, 9, reason)};
    EXPECT_EQ(LiveQueue(picture, "").wait_of_job(4, kHour), 0) << reason;
  }
}

TEST(LiveQueue, NodesOutOfUseAreNotCounted) {
  ClusterPicture picture = four_nodes();
  picture.nodes[2].is_usable = false;
  EXPECT_EQ(LiveQueue(picture, "").nodes(), 3);
  for (ClusterNode& node : picture.nodes) node.is_usable = false;
  EXPECT_EQ(testing::failure_of([&] { LiveQueue(picture, ""); }),
            "no node of partition main can be used now; see sinfo");
}

TEST(LiveQueue, WorkIsAskedForInWholeMinutesAndNoLongerThanAllowed) {
  ClusterPicture picture = four_nodes();
  picture.reservations = {reserved({"n1", "n2", "n3", "n4"}, kMinute, kMinute)};
  EXPECT_EQ(LiveQueue(picture, "").wait(1, 45 * kSecond), 0);
  EXPECT_EQ(LiveQueue(picture, "").wait(1, 46 * kSecond), 2 * kMinute);
  picture.partitions.front().max_time = kMinute;
  EXPECT_EQ(LiveQueue(picture, "").wait(1, kHour), 0);
}

TEST(LiveQueue, JobsThatMayGoToSeveralPartitionsCompeteInEach) {
  ClusterPicture picture = four_nodes();
  picture.jobs = {waiting(4, kHour, 1, "Priority")};
  picture.jobs.front().partitions = {"other", "main"};
  EXPECT_EQ(LiveQueue(picture, "").wait_of_job(1, kHour), kHour);
}

TEST(LiveQueue, ReservationsThatComeAgainDoSo) {
  ClusterPicture picture = four_nodes();
  picture.reservations = {reserved({"n1", "n2", "n3", "n4"}, 0, 4 * kHour)};
  EXPECT_EQ(LiveQueue(picture, "").wait_of_job(1, 30 * kHour), 4 * kHour);
  picture.reservations.front().period = kDay;
  EXPECT_EQ(LiveQueue(picture, "").wait_of_job(1, 20 * kHour), 4 * kHour);
  EXPECT_GT(LiveQueue(picture, "").wait_of_job(1, 21 * kHour), 30 * kDay);
}

TEST(LiveQueue, KnowsTheLimitsOfThePartition) {
  ClusterPicture picture = four_nodes();
  picture.partitions.front().max_time = kHour;
  picture.partitions.front().max_nodes = 2;
  const LiveQueue queue(picture, "main");
  EXPECT_EQ(queue.nodes(), 2);
  EXPECT_EQ(queue.wait_of_job(2, kHour), 0);
  EXPECT_GT(queue.wait_of_job(1, 2 * kHour), 365 * kDay);
  EXPECT_EQ(broken_limit(queue.limits(), 2, kHour), "");
  EXPECT_EQ(broken_limit(queue.limits(), 1, 2 * kHour),
            "partition main allows jobs of at most 1h, this one needs 2h");
  EXPECT_EQ(broken_limit(queue.limits(), 3, kHour),
            "partition main allows jobs on at most 2 nodes, this one needs 3");
  EXPECT_EQ(testing::error_of([&] { LiveQueue(picture, "mian"); }),
            "the cluster has no partition \"mian\"; did you mean \"main\"?");
}

// The calendar for planners and the estimator tell the same.
TEST(LiveQueue, PlatformHoldsWhatTheQueueHolds) {
  std::mt19937 random(5);
  for (int round = 0; round < 500; ++round) {
    ClusterPicture picture = four_nodes();
    for (const ClusterNode& node : picture.nodes) {
      if (random() % 2 == 0) {
        picture.jobs.push_back(running({node.name}, kMinute * (1 + random() % 90)));
      }
    }
    for (unsigned i = random() % 6; i > 0; --i) {
      picture.jobs.push_back(waiting(static_cast<Count>(1 + random() % 4),
                                     kMinute * (1 + random() % 60), random() % 10, "Priority"));
    }
    const LiveQueue queue(picture, "");
    const Platform platform = live_platform(picture, "");
    const Calendar& calendar = platform.calendar(0);
    for (Count nodes = 1; nodes <= 4; ++nodes) {
      const Duration length = kMinute * (1 + random() % 120);
      ASSERT_EQ(calendar.earliest_fit(2 * nodes, length, kNow).value() - kNow,
                queue.wait_of_job(nodes, length))
          << "round " << round;
    }
  }
}

}  // namespace
}  // namespace dovetail::batch
