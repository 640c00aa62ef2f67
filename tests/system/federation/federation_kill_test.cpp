// The client, an agent or a daemon is killed at random moments, thirty times: the experiment ends
// as if nothing had happened.
#include <gtest/gtest.h>

#include <random>

#include "support/system/experiment_test.hpp"

namespace dovetail::testing {
namespace {

class FederationKill : public ExperimentTest {};

TEST_F(FederationKill, ThirtyTimesAtRandomMoments) {
  start_three();
  write_experiment(6, 24);
  const auto seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const std::vector<std::string> victims = {"client", "master", "local", "fast", "middle", "slow"};
  // Whoever is away for a moment is not lost.
  const std::vector<std::string> run = command({"--lost-after", "500", "--look-again", "1000"});
  pid_t client = begin(run);
  int kills_in_time = 0;
  for (int i = 0; i < 30; ++i) {
    usleep(static_cast<useconds_t>(std::uniform_int_distribution(10'000, 250'000)(random)));
    const bool is_in_time = lines_of("posts").size() < 6 * 24;
    if (is_in_time) ++kills_in_time;
    const std::string& victim = victims[random() % victims.size()];
    if (victim == "client") {
      if (!is_in_time) continue;  // the same command would begin another experiment
      stop(client, SIGKILL);
      client = begin(run);
    } else {
      kill_and_restart(victim);
      if (HasFatalFailure()) return stop(client, SIGKILL);
    }
  }
  EXPECT_EQ(wait_for(client), 0) << printed();
  EXPECT_GT(kills_in_time, 15) << "most kills came after the end: the months are too short";
  expect_each_month_once(6, 24);
}

TEST_F(FederationKill, ADaemonThatRunsAWorkflow) {
  constexpr int kTasks = 40;
  start_agent("master");
  write_daemon("wide", 4, "0.1");
  add_nap("wide");
  start_daemon("wide", "master");
  wait_for_daemons(1);
  write_naps(kTasks, "0.3");
  const pid_t client = begin(command({"--lost-after", "500"}));
  ASSERT_TRUE(comes_true([&] { return !lines_of("said").empty(); })) << printed();
  int kills_in_time = 0;
  for (int i = 0; i < 6; ++i) {
    usleep(200'000);
    if (lines_of("said").size() < kTasks) ++kills_in_time;
    // Killed, or stopped: either way its tasks go on.
    stop(servers_.at("wide").pid, i % 2 == 0 ? SIGKILL : SIGTERM);
    launch("wide");
    if (HasFatalFailure()) return stop(client, SIGKILL);
  }
  EXPECT_EQ(wait_for(client), 0) << printed() << log_of("wide");
  EXPECT_GT(kills_in_time, 3);
  EXPECT_EQ(lines_of("said").size(), std::size_t{kTasks});
  for (const auto& [word, times] : lines_of("said")) EXPECT_EQ(times, 1) << word;
}

}  // namespace
}  // namespace dovetail::testing
