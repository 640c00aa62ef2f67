// What a client does when clusters fail, refuse or vanish, and what it says.
#include <gtest/gtest.h>

#include <algorithm>

#include "support/system/experiment_test.hpp"

namespace dovetail::testing {
namespace {

class FederationClient : public ExperimentTest {
 protected:
  // A cluster whose results nobody else sees.
  void write_lonely_daemon(const std::string& name, int processors, const std::string& pause) {
    write_daemon(name, processors, pause);
    std::string text = text_of(file(name + ".yaml"));
    const std::string shared = "data: " + file("data") + "\n";
    text.replace(text.find(shared), shared.size(), "data: " + file("data-" + name) + "\n");
    write(name + ".yaml", text);
  }

  void start_lonely_ones() {
    start_agent("master");
    for (const char* name : {"big", "small"}) {
      write_lonely_daemon(name, 2, "0.2");
      start_daemon(name, "master");
    }
    wait_for_daemons(2);
  }

  // Months from the third on fail while the file `broken` is there.
  void break_months() {
    std::string script = text_of(file("month.sh"));
    script.insert(
        script.find("value=$2"),
        "if test -e " + file("broken") + " && test $3 -ge 3; then echo no grid >&2; exit 3; fi\n");
    put(file("month.sh"), script);
    put(file("broken"), "");
  }

  bool says(const std::string& text) const { return printed().find(text) != std::string::npos; }
  void forget_printed() const { put(file("printed"), ""); }
  long printed_lines() const { return std::ranges::count(printed(), '\n'); }

  void expect_each_month_ran_once(std::size_t count) const {
    const auto ran = lines_of("ran");
    EXPECT_EQ(ran.size(), count);
    for (const auto& [month, times] : ran) EXPECT_EQ(times, 1) << month;
  }
};

TEST_F(FederationClient, ACancelFromAnotherShellEndsTheExperimentAndItsClient) {
  start_three();
  write_experiment(4, 60);
  const pid_t client = begin(command());
  ASSERT_TRUE(comes_true([&] { return lines_of("ran").size() > 3; })) << printed();
  EXPECT_EQ(dovetail({"runs"}), 0);
  EXPECT_TRUE(says("sum-1  running")) << printed();
  EXPECT_EQ(dovetail(command()), 2);
  EXPECT_TRUE(says("sum-1 is being run by process " + std::to_string(client))) << printed();
  EXPECT_FALSE(says("goes on")) << printed();
  EXPECT_EQ(dovetail(command({"--cancel"})), 0) << printed();
  EXPECT_EQ(wait_for(client), 1) << printed();
  EXPECT_TRUE(says("sum-1: cancelled")) << printed();
  const std::size_t ran = lines_of("ran").size();
  sleep(1);
  EXPECT_EQ(lines_of("ran").size(), ran);
  EXPECT_EQ(dovetail(command({"--cancel"})), 2) << printed();
  EXPECT_EQ(dovetail({"status", "sum-1"}), 0);
  EXPECT_TRUE(says("sum-1: cancelled, 0 of 4 scenarios done")) << printed();
}

TEST_F(FederationClient, AfterAFailureEachClusterGoesOnWithTheMonthsThatItHas) {
  break_months();
  start_lonely_ones();
  write_experiment(4, 6);
  EXPECT_EQ(dovetail(command()), 1);
  EXPECT_TRUE(says("month 3: exit code 3: no grid (")) << printed();
  EXPECT_TRUE(says("failed; fix the cause, and the same command goes on")) << printed();
  EXPECT_EQ(lines_of("ran").size(), 8U);
  std::filesystem::remove(file("broken"));
  ASSERT_EQ(dovetail(command({"--dry-run"})), 0) << printed();
  EXPECT_TRUE(says("sum-1 would go on: 0 of 4 scenarios done, 4 failed")) << printed();
  EXPECT_TRUE(says("scenario 4 would be tried again after month 2")) << printed();
  ASSERT_EQ(dovetail(command()), 0) << printed();
  EXPECT_TRUE(says("sum-1 goes on")) << printed();
  EXPECT_FALSE(says("computed again")) << printed();
  EXPECT_FALSE(says("cannot continue")) << printed();
  EXPECT_TRUE(says("on big in " + file("data-big/alice/sum-1"))) << printed();
  expect_each_month_ran_once(24);
}

TEST_F(FederationClient, WhatCannotMoveIsNotSaidToMove) {
  start_agent("master");
  write_lonely_daemon("liar", 4, "1");
  std::string text = text_of(file("liar.yaml"));
  const std::string times = "times: {1: 1, 2: 1}";
  text.replace(text.find(times), times.size(), "times: {1: 0.05, 2: 0.05}");
  write("liar.yaml", text);
  write_lonely_daemon("honest", 4, "0.2");
  start_daemon("liar", "master");
  start_daemon("honest", "master");
  wait_for_daemons(2);
  write_experiment(4, 4);
  ASSERT_EQ(dovetail(command({"--look-again", "1"})), 0) << printed();
  EXPECT_FALSE(says("moving scenarios:")) << printed();
  EXPECT_FALSE(says("leaves liar")) << printed();
  expect_each_month_ran_once(16);
}

TEST_F(FederationClient, OneLateAnswerDoesNotMakeAClusterLost) {
  start_agent("master");
  write_daemon("azur", 2, "0.5");
  start_daemon("azur", "master");
  wait_for_daemons(1);
  write_experiment(2, 20);
  const pid_t client = begin(command({"--lost-after", "3"}));
  ASSERT_TRUE(comes_true([&] { return lines_of("ran").size() > 1; })) << printed();
  kill(servers_.at("azur").pid, SIGSTOP);
  EXPECT_TRUE(comes_true([&] { return says("azur does not answer"); })) << printed();
  kill(servers_.at("azur").pid, SIGCONT);
  ASSERT_EQ(wait_for(client), 0) << printed();
  EXPECT_TRUE(says("azur answers again")) << printed();
  EXPECT_FALSE(says("is lost")) << printed();
}

TEST_F(FederationClient, AClusterThatComesBackAfterTheEndCanBeTold) {
  start_agent("master");
  for (const char* name : {"big", "small"}) {
    write_lonely_daemon(name, 2, "0.3");
    start_daemon(name, "master");
  }
  wait_for_daemons(2);
  write_experiment(4, 8);
  const pid_t client = begin(command({"--lost-after", "1"}));
  ASSERT_TRUE(comes_true([&] { return lines_of("ran").size() > 3; })) << printed();
  stop(servers_.at("big").pid, SIGKILL);
  end_steps_of("big");
  ASSERT_EQ(wait_for(client), 0) << printed();
  EXPECT_TRUE(says("big is lost")) << printed();
  EXPECT_TRUE(says("with --cancel to tell it")) << printed();
  EXPECT_EQ(dovetail(command({"--cancel"})), 3) << printed();
  EXPECT_TRUE(says("big cannot be reached")) << printed();
  launch("big");
  EXPECT_EQ(dovetail(command({"--cancel"})), 0) << printed();
  EXPECT_NE(log_of("big").find("-p1: cancelled"), std::string::npos) << log_of("big");
  EXPECT_EQ(dovetail(command({"--cancel"})), 2) << "all have heard";
}

TEST_F(FederationClient, WhatNobodyOffersIsOneLineAtOnceAndLeavesNothing) {
  start_lonely_ones();
  write("sum.yaml", "scenarios: 2\nmonths: 2\nservice: climate\n");
  for (const bool is_dry : {false, true}) {
    forget_printed();
    const Time began = run::steady_now();
    EXPECT_EQ(dovetail(is_dry ? command({"--dry-run"}) : command()), 2) << printed();
    EXPECT_LT(run::steady_now() - began, 3 * kSecond);
    EXPECT_TRUE(says("no cluster offers the service climate")) << printed();
    EXPECT_TRUE(says("big, small: there is no service climate for ensembles here")) << printed();
    EXPECT_FALSE(says("/v1/")) << printed();
    EXPECT_LE(printed_lines(), is_dry ? 1 : 3) << printed();
  }
  write("sum.yaml", "tasks: [{id: a, run: 'say wort=x', time: 1}]\n");
  EXPECT_EQ(dovetail(command()), 2);
  EXPECT_TRUE(
      says("no cluster offers this workflow; big, small: task \"a\": service say has no "
           "parameter \"wort\""))
      << printed();
  forget_printed();
  EXPECT_EQ(dovetail({"runs"}), 0);
  EXPECT_FALSE(says("sum")) << printed();
  write_experiment(1, 1);
  EXPECT_EQ(dovetail(command()), 0);
  EXPECT_TRUE(says("sum-1: done")) << printed();
  EXPECT_EQ(dovetail({"agent", "--list", url("master"), "--keys", keys_.path("alice")}), 0);
  EXPECT_TRUE(says("small    2           processes  sum, say (tasks)")) << printed();
}

TEST_F(FederationClient, ASecondDaemonForAClusterIsRefusedAtAnotherAgentToo) {
  start_agent("master");
  start_agent("local", "master");
  write_daemon("azur", 2, "0.05");
  start_daemon("azur", "master");
  wait_for_daemons(1);
  const Environment other = {{"DOVETAIL_STATE", file("state-other")}};
  EXPECT_EQ(dovetail({"daemon", "azur.yaml", "--keys", keys_.path("azur"), "--agent", url("local")},
                     other),
            3);
  EXPECT_TRUE(says("azur is registered at another place")) << printed();
}

}  // namespace
}  // namespace dovetail::testing
