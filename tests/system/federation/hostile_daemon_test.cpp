// Daemons that refuse, lie and answer nonsense, among honest ones: the client goes on.
#include <gtest/gtest.h>

#include "support/hostile_peers.hpp"
#include "support/system/experiment_test.hpp"

namespace dovetail::testing {
namespace {

using federation::Refusal;
using federation::Role;

class HostileDaemon : public ExperimentTest {
 protected:
  using Change = std::function<Json(const std::string&, Json)>;

  void add_bad(const std::string& name, const Change& change) {
    bad_.push_back(std::make_unique<FakePeer>(keys_, Role::daemon, name, idle_daemon(name, change),
                                              url("master")));
  }

  // An agent, an honest daemon, and one that answers as `change` says.
  void start_with(const Change& change) {
    start_agent("master");
    write_daemon("honest", 2, "0.05");
    start_daemon("honest", "master");
    add_bad("bad", change);
    wait_for_daemons(2);
  }

  void TearDown() override {
    bad_.clear();
    ExperimentTest::TearDown();
  }

  bool says(const std::string& text) const { return printed().find(text) != std::string::npos; }

  // With times that let a client give up a daemon soon.
  std::vector<std::string> quick() const { return command({"--lost-after", "1"}); }

  std::vector<std::unique_ptr<FakePeer>> bad_;
};

TEST_F(HostileDaemon, WhatOneRefusesGoesToOthers) {
  start_with([](const std::string& operation, Json reply) {
    if (operation == "submit") throw Refusal(403, "not for you");
    return reply;
  });
  write_experiment(4, 3);
  EXPECT_EQ(dovetail(command()), 0) << printed();
  EXPECT_TRUE(says("bad refuses scenarios 1, 2, 3, 4: not for you")) << printed();
  expect_each_month_once(4, 3);
}

TEST_F(HostileDaemon, WhatAllRefuseFailsWithTheReasons) {
  start_agent("master");
  for (const char* name : {"bad", "worse"}) {
    add_bad(name, [name](const std::string& operation, Json reply) {
      if (operation == "submit") throw Refusal(400, std::string("not by ") + name);
      return reply;
    });
  }
  wait_for_daemons(2);
  write_experiment(3, 2);
  EXPECT_EQ(dovetail(command()), 2) << printed();
  EXPECT_TRUE(says("no cluster takes the experiment; bad: not by bad; worse: not by worse"))
      << printed();
}

TEST_F(HostileDaemon, ADaemonThatGivesEverythingBackIsNotAskedForEver) {
  start_with([](const std::string& operation, Json reply) {
    if (operation != "watch") return reply;
    for (Json& one : reply["scenarios"]) one["state"] = "cancelled";
    reply["over"] = true;
    return reply;
  });
  write_experiment(2, 3);
  EXPECT_EQ(dovetail(quick()), 0) << printed();
  expect_results(experiment(), 2, 3);
}

// One answer each that made an older client end by a signal, hang, or believe what cannot be.
TEST_F(HostileDaemon, NonsenseIsItsFailureAndOneLine) {
  struct Lie {
    std::string operation;
    std::function<void(Json&)> tell;
  };
  const std::vector<Lie> lies = {
      {"watch",
       [](Json& reply) { reply["scenarios"][0]["last_completed_month"] = 99999999999999; }},
      {"watch", [](Json& reply) { reply["scenarios"][0]["scenario"] = 7; }},
      {"watch", [](Json& reply) { reply["over"] = true; }},
      {"watch", [](Json& reply) { reply["scenarios"] = "all"; }},
      {"watch", [](Json& reply) { reply["cursor"] = -5; }},
      {"submit", [](Json& reply) { reply["accepted"] = 3; }},
      {"estimate", [](Json& reply) { reply["makespans"][0] = -1e300; }},
      {"estimate",
       [](Json& reply) {
         reply["groups"][0] = {1e9, -4};
       }},
  };
  std::size_t lie = 0;
  start_with([&](const std::string& operation, Json reply) {
    if (operation == lies[lie].operation) lies[lie].tell(reply);
    return reply;
  });
  write_experiment(2, 2);
  for (lie = 0; lie < lies.size(); ++lie) {
    put(file("printed"), "");
    EXPECT_EQ(dovetail(quick()), 0) << lie << "\n" << printed();
    EXPECT_TRUE(says("cannot be understood")) << lie << "\n" << printed();
  }
}

TEST_F(HostileDaemon, AnswersThatAreChangedAtRandomDoNotEndTheExperiment) {
  std::mt19937 random(7);
  std::mutex mutex;
  start_with([&](const std::string&, const Json& reply) {
    const std::lock_guard lock(mutex);
    return random() % 2 == 0 ? reply : mutated(reply, random);
  });
  write_experiment(3, 2);
  for (int round = 0; round < 6; ++round) {
    const int status = dovetail(quick());
    // The bad daemon may say that a scenario has failed: then the experiment has, too.
    EXPECT_TRUE(status == 0 || status == 1) << status << "\n" << printed();
    put(file("printed"), "");
    EXPECT_GE(dovetail({"agent", "--list", url("master"), "--keys", keys_.path("alice")}), 0)
        << printed();
  }
  EXPECT_LT(peak_megabytes(servers_.at("master").pid), most_megabytes());
  EXPECT_EQ(log_of("master").find("honest has not renewed its lease"), std::string::npos)
      << log_of("master");
}

}  // namespace
}  // namespace dovetail::testing
