// A daemon as a process: months for real, idempotent requests, cancelling, and going on after a
// clean stop and after a crash.
#include <gtest/gtest.h>

#include "support/real_federation.hpp"

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
  EXPECT_GT(estimate["valid_until"].get<std::int64_t>(), exec::wall_now());
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

}  // namespace
}  // namespace dovetail::testing
