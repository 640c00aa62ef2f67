// Answers of servers are checked where they are read: what cannot be is the server's failure.
#include <gtest/gtest.h>

#include "federation/client/cluster_list.hpp"
#include "federation/client/experiment.hpp"
#include "federation/client/lost_daemons.hpp"
#include "federation/client/offers.hpp"
#include "federation/client/refusals.hpp"
#include "federation/net/read_answer.hpp"
#include "support/hostile_peers.hpp"

namespace dovetail::federation {
namespace {

using testing::failure_of;
using testing::FakePeer;
using testing::mutated;
using testing::TestKeys;

const Json kFound = {
    {"answers",
     {{{"daemon", "azur"},
       {"url", "https://127.0.0.1:9"},
       {"reply",
        {{"makespans", {1, 2}}, {"groups", {{2}, {2}}}, {"at_no_cost", 1}, {"valid_until", 9}}}}}},
    {"refused", {{{"name", "sol"}, {"error", "no"}, {"status", 404}}}},
    {"late", {"luna"}}};

const Json kProgress = {
    {"request_id", "r1"},
    {"cursor", 3},
    {"over", false},
    {"folder", "/data/alice/e"},
    {"scenarios",
     {{{"scenario", 1}, {"last_completed_month", 2}, {"posts_left", 0}, {"state", "active"}},
      {{"scenario", 4}, {"last_completed_month", 5}, {"posts_left", 1}, {"state", "done"}}}}};

ExperimentPart part() {
  return {.request = "r1", .daemon = "azur", .url = "u", .scenarios = {{1, 1}, {4, 1}}};
}

// What is wrong with an answer, one field of which is another one.
std::string trouble_with(Json answer, const char* path, const Json& value) {
  answer[Json::json_pointer(path)] = value;
  return failure_of([&] {
    read_answer("peer", [&] {
      return answer.contains("late") ? answers_of(answer).late.size()
                                     : read_progress(answer, part(), 5).scenarios.size();
    });
  });
}

TEST(FederationAnswers, OfAnAgent) {
  const Answers answers = answers_of(kFound);
  EXPECT_EQ(answers.answers[0].daemon, "azur");
  EXPECT_EQ(answers.refused[0].status, 404);
  EXPECT_EQ(answers.late, std::vector<std::string>{"luna"});
  for (const auto& [path, value] : std::vector<std::pair<const char*, Json>>{
           {"/answers", "all"},
           {"/answers", Json(std::vector<int>(kMostDaemons + 1))},
           {"/answers/0", 7},
           {"/answers/0/daemon", "../azur"},
           {"/answers/0/daemon", "a/b"},
           {"/answers/0/daemon", nullptr},
           {"/answers/0/url", "x"},
           {"/answers/0/url", "https://"},
           {"/answers/0/url", 5},
           {"/refused/0/status", 99999999999999},
           {"/refused/0/status", "404"},
           {"/refused/0/error", 5},
           {"/late", {{{"x", 1}}}},
           {"/late", {".."}}}) {
    EXPECT_NE(trouble_with(kFound, path, value).find("peer: the answer cannot be understood"),
              std::string::npos)
        << path << " " << value;
  }
}

TEST(FederationAnswers, ReasonsAreOneShortLine) {
  Json found = kFound;
  found["refused"][0]["error"] = "a\nforged line" + std::string(5000, 'x') + "ü";
  const std::string error = answers_of(found).refused[0].error;
  EXPECT_EQ(error.find('\n'), std::string::npos);
  EXPECT_EQ(error.size(), 1000U);
  found["refused"][0]["error"] = std::string(999, 'x') + "ü";
  EXPECT_EQ(answers_of(found).refused[0].error, std::string(999, 'x')) << "no half character";
}

TEST(FederationAnswers, OfADaemonOnAPart) {
  const PartProgress progress = read_progress(kProgress, part(), 5);
  EXPECT_EQ(progress.scenarios[1].number, 4);
  EXPECT_TRUE(progress.scenarios[1].is_open()) << "a post task is left";
  for (const auto& [path, value] : std::vector<std::pair<const char*, Json>>{
           {"/request_id", "r2"},
           {"/cursor", -1},
           {"/cursor", 1e300},
           {"/over", "no"},
           {"/over", true},
           {"/folder", 5},
           {"/folder", "a\nb"},
           {"/scenarios", "all"},
           {"/scenarios", Json::array()},
           {"/scenarios/0", 1},
           {"/scenarios/0/scenario", 4},
           {"/scenarios/0/scenario", 2},
           {"/scenarios/0/last_completed_month", 99999999999999},
           {"/scenarios/0/last_completed_month", 6},
           {"/scenarios/0/last_completed_month", -1},
           {"/scenarios/0/last_completed_month", nullptr},
           {"/scenarios/0/posts_left", "none"},
           {"/scenarios/0/state", "done"},
           {"/scenarios/0/state", "dreaming"},
           {"/scenarios/0/why", {1}}}) {
    EXPECT_NE(trouble_with(kProgress, path, value).find("peer: the answer cannot be understood"),
              std::string::npos)
        << path << " " << value;
  }
}

// Whatever comes is either understood or a BadAnswer.
TEST(FederationAnswers, ChangedAtRandomAreUnderstoodOrBad) {
  const TestKeys keys;
  std::mt19937 random(3);
  std::mt19937 agents_random(4);
  FakePeer agent(keys, Role::agent, "master",
                 {{"find", [&](const Json&) { return mutated(kFound, agents_random); }}});
  const Caller caller(keys.make(Role::client, "alice"));
  int offers = 0;
  for (int i = 0; i < 1000; ++i) {
    const Json changed = mutated(kProgress, random);
    try {
      const PartProgress progress =
          read_answer("peer", [&] { return read_progress(changed, part(), 5); });
      for (const ScenarioProgress& one : progress.scenarios) EXPECT_LE(one.done, 5) << changed;
    } catch (const BadAnswer&) {
    }
  }
  for (int i = 0; i < 40; ++i) {
    try {
      const Offers found = ask_for_offers(caller, agent.url(),
                                          {.service = "sum", .scenarios = 2, .months = 5}, 1000);
      for (const Offer& offer : found.offers) EXPECT_EQ(offer.makespans.size(), 2U);
      if (!found.offers.empty()) {
        EXPECT_EQ(share_out(found.offers, 2, "greedy").size(), found.offers.size());
      }
      offers += static_cast<int>(found.offers.size());
    } catch (const NoAnswer&) {
    }
    try {
      list_clusters(caller, agent.url(), 1000);
    } catch (const NoAnswer&) {
    }
  }
  EXPECT_GT(offers, 0) << "some are harmless";
}

TEST(FederationAnswers, MonthsThatADaemonCannotHoldAreNotBelieved) {
  const TestKeys keys;
  Json scenarios;
  FakePeer daemon(keys, Role::daemon, "azur",
                  {{"held", [&](const Json&) {
                      return Json{{"daemon", "azur"}, {"scenarios", scenarios}};
                    }}});
  const Caller caller(keys.make(Role::client, "alice"));
  const std::vector<Offer> offers = {{.daemon = "azur", .url = daemon.url(), .makespans = {1, 2}}};
  const HeldQuestion question{.experiment = "e", .scenarios = {1, 2}, .months = 5};
  scenarios = {{{"scenario", 2}, {"months", 5}}};
  EXPECT_EQ(ask_who_has(caller, offers, question, 5000).last[0], (std::map<Count, Count>{{2, 5}}));
  for (const Json& bad :
       {Json{{"scenario", 2}, {"months", 6}}, Json{{"scenario", 2}, {"months", 99999999999999}},
        Json{{"scenario", 3}, {"months", 1}}, Json{{"scenario", 2}}, Json("all")}) {
    scenarios = Json::array({bad});
    const HeldMonths held = ask_who_has(caller, offers, question, 5000);
    EXPECT_TRUE(held.last[0].empty()) << bad;
    EXPECT_EQ(held.troubles.size(), 1U) << bad;
  }
}

TEST(FederationAnswers, NumbersThatDoNotFitAreNotCutOff) {
  const Json json = {{"numbers", {4294967297}}};
  EXPECT_THROW(Fields(json, "x").items<Count>("numbers", "numbers"), Refusal);
}

TEST(Refusals, AreFinalUnlessTheDaemonOnlyLacksMonths) {
  Refusals refusals;
  refusals.add(1, "azur", 403, "no");
  EXPECT_TRUE(refusals.is_final(1, "azur"));
  EXPECT_FALSE(refusals.has(2, "azur"));
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(refusals.is_final(1, "sol"));
    refusals.add(1, "sol", kConflict, "not here");
    EXPECT_TRUE(refusals.has(1, "sol"));
  }
  EXPECT_TRUE(refusals.is_final(1, "sol")) << "it was asked often enough";
  EXPECT_EQ(refusals.reasons(1), "azur: no; sol: not here");
  EXPECT_EQ(refusals.reasons(2), "");
}

TEST(LostDaemons, AreSilentForLongAndSeveralQuestions) {
  LostDaemons daemons(1000);
  EXPECT_TRUE(daemons.miss(0, "azur", 0));
  EXPECT_FALSE(daemons.miss(0, "azur", 500));
  EXPECT_TRUE(daemons.lost(5000).empty()) << "two questions";
  daemons.miss(0, "azur", 900);
  EXPECT_TRUE(daemons.lost(999).empty());
  EXPECT_EQ(daemons.lost(1000), std::vector<std::size_t>{0});
  EXPECT_TRUE(daemons.is_avoided("azur", 1000));
  daemons.give_up(0, 1000);
  EXPECT_TRUE(daemons.is_avoided("azur", 1999));
  EXPECT_FALSE(daemons.is_avoided("azur", 2000));
  EXPECT_FALSE(daemons.hear(0));
}

}  // namespace
}  // namespace dovetail::federation
