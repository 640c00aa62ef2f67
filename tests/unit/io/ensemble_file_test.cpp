#include "io/formats/ensemble_file.hpp"

#include <gtest/gtest.h>

#include "dovetail/error.hpp"
#include "dovetail/io.hpp"

namespace dovetail {
namespace {

using io::EnsembleFile;
using io::on_platform;
using io::parse_ensemble;

const std::string kHead = "scenarios: 10\nmonths: 180\n";
const std::string kTable =
    "clusters:\n  grillon: {times: {4: 8050, 5: 4205, 6: 2670}, post: 100}\n";

std::string error_of(const std::string& text) {
  try {
    parse_ensemble(text, "e.yaml");
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

std::string error_on(const std::string& text, const Platform& platform) {
  try {
    on_platform(parse_ensemble(text, "e.yaml"), platform);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(EnsembleFile, ReadsTablesAndRules) {
  const EnsembleFile file = parse_ensemble(
      kHead +
          "node_multiples: true\nextra_size: 12\npost_processors: node\nfull_speed_posts: 4\n"
          "disk: {capacity: 500, archive: 0.12, margin: 20}\n" +
          kTable,
      "e.yaml");
  EXPECT_EQ(file.scenarios, 10);
  EXPECT_EQ(file.months, 180);
  EXPECT_TRUE(file.rules.node_multiples);
  EXPECT_TRUE(file.rules.post_node);
  EXPECT_EQ(file.rules.extra_size, 12);
  EXPECT_EQ(file.rules.full_speed_posts, 4);
  EXPECT_EQ(file.rules.disk, (DiskSpec{500'000, 1000, 120, 20'000}));
  ASSERT_EQ(file.tables.size(), 1U);
  EXPECT_EQ(file.tables[0].times.main[1], (GroupTime{5, 4'205'000}));
  EXPECT_EQ(file.tables[0].times.post, 100'000);
}

TEST(EnsembleFile, IsTheSameAsJson) {
  const EnsembleFile file = parse_ensemble(
      R"({"scenarios":2,"months":3,"clusters":{"a":{"times":{"5":"1h","4":"2h"},"post":0}}})",
      "e.json");
  EXPECT_EQ(file.tables[0].times.main, (std::vector<GroupTime>{{4, 2 * kHour}, {5, kHour}}));
  EXPECT_EQ(file.tables[0].times.post, 0);
}

TEST(EnsembleFile, WindowsAreAListOrSlots) {
  const auto windows = [](const std::string& text) {
    return parse_ensemble(
               kHead + "clusters:\n  a: {times: {4: 10}, post: 1, windows: " + text + "}\n",
               "e.yaml")
        .tables[0]
        .windows;
  };
  EXPECT_EQ(windows("{length: 10h, every: 24h, first: 60}"),
            (Windows{{}, 10 * kHour, 24 * kHour, 60 * kSecond}));
  EXPECT_EQ(windows("[{start: 0, end: 1h}, {start: 2h, end: 3h}]").list,
            (std::vector<Interval>{{0, kHour}, {2 * kHour, 3 * kHour}}));
}

TEST(EnsembleFile, NonsenseIsOneLine) {
  EXPECT_EQ(error_of("scenarios: 10\nmonths: 0\n" + kTable),
            "e.yaml:2: months: expected a whole number from 1 to 1000000, found 0");
  EXPECT_EQ(error_of("scenarios: 0\nmonths: 5\n" + kTable),
            "e.yaml:1: scenarios: expected a whole number from 1 to 1000000, found 0");
  EXPECT_EQ(error_of(kHead), "e.yaml:1: \"clusters\" is missing");
  EXPECT_EQ(
      error_of(kHead + "clusters:\n  a:\n    times:\n      4: 10\n      6: 8\n    post: 1\n"),
      "e.yaml:5: cluster \"a\": times: none for 5 processors; measure them, or if groups are to "
      "have only the sizes of this table, add sizes: [4, 6]");
  EXPECT_EQ(
      error_of(kHead + "clusters:\n  a:\n    times:\n      4: 10\n      5: 11\n    post: 1\n"),
      "e.yaml:7: cluster \"a\": times: 5 processors take longer than 4 (11 s, 10 s); times "
      "must not rise with the processors");
  EXPECT_EQ(
      error_of(kHead + "clusters: {a: {times: {}, post: 1}}\n"),
      "e.yaml:3: cluster \"a\": times: expected at least one number of processors with a time");
  EXPECT_EQ(error_of(kHead + "clusters: {a: {times: {four: 1}, post: 1}}\n"),
            "e.yaml:3: cluster \"a\": times: expected a number of processors, found \"four\"");
  EXPECT_EQ(error_of(kHead + "clusters: {a: {times: {4: 0}, post: 1}}\n"),
            "e.yaml:3: cluster \"a\": times: 4: a month takes some time; expected more than 0");
  EXPECT_EQ(error_of(kHead + "clusters: {a: {times: {4: 1}}}\n"),
            "e.yaml:3: cluster \"a\": \"post\" is missing");
  EXPECT_EQ(error_of(kHead + "month: 3\n" + kTable),
            "e.yaml:3: unknown key \"month\"; did you mean \"months\"?");
  EXPECT_EQ(error_of(kHead + "chain: [a]\n" + kTable),
            "e.yaml:3: chain: is about the tasks of a workflow; name it with \"repeat\"");
  EXPECT_EQ(error_of("tasks: []\n"),
            "e.yaml:1: this is a workflow or a plan; expected an ensemble with \"scenarios\"");
}

TEST(EnsembleFile, ListedSizesMayHaveGaps) {
  const auto file = parse_ensemble(
      kHead + "clusters: {a: {times: {4: 10, 6: 9, 8: 7}, sizes: [8, 4], post: 1}}\n", "e.yaml");
  EXPECT_EQ(file.tables[0].times.main,
            (std::vector<GroupTime>{{4, 10 * kSecond}, {8, 7 * kSecond}}));
  EXPECT_EQ(error_of(kHead + "clusters: {a: {times: {4: 10}, sizes: [5], post: 1}}\n"),
            "e.yaml:3: cluster \"a\": sizes: there is no time for 5");
}

TEST(EnsembleFile, AnExtraSizeIsLargerThanTheMeasuredOnes) {
  EXPECT_EQ(error_of(kHead + "extra_size: 6\n" + kTable),
            "e.yaml:3: extra_size: expected more than the largest measured size; cluster "
            "\"grillon\" has 6");
}

TEST(EnsembleFile, MeetsItsClustersByName) {
  const Platform grillon = Platform::empty(53, "grillon");
  const Ensemble ensemble = on_platform(parse_ensemble(kHead + kTable, "e.yaml"), grillon);
  EXPECT_EQ(ensemble.sites[0].processors, 53);
  EXPECT_EQ(error_on(kHead + kTable, Platform::empty(53, "azur")),
            "e.yaml:3: clusters: no times for cluster \"azur\"; there are times for grillon");
}

TEST(EnsembleFile, SaysWhenNoGroupFits) {
  EXPECT_EQ(error_on(kHead + kTable, Platform::empty(3, "grillon")),
            "e.yaml:4: cluster \"grillon\": no size fits; the smallest group has 4 processors, and "
            "there are 3 for groups");
  EXPECT_EQ(error_on(kHead + "post_processors: 5\n" + kTable, Platform::empty(8, "grillon")),
            "e.yaml:5: cluster \"grillon\": no size fits; the smallest group has 4 processors, and "
            "there are 3 for groups");
  const Platform nodes(0, {{.name = "grillon", .processors = 70, .cores_per_node = 7}});
  EXPECT_EQ(
      error_on(kHead + "node_multiples: true\n" + kTable, nodes),
      "e.yaml:5: cluster \"grillon\": no size is a multiple of its 7 cores per node; measure one, "
      "or add extra_size with a multiple of 7");
}

TEST(EnsembleFile, RefusesSumsBeyondAnyTime) {
  EXPECT_EQ(error_on("scenarios: 1000000\nmonths: 1000\n" + kTable, Platform::empty(9, "grillon")),
            "e.yaml:3: scenarios x months: at most 100000000 months can be planned");
}

}  // namespace
}  // namespace dovetail
