// Daemons before a real Slurm, whose controller is killed like everybody else.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "support/system/experiment_test.hpp"
#include "support/system/slurm_cluster.hpp"

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
    EXPECT_TRUE(comes_true([&] { return processes_left().empty(); })) << processes_left();
    alarm(0);
  }

  // Command lines of processes that have to do with this test's folder: servers, supervisors,
  // months.
  std::string processes_left() const {
    std::string left;
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
      std::string line = text_of(entry.path().string() + "/cmdline");
      std::ranges::replace(line, '\0', ' ');
      if (line.find(folder()) != std::string::npos) left += line + "\n";
    }
    return left;
  }

  std::string jobs_left() {
    for (int i = 0; i < 100; ++i) {
      if (cluster_->run({"squeue", "--noheader"}).empty()) return {};
      usleep(100'000);
    }
    return cluster_->run({"squeue"});
  }

  // A Slurm of four nodes of two processors, on which a month takes one node; and a local cluster.
  // Both are below the master, or below an agent that is.
  void start_two(const std::string& pause, const std::string& agent = "master") {
    start_agent("master");
    if (agent != "master") start_agent(agent, "master");
    write_daemon("batch", 0, pause, "slurm: {}\n");
    std::string text = text_of(file("batch.yaml"));
    const std::string times = "times: {1: " + pause + ", 2: " + pause + "}";
    text.replace(text.find(times), times.size(), "times: {2: " + pause + "}");
    write("batch.yaml", text);
    write_daemon("here", 2, pause);
    start_daemon("batch", agent);
    start_daemon("here", agent);
    wait_for_daemons(2);
  }

  // A controller that was killed forgets its last jobs and gives their numbers away again; nodes on
  // which a job of that number still runs are then drained, until an operator says otherwise.
  void resume_nodes() {
    batch::run_command({"scontrol", "update", "nodename=n[1-4]", "state=resume"}, {.seconds = 20});
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
  EXPECT_TRUE(lines_of("ran").empty()) << text_of(file("ran"));
}

TEST_F(FederationSlurm, AWorkflowRunsAsJobsWhereItEndsFirst) {
  start_two("0.3");
  std::string flow = "name: flow\ntasks:\n";
  for (const char* task : {"a", "b", "c", "d", "e", "f", "g"}) {
    flow += fmt::format("  - {{id: {0}, run: 'say word={0}', time: 20}}\n", task);
  }
  write("sum.yaml",
        flow + "  - {id: last, run: 'say word=last', time: 20, after: [a, b, c, d, e, f, g]}\n");
  ASSERT_EQ(dovetail(command()), 0) << printed() << log_of("batch");
  EXPECT_NE(printed().find("to batch"), std::string::npos) << printed();
  EXPECT_EQ(lines_of("said").size(), 8U);
  for (const auto& [word, times] : lines_of("said")) EXPECT_EQ(times, 1) << word;
  EXPECT_NE(cluster_->run({"squeue", "--states=all", "--noheader"}), "") << "no job has run it";
}

TEST_F(FederationSlurm, AWorkflowWhoseDaemonIsKilledRunsEachTaskOnce) {
  start_agent("master");
  write_daemon("batch", 0, "0.3", "slurm: {}\n");
  add_nap("batch");
  start_daemon("batch", "master");
  wait_for_daemons(1);
  write_naps(12, "0.5");
  const pid_t client = begin(command({"--lost-after", "500"}));
  ASSERT_TRUE(comes_true([&] { return !lines_of("said").empty(); })) << log_of("batch");
  for (const int signal : {SIGKILL, SIGTERM, SIGKILL}) {
    stop(servers_.at("batch").pid, signal);
    launch("batch");
    if (HasFatalFailure()) return stop(client, SIGKILL);
  }
  EXPECT_EQ(wait_for(client), 0) << printed() << log_of("batch");
  EXPECT_EQ(lines_of("said").size(), 12U);
  for (const auto& [word, times] : lines_of("said")) EXPECT_EQ(times, 1) << word;
}

TEST_F(FederationSlurm, AWorkflowThatIsCancelledLeavesNoJob) {
  start_agent("master");
  write_daemon("batch", 0, "0.3", "slurm: {}\n");
  add_nap("batch");
  start_daemon("batch", "master");
  wait_for_daemons(1);
  write_naps(3, "300");
  const pid_t client = begin(command());
  ASSERT_TRUE(comes_true([&] { return !lines_of("said").empty(); })) << log_of("batch");
  stop(client, SIGTERM);
  EXPECT_EQ(dovetail(command({"--cancel"})), 0) << printed();
  EXPECT_EQ(jobs_left(), "");
}

// The client, an agent, a daemon or the controller, thirty times in all; each of them at least
// thrice.
TEST_F(FederationSlurm, KillsOfAllAtRandomMoments) {
  constexpr int kScenarios = 5;
  constexpr int kMonths = 24;
  start_two("0.3", "local");
  write_experiment(kScenarios, kMonths);
  const auto seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const std::vector<std::vector<std::string>> kinds = {
      {"client"}, {"master", "local"}, {"batch", "here"}, {"controller"}};
  // More of them: DOVETAIL_KILLS=300 build/dev/tests/federation_slurm_test
  const char* more = std::getenv("DOVETAIL_KILLS");
  const std::size_t kills = more == nullptr ? 30 : static_cast<std::size_t>(std::atoi(more));
  std::vector<std::size_t> order(kills);
  for (std::size_t i = 0; i < kills; ++i) order[i] = i % kinds.size();
  std::ranges::shuffle(order, random);
  const std::vector<std::string> run = command({"--lost-after", "500", "--look-again", "1000"});
  pid_t client = begin(run);
  std::map<std::string, int> killed;
  std::size_t in_time = 0;
  for (const std::size_t kind : order) {
    usleep(static_cast<useconds_t>(std::uniform_int_distribution(50'000, 700'000)(random)));
    const bool is_in_time = lines_of("posts").size() < std::size_t{kScenarios} * kMonths;
    in_time += is_in_time ? 1 : 0;
    const std::string& victim = kinds[kind][random() % kinds[kind].size()];
    if (victim == "client" && !is_in_time) continue;  // the same command would begin another
    ++killed[victim];
    if (victim == "controller") {
      cluster_->stop_controller("KILL");
      cluster_->start_controller();
      resume_nodes();
    } else if (victim == "client") {
      stop(client, SIGKILL);
      client = begin(run);
    } else {
      kill_and_restart(victim);
      if (HasFatalFailure()) return stop(client, SIGKILL);
    }
  }
  ASSERT_EQ(wait_with_operator(client), 0) << printed() << log_of("batch");
  for (const auto& [victim, times] : killed) std::printf("%s: %d kills\n", victim.c_str(), times);
  EXPECT_GT(in_time, kills / 2) << "most kills came after the end: the months are too short";
  expect_results(experiment(), kScenarios, kMonths);
  // A job that a killed controller has forgotten may be ended before it has said that it is done;
  // what is recorded is never run again.
  EXPECT_EQ(lines_of("ran").size(), std::size_t{kScenarios} * kMonths);
  EXPECT_TRUE(lines_of("ran_again").empty()) << text_of(file("ran_again"));
}

}  // namespace
}  // namespace dovetail::testing
