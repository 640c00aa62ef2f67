// The nodes of a job as a back end, with real tasks: steps are processes of this program, whose
// main is in slurm_pilot_test.cpp.
#include "batch/pilot/step_backend.hpp"

#include <gtest/gtest.h>
#include <poll.h>

#include <filesystem>
#include <map>

#include "support/fake_system.hpp"
#include "support/task_runner.hpp"

namespace dovetail::batch {
namespace {

using run::AttemptEnd;
using run::NodeAfterStep;
using run::StepEnd;

class StepsInAJob : public testing::TaskRunner {
 protected:
  void add(std::uint32_t number, const std::string& text) {
    run::StepCommand made = command(text, number);
    made.nodes = {"n" + std::to_string(number)};
    order_.tasks.push_back({.command = made});
  }

  StepBackend backend(Time until = kForever) {
    write_order(order_file(folder_, 1), order_);
    return {folder_, order_, system_, {.until = until, .settle = 50, .patience = 100}};
  }

  const run::StepCommand& step(std::uint32_t number) const { return order_.find(number)->command; }

  // By task, as many as are expected.
  static std::map<std::uint32_t, StepEnd> ends_of(StepBackend& backend, std::size_t count) {
    std::map<std::uint32_t, StepEnd> ends;
    while (ends.size() < count) {
      pollfd ready{.fd = backend.descriptor(), .events = POLLIN, .revents = 0};
      poll(&ready, 1, -1);
      for (const StepEnd& end : backend.ended()) {
        EXPECT_TRUE(ends.emplace(end.task, end).second) << "reported twice: " << end.task;
      }
    }
    return ends;
  }

  testing::FakeSystem system_;
  run::RunFolder folder_ = run::RunFolder::create(file("state"), "flow");
  PilotOrder order_ = {.job_name = "flow-1.p1", .pilot = 1, .nodes = 4};
};

TEST_F(StepsInAJob, AreReportedWithTheirEndsAndNodes) {
  add(1, "true");
  add(2, "exit 3");
  add(3, "true");
  system_.start_step = [](const StepRequest& request) {
    return request.node == "n3" ? std::vector<std::string>{"/no/such/program"} : request.command;
  };
  StepBackend backend = this->backend();
  for (const std::uint32_t task : {1U, 2U, 3U}) backend.start(step(task));
  const auto ends = ends_of(backend, 3);
  EXPECT_TRUE(ends.at(1).is_success());
  EXPECT_EQ(ends.at(2).end.exit_code, 3);
  EXPECT_EQ(ends.at(2).node, NodeAfterStep::usable);
  EXPECT_EQ(ends.at(3).end.cause, AttemptEnd::Cause::not_started);
  EXPECT_EQ(ends.at(3).end.why, "/no/such/program: No such file or directory");
  EXPECT_EQ(ends.at(3).node, NodeAfterStep::lost);
  EXPECT_TRUE(backend.ended().empty());
}

TEST_F(StepsInAJob, AreNotTriedAgainWhenTheyWouldEndTooLate) {
  add(1, "true");
  order_.tasks.front().command.expected = kHour;
  int tries = 0;
  system_.start_step = [&](const StepRequest&) {
    ++tries;
    return std::vector<std::string>{"false"};
  };
  StepBackend backend = this->backend(run::steady_now() + kMinute);
  backend.start(step(1));
  EXPECT_EQ(ends_of(backend, 1).at(1).end.why, "the step ended with exit code 1");
  EXPECT_EQ(tries, 1);
}

TEST_F(StepsInAJob, StopTogether) {
  add(1, "echo > begun-1; sleep 100");
  add(2, "echo > begun-2; sleep 100");
  StepBackend backend = this->backend();
  for (const std::uint32_t task : {1U, 2U}) {
    backend.start(step(task));
    const std::string sign = file("begun-" + std::to_string(task));
    ASSERT_TRUE(testing::comes_true([&] { return std::filesystem::exists(sign); }));
  }
  backend.stop(1);
  EXPECT_TRUE(backend.ended().empty());
  EXPECT_FALSE(run::read_attempt(step(1).attempt_file).end);
  backend.stop(2);
  backend.stop(2);
  for (const auto& [task, end] : ends_of(backend, 2)) {
    EXPECT_EQ(end.end.cause, AttemptEnd::Cause::stopped) << task;
    EXPECT_EQ(end.node, NodeAfterStep::usable);
  }
}

TEST_F(StepsInAJob, OfAnEarlierProcessAreOverOrLost) {
  add(1, "true");
  add(2, "true");
  {
    StepBackend before = backend();
    before.start(step(1));
    ends_of(before, 1);
  }
  StepBackend backend = this->backend();
  for (const std::uint32_t task : {1U, 2U}) backend.adopt(step(task));
  const auto ends = ends_of(backend, 2);
  EXPECT_TRUE(ends.at(1).is_success());
  EXPECT_TRUE(ends.at(2).is_lost);
}

}  // namespace
}  // namespace dovetail::batch
