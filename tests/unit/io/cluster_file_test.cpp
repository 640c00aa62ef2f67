#include <gtest/gtest.h>

#include <thread>

#include "dovetail/io.hpp"
#include "support/file_checks.hpp"

namespace dovetail {
namespace {

using testing::error_of;

Platform parse(std::string_view text) { return parse_platform(text, "c.yaml"); }
std::string error_in(std::string_view text) {
  return error_of([&] { parse(text); });
}
std::string cluster_error(const std::string& fields) {
  return error_in("clusters:\n  - {name: kth, " + fields + "}\n");
}

constexpr std::string_view kDesignExample = R"(now: 0
clusters:
  - name: kth
    processors: 128
    speed: 2.0
    free_on_average: 73.2
    reservations: [{start: 0, end: 3600, processors: 10}]
    joins: 0
    leaves: 5000
    queue: {log: KTH-SP2.swf.gz, policy: easy, max_jobs: 16}
    slurm: {partition: batch}
)";

TEST(ClusterFile, ReadsEveryField) {
  const Platform platform = parse(kDesignExample);
  ASSERT_EQ(platform.clusters().size(), 1U);
  const Cluster& cluster = platform.clusters()[0];
  EXPECT_EQ(cluster.name, "kth");
  EXPECT_EQ(cluster.processors, 128);
  EXPECT_EQ(cluster.speed, 2.0);
  EXPECT_EQ(cluster.free_on_average, 73.2);
  EXPECT_EQ(cluster.reservations, (std::vector<Reservation>{{0, 3'600'000, 10}}));
  EXPECT_EQ(cluster.joins, 0);
  EXPECT_EQ(cluster.leaves, 5'000'000);
  EXPECT_EQ(cluster.queue->log, "KTH-SP2.swf.gz");
  EXPECT_EQ(cluster.queue->policy, "easy");
  EXPECT_EQ(cluster.queue->max_jobs, 16);
  EXPECT_EQ(cluster.batch->partition, "batch");
  EXPECT_FALSE(platform.wall_clock());
}

TEST(ClusterFile, WritesWhatItReads) {
  for (std::string_view text :
       {kDesignExample, std::string_view("now: 2026-11-15T08:00:00.250Z\nclusters:\n"
                                         "  - {name: a b, nodes: 3, cores_per_node: 4, "
                                         "leaves: 2026-11-16T00:00:00+01:00,\n"
                                         "     reservations: [{start: 2026-11-15T07:59:59.9Z, "
                                         "end: 1794733200.123, processors: 12}]}\n"
                                         "  - {name: b, processors: 5, queue: {}, slurm: {}}\n")}) {
    const Platform platform = parse(text);
    testing::expect_same(platform, parse(format_platform(platform, false)));
    testing::expect_same(platform, parse(format_platform(platform, true)));
  }
}

TEST(ClusterFile, NodesTimesCoresIsTheSize) {
  const Platform platform = parse("clusters: [{name: a, nodes: 32, cores_per_node: 4}]");
  EXPECT_EQ(platform.clusters()[0].processors, 128);
  EXPECT_EQ(platform.clusters()[0].cores_per_node, 4);
}

TEST(ClusterFile, ReservationsRoundOutwardsAndNowUp) {
  const Platform platform = parse(
      "now: 0.0001\nclusters: [{name: a, processors: 4, joins: -5.0001, leaves: 9.9999, "
      "reservations: [{start: 1.0009, end: 1.0011, processors: 1}]}]");
  EXPECT_EQ(platform.now(), 1);
  const Cluster& cluster = platform.clusters()[0];
  EXPECT_EQ(cluster.reservations[0].start, 1000);
  EXPECT_EQ(cluster.reservations[0].end, 1002);
  EXPECT_EQ(cluster.joins, -5000);
  EXPECT_EQ(cluster.leaves, 9999);
}

TEST(ClusterFile, ReservationsMayHaveStartedBeforeNow) {
  const Platform platform = parse(
      "now: 1h\nclusters: [{name: a, processors: 4, reservations: "
      "[{start: -60, end: 2h, processors: 3}]}]");
  EXPECT_EQ(platform.now(), 3'600'000);
  EXPECT_EQ(platform.clusters()[0].reservations[0].start, -60'000);
  EXPECT_EQ(platform.calendar(0).free_at(3'600'000), 1);
}

TEST(ClusterFile, DatesNeedADateAsNow) {
  const Platform platform = parse(
      "now: 1970-01-02T00:00:00Z\nclusters: [{name: a, processors: 4, reservations: "
      "[{start: 1970-01-02T01:00:00Z, end: 1970-01-02T03:00:00+01:00, processors: 3}]}]");
  EXPECT_TRUE(platform.wall_clock());
  EXPECT_EQ(platform.now(), 86'400'000);
  EXPECT_EQ(platform.clusters()[0].reservations[0].start, 90'000'000);
  EXPECT_EQ(platform.clusters()[0].reservations[0].end, 93'600'000);
  EXPECT_EQ(error_in("now: 5\nclusters:\n  - name: a\n    processors: 4\n"
                     "    joins: 1970-01-02T01:00:00Z\n"),
            "c.yaml:5: cluster \"a\": joins: a date needs \"now\" to be a date too; give seconds");
}

TEST(ClusterFile, OverbookingNamesTheReservation) {
  EXPECT_EQ(error_in("clusters:\n  - name: a\n    processors: 4\n    reservations:\n"
                     "      - {start: 0, end: 10, processors: 3}\n"
                     "      - {start: 10, end: 20, processors: 3}\n"
                     "      - {start: 9, end: 11, processors: 2}\n"
                     "      - {start: 50, end: 60, processors: 1}\n")
                .substr(0, 24),
            "c.yaml:7: cluster \"a\": r");
  EXPECT_EQ(error_in("clusters:\n  - name: a\n    processors: 4\n    reservations:\n"
                     "      - {start: 5, end: 5, processors: 3}\n")
                .substr(0, 10),
            "c.yaml:5: ");
  EXPECT_EQ(cluster_error("processors: 4, reservations: [{start: 0, end: 5, processors: 5}]")
                .substr(0, 24),
            "c.yaml:2: cluster \"kth\":");
}

TEST(ClusterFile, FieldErrorsNameClusterFieldAndLine) {
  EXPECT_EQ(cluster_error("procesors: 4"),
            "c.yaml:2: cluster \"kth\": unknown key \"procesors\"; did you mean \"processors\"?");
  EXPECT_EQ(cluster_error("speed: 1").substr(0, 46),
            "c.yaml:2: cluster \"kth\": its size is missing; ");
  EXPECT_EQ(cluster_error("processors: 4, nodes: 2"),
            "c.yaml:2: cluster \"kth\": nodes: give \"processors\" or \"nodes\", not both");
  EXPECT_NE(cluster_error("processors: 0").find("whole number from 1 to 10000000"),
            std::string::npos);
  EXPECT_NE(cluster_error("nodes: 10000000, cores_per_node: 2").find("20000000 processors"),
            std::string::npos);
  EXPECT_EQ(cluster_error("processors: 4, speed: 0"),
            "c.yaml:2: cluster \"kth\": speed: expected a speed above 0");
  EXPECT_NE(cluster_error("processors: 4, free_on_average: -1").find("from 0 to"),
            std::string::npos);
  EXPECT_EQ(cluster_error("processors: 4, joins: 5, leaves: 5"),
            "c.yaml:2: cluster \"kth\": leaves: the cluster leaves before it joins");
  EXPECT_EQ(cluster_error("processors: 4, queue: {polici: x}"),
            "c.yaml:2: cluster \"kth\": queue: unknown key \"polici\"; did you mean \"policy\"?");
  EXPECT_EQ(cluster_error("processors: 4, reservations: [{start: 0, processors: 1}]"),
            "c.yaml:2: cluster \"kth\": \"end\" is missing");
  EXPECT_EQ(error_in("clusters: []"), "c.yaml:1: clusters: expected at least one cluster");
  EXPECT_EQ(error_in("now: 5"), "c.yaml:1: \"clusters\" is missing");
  EXPECT_NE(error_in("clusters: [{name: a, processors: 1}, {name: a, processors: 1}]")
                .find("c.yaml:1: two clusters are called \"a\""),
            std::string::npos);
}

TEST(ClusterFile, ShorthandsStandForPlainClusters) {
  EXPECT_EQ(read_platform("128").clusters()[0].processors, 128);
  EXPECT_EQ(read_platform("128").clusters()[0].name, "cluster");
  const Platform local = read_platform("local");
  EXPECT_EQ(local.clusters()[0].name, "local");
  EXPECT_EQ(local.clusters()[0].processors,
            static_cast<Count>(std::max(1U, std::thread::hardware_concurrency())));
  EXPECT_EQ(error_of([] { read_platform("0"); }),
            "a cluster may have from 1 to 10000000 processors, found \"0\"");
  EXPECT_NE(error_of([] { read_platform("99999999999999999999"); }).find("from 1 to 10000000"),
            std::string::npos);
}

}  // namespace
}  // namespace dovetail
