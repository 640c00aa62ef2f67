// What a certificate may register: its own name and role; and what an agent may say of daemons.
#include <gtest/gtest.h>

#include <deque>

#include "federation/agent/agent.hpp"
#include "support/hostile_peers.hpp"

namespace dovetail::federation {
namespace {

using testing::comes_true;
using testing::failure_of;
using testing::FakePeer;
using testing::LogLines;
using testing::TestKeys;

class Vouching : public ::testing::Test {
 protected:
  Agent& agent(const std::string& name, const std::string& parent = {}) {
    return agents_.emplace_back(AgentOptions{.parent = parent}, keys_.make(Role::agent, name),
                                log_.log());
  }

  // A daemon that answers an estimate with its name.
  FakePeer& daemon(const std::string& name, const Agent& above) {
    return peers_.emplace_back(keys_, Role::daemon, name, answers(name), above.url());
  }

  static std::map<std::string, FakePeer::Answer> answers(const std::string& name) {
    return {{"estimate", [name](const Json&) { return Json{{"of", name}}; }}};
  }

  static Json registration(const Json& daemons) {
    return {{"url", "https://127.0.0.1:9"},
            {"lease_ms", 60'000},
            {"capabilities", Json::object()},
            {"daemons", daemons}};
  }

  // Registers as an agent that says it has these daemons.
  Json vouch(const std::string& name, const Agent& at, const Json& daemons) {
    const Caller caller(keys_.make(Role::agent, name));
    return caller.post({at.url(), Role::agent}, "/v1/register", registration(daemons), 20);
  }

  Answers find(const Agent& at) {
    return answers_of(caller_.post(
        {at.url(), Role::agent}, "/v1/find",
        {{"operation", "estimate"}, {"request", Json::object()}, {"deadline_ms", 5'000}}, 20));
  }

  // Whether the daemon comes to answer through the agent, with its own words.
  void expect_answer_of(const std::string& daemon, const Agent& at) {
    EXPECT_TRUE(comes_true([&] {
      const Answers answers = find(at);
      const auto its = std::ranges::find(answers.answers, daemon, &ClusterAnswer::daemon);
      return its != answers.answers.end() && its->reply == Json{{"of", daemon}};
    })) << log_.text();
  }

  TestKeys keys_;
  LogLines log_;
  Caller caller_{keys_.make(Role::client, "alice")};
  std::deque<Agent> agents_;
  std::deque<FakePeer> peers_;
};

TEST_F(Vouching, ADaemonsCertificateStandsForItselfAlone) {
  Agent& master = agent("master");
  const Caller daemon(keys_.make(Role::daemon, "sol"));
  const Json claims = registration({{"azur", "https://127.0.0.1:9"}});
  EXPECT_NE(failure_of([&] {
              daemon.post({master.url(), Role::agent}, "/v1/register", claims, 20);
            }).find("stands for itself alone"),
            std::string::npos);
  EXPECT_TRUE(find(master).refused.empty()) << "nothing is registered";
}

TEST_F(Vouching, AnAgentThatSaysADaemonsNameFirstDoesNotKeepItFromTheDaemon) {
  Agent& master = agent("master");
  vouch("evil", master, {{"azur", "https://127.0.0.1:9"}});
  daemon("azur", master);
  expect_answer_of("azur", master);
  EXPECT_TRUE(log_.has("agent evil says that daemon azur is at https://127.0.0.1:9"))
      << log_.text();
}

TEST_F(Vouching, NorFromADaemonOfAnotherAgent) {
  Agent& master = agent("master");
  vouch("evil", master, {{"azur", "https://127.0.0.1:9"}});
  Agent& lyon = agent("lyon", master.url());
  daemon("azur", lyon);
  expect_answer_of("azur", master);
  // Told again, it is heard no more than before.
  EXPECT_EQ(vouch("evil", master, {{"azur", "https://127.0.0.1:9"}})["elsewhere"],
            Json::array({"azur"}));
  expect_answer_of("azur", master);
}

TEST_F(Vouching, AnAgentAnswersOnlyForDaemonsThatNoOtherMemberHas) {
  Agent& master = agent("master");
  FakePeer& azur = daemon("azur", master);
  expect_answer_of("azur", master);
  // Its name comes first, and it has the right address.
  peers_.emplace_back(
      keys_, Role::agent, "aaa",
      std::map<std::string, FakePeer::Answer>{
          {"find",
           [url = azur.url()](const Json&) {
             return Json{
                 {"answers", {{{"daemon", "azur"}, {"url", url}, {"reply", {{"of", "a liar"}}}}}},
                 {"refused", Json::array()},
                 {"late", Json::array()}};
           }}},
      master.url());
  ASSERT_TRUE(log_.comes("agent aaa joins")) << log_.text();
  const Answers answers = find(master);
  ASSERT_EQ(answers.answers.size(), 1U) << log_.text();
  EXPECT_EQ(answers.answers[0].reply, (Json{{"of", "azur"}}));
}

TEST_F(Vouching, AnAgentOfADaemonsNameIsAnotherMember) {
  Agent& master = agent("master");
  daemon("azur", master);
  expect_answer_of("azur", master);
  const Caller agent(keys_.make(Role::agent, "azur"));
  agent.post({master.url(), Role::agent}, "/v1/leave", Json::object(), 20);
  EXPECT_EQ(find(master).answers.size(), 1U) << log_.text();
  EXPECT_FALSE(log_.has("azur leaves")) << log_.text();
}

TEST_F(Vouching, WhatAMemberSaysOfItselfIsBounded) {
  Agent& master = agent("master");
  Json deep = 1;
  for (int i = 0; i < 45; ++i) deep = Json::array({deep});
  const Caller daemon(keys_.make(Role::daemon, "sol"));
  const Json bad[] = {Json{{"x", deep}}, Json{{"x", std::string(300'000, 'x')}}, Json("x")};
  for (const Json& capabilities : bad) {
    Json body = registration(nullptr);
    body["capabilities"] = capabilities;
    EXPECT_NE(failure_of([&] {
                daemon.post({master.url(), Role::agent}, "/v1/register", body, 20);
              }).find("capabilities: expected an object"),
              std::string::npos);
  }
  EXPECT_NE(failure_of([&] {
              vouch("lyon", master, {{"azur", "x"}});
            }).find("https://HOST:PORT"),
            std::string::npos);
}

}  // namespace
}  // namespace dovetail::federation
