// Whole runs of the program: re-planning, processors that come and go, failures, two runs at once,
// tasks that behave badly.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "support/system/real_run.hpp"
#include "support/task_runner.hpp"
#include "test_places.hpp"

namespace dovetail {
namespace {

namespace fs = std::filesystem;
using run::TaskState;

class RunTest : public testing::RealRun {
 protected:
  // Waits until the run has got so far.
  bool reaches(const std::string& run, const std::string& what) const {
    return testing::comes_true([&] {
      return testing::text_of(state_ + "/runs/" + run + "/journal.ndjson").find(what) !=
             std::string::npos;
    });
  }
};

// late runs for six seconds instead of one; broad could have had all four processors after it.
constexpr const char* kSlow = R"(name: slow
tasks:
  - {id: late, time: 1, run: sleep 6}
  - {id: first, time: 1, processors: 3, run: sleep 1}
  - id: broad
    time: 12
    alpha: 0
    after: first
    processors: {min: 1, max: 4}
    run: if [ $DOVETAIL_PROCESSORS = 4 ]; then sleep 3; else sleep 4; fi
)";

TEST_F(RunTest, ASlowTaskIsPlannedAroundUnlessThePlanIsStatic) {
  write("slow.yaml", kSlow);
  const pid_t fixed = begin({"run", "slow.yaml", "-j", "4", "--static"});
  ASSERT_TRUE(reaches("slow-1", "\"start\""));
  EXPECT_EQ(dovetail({"run", "slow.yaml", "-j", "4", "--new"}), 0);
  EXPECT_EQ(wait_for(fixed), 0);
  const run::RunState as_planned = state_of("slow-1", 3);
  const run::RunState planned_again = state_of("slow-2", 3);
  EXPECT_EQ(as_planned.decisions().size(), 1U);
  const auto& decisions = planned_again.decisions();
  const auto adopted = std::ranges::find_if(decisions, [](const Evaluation& decision) {
    return decision.adopted && decision.event.starts_with("late has run for");
  });
  ASSERT_NE(adopted, decisions.end());
  EXPECT_LT(*adopted->candidate, *adopted->current);
  EXPECT_EQ(planned_again.tasks()[2].processors, 3);
  EXPECT_EQ(as_planned.tasks()[2].processors, 4);
  // Three seconds, and only half a second has to be left of them.
  EXPECT_LT(planned_again.last().at + 500, as_planned.last().at);
}

TEST_F(RunTest, ProcessorsAreTakenAwayAndGivenBackWhileItRuns) {
  std::string text = "name: flow\ntasks:\n";
  for (int i = 0; i < 40; ++i) {
    text += "  - {id: t_" + std::to_string(i) + ", time: 0.2, run: sleep 0.2}\n";
  }
  write("flow.yaml", text);
  const pid_t run = begin({"run", "flow.yaml", "-j", "8"});
  ASSERT_TRUE(reaches("flow-1", "\"end\""));
  EXPECT_EQ(dovetail({"resources", "flow-1", "-j", "2"}), 0);
  ASSERT_TRUE(reaches("flow-1", "\"resources\",\"processors\":2"));
  usleep(1'000'000);
  EXPECT_EQ(dovetail({"resources", "flow-1", "-j", "4"}), 0);
  EXPECT_EQ(wait_for(run), 0);
  // What ran keeps its processors; from there on never more than are allowed, and all of them.
  Count allowed = 8;
  Count in_use = 0;
  Count most = 0;
  bool has_drained = true;
  for (const run::Json& entry : journal("flow-1")) {
    const std::string what = entry.value("what", "");
    if (what == "resources") {
      EXPECT_EQ(most, allowed);
      allowed = entry.value("processors", 0);
      most = 0;
      has_drained = in_use <= allowed;
    }
    if (what == "start") {
      EXPECT_LE(++in_use, allowed) << entry;
    }
    if (what == "end") --in_use;
    has_drained = has_drained || in_use <= allowed;
    if (has_drained) most = std::max(most, in_use);
  }
  EXPECT_EQ(allowed, 4);
  EXPECT_EQ(most, 4);
  const run::RunState state = state_of("flow-1", 40);
  EXPECT_EQ(state.processors(), 4);
  EXPECT_GE(std::ranges::count_if(state.decisions(),
                                  [](const Evaluation& decision) {
                                    return decision.event.find("processors instead of") !=
                                           std::string::npos;
                                  }),
            2);
}

TEST_F(RunTest, ProcessorsThatAreNeededAtOnceAreTakenFromTasksThatRun) {
  write("flow.yaml",
        "name: flow\ntasks:\n"
        "  - {id: a, time: 1, run: 'echo a >> trace; sleep 1'}\n"
        "  - {id: b, time: 1, run: 'echo b >> trace; sleep 1'}\n");
  const pid_t run = begin({"run", "flow.yaml", "-j", "2"});
  ASSERT_TRUE(testing::comes_true([&] { return testing::text_of(file("trace")).size() == 4; }));
  EXPECT_EQ(dovetail({"resources", "flow-1", "-j", "1", "--now"}), 0);
  EXPECT_EQ(wait_for(run), 0);
  // One of them was stopped, and ran again after the other.
  EXPECT_EQ(testing::text_of(file("trace")).size(), 6U);
  const run::RunState state = state_of("flow-1", 2);
  EXPECT_EQ(state.attempts().size(), 3U);
  EXPECT_EQ(state.count(TaskState::done), 2U);
}

TEST_F(RunTest, CancelEndsTheTasksAndTheRunCanBeResumed) {
  write("flow.yaml",
        "name: flow\ntasks:\n"
        "  - {id: a, time: 1, run: 'true'}\n"
        "  - {id: b, time: 1, after: a, run: 'test -e fast || exec sleep 600'}\n");
  const pid_t run = begin({"run", "flow.yaml", "-j", "2"});
  ASSERT_TRUE(reaches("flow-1", "\"start\",\"task\":1"));
  EXPECT_EQ(dovetail({"cancel", "flow-1"}), 0);
  EXPECT_EQ(wait_for(run), 1);
  EXPECT_EQ(state_of("flow-1", 2).outcome(), "cancelled");
  EXPECT_NE(printed().find("flow-1: cancelled"), std::string::npos) << printed();
  write("fast", "");
  EXPECT_EQ(dovetail({"resume", "flow-1"}), 0);
  EXPECT_EQ(state_of("flow-1", 2).count(TaskState::done), 2U);
}

TEST_F(RunTest, CancelEndsWhatADeadDovetailLeftRunning) {
  write("flow.yaml", "name: flow\ntasks: [{id: a, time: 1, run: sleep 600}]\n");
  const pid_t run = begin({"run", "flow.yaml", "-j", "1"});
  const std::string attempt = state_ + "/runs/flow-1/attempts/0.1";
  ASSERT_TRUE(testing::comes_true([&] { return run::read_attempt(attempt).start.has_value(); }));
  kill(run, SIGKILL);
  wait_for(run);
  const auto supervisor = run::read_attempt(attempt).start->supervisor;
  EXPECT_TRUE(supervisor.is_alive());
  EXPECT_EQ(dovetail({"cancel", "flow-1"}), 0);
  EXPECT_FALSE(supervisor.is_alive());
}

TEST_F(RunTest, TwoRunsOfOneWorkflowAtTheSameTime) {
  write("flow.yaml",
        "name: flow\ntasks:\n"
        "  - {id: a, time: 1, run: 'echo $DOVETAIL_RUN >> trace; sleep 1'}\n"
        "  - {id: b, time: 1, after: a, run: 'echo $DOVETAIL_RUN >> trace'}\n");
  const pid_t one = begin({"run", "flow.yaml", "-j", "1"});
  ASSERT_TRUE(reaches("flow-1", "\"start\""));
  EXPECT_EQ(dovetail({"run", "flow.yaml", "-j", "1"}), 2);
  EXPECT_NE(printed().find("flow-1 runs the same in this folder now"), std::string::npos);
  const pid_t two = begin({"run", "flow.yaml", "-j", "1", "--new"});
  EXPECT_EQ(wait_for(one), 0);
  EXPECT_EQ(wait_for(two), 0);
  for (const char* run : {"flow-1", "flow-2"}) {
    EXPECT_EQ(state_of(run, 2).count(TaskState::done), 2U);
    const std::string trace = testing::text_of(file("trace"));
    const auto first = trace.find(run);
    EXPECT_NE(trace.find(run, first + 1), std::string::npos) << trace;
  }
}

// Who is killed holds the lock a moment longer.
TEST_F(RunTest, CanBeGoneOnWithRightAfterAKill) {
  for (int i = 1; i <= 10; ++i) {
    const std::string name = "flow" + std::to_string(i);
    write(name + ".yaml", "name: " + name + "\ntasks: [{id: a, time: 1, run: 'echo " + name +
                              " >> trace; sleep 0.4'}]\n");
    const pid_t run = begin({"run", name + ".yaml", "-j", "1"});
    ASSERT_TRUE(reaches(name + "-1", "\"start\""));
    kill(run, SIGKILL);
    EXPECT_EQ(dovetail({i % 2 == 0 ? "resume" : "run", i % 2 == 0 ? name + "-1" : name + ".yaml"}),
              0)
        << printed();
    wait_for(run);
  }
  const std::string trace = testing::text_of(file("trace"));
  EXPECT_EQ(std::ranges::count(trace, '\n'), 10) << trace;
}

// Where nobody takes note of its end, a killed supervisor keeps its number.
TEST_F(RunTest, TaskOfASupervisorThatNobodyBuriesIsEnded) {
  write("flow.yaml", "name: flow\ntasks: [{id: a, time: 1, run: 'echo $$ >> pids; sleep 30'}]\n");
  prctl(PR_SET_CHILD_SUBREAPER, 1);  // orphans become ours, and we do not wait for them
  const pid_t run = begin({"run", "flow.yaml", "-j", "1"});
  ASSERT_TRUE(reaches("flow-1", "\"start\""));
  const std::string attempt = run::RunFolder::open(state_, "flow-1").attempt(0, 1);
  std::optional<run::AttemptStart> start;
  while (!start || testing::text_of(file("pids")).empty()) {
    start = run::read_attempt(attempt).start;
    usleep(1000);
  }
  kill(run, SIGKILL);
  wait_for(run);
  kill(start->supervisor.pid, SIGKILL);
  EXPECT_EQ(dovetail({"cancel", "flow-1"}), 0) << printed();
  const pid_t task = std::stoi(testing::text_of(file("pids")));
  EXPECT_TRUE(kill(task, 0) != 0 ||
              testing::text_of("/proc/" + std::to_string(task) + "/stat").find(") Z ") !=
                  std::string::npos);
  prctl(PR_SET_CHILD_SUBREAPER, 0);
}

TEST_F(RunTest, ASecondProcessDoesNotTouchARunThatIsBeingRun) {
  write("flow.yaml", "name: flow\ntasks: [{id: a, time: 1, run: sleep 1}]\n");
  const pid_t run = begin({"run", "flow.yaml", "-j", "1"});
  ASSERT_TRUE(reaches("flow-1", "\"start\""));
  EXPECT_EQ(dovetail({"resume", "flow-1"}), 2);
  EXPECT_NE(printed().find("flow-1 is being run by process " + std::to_string(run)),
            std::string::npos)
      << printed();
  EXPECT_EQ(wait_for(run), 0);
  EXPECT_EQ(state_of("flow-1", 1).tasks()[0].attempt, 1U);
}

TEST_F(RunTest, TasksThatBehaveBadly) {
  write("bad.yaml", R"(name: "bad 'tasks'"
tasks:
  - {id: background, time: 1, run: '(sleep 600; touch never) & echo started'}
  - {id: talkative, time: 1, run: 'head -c 1000000000 /dev/zero'}
  - {id: deaf, time: 1, timeout: 1, run: 'trap "" TERM INT HUP; sleep 1.5; touch went-on; sleep 600 & wait'}
  - id: spaces and 'quotes' "both"
    time: 1
    run: |
      echo "two
      lines" > 'a file with spaces'
      printf %s "it's; $(echo fine) \"quoted\"" >> 'a file with spaces'
)");
  EXPECT_EQ(dovetail({"run", "bad.yaml", "-j", "4", "--keep-going"}), 1);
  const run::RunState state = state_of("bad--tasks--1", 4);
  EXPECT_EQ(state.tasks()[0].state, TaskState::done);
  EXPECT_LT(state.tasks()[0].end.seconds, 60);
  EXPECT_FALSE(fs::exists(file("never")));
  EXPECT_EQ(state.tasks()[1].state, TaskState::done);
  EXPECT_EQ(fs::file_size(state_ + "/runs/bad--tasks--1/logs/1.1.out"), 1'000'000'000U);
  EXPECT_EQ(state.tasks()[2].state, TaskState::failed);
  EXPECT_EQ(state.tasks()[2].end.cause, run::AttemptEnd::Cause::timed_out);
  EXPECT_TRUE(fs::exists(file("went-on")));
  EXPECT_LT(state.tasks()[2].end.seconds, 60);
  EXPECT_EQ(state.tasks()[3].state, TaskState::done);
  EXPECT_EQ(testing::text_of(file("a file with spaces")), "two\nlines\nit's; fine \"quoted\"");
}

TEST_F(RunTest, ReservationsOfOthersAreLeftAlone) {
  write("cluster.yaml",
        "now: 1000\nclusters: [{name: c, processors: 4, reservations: "
        "[{start: 1000, end: 1001.5, processors: 3}, {start: 10, end: 20, processors: 4}]}]\n");
  write("flow.yaml",
        "name: flow\ntasks:\n"
        "  - {id: narrow, time: 0.2, run: sleep 0.2}\n"
        "  - {id: broad, time: 0.5, processors: 3, run: sleep 0.5}\n");
  EXPECT_EQ(dovetail({"run", "flow.yaml", "-c", "cluster.yaml"}), 0);
  const run::RunState state = state_of("flow-1", 2);
  EXPECT_LT(state.tasks()[0].started, 1500);
  EXPECT_GE(state.tasks()[1].started, 1500);
}

// Tasks that say nothing of how long they take, and take as long as they are told to.
constexpr const char* kUntimed = R"(name: learn
tasks:
  - {id: narrow, run: sleep 1}
  - {id: broad, processors: {min: 1, max: 4}, run: 'sleep $(awk "BEGIN { print 0.5 + 1.5 / $DOVETAIL_PROCESSORS }")'}
  - {id: last, after: [narrow, broad], processors: 2, run: sleep 0.8}
)";

TEST_F(RunTest, AfterThreeRunsTimesThatNobodyGaveAreKnown) {
  write("learn.yaml", kUntimed);
  EXPECT_EQ(dovetail({"plan", "learn.yaml", "-c", "4", "-o", "plan.json"}), 2);
  for (int round = 0; round < 4; ++round) EXPECT_EQ(dovetail({"run", "learn.yaml", "-j", "4"}), 0);
  EXPECT_NE(printed().find("never measured"), std::string::npos) << printed();
  EXPECT_EQ(dovetail({"plan", "learn.yaml", "-c", "4", "-o", "plan.json"}), 0);
  const run::RunState state = state_of("learn-4", 3);
  ASSERT_EQ(state.attempts().size(), 3U);
  Time planned_end = 0;
  Time real_end = 0;
  for (const run::PastAttempt& attempt : state.attempts()) {
    const planning::Slot& planned = state.first_plan()[attempt.task];
    const auto length = static_cast<double>(planned.end - planned.start);
    EXPECT_NEAR(length, attempt.seconds * 1000, 0.2 * attempt.seconds * 1000) << attempt.task;
    planned_end = std::max(planned_end, planned.end);
    real_end = std::max(real_end, attempt.ended);
  }
  EXPECT_NEAR(static_cast<double>(planned_end), static_cast<double>(real_end),
              0.2 * static_cast<double>(real_end));
}

// Lines of a file.
std::vector<std::string> lines_of(const std::string& path) {
  std::istringstream text(testing::text_of(path));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

TEST_F(RunTest, WhatComesAfterATaskThatIsRunAgainWaitsForIt) {
  write("flow.yaml",
        "name: flow\ntasks:\n"
        "  - {id: a, time: 1, inputs: [in], run: 'echo a; cat in > out; echo a >> trace'}\n"
        "  - {id: b, time: 1, after: a, run: 'echo b >> trace; test -e quick || sleep 600; "
        "cat out > last'}\n");
  write("in", "1");
  const pid_t run = begin({"run", "flow.yaml", "-j", "2"});
  ASSERT_TRUE(testing::comes_true([&] { return lines_of(file("trace")).size() == 2; }));
  kill(run, SIGKILL);
  wait_for(run);
  write("in", "2");
  write("quick", "");
  // b still runs, with what a made of the old input: it is stopped, and run after a.
  EXPECT_EQ(dovetail({"resume", "flow-1"}), 0) << printed();
  EXPECT_EQ(lines_of(file("trace")), (std::vector<std::string>{"a", "b", "a", "b"}));
  EXPECT_EQ(testing::text_of(file("last")), "2");
}

TEST_F(RunTest, WithItsSupervisorAllOfATaskIsEnded) {
  write("flow.yaml",
        "name: flow\ntasks: [{id: a, time: 1, run: 'echo $$ >> pids; test -e quick || "
        "(sleep 600 & echo $! >> pids; wait)'}]\n");
  const pid_t run = begin({"run", "flow.yaml", "-j", "1"});
  ASSERT_TRUE(testing::comes_true([&] { return lines_of(file("pids")).size() == 2; }));
  write("quick", "");
  const auto start = run::read_attempt(state_ + "/runs/flow-1/attempts/0.1").start;
  ASSERT_TRUE(start);
  kill(start->supervisor.pid, SIGKILL);
  EXPECT_EQ(wait_for(run), 0) << printed();
  for (std::size_t i = 0; i < 2; ++i) {
    const std::string pid = lines_of(file("pids"))[i];
    const std::string about = testing::text_of("/proc/" + pid + "/stat");
    EXPECT_TRUE(about.empty() || about.find(") Z ") != std::string::npos) << about;
  }
  EXPECT_EQ(state_of("flow-1", 1).attempts().size(), 2U);
}

TEST_F(RunTest, ATaskThatKillsItsSupervisorFailsInTheEnd) {
  write("flow.yaml", "name: flow\ntasks: [{id: a, time: 1, run: 'kill -9 $PPID; sleep 600'}]\n");
  EXPECT_EQ(dovetail({"run", "flow.yaml", "-j", "1"}), 1);
  EXPECT_NE(printed().find("its supervisor was killed again and again"), std::string::npos);
  EXPECT_EQ(state_of("flow-1", 1).tasks()[0].attempt, 3U);
}

TEST_F(RunTest, AnEditedTaskIsRunAgainWhateverHappensInBetween) {
  const auto flow = [](const std::string& a, const std::string& b) {
    return "name: flow\ntasks:\n  - {id: a, time: 1, run: '" + a +
           "'}\n  - {id: b, time: 1, after: a, inputs: [in], outputs: [b], run: '" + b +
           "'}\n  - {id: c, time: 1, after: b, run: test -e fixed}\n";
  };
  write("in", "");
  write("flow.yaml", flow("true", "echo old > b"));
  EXPECT_EQ(dovetail({"run", "flow.yaml", "-j", "1"}), 1);
  write("flow.yaml", flow("touch begun; sleep 600", "echo new > b"));
  const pid_t run = begin({"run", "flow.yaml", "-j", "1"});
  ASSERT_TRUE(testing::comes_true([&] { return fs::exists(file("begun")); }));
  kill(run, SIGKILL);
  wait_for(run);
  write("flow.yaml", flow("true", "echo new > b"));
  write("fixed", "");
  EXPECT_EQ(dovetail({"run", "flow.yaml", "-j", "1"}), 0) << printed();
  EXPECT_EQ(testing::text_of(file("b")), "new\n");
  EXPECT_EQ(state_of("flow-1", 3).count(TaskState::done), 3U);
}

TEST_F(RunTest, FewerProcessorsWithADeadlineThatCannotBeMetThenDoNotHang) {
  write("flow.yaml",
        "name: flow\ntasks:\n  - {id: a, time: 1, run: sleep 1}\n"
        "  - {id: b, time: 16, alpha: 0, after: a, processors: {min: 1, max: 8}, run: 'true'}\n");
  const pid_t run = begin({"run", "flow.yaml", "--deadline", "4s", "-j", "8"});
  ASSERT_TRUE(reaches("flow-1", "\"start\""));
  EXPECT_EQ(dovetail({"resources", "flow-1", "-j", "2"}), 0);
  EXPECT_EQ(wait_for(run), 0) << printed();
  EXPECT_LE(state_of("flow-1", 2).tasks()[1].processors, 2);
}

TEST_F(RunTest, ARunGoesOnWhenNobodyListens) {
  write("flow.yaml",
        "name: flow\ntasks:\n  - {id: a, time: 1, run: 'true'}\n"
        "  - {id: b, time: 1, after: a, run: 'true'}\n");
  const pid_t shell = fork();
  if (shell == 0) {
    const std::string command = "cd '" + folder() + "' && DOVETAIL_STATE=state '" +
                                DOVETAIL_PROGRAM + "' run flow.yaml -j 1 2>&1 >/dev/null | true";
    execl("/bin/sh", "sh", "-c", command.c_str(), static_cast<char*>(nullptr));
    _exit(9);
  }
  EXPECT_EQ(wait_for(shell), 0);
  EXPECT_TRUE(
      testing::comes_true([&] { return state_of("flow-1", 2).count(TaskState::done) == 2; }));
}

TEST_F(RunTest, ADamagedRunIsListedAndNotRunAgainUnasked) {
  write("flow.yaml", "name: flow\ntasks: [{id: a, time: 1, run: 'true'}]\n");
  EXPECT_EQ(dovetail({"run", "flow.yaml", "-j", "1"}), 0);
  testing::put(state_ + "/runs/flow-1/journal.ndjson", "garbage\n{\"what\":\"done\"}\n");
  EXPECT_EQ(dovetail({"runs"}), 0);
  EXPECT_NE(printed().find("damaged"), std::string::npos) << printed();
  EXPECT_EQ(dovetail({"run", "flow.yaml", "-j", "1"}), 2);
  EXPECT_NE(printed().find("use --new to run everything again"), std::string::npos) << printed();
  EXPECT_EQ(dovetail({"run", "flow.yaml", "-j", "1", "--new"}), 0) << printed();
  EXPECT_EQ(state_of("flow-2", 1).count(TaskState::done), 1U);
}

TEST_F(RunTest, ADeadlineThatCannotBeMetIsSaidBeforeAnythingRuns) {
  write("flow.yaml", "name: flow\ntasks: [{id: a, time: 1h, run: touch ran}]\n");
  EXPECT_EQ(dovetail({"run", "flow.yaml", "--deadline", "10m"}), 1);
  EXPECT_FALSE(fs::exists(file("ran")));
  EXPECT_FALSE(fs::exists(state_ + "/runs"));
  EXPECT_EQ(dovetail({"run", "flow.yaml", "--deadline", "2h"}), 0);
  EXPECT_TRUE(fs::exists(file("ran")));
}

}  // namespace
}  // namespace dovetail
