#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "dovetail/draw.hpp"
#include "draw/gantt/gantt_layout.hpp"
#include "draw/gantt/gantt_look.hpp"
#include "support/draw/svg_picture.hpp"
#include "support/sample_plan.hpp"

namespace dovetail::draw {
namespace {

using testing::kTestMinute;
using testing::random_plan;
using testing::small_plan;
using testing::small_plan_with_lost;

struct Picture : testing::SvgPicture {
  explicit Picture(const PlanRecord& record) : SvgPicture(gantt_svg(record)) {}
};

// One task after the other, a second each.
PlanRecord sequence_of(int tasks) {
  PlanRecord record;
  record.workflows = {{"many", 0, 1.0}};
  record.clusters = {{"one", 1, {}}};
  for (int i = 0; i < tasks; ++i) {
    record.tasks.push_back(
        {"many", "t" + std::to_string(i), "one", i * kSecond, (i + 1) * kSecond, 1, false});
  }
  testing::complete(record);
  return record;
}

std::size_t blocks(const PlanRecord& record) {
  std::size_t count = 0;
  for (const GanttCluster& cluster : lay_out(record).clusters) {
    for (const GanttItem& item : cluster.items) count += item.blocks.size();
  }
  return count;
}

TEST(GanttSvg, PeriodsAreDrawnAsFarAsThePlanReaches) {
  PlanRecord record = small_plan();
  EXPECT_EQ(gantt_svg(record).find("end of a period"), std::string::npos);
  // The plan ends after 162 minutes; compaction has left the last period far behind.
  record.division = {.periods = {50 * kTestMinute, 180 * kTestMinute, 400 * kTestMinute}};
  const std::string picture = gantt_svg(record);
  EXPECT_NE(picture.find("period 1 ends: 50m"), std::string::npos);
  EXPECT_NE(picture.find("period 2 ends: 3h"), std::string::npos);
  EXPECT_EQ(picture.find("period 3"), std::string::npos);
  EXPECT_NE(picture.find("end of a period"), std::string::npos);
}

TEST(GanttSvg, EveryWorkflowHasItsColourAndItsStretchInTheLegend) {
  PlanRecord record;
  record.clusters = {{"one", 40, {}}};
  std::set<std::string_view> colours;
  for (std::size_t i = 0; i < 30; ++i) {
    const std::string name = "flow_" + std::to_string(i);
    record.workflows.push_back({.name = name,
                                .makespan = kSecond,
                                .stretch = 1 + static_cast<double>(i) / 10,
                                .dedicated_makespan = kSecond});
    record.tasks.push_back({name, "t", "one", 0, kSecond, 1, false});
    colours.insert(group_colour(i));
  }
  testing::complete(record);
  EXPECT_EQ(colours.size(), 30U);
  const std::string picture = gantt_svg(record);
  for (std::size_t i = 0; i < 30; ++i) {
    EXPECT_NE(picture.find(">flow_" + std::to_string(i) + " " + std::to_string(1 + i / 10) + "." +
                           std::to_string(i % 10) + "0x<"),
              std::string::npos)
        << i;
  }
}

TEST(GanttSvg, EveryBlockIsARectangleWithATooltip) {
  for (const PlanRecord& record : {small_plan(), small_plan_with_lost(), random_plan(11),
                                   random_plan(12, {.workflows = 3, .clusters = 3})}) {
    const Picture picture(record);
    ASSERT_TRUE(picture.well_formed());
    std::size_t rects = 0;
    for (const pugi::xml_node& rect : picture.root().children("rect")) {
      ++rects;
      EXPECT_FALSE(std::string(rect.child("title").text().get()).empty());
    }
    EXPECT_EQ(rects, blocks(record));
  }
}

TEST(GanttSvg, SmallPlanShowsTitleFactsLabelsAndMarks) {
  const Picture picture(small_plan());
  EXPECT_EQ(picture.rects("task").size(), 6u);
  EXPECT_EQ(picture.rects("reservation").size(), 4u);
  EXPECT_EQ(picture.rects("critical").size(), 4u);
  const std::string words = picture.all_text();
  for (const char* expected : {"BL_CPAR_BD_CPAR", "turn-around 2h42m", "15.0 CPU-hours", "kth",
                               "16 processors", "solve", "1h30m", "deadline", "critical chain"}) {
    EXPECT_NE(words.find(expected), std::string::npos) << expected;
  }
}

TEST(GanttSvg, TooltipTellsWhenHowLongAndHowWide) {
  const Picture picture(small_plan());
  bool seen = false;
  for (const pugi::xml_node& rect : picture.rects("task")) {
    const std::string tip = rect.child("title").text().get();
    if (tip.rfind("solve\n", 0) != 0) continue;
    seen = true;
    EXPECT_EQ(tip,
              "solve\nstart 20m\nend 1h10m\nduration 50m (3000 s)\n8 processors of kth\n"
              "on the critical chain");
  }
  EXPECT_TRUE(seen);
}

TEST(GanttSvg, LostRunsAreHatchedInTheirTasksColour) {
  const Picture picture(small_plan_with_lost());
  ASSERT_TRUE(picture.well_formed());
  EXPECT_EQ(picture.rects("task").size(), 6u);
  const auto lost = picture.rects("lost");
  ASSERT_EQ(lost.size(), 2u);
  std::map<std::string, std::string> hatchings;  // by id, with the colour of their stripes
  for (const pugi::xml_node& pattern : picture.root().child("defs").children("pattern")) {
    hatchings[std::string("url(#") + pattern.attribute("id").value() + ")"] =
        pattern.attribute("fill").value();
  }
  std::map<std::string, std::string> colours;
  for (const pugi::xml_node& rect : picture.rects("task")) {
    const std::string tip = rect.child("title").text().get();
    colours[tip.substr(0, tip.find('\n'))] = rect.attribute("fill").value();
  }
  for (const pugi::xml_node& rect : lost) {
    const std::string tip = rect.child("title").text().get();
    const std::string task = tip.substr(0, tip.find(','));
    ASSERT_TRUE(colours.contains(task)) << tip;
    EXPECT_EQ(hatchings[rect.attribute("fill").value()], colours[task]);
  }
  EXPECT_EQ(std::string(lost[0].child("title").text().get()),
            "mesh, lost after 8m\nstart 2m\nend 10m\nduration 8m (480 s)\n4 processors of kth");
  EXPECT_NE(picture.all_text().find("15.0 CPU-hours + 0.7 lost"), std::string::npos);
  EXPECT_NE(picture.all_text().find("cut short"), std::string::npos);
}

TEST(GanttSvg, LostRunIsNamedWhereThereIsRoom) {
  PlanRecord record = small_plan_with_lost();
  record.lost[1] = {"demo", "mesh", "kth", 70 * kTestMinute, 110 * kTestMinute, 1, false};
  EXPECT_NE(Picture(record).all_text().find("mesh (lost)"), std::string::npos);
  record.lost[1].end = 75 * kTestMinute;
  EXPECT_EQ(Picture(record).all_text().find("(lost)"), std::string::npos);
}

TEST(GanttSvg, NothingIsSaidOfLostRunsWhereThereAreNone) {
  const Picture picture(small_plan());
  EXPECT_EQ(picture.all_text().find("cut short"), std::string::npos);
  EXPECT_EQ(picture.all_text().find("lost"), std::string::npos);
  EXPECT_TRUE(picture.root().child("defs").empty());
}

TEST(GanttSvg, LostRunsOfAPlanThatCannotBeFinishedAreDrawn) {
  PlanRecord record = small_plan_with_lost();
  record.tasks.clear();
  record.feasible = false;
  const Picture picture(record);
  ASSERT_TRUE(picture.well_formed());
  EXPECT_EQ(picture.rects("lost").size(), 2u);
  EXPECT_NE(picture.all_text().find("0.7 CPU-hours lost"), std::string::npos);
}

TEST(GanttSvg, TaskAreasAreProportionalToProcessorsTimesDuration) {
  const PlanRecord record = random_plan(21, {.tasks = 20, .processors = 12, .reservations = 6});
  const Picture picture(record);
  std::map<std::string, double> drawn;
  for (const pugi::xml_node& rect : picture.rects("task")) {
    const std::string tip = rect.child("title").text().get();
    drawn[tip.substr(0, tip.find('\n'))] +=
        rect.attribute("width").as_double() * rect.attribute("height").as_double();
  }
  const TaskRecord& first = record.tasks.front();
  const auto area = [](const TaskRecord& t) { return double(t.end - t.start) * t.processors; };
  const double scale = drawn[first.id] / area(first);
  for (const TaskRecord& task : record.tasks) {
    EXPECT_NEAR(drawn[task.id], scale * area(task), 0.02 * scale * area(task) + 20) << task.id;
  }
}

TEST(GanttSvg, HostileNamesAreEscaped) {
  PlanRecord record = small_plan();
  record.algorithm = "<script>alert(1)</script> & \"co\"";
  record.tasks[1].id = "</title><rect/>&amp;\x01\xff";
  record.clusters[0].name = record.tasks[0].cluster = "k\"<th>";
  const Picture picture(record);
  ASSERT_TRUE(picture.well_formed());
  EXPECT_EQ(picture.text().find("<script"), std::string::npos);
  EXPECT_NE(picture.all_text().find("<script>alert(1)</script> & \"co\""), std::string::npos);
  EXPECT_NE(picture.all_text().find("</title><rect/>&amp;\uFFFD\uFFFD"), std::string::npos);
}

TEST(GanttSvg, CrowdedPlanKeepsEverythingVisibleAndInsideThePage) {
  const PlanRecord record =
      random_plan(31, {.tasks = 3000, .processors = 3000, .reservations = 100, .workflows = 12});
  const Picture picture(record);
  ASSERT_TRUE(picture.well_formed());
  const double width = picture.root().attribute("width").as_double();
  EXPECT_EQ(width, 1200);
  EXPECT_LT(picture.root().attribute("height").as_double(), 900);
  for (const pugi::xml_node& rect : picture.root().children("rect")) {
    ASSERT_GE(rect.attribute("width").as_double(), 0.5);
    ASSERT_GE(rect.attribute("height").as_double(), 0.5);
    ASSERT_GE(rect.attribute("x").as_double(), 0);
    ASSERT_LE(rect.attribute("x").as_double() + rect.attribute("width").as_double(), width);
  }
}

// However many tasks there are, only so many can be told apart.
TEST(GanttSvg, TasksTooThinToBeSeenAreDrawnOnce) {
  const auto rectangles = [](int tasks) {
    const Picture picture(sequence_of(tasks));
    std::set<int> seen;
    for (const pugi::xml_node& rect : picture.root().children("rect")) {
      seen.insert(static_cast<int>(rect.attribute("x").as_double()));
    }
    return std::pair(std::ranges::distance(picture.root().children("rect")), seen);
  };
  const auto [few, few_seen] = rectangles(1'000);
  const auto [many, many_seen] = rectangles(100'000);
  EXPECT_GE(few, 1'000);
  EXPECT_LT(many, 4'000);
  EXPECT_GE(many_seen.size(), 1'100U) << "every pixel of the row is still covered";
}

TEST(GanttSvg, WallClockPutsDatesOnTheAxis) {
  PlanRecord record = small_plan();
  record.wall_clock = true;
  const Time shift = 1'794'729'600'000;  // 2026-11-15 08:00:00Z
  record.now += shift;
  *record.deadline += shift;
  for (TaskRecord& task : record.tasks) {
    task.start += shift;
    task.end += shift;
  }
  const std::string words = Picture(record).all_text();
  EXPECT_NE(words.find("2026-11-15 UTC"), std::string::npos);
  EXPECT_NE(words.find("09:00"), std::string::npos);
}

TEST(GanttSvg, OverbookedPlanSaysSo) {
  PlanRecord record = small_plan();
  EXPECT_EQ(Picture(record).all_text().find("over capacity"), std::string::npos);
  record.tasks.push_back({"demo", "extra", "kth", 30 * kTestMinute, 80 * kTestMinute, 9, false});
  EXPECT_NE(Picture(record).all_text().find("over capacity"), std::string::npos);
}

TEST(GanttSvg, PoolOfOneProcessorResourcesIsOnePanelOfThinRows) {
  const PlanRecord record =
      random_plan(41, {.tasks = 200, .processors = 1, .reservations = 30, .clusters = 50});
  const Picture picture(record);
  ASSERT_TRUE(picture.well_formed());
  EXPECT_EQ(picture.all("path", "frame").size(), 1u);
  EXPECT_LT(picture.root().attribute("height").as_double(), 1400);
  const std::string words = picture.all_text();
  EXPECT_NE(words.find("50 resources"), std::string::npos);
  EXPECT_NE(words.find("\ncluster49\n"), std::string::npos);
  // Tasks of one resource are on one height, those of two on different ones.
  std::set<std::string> clusters;
  std::set<std::string> heights;
  std::set<std::pair<std::string, std::string>> both;
  for (const pugi::xml_node& rect : picture.rects("task")) {
    const std::string tip = rect.child("title").text().get();
    const std::string height = rect.attribute("y").value();
    const std::size_t name = tip.find("cluster");
    const std::string cluster = tip.substr(name, tip.find('\n', name) - name);
    clusters.insert(cluster);
    heights.insert(height);
    both.emplace(cluster, height);
    EXPECT_GT(rect.attribute("height").as_double(), 12);
  }
  EXPECT_GT(clusters.size(), 40u);
  EXPECT_EQ(clusters.size(), heights.size());
  EXPECT_EQ(clusters.size(), both.size());
}

TEST(GanttSvg, ClustersAroundAPoolKeepTheirPanels) {
  PlanRecord record = small_plan();
  record.clusters.push_back({"a", 1, {}});
  record.clusters.push_back({"b", 1, {}});
  record.clusters.push_back({"big", 8, {}});
  const Picture picture(record);
  EXPECT_EQ(picture.all("path", "frame").size(), 3u);
  EXPECT_NE(picture.all_text().find("2 resources"), std::string::npos);
}

TEST(GanttSvg, OverbookedResourceOfAPoolSaysSo) {
  PlanRecord record;
  record.clusters = {{"a", 1, {}}, {"b", 1, {}}};
  record.tasks = {{"w", "x", "b", 0, kTestMinute, 1, false}};
  EXPECT_EQ(Picture(record).all_text().find("over capacity"), std::string::npos);
  record.tasks.push_back({"w", "y", "b", 0, kTestMinute, 1, false});
  const Picture picture(record);
  EXPECT_NE(picture.all_text().find("over capacity"), std::string::npos);
  EXPECT_EQ(picture.all("path", "over").size(), 1u);
}

TEST(GanttSvg, PlanWithoutTasksIsAPictureToo) {
  PlanRecord record;
  EXPECT_TRUE(Picture(record).well_formed());
  record.feasible = false;
  record.clusters = {{"c", 8, {}}};
  const Picture picture(record);
  ASSERT_TRUE(picture.well_formed());
  EXPECT_NE(picture.all_text().find("no plan was found"), std::string::npos);
}

}  // namespace
}  // namespace dovetail::draw
