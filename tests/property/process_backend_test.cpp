// Steps as processes: started, adopted from a process that was killed, stopped, lost.
#include "run/local/process_backend.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "support/task_runner.hpp"

namespace dovetail::run {
namespace {

class ProcessBackendTest : public testing::TaskRunner {
 protected:
  // The next steps that end; waits for nothing but the backend's own descriptor.
  static std::vector<StepEnd> wait_for_steps(Backend& backend, std::size_t count) {
    std::vector<StepEnd> all;
    while (all.size() < count) {
      pollfd ready{.fd = backend.descriptor(), .events = POLLIN, .revents = 0};
      poll(&ready, 1, -1);
      for (StepEnd& end : backend.ended()) all.push_back(std::move(end));
    }
    return all;
  }

  // Starts the step in another process, and kills that process once the step runs.
  void start_elsewhere(const StepCommand& step) const {
    const pid_t other = fork();
    if (other == 0) {
      ProcessBackend backend(lock_file(), std::make_shared<Nursery>());
      backend.start(step);
      for (;;) pause();
    }
    EXPECT_TRUE(start_of(step).has_value());
    kill(other, SIGKILL);
    waitpid(other, nullptr, 0);
  }
};

TEST_F(ProcessBackendTest, ReportsHowAStepEnded) {
  ProcessBackend backend(lock_file(), std::make_shared<Nursery>());
  backend.start(command("exit 3", 7));
  const StepEnd end = wait_for_steps(backend, 1).front();
  EXPECT_EQ(end.task, 7U);
  EXPECT_EQ(end.attempt, 1U);
  EXPECT_FALSE(end.is_lost);
  EXPECT_FALSE(end.is_success());
  EXPECT_EQ(end.end.exit_code, 3);
}

TEST_F(ProcessBackendTest, StopsAStepThatWasStartedAMomentAgo) {
  ProcessBackend backend(lock_file(), std::make_shared<Nursery>());
  backend.start(command("sleep 60"));
  backend.stop(1);
  EXPECT_EQ(wait_for_steps(backend, 1).front().end.cause, AttemptEnd::Cause::stopped);
}

TEST_F(ProcessBackendTest, StoppingAnAttemptDoesNotStopTheNextOne) {
  ProcessBackend backend(lock_file(), std::make_shared<Nursery>());
  StepCommand step = command("sleep 60");
  backend.start(step);
  backend.stop(1);
  wait_for_steps(backend, 1);
  step.attempt = 2;
  step.attempt_file = file("1.2");
  step.command = "sleep 0.5";
  backend.start(step);
  EXPECT_TRUE(wait_for_steps(backend, 1).front().is_success());
}

TEST_F(ProcessBackendTest, AdoptsWhatRunsAndReportsItsEnd) {
  const StepCommand step = command("while [ ! -e over ]; do sleep 0.01; done; exit 4");
  start_elsewhere(step);
  ProcessBackend backend(lock_file(), std::make_shared<Nursery>());
  backend.adopt(step);
  EXPECT_TRUE(backend.ended().empty());
  testing::put(file("over"), "now");
  const StepEnd end = wait_for_steps(backend, 1).front();
  EXPECT_FALSE(end.is_lost);
  EXPECT_EQ(end.end.exit_code, 4);
}

TEST_F(ProcessBackendTest, KnowsAtOnceWhatIsOverWhenItIsAdopted) {
  const StepCommand done = command("true", 1);
  start_elsewhere(done);
  EXPECT_TRUE(testing::comes_true([&] { return read_attempt(done.attempt_file).end.has_value(); }));
  ProcessBackend backend(lock_file(), std::make_shared<Nursery>());
  backend.adopt(done);
  backend.adopt(command("true", 2));
  const std::vector<StepEnd> ends = backend.ended();
  ASSERT_EQ(ends.size(), 2U);
  EXPECT_TRUE(ends[0].is_success());
  EXPECT_TRUE(ends[1].is_lost) << "it was never begun";
  EXPECT_TRUE(backend.ended().empty()) << "each is reported once";
}

TEST_F(ProcessBackendTest, StopsWhatItAdopted) {
  const StepCommand step = command("sleep 60");
  start_elsewhere(step);
  ProcessBackend backend(lock_file(), std::make_shared<Nursery>());
  backend.adopt(step);
  backend.stop(1);
  EXPECT_EQ(wait_for_steps(backend, 1).front().end.cause, AttemptEnd::Cause::stopped);
}

// That nothing of it runs on is seen when the test ends.
TEST_F(ProcessBackendTest, ReportsAStepAsLostWhenItsSupervisorIsKilled) {
  ProcessBackend backend(lock_file(), std::make_shared<Nursery>());
  const StepCommand step = command("touch running; sleep 60 & wait");
  backend.start(step);
  EXPECT_TRUE(testing::comes_true([&] { return std::filesystem::exists(file("running")); }));
  kill(start_of(step)->supervisor.pid, SIGKILL);
  const StepEnd end = wait_for_steps(backend, 1).front();
  EXPECT_TRUE(end.is_lost);
  EXPECT_EQ(end.end.why, "its supervisor was killed");
}

TEST_F(ProcessBackendTest, WhatLeftTheSessionOfAKilledSupervisorIsEndedToo) {
  ProcessBackend backend(lock_file(), std::make_shared<Nursery>());
  const StepCommand step = command("setsid sh -c 'echo $$ > left; exec sleep 1000' & wait");
  backend.start(step);
  ASSERT_TRUE(testing::comes_true([&] { return !testing::text_of(file("left")).empty(); }));
  kill(start_of(step)->supervisor.pid, SIGKILL);
  EXPECT_TRUE(wait_for_steps(backend, 1).front().is_lost);
  const pid_t left = pid_in("left");  // our child by now
  EXPECT_TRUE(testing::comes_true([&] { return waitpid(left, nullptr, WNOHANG) != 0; }));
}

TEST_F(ProcessBackendTest, AnAttemptSaysWhatItWasStartedWith) {
  ProcessBackend backend(lock_file(), std::make_shared<Nursery>());
  StepCommand step = command("true");
  step.origin = {.definition = "d41d8cd98f00b20", .inputs = std::string(64, 'e'), .processors = 12};
  backend.start(step);
  EXPECT_TRUE(wait_for_steps(backend, 1).front().is_success());
  const auto start = read_attempt(step.attempt_file).start;
  ASSERT_TRUE(start.has_value());
  EXPECT_EQ(start->origin.definition, step.origin.definition);
  EXPECT_EQ(start->origin.inputs, step.origin.inputs);
  EXPECT_EQ(start->origin.processors, 12);
}

}  // namespace
}  // namespace dovetail::run
