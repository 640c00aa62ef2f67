// Daemons before a real Slurm, whose controller is killed like everybody else.
#include <gtest/gtest.h>

#include <random>

#include "support/experiment_test.hpp"
#include "support/slurm_cluster.hpp"

namespace dovetail::testing {
namespace {

class FederationSlurm : public ExperimentTest {
 protected:
  void SetUp() override {
    if (const auto missing = SlurmCluster::missing()) GTEST_SKIP() << *missing;
    cluster_.emplace(4);
    setenv("DOVETAIL_SLURM_POLL", "1", 1);
    ExperimentTest::SetUp();
  }

  void TearDown() override {
    if (!cluster_) return;
    EXPECT_EQ(jobs_left(), "");
    // Slurm's own processes are nobody's children that we know of, and end with the cluster.
    for (const auto& [name, process] : servers_) stop(process.pid, SIGTERM);
    servers_.clear();
    alarm(0);
  }

  std::string jobs_left() {
    for (int i = 0; i < 100; ++i) {
      if (cluster_->run({"squeue", "--noheader"}).empty()) return {};
      usleep(100'000);
    }
    return cluster_->run({"squeue"});
  }

  // A Slurm of four nodes of two processors, on which a month takes one node; and a local cluster.
  void start_two(const std::string& pause) {
    start_agent("master");
    write_daemon("batch", 0, pause, "slurm: {}\n");
    std::string text = text_of(file("batch.yaml"));
    const std::string times = "times: {1: " + pause + ", 2: " + pause + "}";
    text.replace(text.find(times), times.size(), "times: {2: " + pause + "}");
    write("batch.yaml", text);
    write_daemon("here", 2, pause);
    start_daemon("batch", "master");
    start_daemon("here", "master");
    wait_for_daemons(2);
  }

  // A controller that was killed forgets its last jobs and gives their numbers away again; nodes on
  // which a job of that number still runs are then drained, until an operator says otherwise.
  void resume_nodes() {
    slurm::run_command({"scontrol", "update", "nodename=n[1-4]", "state=resume"}, {.seconds = 20});
  }

  // The exit code of the client, while an operator looks after the cluster.
  int wait_with_operator(pid_t client) {
    int status = 0;
    while (waitpid(client, &status, WNOHANG) == 0) {
      resume_nodes();
      usleep(500'000);
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  std::optional<SlurmCluster> cluster_;
};

TEST_F(FederationSlurm, MonthsRunAsJobs) {
  start_two("0.3");
  write_experiment(5, 3);
  ASSERT_EQ(dovetail(command()), 0) << printed() << log_of("batch");
  EXPECT_NE(log_of("batch").find("step 8"), std::string::npos) << log_of("batch");
  expect_each_month_once(5, 3);
}

TEST_F(FederationSlurm, WhatIsCancelledLeavesNoJob) {
  start_two("100");
  write_experiment(4, 3);
  const pid_t client = begin(command());
  ASSERT_TRUE(comes_true([&] { return !cluster_->run({"squeue", "--noheader"}).empty(); }));
  stop(client, SIGTERM);
  EXPECT_EQ(dovetail(command({"--cancel"})), 0) << printed();
  EXPECT_EQ(jobs_left(), "");
  EXPECT_TRUE(lines_of("ran").empty());
}

TEST_F(FederationSlurm, KillsOfAllIncludingTheController) {
  constexpr int kMonths = 12;
  start_two("0.3");
  write_experiment(5, kMonths);
  const auto seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const std::vector<std::string> victims = {"controller", "client", "batch", "controller", "here"};
  const std::vector<std::string> run = command({"--lost-after", "500", "--look-again", "1000"});
  pid_t client = begin(run);
  // More of them take minutes: DOVETAIL_KILLS=30 build/dev/tests/federation_slurm_test
  const char* more = std::getenv("DOVETAIL_KILLS");
  const int kills = more == nullptr ? 10 : std::atoi(more);
  for (int i = 0; i < kills; ++i) {
    usleep(static_cast<useconds_t>(std::uniform_int_distribution(50'000, 900'000)(random)));
    const std::string& victim = victims[random() % victims.size()];
    if (victim == "controller") {
      cluster_->stop_controller("KILL");
      cluster_->start_controller();
    } else if (victim != "client") {
      kill_and_restart(victim);
      if (HasFatalFailure()) return stop(client, SIGKILL);
    } else if (lines_of("posts").size() < std::size_t{5} * kMonths) {
      stop(client, SIGKILL);
      client = begin(run);
    }
  }
  ASSERT_EQ(wait_with_operator(client), 0) << printed() << log_of("batch");
  expect_results(experiment(), 5, kMonths);
  // A job that a killed controller has forgotten may be ended before it has said that it is done;
  // what is recorded is never run again.
  EXPECT_EQ(lines_of("ran").size(), std::size_t{5} * kMonths);
  const std::string logs = log_of("batch") + log_of("here");
  for (int s = 1; s <= 5; ++s) {
    for (int m = 1; m <= kMonths; ++m) {
      const std::string done =
          "main of scenario " + std::to_string(s) + " month " + std::to_string(m) + " done";
      const auto first = logs.find(done);
      if (first == std::string::npos) continue;  // killed between writing it down and saying so
      EXPECT_EQ(logs.find(done, first + 1), std::string::npos) << done << "\n" << logs;
    }
  }
}

}  // namespace
}  // namespace dovetail::testing
