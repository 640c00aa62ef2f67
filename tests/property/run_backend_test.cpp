// A daemon's workflows: runs in threads of a process that may leave or be killed at any moment.
#include "federation/daemon/run_backend.hpp"

#include <chrono>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "federation/daemon/workflow_service.hpp"
#include "support/random_problem.hpp"
#include "support/task_runner.hpp"

namespace dovetail::federation {
namespace {

using testing::comes_true;

class RunBackendTest : public testing::TaskRunner {
 protected:
  // The step whose folder has a workflow of these commands, beside each other.
  run::StepCommand workflow(const std::vector<std::string>& commands, std::uint32_t number = 1) {
    nlohmann::ordered_json flow = {{"name", "workflow"}};
    for (std::size_t i = 0; i < commands.size(); ++i) {
      flow["tasks"].push_back(
          {{"id", "t" + std::to_string(i)}, {"time", 0.1}, {"run", commands[i]}});
    }
    run::StepCommand step = command("", number);
    step.folder = file("work" + std::to_string(number));
    std::filesystem::create_directories(step.folder);
    testing::put(workflow_file(step.folder), flow.dump());
    return step;
  }

  static run::StepEnd wait_for_end(RunBackend& backend) {
    for (;;) {
      pollfd ready{.fd = backend.descriptor(), .events = POLLIN, .revents = 0};
      poll(&ready, 1, -1);
      const auto ends = backend.ended();
      if (!ends.empty()) return ends.front();
    }
  }

  std::map<std::string, int> lines_of(const std::string& name) const {
    std::map<std::string, int> lines;
    std::ifstream text(file(name));
    for (std::string line; std::getline(text, line);) ++lines[line];
    return lines;
  }

  std::string ran() const { return "echo $DOVETAIL_TASK >> " + file("ran"); }

  RunBackendOptions options_ = {.processors = 2};
};

TEST_F(RunBackendTest, RunsAWorkflowWithItsStateInTheStepsFolder) {
  const run::StepCommand step = workflow({ran(), ran(), "pwd > where"});
  const auto nursery = std::make_shared<run::Nursery>();
  int told = 0;
  options_.ended = [&](const run::KnownRun& run, const run::RunState& end) {
    told += run.folder.id() == "workflow-1" && end.outcome() == "done" ? 1 : 0;
  };
  RunBackend backend(options_, nursery);
  backend.start(step);
  const run::StepEnd end = wait_for_end(backend);
  EXPECT_TRUE(end.is_success()) << end.end.why;
  EXPECT_EQ(end.task, step.task);
  EXPECT_EQ(lines_of("ran").size(), 2U);
  EXPECT_EQ(testing::text_of(step.folder + "/where"), step.folder + "\n");
  EXPECT_EQ(told, 1);
  EXPECT_TRUE(std::filesystem::exists(step.folder + "/state/runs/workflow-1/journal.ndjson"));
}

TEST_F(RunBackendTest, SaysWhatWentWrong) {
  const run::StepCommand step = workflow({"echo no such file: grid.nc >&2; exit 7"});
  RunBackend backend(options_, std::make_shared<run::Nursery>());
  backend.start(step);
  const run::StepEnd end = wait_for_end(backend);
  EXPECT_FALSE(end.is_lost);
  EXPECT_EQ(end.end.exit_code, 1);
  const std::string said = testing::text_of(step.err_file);
  EXPECT_NE(said.find("t0 failed with exit code 7"), std::string::npos) << said;
  EXPECT_NE(said.find("no such file: grid.nc"), std::string::npos) << said;
}

TEST_F(RunBackendTest, AWorkflowThatCannotBeReadIsNotStarted) {
  const run::StepCommand step = workflow({"true"});
  testing::put(workflow_file(step.folder), "{");
  RunBackend backend(options_, std::make_shared<run::Nursery>());
  backend.start(step);
  const run::StepEnd end = wait_for_end(backend);
  EXPECT_EQ(end.end.cause, run::AttemptEnd::Cause::not_started);
  EXPECT_NE(end.end.why.find("workflow.json"), std::string::npos) << end.end.why;
}

TEST_F(RunBackendTest, StoppingEndsItsTasks) {
  const run::StepCommand step = workflow({"echo $$ > " + file("began") + "; sleep 1000"});
  RunBackend backend(options_, std::make_shared<run::Nursery>());
  backend.start(step);
  backend.ended();
  ASSERT_TRUE(comes_true([&] { return !testing::text_of(file("began")).empty(); }));
  backend.stop(step.task);
  EXPECT_EQ(wait_for_end(backend).end.cause, run::AttemptEnd::Cause::stopped);
  EXPECT_FALSE(testing::is_running(pid_in("began")));
}

TEST_F(RunBackendTest, AStepThatIsStoppedAsItIsAdoptedStartsNothing) {
  const run::StepCommand step = workflow({ran()});
  RunBackend backend(options_, std::make_shared<run::Nursery>());
  backend.adopt(step);
  backend.stop(step.task);
  EXPECT_EQ(wait_for_end(backend).end.cause, run::AttemptEnd::Cause::stopped);
  EXPECT_TRUE(lines_of("ran").empty());
}

TEST_F(RunBackendTest, TwoWorkflowsRunSideBySide) {
  const run::StepCommand first =
      workflow({"until [ -e second ]; do sleep 0.01; done; touch ../a"}, 1);
  const run::StepCommand second = workflow({"touch ../work1/second"}, 2);
  RunBackend backend(options_, std::make_shared<run::Nursery>());
  backend.start(first);
  backend.start(second);
  EXPECT_TRUE(wait_for_end(backend).is_success());
  EXPECT_TRUE(wait_for_end(backend).is_success());
  EXPECT_TRUE(std::filesystem::exists(file("a")));
}

// The process that conducts it ends as a daemon that is stopped does, or is killed.
TEST_F(RunBackendTest, EachTaskRunsOnceThoughTheDaemonEndsAgainAndAgain) {
  constexpr int kTasks = 30;
  const run::StepCommand step = workflow(std::vector<std::string>(kTasks, ran() + "; sleep 0.05"));
  testing::Dice dice(7);
  for (int i = 0; i < 16; ++i) {
    const pid_t daemon = fork();
    if (daemon == 0) {
      const bool leaves = i % 2 == 0;
      {
        RunBackend backend(options_, std::make_shared<run::Nursery>());
        backend.adopt(step);
        backend.ended();
        usleep(leaves ? static_cast<useconds_t>(i) * 5'000 : 1'000'000);
      }
      _exit(0);
    }
    if (i % 2 == 1) {
      usleep(static_cast<useconds_t>(dice.between(0, 80'000)));
      kill(daemon, SIGKILL);
    }
    waitpid(daemon, nullptr, 0);
  }
  RunBackend backend(options_, std::make_shared<run::Nursery>());
  backend.adopt(step);
  EXPECT_TRUE(wait_for_end(backend).is_success());
  EXPECT_EQ(lines_of("ran").size(), std::size_t{kTasks});
  for (const auto& [task, times] : lines_of("ran")) EXPECT_EQ(times, 1) << task;
}

}  // namespace
}  // namespace dovetail::federation
