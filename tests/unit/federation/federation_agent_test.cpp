// Agents as a tree: leases, questions with a deadline, and members that do not answer.
#include <gtest/gtest.h>

#include <atomic>
#include <deque>
#include <memory>
#include <thread>

#include "federation/agent/agent.hpp"
#include "support/federation.hpp"

namespace dovetail::federation {
namespace {

using testing::comes_true;
using testing::failure_of;
using testing::LogLines;
using testing::TestKeys;

const AgentMember kGrillon{"grillon", Role::daemon, "https://127.0.0.1:1", Json::object()};

TEST(Leases, EndWhenTheyAreNotRenewed) {
  Leases leases;
  EXPECT_EQ(leases.renew(kGrillon, 100, 1000), Leases::Renewal::joined);
  EXPECT_EQ(leases.renew(kGrillon, 100, 1050), Leases::Renewal::renewed);
  EXPECT_EQ(leases.live(1149).size(), 1U);
  std::vector<std::string> gone;
  EXPECT_EQ(leases.live(1150, &gone).size(), 0U);
  EXPECT_EQ(gone, std::vector<std::string>{"grillon"});
}

TEST(Leases, ANameBelongsToWhoHasItUntilTheLeaseIsOver) {
  Leases leases;
  AgentMember other = kGrillon;
  other.url = "https://127.0.0.1:2";
  leases.renew(kGrillon, 100, 0);
  EXPECT_EQ(leases.renew(other, 100, 99), Leases::Renewal::conflict);
  EXPECT_EQ(leases.renew(other, 100, 100), Leases::Renewal::joined);
  EXPECT_FALSE(leases.leave({"grillon", Role::agent})) << "another member";
  EXPECT_TRUE(leases.leave({"grillon", Role::daemon}));
  EXPECT_FALSE(leases.leave({"grillon", Role::daemon}));
}

TEST(Leases, ANameBelongsToOneDaemonOfTheWholeTree) {
  Leases leases;
  AgentMember lyon{"lyon", Role::agent, "https://127.0.0.1:3", Json::object()};
  lyon.below = {{"azur", "https://127.0.0.1:4"}, {"grillon", "https://127.0.0.1:1"}};
  EXPECT_EQ(leases.renew(kGrillon, 100, 0), Leases::Renewal::joined);
  EXPECT_EQ(leases.renew(lyon, 100, 0), Leases::Renewal::joined);
  AgentMember second{"azur", Role::daemon, "https://127.0.0.1:5", Json::object()};
  EXPECT_EQ(leases.renew(second, 100, 50), Leases::Renewal::conflict);
  AgentMember nancy{"nancy", Role::agent, "https://127.0.0.1:6", Json::object()};
  nancy.below = {{"azur", second.url}, {"sol", "https://127.0.0.1:7"}};
  leases.renew(nancy, 100, 50);
  EXPECT_EQ(leases.daemons(50), (DaemonUrls{{"azur", "https://127.0.0.1:4"},
                                            {"grillon", "https://127.0.0.1:1"},
                                            {"sol", "https://127.0.0.1:7"}}));
  EXPECT_EQ(leases.renew(second, 100, 100), Leases::Renewal::joined) << "lyon's lease is over";
  EXPECT_TRUE(leases.forget_daemon("sol"));
  EXPECT_FALSE(leases.forget_daemon("sol"));
  EXPECT_EQ(leases.daemons(120), (DaemonUrls{{"azur", second.url}}));
}

// Something that answers an estimate as a daemon does, after a while.
struct FakeDaemon {
  FakeDaemon(const TestKeys& keys, const std::string& name, const std::string& agent, Log log,
             int pause_ms = 0)
      : caller(keys.make(Role::daemon, name)),
        server({}, caller.self(),
               {{"POST",
                 "/v1/estimate",
                 {Role::agent, Role::client},
                 [pause_ms](const Call& call) {
                   std::this_thread::sleep_for(std::chrono::milliseconds(pause_ms));
                   return Json{{"asked", call.body}};
                 }}},
               {}, log),
        registrar(caller,
                  {.agent = agent, .own_url = "https://127.0.0.1:" + std::to_string(server.port())},
                  log) {}

  Caller caller;
  HttpServer server;
  Registrar registrar;
};

class FederationAgent : public ::testing::Test {
 protected:
  Agent& agent(const std::string& name, const std::string& parent = {}) {
    return agents_.emplace_back(AgentOptions{.parent = parent}, keys_.make(Role::agent, name),
                                log_.log());
  }

  void daemon(const std::string& name, const Agent& above, int pause_ms = 0) {
    daemons_.push_back(
        std::make_unique<FakeDaemon>(keys_, name, above.url(), log_.log(), pause_ms));
  }

  std::size_t members(const Agent& of) {
    return caller_.get({of.url(), Role::agent}, "/v1/capabilities", 20)["members"].size();
  }

  void wait_for_members(const Agent& of, std::size_t count) {
    ASSERT_TRUE(comes_true([&] { return members(of) == count; })) << log_.text();
  }

  Answers find(const Agent& at, Duration deadline) {
    return answers_of(caller_.post(
        {at.url(), Role::agent}, "/v1/find",
        {{"operation", "estimate"}, {"request", {{"months", 8}}}, {"deadline_ms", deadline}}, 20));
  }

  TestKeys keys_;
  LogLines log_;
  Caller caller_{keys_.make(Role::client, "alice")};
  std::deque<Agent> agents_;
  std::vector<std::unique_ptr<FakeDaemon>> daemons_;
};

TEST_F(FederationAgent, AQuestionReachesAllDaemonsOfTheTree) {
  Agent& master = agent("master");
  Agent& lyon = agent("lyon", master.url());
  daemon("azur", master);
  daemon("sagittaire", lyon);
  daemon("capricorne", lyon);
  wait_for_members(master, 2);
  wait_for_members(lyon, 2);
  const Answers answers = find(master, 10'000);
  ASSERT_EQ(answers.answers.size(), 3U) << log_.text();
  EXPECT_EQ(answers.answers[0].daemon, "azur");
  EXPECT_EQ(answers.answers[2].daemon, "sagittaire");
  EXPECT_EQ(answers.answers[1].reply["asked"]["months"], 8);
  EXPECT_TRUE(log_.has("step 2")) << log_.text();
  EXPECT_TRUE(log_.has("step 4"));
}

TEST_F(FederationAgent, WhoIsTooLateIsNamedAndTheOthersAreHeard) {
  Agent& master = agent("master");
  Agent& lyon = agent("lyon", master.url());
  daemon("fast", lyon);
  daemon("slow", lyon, 8'000);
  wait_for_members(master, 1);
  wait_for_members(lyon, 2);
  const Answers answers = find(master, 4'000);
  ASSERT_EQ(answers.answers.size(), 1U) << log_.text();
  EXPECT_EQ(answers.answers[0].daemon, "fast");
  EXPECT_EQ(answers.late, std::vector<std::string>{"slow"});
}

TEST_F(FederationAgent, WhoIsGoneIsForgottenAndWhoIsKilledIsReported) {
  Agent& master = agent("master");
  daemon("stays", master);
  daemon("leaves", master);
  wait_for_members(master, 2);
  daemons_.pop_back();
  wait_for_members(master, 1);
  EXPECT_TRUE(log_.has("daemon leaves leaves"));
  // Registered, and not there: as one that was killed a moment ago.
  Caller killed(keys_.make(Role::daemon, "killed"));
  killed.post(
      {master.url(), Role::agent}, "/v1/register",
      {{"url", "https://127.0.0.1:9"}, {"lease_ms", 1000}, {"capabilities", Json::object()}}, 20);
  EXPECT_EQ(members(master), 2U);
  wait_for_members(master, 1);
  EXPECT_TRUE(log_.has("killed has not renewed its lease")) << log_.text();
}

TEST_F(FederationAgent, ClientsDoNotRegisterAndANameIsThereOnce) {
  Agent& master = agent("master");
  daemon("azur", master);
  wait_for_members(master, 1);
  const Json request = {
      {"url", "https://127.0.0.1:9"}, {"lease_ms", 1000}, {"capabilities", Json::object()}};
  const Server there{master.url(), Role::agent};
  EXPECT_NE(failure_of([&] { caller_.post(there, "/v1/register", request, 20); }).find("role"),
            std::string::npos);
  const Caller second(keys_.make(Role::daemon, "azur"));
  EXPECT_NE(failure_of([&] {
              second.post(there, "/v1/register", request, 20);
            }).find("registered at another place"),
            std::string::npos);
}

TEST_F(FederationAgent, OnlyQuestionsThatChangeNothingGoToAll) {
  Agent& master = agent("master");
  const auto refused = [&](const Json& request) {
    return failure_of([&] { caller_.post({master.url(), Role::agent}, "/v1/find", request, 20); });
  };
  EXPECT_NE(refused({{"operation", "submit"}, {"request", 1}, {"deadline_ms", 10}})
                .find("expected capabilities"),
            std::string::npos);
  EXPECT_NE(refused({{"operation", "estimate"}, {"request", 1}, {"deadline_ms", 1e9}})
                .find("deadline_ms"),
            std::string::npos);
  EXPECT_NE(refused({{"operation", "estimate"}, {"requst", 1}}).find("did you mean \"request\""),
            std::string::npos);
}

TEST_F(FederationAgent, AgentsInACircleSaySo) {
  Agent& master = agent("master");
  Agent& lyon = agent("lyon", master.url());
  daemon("azur", master);
  // As if the master had been started with lyon as its parent.
  const Caller self(keys_.make(Role::agent, "master"));
  const Registrar registrar(self, {.agent = lyon.url(), .own_url = master.url()}, log_.log());
  wait_for_members(master, 2);
  wait_for_members(lyon, 1);
  const Answers answers = find(master, 10'000);
  ASSERT_EQ(answers.answers.size(), 1U) << log_.text();
  ASSERT_EQ(answers.refused.size(), 1U);
  EXPECT_NE(answers.refused[0].error.find("circle"), std::string::npos) << answers.refused[0].error;
  EXPECT_EQ(answers.refused[0].status, 508);
}

TEST_F(FederationAgent, ADaemonToWhichThereAreTwoWaysAnswersOnce) {
  Agent& master = agent("master");
  Agent& lyon = agent("lyon", master.url());
  daemon("azur", master);
  const Caller self(keys_.make(Role::daemon, "azur"));
  const Registrar again(
      self,
      {.agent = lyon.url(),
       .own_url = "https://127.0.0.1:" + std::to_string(daemons_.front()->server.port())},
      log_.log());
  wait_for_members(master, 2);
  wait_for_members(lyon, 1);
  EXPECT_EQ(find(master, 10'000).answers.size(), 1U) << log_.text();
}

TEST_F(FederationAgent, ASecondDaemonOfANameIsRefusedAnywhereInTheTree) {
  Agent& master = agent("master");
  Agent& lyon = agent("lyon", master.url());
  Agent& nancy = agent("nancy", master.url());
  Agent& below = agent("below", nancy.url());
  wait_for_members(master, 2);
  wait_for_members(nancy, 1);
  daemon("azur", lyon);
  wait_for_members(lyon, 1);
  for (const Agent* other : {&master, &nancy, &below}) {
    const Caller second(keys_.make(Role::daemon, "azur"));
    EXPECT_NE(failure_of([&] {
                second.post({other->url(), Role::agent}, "/v1/register",
                            {{"url", "https://127.0.0.1:9"},
                             {"lease_ms", 1000},
                             {"capabilities", Json::object()}},
                            20);
              }).find("azur is registered at another place"),
              std::string::npos)
        << other->url();
  }
  EXPECT_EQ(members(lyon), 1U);
  EXPECT_EQ(members(below), 0U);
}

TEST_F(FederationAgent, ANameThatStaysAnothersIsSaidSo) {
  Agent& master = agent("master");
  daemon("azur", master);
  wait_for_members(master, 1);
  const Caller second(keys_.make(Role::daemon, "azur"));
  std::atomic<bool> is_taken = false;
  const Registrar registrar(second,
                            {.agent = master.url(),
                             .own_url = "https://127.0.0.1:9",
                             .lease = 300,
                             .is_taken = [&](const std::string&) { is_taken = true; }},
                            log_.log());
  EXPECT_TRUE(comes_true([&] { return is_taken.load(); })) << log_.text();
}

TEST_F(FederationAgent, AnAgentIsNotItsOwnParent) {
  Agent& master = agent("master");
  const Caller self(keys_.make(Role::agent, "master"));
  const Registrar registrar(self, {.agent = master.url(), .own_url = master.url()}, log_.log());
  EXPECT_TRUE(log_.comes("master is the name of this agent")) << log_.text();
}

TEST_F(FederationAgent, WhoWasRefusedAPlaceDoesNotTakeItAlong) {
  Agent& master = agent("master");
  daemon("azur", master);
  wait_for_members(master, 1);
  {
    const Caller second(keys_.make(Role::daemon, "azur"));
    const Registrar registrar(second, {.agent = master.url(), .own_url = "https://127.0.0.1:9"},
                              log_.log());
    ASSERT_TRUE(log_.comes("azur is registered at another place")) << log_.text();
  }
  EXPECT_EQ(members(master), 1U);
  EXPECT_FALSE(log_.has("azur leaves")) << log_.text();
}

TEST_F(FederationAgent, AHundredDaemonsBehindATreeAnswer) {
  Agent& master = agent("master");
  for (int i = 0; i < 10; ++i) {
    Agent& local = agent("local" + std::to_string(i), master.url());
    for (int j = 0; j < 10; ++j) daemon("d" + std::to_string(10 * i + j), local);
  }
  wait_for_members(master, 10);
  for (std::size_t i = 1; i < agents_.size(); ++i) wait_for_members(agents_[i], 10);
  const Time began = run::steady_now();
  const Answers answers = find(master, 20'000);
  RecordProperty("milliseconds", static_cast<int>(run::steady_now() - began));
  std::printf("100 daemons answered after %lld ms\n",
              static_cast<long long>(run::steady_now() - began));
  EXPECT_EQ(answers.answers.size(), 100U) << log_.text();
}

}  // namespace
}  // namespace dovetail::federation
