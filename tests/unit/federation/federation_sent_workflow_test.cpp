// What a workflow that a client sends may say, and what becomes of it.
#include <gtest/gtest.h>

#include "dovetail/io.hpp"
#include "federation/daemon/sent_workflow.hpp"

namespace dovetail::federation {
namespace {

constexpr const char* kDaemon = R"(
processors: 8
data: /data
services:
  say: {parameters: {word: {word: '[a-z]+'}}, command: [echo, '{word}']}
)";

Json workflow_with(const Json& fields) {
  Json task = {{"id", "a"}, {"run", "say word=hello"}, {"time", 60}};
  task.update(fields);
  return {{"name", "flow"}, {"tasks", {task}}};
}

SentWorkflow prepared(const Json& fields) {
  return prepare_workflow(parse_daemon(kDaemon, "d.yaml"), workflow_with(fields));
}

std::string refusal_of(const Json& fields) {
  try {
    prepared(fields);
  } catch (const Refusal& refusal) {
    EXPECT_EQ(refusal.status(), 400);
    return refusal.what();
  }
  return "no refusal";
}

TEST(FederationSentWorkflow, RunsServicesAlone) {
  const SentWorkflow sent = prepared(Json::object());
  EXPECT_EQ(sent.makespan, 60'000);
  EXPECT_EQ(parse_workflow(sent.text, "w").run(0), "'echo' 'hello'");
  EXPECT_EQ(refusal_of({{"environment", {{"A", "b"}}}}),
            "task \"a\": \"environment\" cannot be sent to a cluster");
}

TEST(FederationSentWorkflow, KeepsWhatATaskNeedsOfNodes) {
  const SentWorkflow sent =
      prepared({{"memory", "4G"}, {"nodes", {{"min", 2}, {"max", 3}}}, {"processors", 6}});
  EXPECT_EQ(parse_workflow(sent.text, "w").needs(0),
            (TaskNeeds{.memory = 4 * kGibibyte, .min_nodes = 2, .max_nodes = 3}));
  EXPECT_EQ(parse_workflow(prepared({{"memory_per_processor", 1024}}).text, "w").needs(0),
            (TaskNeeds{.memory_per_processor = 1024}));
  EXPECT_EQ(refusal_of({{"gpus", 0}, {"requires", Json::array()}}), "no refusal");
  EXPECT_NE(refusal_of({{"memory", "4 GB?"}}).find("task \"a\": memory: expected a size"),
            std::string::npos);
  for (const Json& needs : {Json::object({{"gpus", 1}}), Json::object({{"requires", "a100"}})}) {
    EXPECT_NE(refusal_of(needs).find("says nothing about"), std::string::npos) << needs;
  }
}

}  // namespace
}  // namespace dovetail::federation
