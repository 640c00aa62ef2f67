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

#include "batch/pilot/pilot.hpp"
#include "run/journal_file.hpp"
#include "support/fake_system.hpp"
#include "support/file_checks.hpp"
#include "support/task_runner.hpp"
#include "support/whole_file.hpp"

namespace dovetail::batch {
namespace {

using run::AttemptEnd;
using testing::comes_true;
using testing::is_marked_done;
using Random = std::mt19937;

std::uint32_t below(Random& random, std::uint32_t bound) {
  return std::uniform_int_distribution<std::uint32_t>(0, bound - 1)(random);
}

class SlurmPilot : public ::testing::Test {
 protected:
  void SetUp() override {
    alarm(300);                        // a test that hangs ends the program
    prctl(PR_SET_CHILD_SUBREAPER, 1);  // what a killed pilot leaves behind is found
  }
  void TearDown() override {
    EXPECT_TRUE(everything_has_ended());
    alarm(0);
  }

  static bool everything_has_ended() {
    return comes_true([] { return waitpid(-1, nullptr, WNOHANG) < 0; });
  }

  PilotTask& add(std::uint32_t number, const std::string& command,
                 std::vector<std::uint32_t> after = {}, Duration expected = 10) {
    const std::string log = own_.file("log");
    order_.tasks.push_back({.command = {.task = number,
                                        .attempt = 1,
                                        .command = "echo s $T >> " + log + "; " + command +
                                                   "; x=$?; echo e $T >> " + log + "; exit $x",
                                        .folder = own_.path().string(),
                                        .attempt_file = folder_.attempt(number, 1),
                                        .out_file = folder_.log(number, 1, "out"),
                                        .err_file = folder_.log(number, 1, "err"),
                                        .environment = {{"T", std::to_string(number)}},
                                        .grace_seconds = 0.2,
                                        .name = "t" + std::to_string(number),
                                        .expected = expected},
                            .after = std::move(after)});
    return order_.tasks.back();
  }

  static PilotOptions options() {
    return {.first_look = 5, .last_look = 20, .margin = 0, .settle = 100, .patience = 150};
  }

  JobAllocation allocation(Duration length = 60'000) const {
    JobAllocation allocation{.job_id = "42", .nodes = {}, .until = run::wall_now() + length};
    for (Count i = 1; i <= order_.nodes; ++i) allocation.nodes.push_back("n" + std::to_string(i));
    return allocation;
  }

  std::string run(const PilotOptions& options, Duration length = 60'000) const {
    write_order(order_file(folder_, 1), order_);
    return run_pilot(folder_, read_order(order_file(folder_, 1)), allocation(length), system_,
                     options);
  }
  std::string run() const { return run(options()); }

  // A pilot in a process of its own.
  pid_t begin() const {
    write_order(order_file(folder_, 1), order_);
    const pid_t pilot = fork();
    if (pilot == 0)
      _exit(run_pilot(folder_, order_, allocation(), system_, options()) == "done" ? 0 : 1);
    return pilot;
  }

  PilotReport report() const { return read_report(folder_, order_); }

  std::map<std::uint32_t, PilotReport::EndedTask> ends() const {
    std::map<std::uint32_t, PilotReport::EndedTask> ends;
    for (const PilotReport::EndedTask& end : report().ends) {
      EXPECT_TRUE(ends.emplace(end.task, end).second) << "two ends of " << end.task;
    }
    return ends;
  }

  const PilotTask& task(std::uint32_t number) const {
    return *std::ranges::find_if(
        order_.tasks, [&](const PilotTask& task) { return task.command.task == number; });
  }

  bool is_inside(std::uint32_t number) const {
    return std::ranges::any_of(order_.tasks,
                               [&](const PilotTask& task) { return task.command.task == number; });
  }

  // In a new folder; what is outside of it is done.
  void random_order(Random& random) {
    std::filesystem::remove_all(own_.file("state"));
    std::filesystem::remove(own_.file("log"));
    folder_ = run::RunFolder::create(own_.file("state"), "flow");
    order_.tasks.clear();
    for (const std::uint32_t outside : {1000, 1001}) mark_done(folder_, outside);
    order_.nodes = 1 + below(random, 4);
    order_.picks_longest = below(random, 2) == 0;
    const std::uint32_t count = 1 + below(random, 10);
    for (std::uint32_t i = 0; i < count; ++i) {
      std::vector<std::uint32_t> after;
      for (std::uint32_t before = 0; before < i; ++before) {
        if (below(random, 4) == 0) after.push_back(before);
      }
      if (below(random, 8) == 0) after.push_back(1000 + below(random, 2));  // outside
      const Duration length = below(random, 4) * 4;
      const bool fails = below(random, 10) == 0;
      add(i, "sleep 0.0" + std::to_string(10 + length) + (fails ? "; false" : ""), after, length);
    }
    std::ranges::shuffle(order_.tasks, random);
  }

  void expect_report_in_order() const;
  void expect_tasks_in_order() const;

  testing::TemporaryFolder own_;
  run::RunFolder folder_ = run::RunFolder::create(own_.file("state"), "flow");
  // Its steps are this program, which runs a task as `dovetail step` does.
  testing::FakeSystem system_;
  PilotOrder order_ = {.job_name = "flow-1.p1", .pilot = 1};
};

// As the pilot saw it: what it started when, and that no ready task was to be preferred.
void SlurmPilot::expect_report_in_order() const {
  std::set<std::uint32_t> started;
  std::set<std::uint32_t> done;
  std::map<std::string, std::uint32_t> busy;
  const auto is_ready = [&](const PilotTask& task) {
    return std::ranges::all_of(task.after, [&](auto before) { return done.contains(before); });
  };
  const auto preferred = [&](const PilotTask& a, const PilotTask& b) {
    const Duration first = a.command.expected;
    const Duration second = b.command.expected;
    if (first == second) return &a < &b;
    return order_.picks_longest ? first > second : first < second;
  };
  if (!std::filesystem::exists(report_file(folder_, 1))) return;
  run::read_journal(report_file(folder_, 1), [&](const run::Json& entry) {
    if (entry["what"] == "start") {
      const PilotTask& next = task(entry["task"]);
      for (const auto before : next.after) {
        EXPECT_TRUE(done.contains(before) || !is_inside(before)) << entry;
      }
      for (const PilotTask& other : order_.tasks) {
        EXPECT_FALSE(!started.contains(other.command.task) && is_ready(other) &&
                     preferred(other, next))
            << other.command.name << " should come before " << next.command.name;
      }
      EXPECT_TRUE(started.insert(next.command.task).second) << entry;
      EXPECT_TRUE(busy.emplace(entry["node"], next.command.task).second) << entry;
      EXPECT_LE(busy.size(), static_cast<std::size_t>(order_.nodes));
    } else if (entry["what"] == "end") {
      std::erase_if(busy, [&](const auto& node) { return node.second == entry["task"]; });
      if (entry["cause"] == "ended" && entry["exit"] == 0) done.insert(entry["task"].get<int>());
    }
  });
}

// As the tasks saw it, which wrote into one file when they began and ended.
void SlurmPilot::expect_tasks_in_order() const {
  std::map<std::uint32_t, std::string> node;
  for (const PilotReport::BegunTask& start : report().starts) node[start.task] = start.node;
  std::set<std::uint32_t> ended;
  std::map<std::string, std::uint32_t> busy;
  std::ifstream log(own_.file("log"));
  std::string what;
  for (std::uint32_t number = 0; log >> what >> number;) {
    ASSERT_TRUE(node.contains(number)) << "never written down: " << number;
    if (what == "s") {
      for (const auto before : task(number).after) {
        EXPECT_TRUE(ended.contains(before) || !is_inside(before)) << number;
      }
      EXPECT_TRUE(busy.emplace(node[number], number).second) << "two on " << node[number];
    } else {
      busy.erase(node[number]);
      ended.insert(number);
    }
  }
}

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
    if (child == 0) _exit(run_step(order_, number, system_));
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

}  // namespace
}  // namespace dovetail::batch

int main(int argc, char** argv) {
  using namespace dovetail::batch;
  if (argc == 4) {
    const auto number = static_cast<std::uint32_t>(std::stoul(argv[3]));
    const PilotOrder order = read_order(argv[2], number);
    const bool loses = std::string(argv[1]) == "lose";
    return loses ? lose(order.tasks.front().command)
                 : run_step(order, number, dovetail::testing::FakeSystem());
  }
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
