#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "dovetail/draw.hpp"
#include "draw/page.hpp"
#include "support/sample_plan.hpp"

namespace dovetail::draw {
namespace {

using testing::random_plan;
using testing::small_plan;
using testing::small_plan_with_lost;

constexpr std::string_view kDataBegin = "<script type=\"application/json\" id=\"data\">";

// What a browser hands to JSON.parse: everything up to the first end of a script element.
nlohmann::json data_of(const std::string& page) {
  const std::size_t begin = page.find(kDataBegin) + kDataBegin.size();
  return nlohmann::json::parse(page.substr(begin, page.find("</script", begin) - begin));
}

std::size_t count(const std::string& text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

TEST(GanttHtml, PageHoldsThePlan) {
  const nlohmann::json data = data_of(gantt_html(small_plan()));
  EXPECT_EQ(data["title"], "demo: BL_CPAR_BD_CPAR");
  EXPECT_EQ(data["facts"][0], "turn-around 2h42m");
  EXPECT_EQ(data["tasks"].size(), 6u);
  EXPECT_EQ(data["reservations"].size(), 4u);
  EXPECT_EQ(data["clusters"][0]["processors"], 16);
  EXPECT_EQ(data["deadline"], 12'000'000);
  bool seen = false;
  for (const auto& task : data["tasks"]) {
    if (task["id"] != "solve") continue;
    seen = true;
    EXPECT_EQ(task["start"], 1'200'000);
    EXPECT_EQ(task["end"], 4'200'000);
    EXPECT_EQ(task["processors"], 8);
    EXPECT_EQ(task["critical"], true);
    EXPECT_EQ(task["blocks"], nlohmann::json::parse("[[6,8]]"));
  }
  EXPECT_TRUE(seen);
}

TEST(GanttHtml, HoldsPeriodsAndWhoWaitsForWhom) {
  PlanRecord record = small_plan();
  EXPECT_TRUE(data_of(gantt_html(record))["periods"].empty());
  EXPECT_TRUE(data_of(gantt_html(record))["workflows"][0]["alone"].is_null());
  record.division = {.periods = {3'000'000}};
  record.workflows[0].dedicated_makespan = 60'000;
  record.workflows[0].delayed_by = {{"other", 5'000}};
  record.workflows[0].delayed_by_reservations = 7'000;
  record.workflows[0].weight = 2;
  record.workflows[0].ready_at = 9'000;
  const nlohmann::json data = data_of(gantt_html(record));
  EXPECT_EQ(data["periods"], nlohmann::json::parse("[3000000]"));
  EXPECT_EQ(data["workflows"][0]["alone"], 60'000);
  EXPECT_EQ(data["workflows"][0]["delays"][0]["by"], "other");
  EXPECT_EQ(data["workflows"][0]["reserved"], 7'000);
  EXPECT_EQ(data["workflows"][0]["weight"], 2);
  EXPECT_EQ(data["workflows"][0]["ready"], 9'000);
}

TEST(GanttHtml, LostRunsAreApartFromTheTasksInTheirColours) {
  EXPECT_TRUE(data_of(gantt_html(small_plan()))["lost"].empty());
  const nlohmann::json data = data_of(gantt_html(small_plan_with_lost()));
  EXPECT_EQ(data["tasks"].size(), 6u);
  ASSERT_EQ(data["lost"].size(), 2u);
  EXPECT_EQ(data["lost"][0]["id"], "mesh");
  EXPECT_EQ(data["lost"][0]["end"], 600'000);
  for (const auto& run : data["lost"]) {
    EXPECT_EQ(run["lost"], true);
    for (const auto& task : data["tasks"]) {
      EXPECT_EQ(task["lost"], false);
      EXPECT_EQ(task["id"] == run["id"], task["colour"] == run["colour"]);
    }
  }
}

TEST(GanttHtml, TimesCountFromTheBeginningOfThePicture) {
  PlanRecord record = small_plan();
  const nlohmann::json before = data_of(gantt_html(record));
  const Time shift = 1'794'729'600'000;
  record.now += shift;
  *record.deadline += shift;
  for (TaskRecord& task : record.tasks) {
    task.start += shift;
    task.end += shift;
  }
  for (Reservation& reservation : record.clusters[0].reservations) {
    reservation.start += shift;
    reservation.end += shift;
  }
  const nlohmann::json after = data_of(gantt_html(record));
  EXPECT_EQ(after["origin"], shift);
  EXPECT_EQ(after["tasks"], before["tasks"]);
  EXPECT_EQ(after["reservations"], before["reservations"]);
}

TEST(GanttHtml, NoNameCanBreakOutOfTheData) {
  const std::string hostile = "</script><script>alert(1)</script><!--{{data}}\xff\x1b";
  PlanRecord record = small_plan();
  record.algorithm = hostile;
  record.workflows[0].name = hostile;
  record.clusters[0].name = hostile;
  for (TaskRecord& task : record.tasks) {
    task.id = hostile;
    task.cluster = hostile;
    task.workflow = hostile;
  }
  const std::string page = gantt_html(record);
  EXPECT_EQ(page.find("<script>alert"), std::string::npos);
  EXPECT_EQ(count(page, "<script"), 2u);
  EXPECT_EQ(count(page, "</script"), 2u);
  EXPECT_EQ(count(page, std::string(kDataBegin)), 1u);
  EXPECT_EQ(data_of(page)["tasks"][0]["id"],
            "</script><script>alert(1)</script><!--{{data}}\uFFFD\uFFFD");
}

TEST(GanttHtml, PageNeedsNoNetworkAndForbidsIt) {
  const std::string page = gantt_html(small_plan());
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
  EXPECT_EQ(page.find("src=\""), std::string::npos);
  EXPECT_EQ(page.find("<link"), std::string::npos);
  EXPECT_EQ(page.find("@import"), std::string::npos);
  EXPECT_EQ(page.find("https:"), std::string::npos);
}

TEST(GanttHtml, EverySlotOfTheTemplateIsFilled) {
  const std::string page = gantt_html(small_plan());
  for (const char* file : {"gantt.css", "gantt_time.js", "gantt_chart.js", "gantt.js"}) {
    EXPECT_NE(page.find(embedded_file(file)), std::string::npos) << file;
    EXPECT_EQ(page.find(std::string("{{") + file), std::string::npos) << file;
  }
  EXPECT_THROW(embedded_file("no such file"), std::logic_error);
}

TEST(GanttHtml, WorkflowsHaveColoursOfTheirOwn) {
  const nlohmann::json data = data_of(gantt_html(random_plan(5, {.tasks = 30, .workflows = 3})));
  ASSERT_EQ(data["groups"].size(), 3u);
  EXPECT_EQ(data["groups"][0]["name"], "flow0");
  for (const auto& task : data["tasks"]) {
    for (const auto& group : data["groups"]) {
      EXPECT_EQ(task["workflow"] == group["name"], task["colour"] == group["colour"]);
    }
  }
}

TEST(GanttHtml, TasksOfOneWorkflowAreColouredByKind) {
  PlanRecord record = small_plan();
  const char* ids[] = {"project_1", "project_2", "project_3", "fit_1", "fit_2", "add"};
  for (std::size_t i = 0; i < record.tasks.size(); ++i) record.tasks[i].id = ids[i];
  const nlohmann::json data = data_of(gantt_html(record));
  ASSERT_EQ(data["groups"].size(), 3u);
  EXPECT_EQ(data["groups"][0]["name"], "project");
}

TEST(GanttHtml, PlanWithoutTasksIsAPageToo) {
  EXPECT_TRUE(data_of(gantt_html(PlanRecord{}))["tasks"].empty());
}

}  // namespace
}  // namespace dovetail::draw
