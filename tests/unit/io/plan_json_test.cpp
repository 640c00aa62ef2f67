#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "dovetail/io.hpp"
#include "support/file_checks.hpp"

namespace dovetail {
namespace {

using testing::error_of;

PlanRecord sample() {
  PlanRecord plan{
      .algorithm = "BL_CPAR_BD_CPAR", .now = 0, .makespan = 8'123'500, .cpu_hours = 51.2};
  plan.workflows = {{.name = "demo", .makespan = 8'123'500, .stretch = 1.25}};
  plan.clusters = {{.name = "kth", .processors = 128, .reservations = {{-5000, 3'600'001, 10}}}};
  plan.tasks = {{.workflow = "demo",
                 .id = "pre \"p\"",
                 .cluster = "kth",
                 .start = 0,
                 .end = 60'000,
                 .processors = 1,
                 .critical = true},
                {.workflow = "demo",
                 .id = "b",
                 .cluster = "kth",
                 .start = 60'000,
                 .end = 8'123'500,
                 .processors = 23}};
  return plan;
}

TEST(PlanJson, HasTheFieldsOthersRead) {
  const auto json = nlohmann::json::parse(format_plan(sample()));
  EXPECT_EQ(json["algorithm"], "BL_CPAR_BD_CPAR");
  EXPECT_EQ(json["now"], 0);
  EXPECT_EQ(json["makespan"], 8123.5);
  EXPECT_EQ(json["turnaround"], 8123.5);
  EXPECT_EQ(json["cpu_hours"], 51.2);
  EXPECT_TRUE(json["deadline"].is_null());
  EXPECT_EQ(json["feasible"], true);
  EXPECT_FALSE(json.contains("wall_clock"));
  EXPECT_EQ(json["workflows"],
            nlohmann::json::parse(R"([{"name":"demo","makespan":8123.5,"stretch":1.25}])"));
  EXPECT_EQ(json["clusters"], nlohmann::json::parse(R"([{"name":"kth","processors":128,
      "reservations":[{"start":-5,"end":3600.001,"processors":10}]}])"));
  EXPECT_EQ(json["tasks"][0], nlohmann::json::parse(R"({"workflow":"demo","id":"pre \"p\"",
      "cluster":"kth","start":0,"end":60,"processors":1,"critical":true})"));
  EXPECT_FALSE(json["tasks"][1].contains("critical"));
}

TEST(PlanJson, WholeSecondsHaveNoDecimals) {
  EXPECT_NE(format_plan(sample()).find("\"end\":60,"), std::string::npos);
}

TEST(PlanJson, ReadsWhatItWrites) {
  PlanRecord plan = sample();
  plan.deadline = 9'000'001;
  plan.wall_clock = true;
  const std::string text = format_plan(plan);
  const PlanRecord read = parse_plan(text, "p.json");
  EXPECT_EQ(format_plan(read), text);
  EXPECT_EQ(read.deadline, 9'000'001);
  EXPECT_TRUE(read.wall_clock);
  EXPECT_TRUE(read.tasks[0].critical);
  EXPECT_FALSE(read.tasks[1].critical);
  EXPECT_EQ(read.tasks[1].end, 8'123'500);
  EXPECT_EQ(read.clusters[0].reservations, plan.clusters[0].reservations);
  EXPECT_EQ(read.workflows[0].stretch, 1.25);
}

TEST(PlanJson, KeepsWhatADeadlineAdds) {
  PlanRecord plan = sample();
  EXPECT_FALSE(nlohmann::json::parse(format_plan(plan)).contains("lambda"));
  plan.deadline = 9'000'000;
  plan.lambda = 0.35;
  plan.tightest = {{.algorithm = "DL_BD_ALL"},
                   {.algorithm = "DL_BD_CPA", .deadline = 8'200'500, .cpu_hours = 12.5}};
  const std::string text = format_plan(plan);
  const auto json = nlohmann::json::parse(text);
  EXPECT_EQ(json["lambda"], 0.35);
  EXPECT_EQ(json["tightest"], nlohmann::json::parse(R"([{"algorithm":"DL_BD_ALL","deadline":null},
      {"algorithm":"DL_BD_CPA","deadline":8200.5,"cpu_hours":12.5}])"));
  EXPECT_EQ(format_plan(parse_plan(text, "p.json")), text);
}

TEST(PlanJson, KeepsHowWorkflowsFare) {
  PlanRecord plan = sample();
  EXPECT_FALSE(nlohmann::json::parse(format_plan(plan)).contains("average_stretch"));
  plan.average_stretch = 1.5;
  plan.maximum_stretch = 2.5;
  plan.maximum_weighted_stretch = 2.25;
  plan.division = {.slack = 1.25, .bound = 1.75, .periods = {4'000'000, 8'000'001}};
  plan.workflows[0].dedicated_makespan = 6'498'800;
  plan.workflows[0].weight = 2.5;
  plan.workflows[0].ready_at = 60'000;
  plan.workflows[0].delayed_by = {{"other", 1'500}};
  plan.workflows[0].delayed_by_reservations = 2'500;
  const std::string text = format_plan(plan);
  const auto json = nlohmann::json::parse(text);
  EXPECT_EQ(json["average_stretch"], 1.5);
  EXPECT_EQ(json["maximum_stretch"], 2.5);
  EXPECT_EQ(json["maximum_weighted_stretch"], 2.25);
  EXPECT_EQ(json["slack"], 1.25);
  EXPECT_EQ(json["stretch_bound"], 1.75);
  EXPECT_EQ(json["periods"], nlohmann::json::parse("[4000, 8000.001]"));
  EXPECT_EQ(json["workflows"], nlohmann::json::parse(R"([{"name":"demo","makespan":8123.5,
      "stretch":1.25,"dedicated_makespan":6498.8,"weight":2.5,"ready_at":60,
      "delayed_by":[{"workflow":"other","seconds":1.5}],"delayed_by_reservations":2.5}])"));
  EXPECT_EQ(format_plan(parse_plan(text, "p.json")), text);
}

TEST(PlanJson, KeepsRunsThatWereCutShort) {
  PlanRecord plan = sample();
  EXPECT_FALSE(nlohmann::json::parse(format_plan(plan)).contains("lost"));
  plan.lost = {{.workflow = "demo",
                .id = "b",
                .cluster = "kth",
                .start = 60'000,
                .end = 90'500,
                .processors = 16}};
  const std::string text = format_plan(plan);
  EXPECT_EQ(nlohmann::json::parse(text)["lost"], nlohmann::json::parse(R"([{"workflow":"demo",
      "id":"b","cluster":"kth","start":60,"end":90.5,"processors":16}])"));
  const PlanRecord read = parse_plan(text, "p.json");
  EXPECT_EQ(format_plan(read), text);
  EXPECT_EQ(read.tasks.size(), 2u);
  ASSERT_EQ(read.lost.size(), 1u);
  EXPECT_EQ(read.lost[0].end, 90'500);
}

TEST(PlanJson, SaysWhichDeadlineCouldHaveBeenMet) {
  const PlanRecord plan{.algorithm = "x",
                        .deadline = 5000,
                        .feasible = false,
                        .earliest_deadline = 7500,
                        .earliest_algorithm = "DL_BD_CPA"};
  const std::string text = format_plan(plan);
  const auto json = nlohmann::json::parse(text);
  EXPECT_EQ(json["deadline"], 5);
  EXPECT_EQ(json["earliest_deadline"], 7.5);
  EXPECT_EQ(json["earliest_algorithm"], "DL_BD_CPA");
  EXPECT_EQ(format_plan(parse_plan(text, "p.json")), text);
}

TEST(PlanJson, InfeasiblePlanHasNoTasks) {
  const PlanRecord plan{.algorithm = "x", .deadline = 5, .feasible = false};
  const PlanRecord read = parse_plan(format_plan(plan), "p.json");
  EXPECT_FALSE(read.feasible);
  EXPECT_TRUE(read.tasks.empty());
}

nlohmann::json valid() { return nlohmann::json::parse(format_plan(sample())); }
std::string error_in(const nlohmann::json& json) {
  return error_of([&] { parse_plan(json.dump(), "p.json"); });
}

TEST(PlanJson, EveryFieldOfOursIsNeeded) {
  for (const char* key :
       {"algorithm", "now", "makespan", "cpu_hours", "feasible", "workflows", "tasks"}) {
    auto json = valid();
    json.erase(key);
    EXPECT_EQ(error_in(json), "p.json:1: \"" + std::string(key) + "\" is missing");
  }
  for (const char* key : {"workflow", "cluster", "start", "end", "processors"}) {
    auto json = valid();
    json["tasks"][1].erase(key);
    EXPECT_EQ(error_in(json), "p.json:1: task \"b\": \"" + std::string(key) + "\" is missing");
  }
  auto json = valid();
  json["tasks"][1]["start"] = "soon";
  EXPECT_EQ(error_in(json), "p.json:1: task \"b\": start: expected a number, found \"soon\"");
}

TEST(PlanJson, LostRunsAreReadLikeTasks) {
  auto json = valid();
  json["lost"] = nlohmann::json::array({json["tasks"][1]});
  json["lost"][0].erase("end");
  EXPECT_EQ(error_in(json), "p.json:1: lost run \"b\": \"end\" is missing");
}

TEST(PlanJson, UnknownKeysAreIgnored) {
  auto json = valid();
  json["remarks"] = nlohmann::json::array({1, 2});
  json["tasks"][0]["colour"] = "red";
  EXPECT_EQ(error_in(json), "no error");
}

TEST(PlanJson, TimesRoundToTheNearestMillisecond) {
  auto json = valid();
  json["tasks"][0]["end"] = 59.99999999;
  EXPECT_EQ(parse_plan(json.dump(), "p.json").tasks[0].end, 60'000);
}

}  // namespace
}  // namespace dovetail
