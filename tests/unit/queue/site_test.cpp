// What a cluster file says about its batch queue.
#include "queue/sim/site.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "dovetail/error.hpp"

namespace dovetail::queue {
namespace {

namespace fs = std::filesystem;

Time at(int seconds) { return seconds * kSecond; }

// A folder of its own with a log of three users; the first job comes at 1000.
class SiteLog : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        fs::path(::testing::TempDir()) /
        (std::string("site-") + ::testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(folder_);
    write("log.swf", "; UnixStartTime: 500\n");
    write("undated.swf", "");
  }
  void TearDown() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& header) const {
    std::ofstream(folder_ / name) << header << "1 1000 -1 50 2 -1 -1 2 100 -1 1 4 1 -1 1 -1 -1 -1\n"
                                  << "2 1010 -1 50 8 -1 -1 8 100 -1 1 7 1 -1 1 -1 -1 -1\n"
                                  << "3 1020 -1 50 99 -1 -1 99 100 -1 1 5 1 -1 1 -1 -1 -1\n";
  }

  std::string cluster_file() const { return (folder_ / "cluster.yaml").string(); }

  Cluster cluster(const std::string& log) const {
    return {.name = "c",
            .processors = 8,
            .cores_per_node = 2,
            .queue = QueueSpec{.log = log, .policy = "fcfs", .max_jobs = 3}};
  }

  fs::path folder_;
};

TEST_F(SiteLog, IsFoundBesideTheClusterFile) {
  const Site site = make_site(Platform(0, {cluster("log.swf")}), cluster_file(), {});
  ASSERT_TRUE(site.log.has_value());
  EXPECT_EQ(site.nodes(), 4);
  EXPECT_EQ(site.rules.policy, "fcfs");
  EXPECT_EQ(site.cap, 3);
  EXPECT_EQ(site.submit_cap(), 3);
  ASSERT_EQ(site.jobs->size(), 2U) << "the third is larger than the machine";
  EXPECT_EQ(site.jobs->at(0).ask.nodes, 1) << "two processors are one node";
  EXPECT_EQ(site.jobs->at(1).ask.nodes, 4);
  EXPECT_EQ(site.log->dropped.large, 1U);
  EXPECT_EQ(site.user, 8) << "nobody's number";
}

TEST_F(SiteLog, OptionsGoBeforeTheFile) {
  SiteOptions options;
  options.queue.policy = "easy";
  options.trace.processors_per_node = 1;
  options.cap = 0;
  const Site site = make_site(Platform(0, {cluster("log.swf")}), cluster_file(), options);
  EXPECT_EQ(site.rules.policy, "easy");
  EXPECT_EQ(site.jobs->size(), 1U) << "a processor a node leaves room for the smallest only";
  EXPECT_EQ(site.cap, 0);
}

TEST_F(SiteLog, ACapOnRunningJobsIsTheSchedulers) {
  const Site site =
      make_site(Platform(0, {cluster("log.swf")}), cluster_file(), {.cap_mode = CapMode::running});
  EXPECT_EQ(site.submit_cap(), 0);
  EXPECT_EQ(site.rules.room.cap, 3);
}

TEST_F(SiteLog, ThatIsMissingIsAnErrorThatNamesBoth) {
  try {
    make_site(Platform(0, {cluster("nowhere.swf")}), cluster_file(), {});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("cluster.yaml"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("nowhere.swf"), std::string::npos);
  }
}

TEST_F(SiteLog, SubmissionIsADayAfterItsFirstJobUnlessTheFileHasANow) {
  const Site guess = make_site(Platform(0, {cluster("log.swf")}), cluster_file(), {});
  EXPECT_TRUE(guess.now_is_guess);
  EXPECT_EQ(guess.now, at(86'400));
  const Site given = make_site(Platform(at(70), {cluster("log.swf")}), cluster_file(), {});
  EXPECT_FALSE(given.now_is_guess);
  EXPECT_EQ(given.now, at(70));
}

TEST_F(SiteLog, DatesOfTheFileMeetTheDatesOfTheLog) {
  Cluster dated = cluster("log.swf");
  dated.reservations = {{at(1600), at(1700), 8}};
  // The log's first job is submitted at 500 + 1000 seconds after 1970.
  const Site site = make_site(Platform(at(1570), {dated}, true), cluster_file(), {});
  EXPECT_EQ(site.date_of_0, at(1500));
  EXPECT_EQ(site.now, at(70));
  EXPECT_EQ(site.rules.reservations, (std::vector<Reservation>{{at(100), at(200), 4}}));
  EXPECT_EQ(site.reserved_at(at(150)), 4);
  EXPECT_EQ(site.reserved_at(at(200)), 0);
  Cluster undated = cluster("undated.swf");
  EXPECT_THROW(make_site(Platform(at(1570), {undated}, true), cluster_file(), {}), InputError);
}

TEST_F(SiteLog, TheStateOfTheMachineIsCounted) {
  Cluster reserved = cluster("log.swf");
  reserved.reservations = {{at(5), at(40), 2}};
  const Site site = make_site(Platform(0, {reserved}), cluster_file(), {});
  Background background = site.background();
  background.run_through(at(20));
  const QueueState state = state_of(site, background);
  EXPECT_EQ(state.running, 1U);
  EXPECT_EQ(state.waiting, 1U);
  EXPECT_EQ(state.busy, 1);
  EXPECT_EQ(state.reserved, 1);
  EXPECT_EQ(state.free, 2);
}

TEST(Site, WithoutAQueueIsAnEmptyMachine) {
  const Site site = make_site(Platform(at(30), {{.name = "c", .processors = 8}}), "8", {});
  EXPECT_FALSE(site.log.has_value());
  EXPECT_TRUE(site.jobs->empty());
  EXPECT_EQ(site.now, at(30));
  EXPECT_EQ(site.rules.policy, "conservative");
  EXPECT_EQ(site.cap, 0);
}

TEST(Site, ReservationsTakeWholeNodesAndShareThem) {
  // One and two processors of nodes with two: two nodes while both are there, one alone.
  const Platform platform(0, {{.name = "c",
                               .processors = 7,
                               .cores_per_node = 2,
                               .reservations = {{at(10), at(30), 1}, {at(20), at(40), 2}}}});
  // The seventh processor is part of no node, so that taking one processor takes none.
  const std::vector<Reservation> expected = {{at(20), at(30), 1}, {at(30), at(40), 1}};
  EXPECT_EQ(node_reservations(platform, 0, 0), expected);
  const Platform even(0, {{.name = "c",
                           .processors = 6,
                           .cores_per_node = 2,
                           .reservations = {{at(10), at(30), 1}, {at(20), at(40), 2}}}});
  const std::vector<Reservation> both = {
      {at(10), at(20), 1}, {at(20), at(30), 2}, {at(30), at(40), 1}};
  EXPECT_EQ(node_reservations(even, 0, 0), both);
  EXPECT_EQ(node_reservations(even, 0, at(25)),
            (std::vector<Reservation>{{0, at(5), 2}, {at(5), at(15), 1}}));
}

TEST(Site, OfSeveralClustersTheOneWithTheQueueIsMeant) {
  const Cluster plain{.name = "a", .processors = 4};
  const Cluster queued{.name = "b", .processors = 8, .queue = QueueSpec{}};
  const Cluster other{.name = "d", .processors = 8, .queue = QueueSpec{}};
  EXPECT_EQ(make_site(Platform(0, {plain, queued}), "f", {}).cluster.name, "b");
  EXPECT_THROW(make_site(Platform(0, {queued, other}), "f", {}), InputError);
  EXPECT_THROW(make_site(Platform(0, {plain, {.name = "e", .processors = 1}}), "f", {}),
               InputError);
}

TEST(Site, WhatNoQueueCanHaveIsAnError) {
  const auto make = [](const Cluster& cluster) { make_site(Platform(0, {cluster}), "f", {}); };
  EXPECT_THROW(make({.name = "c", .processors = 4, .leaves = at(50)}), InputError);
  EXPECT_THROW(
      make({.name = "c", .processors = 4, .queue = QueueSpec{.log = "", .policy = "lottery"}}),
      InputError);
}

}  // namespace
}  // namespace dovetail::queue
