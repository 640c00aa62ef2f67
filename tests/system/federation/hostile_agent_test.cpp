// Agents that answer nonsense to clients, and register nonsense with a master.
#include <gtest/gtest.h>

#include <algorithm>

#include "support/hostile_peers.hpp"
#include "support/system/experiment_test.hpp"

namespace dovetail::testing {
namespace {

using federation::Caller;
using federation::Role;

class HostileAgent : public ExperimentTest {
 protected:
  bool says(const std::string& text) const { return printed().find(text) != std::string::npos; }
};

TEST_F(HostileAgent, AClientEndsWithOneLineWhateverItsAgentAnswers) {
  const Json honest = {{"answers",
                        {{{"daemon", "azur"},
                          {"url", "https://127.0.0.1:9"},
                          {"reply",
                           {{"makespans", {1, 2}},
                            {"groups", {{2}, {2}}},
                            {"at_no_cost", 0},
                            {"valid_until", 1}}}}}},
                       {"refused", {{{"name", "sol"}, {"error", "no"}, {"status", 500}}}},
                       {"late", {"luna"}}};
  std::mt19937 random(11);
  Json reply;
  const FakePeer agent(keys_, Role::agent, "bad", {{"find", [&](const Json&) { return reply; }}});
  write_experiment(2, 3);
  for (int i = 0; i < 25; ++i) {
    reply = mutated(honest, random);
    put(file("printed"), "");
    const int dry = dovetail(
        {"run", "sum.yaml", "--agent", agent.url(), "--keys", keys_.path("alice"), "--dry-run"});
    EXPECT_TRUE(dry == 0 || dry == 2 || dry == 3) << dry << "\n" << reply << "\n" << printed();
    if (dry != 0) {
      EXPECT_EQ(std::ranges::count(printed(), '\n'), 1) << reply << "\n" << printed();
    }
    EXPECT_FALSE(says("nternal")) << reply << "\n" << printed();
    const int list = dovetail({"agent", "--list", agent.url(), "--keys", keys_.path("alice")});
    EXPECT_TRUE(list == 0 || list == 1 || list == 3) << list << "\n" << reply << "\n" << printed();
  }
}

// It is not called: an older client ended by a signal.
TEST_F(HostileAgent, AnAddressThatIsNoneIsNotCalled) {
  const FakePeer agent(keys_, Role::agent, "bad", {{"find", [](const Json&) {
                                                      return Json{{"answers",
                                                                   {{{"daemon", "azur"},
                                                                     {"url", "x"},
                                                                     {"reply",
                                                                      {{"makespans", {1}},
                                                                       {"groups", {{2}}},
                                                                       {"at_no_cost", 0},
                                                                       {"valid_until", 1}}}}}},
                                                                  {"refused", Json::array()},
                                                                  {"late", Json::array()}};
                                                    }}});
  write_experiment(1, 1);
  EXPECT_EQ(dovetail({"run", "sum.yaml", "--agent", agent.url(), "--keys", keys_.path("alice")}), 3)
      << printed();
  EXPECT_TRUE(
      says("the answer cannot be understood: find: answer: url: expected https://HOST:PORT"))
      << printed();
}

TEST_F(HostileAgent, AMasterKeepsItsMembersWhateverAnotherRegisters) {
  start_agent("master");
  write_daemon("honest", 2, "0.05");
  start_daemon("honest", "master");
  wait_for_daemons(1);
  const Json honest = {{"url", "https://127.0.0.1:9"},
                       {"lease_ms", 1000},
                       {"capabilities", {{"services", {{{"name", "sum"}}}}}},
                       {"daemons", {{"honest", "https://127.0.0.1:9"}, {"sol", url("honest")}}}};
  std::mt19937 random(5);
  const Caller bad(keys_.make(Role::agent, "bad"));
  int accepted = 0;
  for (int i = 0; i < 60; ++i) {
    try {
      bad.post({url("master"), Role::agent}, "/v1/register", mutated(honest, random), 20);
      ++accepted;
    } catch (const ExecutionError&) {
    }
  }
  EXPECT_GT(accepted, 0) << "some are harmless";
  int honest_members = 0;
  const Json can = client_.get({url("master"), Role::agent}, "/v1/capabilities", 20);
  for (const Json& member : can["members"]) {
    honest_members += member["name"] == "honest" && member["url"] == url("honest") ? 1 : 0;
  }
  EXPECT_EQ(honest_members, 1) << log_of("master");
  write_experiment(2, 2);
  EXPECT_EQ(dovetail(command()), 0) << printed();
  expect_each_month_once(2, 2);
  EXPECT_LT(peak_megabytes(servers_.at("master").pid), most_megabytes());
  EXPECT_EQ(log_of("master").find("honest has not renewed its lease"), std::string::npos)
      << log_of("master");
}

TEST_F(HostileAgent, ADaemonGetsItsNameBackFromAnAgentThatSaidItFirst) {
  start_agent("master");
  const Caller bad(keys_.make(Role::agent, "bad"));
  bad.post({url("master"), Role::agent}, "/v1/register",
           {{"url", "https://127.0.0.1:9"},
            {"lease_ms", 3'600'000},
            {"capabilities", Json::object()},
            {"daemons", {{"honest", "https://127.0.0.1:9"}}}},
           20);
  write_daemon("honest", 2, "0.05");
  start_daemon("honest", "master");
  wait_for_daemons(1);
  EXPECT_NE(log_of("master").find("agent bad says that daemon honest is at https://127.0.0.1:9"),
            std::string::npos)
      << log_of("master");
}

}  // namespace
}  // namespace dovetail::testing
