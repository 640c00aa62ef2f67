// The pilot with real tasks, without Slurm: its steps are processes of this program. Random orders,
// and pilots that are killed at random moments.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <sstream>

#include "batch/pilot/pilot.hpp"
#include "run/journal_file.hpp"
#include "support/file_checks.hpp"
#include "support/pilot_in_place.hpp"
#include "support/whole_file.hpp"

namespace dovetail::batch {
namespace {

using run::AttemptEnd;
using testing::comes_true;
using testing::is_marked_done;

class SlurmPilot : public PilotInPlace {};

TEST_F(SlurmPilot, RandomOrdersAreCarriedOutInOrder) {
  for (unsigned seed = 1; seed <= 25; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    random_order(random);
    const std::string why = run();
    EXPECT_TRUE(why == "done" || why == "failed") << why;
    expect_report_in_order();
    expect_tasks_in_order();
    const auto all = ends();
    EXPECT_EQ(report().starts.size(), all.size());
    EXPECT_EQ(report().over, why);
    // What was not started needs something that failed.
    std::set<std::uint32_t> lost;
    for (std::uint32_t i = 0; i < order_.tasks.size(); ++i) {
      const PilotTask& each = task(i);
      const bool needs_lost =
          std::ranges::any_of(each.after, [&](auto before) { return lost.contains(before); });
      EXPECT_EQ(all.contains(i), !needs_lost) << i;
      const bool is_done = all.contains(i) && all.at(i).end.is_success();
      if (!is_done) lost.insert(i);
      EXPECT_EQ(is_marked_done(folder_, i), is_done);
    }
    EXPECT_EQ(why == "done", lost.empty());
  }
}

TEST_F(SlurmPilot, WhatAKilledPilotLeavesBehindCanBeTold) {
  for (unsigned seed = 1; seed <= 25; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    random_order(random);
    const pid_t pilot = begin();
    usleep(below(random, 120'000));
    kill(pilot, SIGKILL);
    ASSERT_TRUE(everything_has_ended());
    expect_report_in_order();
    expect_tasks_in_order();
    const auto all = ends();
    for (const PilotReport::BegunTask& start : report().starts) {
      const auto attempt = run::read_attempt(task(start.task).command.attempt_file);
      EXPECT_FALSE(attempt.still_runs());
      EXPECT_EQ(all.contains(start.task), attempt.end.has_value()) << start.task;
    }
    for (const auto& entry :
         std::filesystem::directory_iterator(own_.file("state/runs/flow-1/attempts"))) {
      const auto number = std::stoul(entry.path().filename().string());
      EXPECT_TRUE(std::ranges::any_of(report().starts,
                                      [&](const auto& start) { return start.task == number; }))
          << "never written down: " << number;
    }
    // Nobody does it again.
    EXPECT_TRUE(!report().began ||
                run_pilot(folder_, order_, allocation(), system_, options()) == "twice");
  }
}

TEST_F(SlurmPilot, AnOrderIsCarriedOutOnce) {
  add(1, "true");
  EXPECT_EQ(run(), "done");
  EXPECT_EQ(run(), "twice");
  EXPECT_EQ(report().starts.size(), 1U);
  EXPECT_EQ(report().job_id, "42");
}

TEST_F(SlurmPilot, ATaskWithoutItsOutputHasFailedAndOthersGoOn) {
  add(1, "true").command.outputs = {"made"};
  add(2, "true", {1});
  add(3, "echo > other").command.outputs = {"other"};
  EXPECT_EQ(run(), "failed");
  const auto all = ends();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all.at(1).missing, "made");
  EXPECT_EQ(all.at(3).missing, "");
  EXPECT_FALSE(is_marked_done(folder_, 1));
  EXPECT_TRUE(is_marked_done(folder_, 3));
}

TEST_F(SlurmPilot, TasksOfOtherJobsAreWaitedFor) {
  add(1, "true", {17});
  add(2,
      "sleep 0.1; echo > done-17; mkdir -p state/runs/flow-1/done; mv done-17 "
      "state/runs/flow-1/done/17");
  EXPECT_EQ(run(), "done");
  EXPECT_EQ(report().starts.front().task, 2U);
}

TEST_F(SlurmPilot, NothingIsStartedThatCannotEndInTime) {
  add(1, "true", {}, 5'000);
  add(2, "true", {1});
  add(3, "true");
  EXPECT_EQ(run(options(), 3'000), "time");
  ASSERT_EQ(report().starts.size(), 1U);
  EXPECT_EQ(report().starts[0].task, 3U);
}

TEST_F(SlurmPilot, WaitingEndsWhenTheTimeIsTooShortForAnyTask) {
  add(1, "true", {17}, 4'700);
  EXPECT_EQ(run(options(), 5'000), "time");
  EXPECT_TRUE(report().starts.empty());
}

TEST_F(SlurmPilot, WhatStillRunsWhenTheTimeIsOverIsStopped) {
  add(1, "sleep 100");
  EXPECT_EQ(run(options(), 300), "time");
  EXPECT_EQ(ends().at(1).end.cause, AttemptEnd::Cause::stopped);
}

TEST_F(SlurmPilot, RunningTasksAreStoppedWhenThePilotIsAskedToEnd) {
  order_.nodes = 2;
  add(1, "sleep 100");
  add(2, "sleep 100");
  add(3, "true");
  order_.tasks.back().command.expected = 20;
  const pid_t pilot = begin();
  ASSERT_TRUE(comes_true([&] { return testing::text_of(own_.file("log")).size() >= 8; }));
  kill(pilot, SIGTERM);
  int status = 0;
  waitpid(pilot, &status, 0);
  EXPECT_EQ(report().over, "asked");
  ASSERT_EQ(ends().size(), 2U);
  EXPECT_EQ(ends().at(1).end.cause, AttemptEnd::Cause::stopped);
  EXPECT_EQ(ends().at(2).end.cause, AttemptEnd::Cause::stopped);
}

TEST_F(SlurmPilot, ANodeOnWhichStepsCannotBeStartedIsLeftAlone) {
  order_.nodes = 2;
  for (std::uint32_t i = 0; i < 6; ++i) add(i, "sleep 0.02");
  system_.start_step = [](const StepRequest& step) {
    return step.node == "n1" ? std::vector<std::string>{"/no/such/program"} : step.command;
  };
  EXPECT_EQ(run(), "failed");
  const auto all = ends();
  ASSERT_EQ(all.size(), 6U);
  std::size_t failed = 0;
  for (const auto& [number, end] : all) {
    if (end.end.cause != AttemptEnd::Cause::not_started) continue;
    ++failed;
    EXPECT_EQ(end.end.why, "/no/such/program: No such file or directory");
  }
  EXPECT_EQ(failed, 1U);
}

TEST_F(SlurmPilot, AStepThatCouldNotBeStartedIsTriedAgain) {
  add(1, "true");
  PilotOptions options = this->options();
  options.patience = 60'000;
  system_.start_step = [tries = 0](const StepRequest& step) mutable {
    return ++tries < 3 ? std::vector<std::string>{"false"} : step.command;
  };
  EXPECT_EQ(run(options), "done");
  EXPECT_EQ(report().starts.size(), 1U);
  ASSERT_EQ(report().ends.size(), 1U);
  EXPECT_TRUE(report().ends[0].end.is_success());
}

TEST_F(SlurmPilot, OfATaskThatWasLostNothingIsSaid) {
  order_.nodes = 2;
  for (std::uint32_t i = 0; i < 3; ++i) add(i, "true");
  system_.start_step = [](const StepRequest& step) {
    auto command = step.command;
    command[1] = "lose";
    return command;
  };
  EXPECT_EQ(run(), "failed");
  EXPECT_EQ(report().starts.size(), 2U);  // its node is not used again
  EXPECT_TRUE(report().ends.empty());
}

TEST_F(SlurmPilot, AnAttemptBeginsOnce) {
  add(1, "true");
  add(2, "(exit 3)");
  const auto step = [&](std::uint32_t number) {
    const pid_t child = fork();
    if (child == 0) _exit(run_step(order_, number, {}, system_));
    int status = 0;
    waitpid(child, &status, 0);
    return WEXITSTATUS(status);
  };
  EXPECT_EQ(step(1), 0);
  EXPECT_EQ(step(1), 0);
  EXPECT_EQ(step(2), 3);
  EXPECT_EQ(step(2), 125);
  EXPECT_EQ(testing::text_of(own_.file("log")), "s 1\ne 1\ns 2\ne 2\n");
}

// As a step that is killed with its node: begun, and no word since.
int lose(const run::StepCommand& command) {
  auto file = run::AttemptWriter::create(command.attempt_file);
  file->prepare_start(run::ProcessName::self(), run::wall_now(), {});
  file->write_start(getpid());
  raise(SIGKILL);
  return 0;
}

// "--nodes=n1,n2", "--cores=0,1", as the command line has them.
StepPlace place_of(const std::vector<std::string>& options) {
  StepPlace place;
  for (const std::string& option : options) {
    std::istringstream values(option.substr(option.find('=') + 1));
    for (std::string value; std::getline(values, value, ',');) {
      if (option.starts_with("--nodes=")) place.nodes.push_back(value);
      if (option.starts_with("--cores=")) place.cores.push_back(std::stoi(value));
      if (option.starts_with("--gpus=")) place.gpus.push_back(std::stoi(value));
    }
  }
  return place;
}

}  // namespace
}  // namespace dovetail::batch

int main(int argc, char** argv) {
  using namespace dovetail::batch;
  if (argc >= 4) {
    const auto number = static_cast<std::uint32_t>(std::stoul(argv[3]));
    const PilotOrder order = read_order(argv[2], number);
    const bool loses = std::string(argv[1]) == "lose";
    return loses ? lose(order.tasks.front().command)
                 : run_step(order, number, place_of({argv + 4, argv + argc}),
                            dovetail::testing::FakeSystem());
  }
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
