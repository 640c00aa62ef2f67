// A daemon as a process: months for real, idempotent requests, cancelling, and going on after a
// clean stop and after a crash.
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "support/system/real_federation.hpp"

namespace dovetail::testing {
namespace {

using federation::Json;

class FederationDaemon : public RealFederation {};

TEST_F(FederationDaemon, SaysWhatItCanDoAndHowLongItTakes) {
  write_daemon("azur", 4, "0.1");
  start_daemon("azur");
  const Json can = client_.get({url("azur"), federation::Role::daemon}, "/v1/capabilities", 20);
  EXPECT_EQ(can["name"], "azur");
  EXPECT_EQ(can["services"][0]["name"], "sum");
  const Json estimate =
      call("azur", "estimate", {{"service", "sum"}, {"scenarios", 3}, {"months", 10}});
  ASSERT_EQ(estimate["makespans"].size(), 3U) << estimate;
  EXPECT_EQ(estimate["makespans"][0], 1.1) << "ten months of 0.1 s, and one post task";
  EXPECT_EQ(estimate["groups"].size(), 3U);
  EXPECT_EQ(estimate["groups"][0].size(), 1U);
  EXPECT_GT(estimate["valid_until"].get<std::int64_t>(), run::wall_now());
}

TEST_F(FederationDaemon, RunsMonthsAndTheirPostTasksOnce) {
  write_daemon("azur", 3, "0.05");
  start_daemon("azur");
  EXPECT_EQ(call("azur", "submit", order("r1", 3, 4))["accepted"], true);
  EXPECT_EQ(call("azur", "submit", order("r1", 3, 4))["accepted"], true) << "safe to repeat";
  const Json end = watch_to_end("azur", "r1");
  for (const Json& scenario : end["scenarios"]) {
    EXPECT_EQ(scenario["state"], "done");
    EXPECT_EQ(scenario["last_completed_month"], 4);
  }
  expect_results("e", 3, 4);
  EXPECT_EQ(lines_of("ran").size(), 12U);
  for (const auto& [month, times] : lines_of("ran")) EXPECT_EQ(times, 1) << month;
  for (const auto& [month, times] : lines_of("posts")) EXPECT_EQ(times, 1) << month;
  EXPECT_NE(failure_of([&] { call("azur", "submit", order("r1", 2, 4)); }).find("another one"),
            std::string::npos);
}

TEST_F(FederationDaemon, RefusesWhatItsOwnerHasNotConfigured) {
  write_daemon("azur", 2, "0.05");
  start_daemon("azur");
  Json bad = order("r1", 1, 1);
  bad["parameters"] = {{"label", "x'; touch " + file("hacked") + "; echo '"}};
  EXPECT_NE(failure_of([&] { call("azur", "submit", bad); }).find("parameter label"),
            std::string::npos);
  bad["parameters"] = Json::object();
  bad["service"] = "sh";
  EXPECT_NE(failure_of([&] { call("azur", "submit", bad); }).find("no service sh"),
            std::string::npos);
  bad["service"] = "sum";
  bad["experiment"] = "../../etc";
  EXPECT_NE(failure_of([&] { call("azur", "submit", bad); }).find("experiment"), std::string::npos);
  bad["experiment"] = "e";
  bad["months"] = 1'000'000;
  EXPECT_NE(failure_of([&] { call("azur", "submit", bad); }).find("months in all"),
            std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(file("hacked")));
  EXPECT_NE(log_of("azur").find("refused POST \"/v1/submit\" by client \"alice\""),
            std::string::npos);
  EXPECT_EQ(call("azur", "submit", order("r2", 1, 1))["accepted"], true);
  watch_to_end("azur", "r2");
}

TEST_F(FederationDaemon, OnlyWhoSubmittedARequestMayWatchAndCancelIt) {
  write_daemon("azur", 2, "0.05");
  start_daemon("azur");
  call("azur", "submit", order("r1", 1, 1));
  const federation::Caller bob(keys_.make(federation::Role::client, "bob"));
  const auto as_bob = [&](const std::string& operation, const Json& body) {
    return failure_of([&] {
      bob.post({url("azur"), federation::Role::daemon}, "/v1/" + operation, body, 20);
    });
  };
  EXPECT_NE(as_bob("watch", {{"request_id", "r1"}, {"cursor", 0}, {"wait_seconds", 0}})
                .find("no request r1 of bob"),
            std::string::npos);
  EXPECT_NE(as_bob("cancel", {{"request_id", "r1"}}).find("no request r1 of bob"),
            std::string::npos);
  watch_to_end("azur", "r1");
}

TEST_F(FederationDaemon, ClientsMayUseTheSameRequestId) {
  write_daemon("azur", 2, "0.05");
  start_agent("master");
  start_daemon("azur", "master");
  ASSERT_TRUE(comes_true([&] {
    return client_.get({url("master"), federation::Role::agent}, "/v1/capabilities", 20)["members"]
               .size() == 1;
  }));
  const federation::Caller bob(keys_.make(federation::Role::client, "bob"));
  const auto as_bob = [&](const std::string& operation, const Json& body) {
    return bob.post({url("azur"), federation::Role::daemon}, "/v1/" + operation, body, 60);
  };
  call("azur", "submit", order("r1", 2, 400));
  as_bob("submit", order("r1", 1, 4));
  const Json estimate = {{"service", "sum"}, {"scenarios", 1}, {"months", 1}, {"without", {"r1"}}};
  EXPECT_EQ(as_bob("estimate", estimate)["busy_scenarios"], 2) << "alice's are not his";
  const Json found =
      bob.post({url("master"), federation::Role::agent}, "/v1/find",
               {{"operation", "estimate"}, {"request", estimate}, {"deadline_ms", 20'000}}, 60);
  ASSERT_EQ(found["answers"].size(), 1U) << found;
  EXPECT_EQ(found["answers"][0]["reply"]["busy_scenarios"], 2) << "through an agent as well";
  call("azur", "cancel", {{"request_id", "r1"}});
  Json end = {{"cursor", 0}};
  ASSERT_TRUE(comes_true([&] {
    end = as_bob("watch", {{"request_id", "r1"}, {"cursor", end["cursor"]}, {"wait_seconds", 1}});
    return end["over"] == true;
  }));
  EXPECT_EQ(end["scenarios"][0]["last_completed_month"], 4) << end;
  EXPECT_EQ(text_of(file("data/bob/e/s1/month-00004/value")), "10\n");
  EXPECT_EQ(watch_to_end("azur", "r1")["scenarios"][1]["state"], "cancelled");
}

TEST_F(FederationDaemon, WhatIsCancelledEndsAndNothingIsLeft) {
  write_daemon("azur", 2, "100");
  start_daemon("azur");
  call("azur", "submit", order("r1", 2, 4));
  ASSERT_TRUE(comes_true([&] {
    return call("azur", "watch",
                {{"request_id", "r1"}, {"cursor", 0}, {"wait_seconds", 0}})["cursor"]
               .get<int>() >= 3;
  }));
  call("azur", "cancel", {{"request_id", "r1"}});
  const Json end = watch_to_end("azur", "r1");
  for (const Json& scenario : end["scenarios"]) EXPECT_EQ(scenario["state"], "cancelled");
  EXPECT_TRUE(lines_of("ran").empty());
}

TEST_F(FederationDaemon, AMonthThatFailsIsTriedAgainAndThenGivenUp) {
  write_daemon("azur", 2, "0.05");
  put(file("month.sh"), "#!/bin/sh\necho \"$2 $3\" >> " + file("ran") + "\nexit 3\n");
  start_daemon("azur");
  call("azur", "submit", order("r1", 1, 2));
  const Json end = watch_to_end("azur", "r1");
  EXPECT_EQ(end["scenarios"][0]["state"], "failed");
  EXPECT_EQ(end["scenarios"][0]["why"], "main of scenario 1 month 1: exit code 3");
  EXPECT_EQ(lines_of("ran")["1 1"], 3);
}

TEST_F(FederationDaemon, GoesOnAfterACleanStopAndAfterACrash) {
  write_daemon("azur", 3, "0.1");
  start_daemon("azur");
  call("azur", "submit", order("r1", 3, 8));
  for (const int signal : {SIGTERM, SIGKILL, SIGTERM, SIGKILL}) {
    const std::size_t before = lines_of("ran").size();
    ASSERT_TRUE(comes_true([&] { return lines_of("ran").size() > before; }));
    stop(servers_.at("azur").pid, signal);
    launch("azur");
  }
  watch_to_end("azur", "r1");
  expect_results("e", 3, 8);
  for (const auto& [month, times] : lines_of("ran")) EXPECT_EQ(times, 1) << month;
}

TEST_F(FederationDaemon, TwoForOneClusterAreRefused) {
  write_daemon("azur", 2, "0.05");
  start_daemon("azur");
  const Environment same = {{"DOVETAIL_STATE", servers_.at("azur").state}};
  EXPECT_EQ(dovetail({"daemon", "azur.yaml", "--keys", keys_.path("azur")}, same), 2);
  EXPECT_NE(printed().find("cluster azur has a daemon already, process"), std::string::npos)
      << printed();
}

TEST_F(FederationDaemon, TheDiskIsWatchedAndPostTasksGoFirst) {
  // A month holds 1 GB until its post task is done; there is room for three.
  write_daemon("azur", 2, "0.05", "disk: {capacity: 4, month: 1, margin: 2}\n");
  start_daemon("azur");
  call("azur", "submit", order("r1", 2, 6));
  watch_to_end("azur", "r1");
  expect_results("e", 2, 6);
  EXPECT_NE(log_of("azur").find("the disk is short"), std::string::npos) << log_of("azur");
}

TEST_F(FederationDaemon, MeasuredTimesReplaceConfiguredOnes) {
  write_daemon("azur", 2, "0.05");
  std::string text = text_of(file("azur.yaml"));
  const std::string times = "times: {1: 0.05, 2: 0.05}";
  text.replace(text.find(times), times.size(), "times: {1: 900, 2: 900}");
  write("azur.yaml", text);
  start_daemon("azur");
  const Json question = {{"service", "sum"}, {"scenarios", 1}, {"months", 1}};
  EXPECT_GT(call("azur", "estimate", question)["makespans"][0], 900);
  call("azur", "submit", order("r1", 1, 5));
  watch_to_end("azur", "r1");
  EXPECT_LT(call("azur", "estimate", question)["makespans"][0], 900);
}

TEST_F(FederationDaemon, AWorkflowOfAnotherFormatBringsNoCommandsOfItsOwn) {
  write_daemon("azur", 2, "0.05");
  start_daemon("azur");
  const Json task = {{"id", "a"}, {"name", "a"}, {"parents", Json::array()}};
  const Json command = {{"program", "touch"}, {"arguments", {file("hacked")}}};
  const Json ran = {{"id", "a"}, {"runtimeInSeconds", 1}, {"command", command}};
  const Json workflow = {{"tasks", Json::array()},
                         {"schemaVersion", "1.5"},
                         {"workflow",
                          {{"specification", {{"tasks", {task}}}},
                           {"execution", {{"makespanInSeconds", 1}, {"tasks", {ran}}}}}}};
  Json sent = order("r1", 1, 1);
  sent["service"] = "workflow";
  sent["workflow"] = workflow;
  EXPECT_NE(failure_of([&] { call("azur", "submit", sent); }).find("cannot be sent"),
            std::string::npos);
  EXPECT_NE(failure_of([&] { call("azur", "predict", {{"workflow", workflow}}); }), "no error");
  EXPECT_FALSE(std::filesystem::exists(file("hacked")));
}

TEST_F(FederationDaemon, WhateverAMonthLeavesBehindTheDaemonGoesOn) {
  write_daemon("azur", 2, "0.05");
  put(file("month.sh"),
      "#!/bin/sh\nln -s loop \"$5/loop\"\nln -s /nowhere \"$5/dangling\"\nmkfifo \"$5/pipe\"\n"
      "mkdir -p \"$5/below/deeper\"\necho $2 > \"$5/below/deeper/value\"\necho $2 > "
      "\"$5/value\"\n");
  start_daemon("azur");
  call("azur", "submit", order("r1", 1, 1));
  const Json end = watch_to_end("azur", "r1");
  EXPECT_EQ(end["scenarios"][0]["state"], "done") << end << log_of("azur");
  expect_results("e", 1, 1);
}

TEST_F(FederationDaemon, AMonthWhoseFolderCannotBeMadeFailsAndOthersGoOn) {
  write_daemon("azur", 2, "0.05");
  // So deep that the claim of a request with a long name has room, and the folder of its month has
  // not.
  constexpr std::size_t kScenarioPath = 4065;
  std::string data = file("data");
  const std::string behind = "/alice/e/s1";
  while (data.size() + behind.size() + 200 < kScenarioPath) data += "/" + std::string(99, 'd');
  data += "/" + std::string(kScenarioPath - behind.size() - data.size() - 1, 'd');
  std::string text = text_of(file("azur.yaml"));
  const std::string usual = "data: " + file("data") + "\n";
  text.replace(text.find(usual), usual.size(), "data: " + data + "\n");
  write("azur.yaml", text);
  start_daemon("azur");
  const std::string long_name(20, 'r');
  call("azur", "submit", order(long_name, 1, 1));
  const Json end = watch_to_end("azur", long_name);
  EXPECT_EQ(end["scenarios"][0]["state"], "failed") << end << log_of("azur");
  EXPECT_NE(end["scenarios"][0]["why"].get<std::string>().find("cannot be written"),
            std::string::npos)
      << end;
  call("azur", "submit", order("r", 1, 1));
  EXPECT_EQ(watch_to_end("azur", "r")["scenarios"][0]["state"], "done") << log_of("azur");
}

TEST_F(FederationDaemon, AServiceThatIsNoLongerOfferedIsLetGo) {
  write_daemon("azur", 2, "100");
  start_daemon("azur");
  call("azur", "submit", order("r1", 2, 2));
  ASSERT_TRUE(comes_true([&] {
    return call("azur", "watch",
                {{"request_id", "r1"}, {"cursor", 0}, {"wait_seconds", 0}})["cursor"]
               .get<int>() >= 3;
  }));
  stop(servers_.at("azur").pid, SIGKILL);
  std::string text = text_of(file("azur.yaml"));
  text.replace(text.find("  sum:"), 6, "  add:");
  write("azur.yaml", text);
  launch("azur");
  const Json end = watch_to_end("azur", "r1");
  EXPECT_EQ(end["scenarios"][0]["state"], "cancelled") << end;
  EXPECT_EQ(end["scenarios"][0]["why"], "the service sum is not configured any more");
}

TEST_F(FederationDaemon, ItsJournalIsMadeShortAndMeansTheSame) {
  write_daemon("azur", 8, "0.01");
  put(file("post.sh"), "#!/bin/sh\ncp \"$3/value\" \"$3/archive\"\n");
  start_daemon("azur");
  call("azur", "submit", order("r1", 4, 14));
  watch_to_end("azur", "r1");
  const std::string journal = servers_.at("azur").state + "/daemons/runs/azur-1/journal.ndjson";
  const auto lines = [&] { return std::ranges::count(text_of(journal), '\n'); };
  ASSERT_GT(lines(), 200);
  kill_and_restart("azur");
  EXPECT_LT(lines(), 10) << text_of(journal);
  EXPECT_EQ(call("azur", "submit", order("r1", 4, 14))["accepted"], true);
  EXPECT_NE(failure_of([&] { call("azur", "submit", order("r1", 4, 13)); }).find("another one"),
            std::string::npos);
  const Json end = watch_to_end("azur", "r1");
  EXPECT_EQ(end["scenarios"][3]["last_completed_month"], 14) << end;
  for (const auto& [month, times] : lines_of("ran")) EXPECT_EQ(times, 1) << month;
  Json next = order("r2", 1, 2);
  next["experiment"] = "f";
  call("azur", "submit", next);
  watch_to_end("azur", "r2");
  expect_results("f", 1, 2);
}

TEST_F(FederationDaemon, WhoWaitsForNewsLeavesPlacesForOthers) {
  write_daemon("azur", 2, "100");
  start_daemon("azur");
  call("azur", "submit", order("r1", 1, 1));
  std::vector<std::thread> watchers;
  for (int i = 0; i < 80; ++i) {
    watchers.emplace_back([&] {
      call("azur", "watch", {{"request_id", "r1"}, {"cursor", 1'000'000}, {"wait_seconds", 15}});
    });
  }
  usleep(3'000'000);
  const Time began = run::steady_now();
  call("azur", "estimate", {{"service", "sum"}, {"scenarios", 1}, {"months", 1}});
  EXPECT_LT(run::steady_now() - began, 5 * kSecond);
  for (std::thread& watcher : watchers) watcher.join();
  EXPECT_NE(failure_of([&] {
              call("azur", "cancel", {{"request_id", "r1"}, {"scenarios", Json::array()}});
            }).find("leave it out to cancel all"),
            std::string::npos);
  call("azur", "cancel", {{"request_id", "r1"}});
  watch_to_end("azur", "r1");
}

TEST_F(FederationDaemon, AnEstimateThatWouldTakeMinutesIsRefused) {
  write_daemon("azur", 8, "1");
  start_daemon("azur");
  const auto ask = [&](int scenarios, int months) {
    return failure_of([&] {
      call("azur", "estimate", {{"service", "sum"}, {"scenarios", scenarios}, {"months", months}});
    });
  };
  EXPECT_NE(ask(2000, 100).find("fewer scenarios at once"), std::string::npos);
  EXPECT_EQ(ask(10, 1800), "no error");
}

}  // namespace
}  // namespace dovetail::testing
