#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "dovetail/io.hpp"
#include "support/file_checks.hpp"
#include "support/test_data.hpp"

namespace dovetail {
namespace {

using nlohmann::json;
using testing::error_of;

json version_15() {
  return json::parse(R"({"name":"w","schemaVersion":"1.5","createdAt":"x","workflow":{
    "specification":{
      "tasks":[
        {"name":"A","id":"a1","parents":[],"children":["b1"],"inputFiles":[],"outputFiles":["f"]},
        {"name":"B","id":"b1","parents":["a1"],"children":[],"inputFiles":["f"],"outputFiles":[]}],
      "files":[{"id":"f","sizeInBytes":5}]},
    "execution":{"makespanInSeconds":3,"executedAt":"2020","tasks":[
        {"id":"b1","runtimeInSeconds":2.5,"coreCount":8},
        {"id":"a1","runtimeInSeconds":1.25,"command":{"program":"run","arguments":["-x","a b"]}}],
      "machines":[{"nodeName":"m"}]}}})");
}

json version_14() {
  return json::parse(R"({"name":"old","schemaVersion":"1.4","workflow":{"makespanInSeconds":3,
    "tasks":[
      {"name":"A","id":"1","type":"compute","parents":[],"children":[],"runtimeInSeconds":4,
       "files":[{"link":"output","name":"f","sizeInBytes":1}],"cores":2},
      {"name":"B","id":"2","parents":["A"],"children":[],"runtime":5,
       "files":[{"link":"input","name":"f","sizeInBytes":1}]}]}})");
}

Workflow parse(const json& value, std::vector<std::string>* warnings = nullptr,
               const WorkflowReadOptions& options = {}) {
  return parse_workflow(value.dump(1), "w.json", options, warnings);
}
std::string error_in(const json& value) {
  return error_of([&] { parse(value); });
}

TEST(WfCommons, ReadsTimesFromTheExecution) {
  const Workflow flow = parse(version_15());
  EXPECT_EQ(flow.name(), "w");
  ASSERT_EQ(flow.size(), 2U);
  EXPECT_EQ(flow.id(0), "a1");
  EXPECT_EQ(flow.time(0).seconds(), 1.25);
  EXPECT_EQ(flow.time(1).seconds(), 2.5);
  EXPECT_EQ(flow.run(0), "run -x a b");
  EXPECT_EQ(flow.edge_count(), 1U) << "an edge given by parent and child counts once";
}

TEST(WfCommons, CoresOfATaskAreItsProcessors) {
  json value = version_15();
  EXPECT_EQ(parse(value).time(1).min_procs(), 8);
  EXPECT_EQ(parse(value).time(1).max_procs(), 8);
  EXPECT_EQ(parse(value).time(1).duration(8), 2500) << "its time is the time on them";
  EXPECT_EQ(parse(value).time(0).max_procs(), 1) << "it says nothing";
  EXPECT_EQ(parse(version_14()).time(0).max_procs(), 2) << "as older versions call them";
  const json written = json::parse(format_workflow(parse(value), WorkflowFormat::wfcommons));
  EXPECT_EQ(written["workflow"]["execution"]["tasks"][1]["coreCount"], 8);
  json& count = value["workflow"]["execution"]["tasks"][0]["coreCount"];
  count = 0;
  EXPECT_EQ(parse(value).time(1).max_procs(), 1);
  for (const json& wrong : {json(-1), json(1.5), json("many"), json(1e9)}) {
    count = wrong;
    EXPECT_NE(error_in(value).find("task \"b1\": coreCount: expected a whole number from 0 to"),
              std::string::npos)
        << wrong;
  }
}

TEST(WfCommons, MemoryOfATaskIsWhatItNeeds) {
  json value = version_15();
  EXPECT_FALSE(parse(value).has_needs());
  json& executed = value["workflow"]["execution"]["tasks"];
  executed[0]["memoryInBytes"] = 4096;
  executed[1]["memoryInBytes"] = 0;
  const Workflow flow = parse(value);
  EXPECT_EQ(flow.needs(1), (TaskNeeds{.memory = 4096}));
  EXPECT_EQ(flow.needs(0), TaskNeeds{}) << "0 says nothing";
  const json written = json::parse(format_workflow(flow, WorkflowFormat::wfcommons));
  const json& tasks = written["workflow"]["execution"]["tasks"];
  EXPECT_EQ(tasks[1]["memoryInBytes"], 4096);
  EXPECT_FALSE(tasks[0].contains("memoryInBytes"));
  executed[0]["memoryInBytes"] = 1.5e3;
  EXPECT_EQ(parse(value).needs(1).memory, 1500);
  executed[0]["memoryInBytes"] = 2.25;
  EXPECT_EQ(parse(value).needs(1).memory, 3);
  executed[0]["memoryInBytes"] = -1;
  EXPECT_NE(error_in(value).find("task \"b1\": memoryInBytes: expected a number from 0"),
            std::string::npos);
  executed[0]["memoryInBytes"] = 1e30;
  EXPECT_NE(error_in(value), "no error");
  executed[0]["memoryInBytes"] = "4G";
  EXPECT_NE(error_in(value), "no error");
  json old = version_14();
  old["workflow"]["tasks"][0]["memoryInBytes"] = 7;
  EXPECT_EQ(parse(old).needs(0).memory, 7);
}

TEST(WfCommons, EdgesAreTheUnionOfParentsAndChildren) {
  json value = version_15();
  value["workflow"]["specification"]["tasks"][0]["children"] = json::array();
  EXPECT_EQ(parse(value).edge_count(), 1U);
  value = version_15();
  value["workflow"]["specification"]["tasks"][1]["parents"] = json::array();
  EXPECT_EQ(parse(value).edge_count(), 1U);
}

TEST(WfCommons, OlderVersionsMixBothHalvesAndNameParents) {
  for (const char* version : {"1.3", "1.4"}) {
    json value = version_14();
    value["schemaVersion"] = version;
    const Workflow flow = parse(value);
    EXPECT_EQ(flow.time(0).seconds(), 4.0);
    EXPECT_EQ(flow.time(1).seconds(), 5.0);
    ASSERT_EQ(flow.predecessors(1).size(), 1U);
    EXPECT_EQ(flow.predecessors(1)[0], 0U);
  }
}

TEST(WfCommons, FilesWithoutTheirEdgeAreWarnings) {
  json value = version_14();
  value["workflow"]["tasks"][1]["parents"] = json::array();
  std::vector<std::string> warnings;
  parse(value, &warnings);
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_NE(
      warnings[0].find("task \"2\" reads file \"f\" of task \"1\" but does not come after it"),
      std::string::npos);
  warnings.clear();
  parse(version_15(), &warnings);
  EXPECT_TRUE(warnings.empty());
}

TEST(WfCommons, MissingRunTimeIsAnErrorUnlessThereIsADefault) {
  json value = version_15();
  value["workflow"].erase("execution");
  EXPECT_NE(error_in(value).find("task \"a1\": it has no run time"), std::string::npos);
  EXPECT_EQ(parse(value, nullptr, {.default_seconds = 7}).time(0).seconds(), 7.0);
  value = version_15();
  value["workflow"]["execution"]["tasks"].erase(1);
  EXPECT_NE(error_in(value).find("task \"a1\": it has no run time"), std::string::npos);
}

TEST(WfCommons, BrokenFilesAreErrorsWithALine) {
  json value = version_15();
  value["schemaVersion"] = "9.9";
  EXPECT_NE(error_in(value).find("expected one of 1.3, 1.4, 1.5, 1.6, found \"9.9\""),
            std::string::npos);
  value = version_15();
  value["workflow"]["specification"]["tasks"][1]["parents"] = {"a2"};
  const std::string error = error_in(value);
  EXPECT_EQ(error.substr(0, 7), "w.json:");
  EXPECT_NE(error.find("task \"b1\": parents: there is no task \"a2\""), std::string::npos);
  value = version_15();
  value["workflow"]["execution"]["tasks"][0]["runtimeInSeconds"] = -1;
  EXPECT_NE(error_in(value).find("runtimeInSeconds: expected a number from 0"), std::string::npos);
  value = version_15();
  value["workflow"]["specification"]["tasks"][0]["parents"] = {"b1"};
  EXPECT_NE(error_in(value).find("->"), std::string::npos) << "a cycle";
  value = version_15();
  value.erase("workflow");
  EXPECT_NE(error_in(value).find("\"workflow\" is missing"), std::string::npos);
}

TEST(WfCommons, WritesEveryRequiredField) {
  const json value = json::parse(format_workflow(parse(version_15()), WorkflowFormat::wfcommons));
  EXPECT_EQ(value["schemaVersion"], "1.5");
  EXPECT_EQ(value["name"], "w");
  for (const json& task : value["workflow"]["specification"]["tasks"]) {
    for (const char* key : {"name", "id", "parents", "children"}) EXPECT_TRUE(task.contains(key));
  }
  const json& execution = value["workflow"]["execution"];
  EXPECT_EQ(execution["makespanInSeconds"], 3.75) << "the critical path";
  EXPECT_TRUE(execution.contains("executedAt"));
  EXPECT_EQ(execution["tasks"][0]["command"],
            json::parse(R"({"program":"run","arguments":["-x","a","b"]})"));
}

TEST(WfCommons, CommandsThatDoNotSplitIntoWordsStayWhole) {
  for (const char* run : {" leading", "a  b", "trailing ", "one\ntwo  three", "x"}) {
    WorkflowBuilder builder("w");
    builder.add_task({.id = "a", .time = TimeSpec::fixed(1), .run = run});
    const Workflow flow = std::move(builder).build();
    EXPECT_EQ(parse_workflow(format_workflow(flow, WorkflowFormat::wfcommons), "w").run(0), run);
  }
}

void expect_instances_survive_a_round_trip(const std::filesystem::path& data, std::size_t count) {
  const auto files = testing::files_in(data / "wfinstances", "", ".json");
  EXPECT_EQ(files.size(), count);
  for (const auto& file : files) {
    SCOPED_TRACE(file.filename().string());
    const Workflow flow = read_workflow(file.string());
    EXPECT_GT(flow.edge_count(), 0U);
    testing::expect_same(flow,
                         parse_workflow(format_workflow(flow, WorkflowFormat::wfcommons), "w"));
  }
}

TEST(WfCommons, SmallRealInstancesLoadAndSurviveARoundTrip) {
  expect_instances_survive_a_round_trip(testing::real_dir(), 11);
}

TEST(WfCommons, RealInstancesLoadAndSurviveARoundTrip) {
  if (!testing::archive_dir()) GTEST_SKIP() << testing::kNoArchive;
  expect_instances_survive_a_round_trip(*testing::archive_dir(), 45);
}

}  // namespace
}  // namespace dovetail
