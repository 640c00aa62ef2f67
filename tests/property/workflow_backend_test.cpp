// A daemon's workflows: runs in threads of a process that may leave or be killed at any moment.
#include "federation/daemon/workflow_backend.hpp"

#include <chrono>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "federation/daemon/sent_workflow.hpp"
#include "support/random_problem.hpp"
#include "support/task_runner.hpp"

namespace dovetail::federation {
namespace {

using testing::comes_true;

class WorkflowBackendTest : public testing::TaskRunner {
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

  // The ends of that many steps, which may be reported at once.
  static std::vector<run::StepEnd> wait_for_ends(WorkflowBackend& backend, std::size_t count) {
    std::vector<run::StepEnd> ends;
    while (ends.size() < count) {
      pollfd ready{.fd = backend.descriptor(), .events = POLLIN, .revents = 0};
      poll(&ready, 1, -1);
      std::ranges::move(backend.ended(), std::back_inserter(ends));
    }
    return ends;
  }

  static run::StepEnd wait_for_end(WorkflowBackend& backend) {
    return wait_for_ends(backend, 1).front();
  }

  std::map<std::string, int> lines_of(const std::string& name) const {
    std::map<std::string, int> lines;
    std::ifstream text(file(name));
    for (std::string line; std::getline(text, line);) ++lines[line];
    return lines;
  }

  std::string ran() const { return "echo $DOVETAIL_TASK >> " + file("ran"); }

  WorkflowBackendOptions options_ = {.processors = 2};
};

TEST_F(WorkflowBackendTest, RunsAWorkflowWithItsStateInTheStepsFolder) {
  const run::StepCommand step = workflow({ran(), ran(), "pwd > where"});
  const auto nursery = std::make_shared<run::Nursery>();
  int told = 0;
  options_.ended = [&](const run::KnownRun& run, const run::RunState& end) {
    told += run.folder.id() == "workflow-1" && end.outcome() == "done" ? 1 : 0;
  };
  WorkflowBackend backend(options_, nursery);
  backend.start(step);
  const run::StepEnd end = wait_for_end(backend);
  EXPECT_TRUE(end.is_success()) << end.end.why;
  EXPECT_EQ(end.task, step.task);
  EXPECT_EQ(lines_of("ran").size(), 2U);
  EXPECT_EQ(testing::text_of(step.folder + "/where"), step.folder + "\n");
  EXPECT_EQ(told, 1);
  EXPECT_TRUE(std::filesystem::exists(step.folder + "/state/runs/workflow-1/journal.ndjson"));
}

TEST_F(WorkflowBackendTest, SaysWhatWentWrong) {
  const run::StepCommand step = workflow({"echo no such file: grid.nc >&2; exit 7"});
  WorkflowBackend backend(options_, std::make_shared<run::Nursery>());
  backend.start(step);
  const run::StepEnd end = wait_for_end(backend);
  EXPECT_FALSE(end.is_lost);
  EXPECT_EQ(end.end.exit_code, 1);
  const std::string said = testing::text_of(step.err_file);
  EXPECT_NE(said.find("t0 failed with exit code 7"), std::string::npos) << said;
  EXPECT_NE(said.find("no such file: grid.nc"), std::string::npos) << said;
}

TEST_F(WorkflowBackendTest, AWorkflowThatCannotBeReadIsNotStarted) {
  const run::StepCommand step = workflow({"true"});
  testing::put(workflow_file(step.folder), "{");
  WorkflowBackend backend(options_, std::make_shared<run::Nursery>());
  backend.start(step);
  const run::StepEnd end = wait_for_end(backend);
  EXPECT_EQ(end.end.cause, run::AttemptEnd::Cause::not_started);
  EXPECT_NE(end.end.why.find("workflow.json"), std::string::npos) << end.end.why;
}

TEST_F(WorkflowBackendTest, StoppingEndsItsTasks) {
  const run::StepCommand step = workflow({"echo $$ > " + file("began") + "; sleep 1000"});
  WorkflowBackend backend(options_, std::make_shared<run::Nursery>());
  backend.start(step);
  backend.ended();
  ASSERT_TRUE(comes_true([&] { return !testing::text_of(file("began")).empty(); }));
  backend.stop(step.task);
  EXPECT_EQ(wait_for_end(backend).end.cause, run::AttemptEnd::Cause::stopped);
  EXPECT_FALSE(testing::is_running(pid_in("began")));
}

TEST_F(WorkflowBackendTest, AStepThatIsStoppedAsItIsAdoptedStartsNothing) {
  const run::StepCommand step = workflow({ran()});
  WorkflowBackend backend(options_, std::make_shared<run::Nursery>());
  backend.adopt(step);
  backend.stop(step.task);
  EXPECT_EQ(wait_for_end(backend).end.cause, run::AttemptEnd::Cause::stopped);
  EXPECT_TRUE(lines_of("ran").empty());
}

TEST_F(WorkflowBackendTest, TwoWorkflowsRunSideBySide) {
  const run::StepCommand first =
      workflow({"until [ -e second ]; do sleep 0.01; done; touch ../a"}, 1);
  const run::StepCommand second = workflow({"touch ../work1/second"}, 2);
  WorkflowBackend backend(options_, std::make_shared<run::Nursery>());
  backend.start(first);
  backend.start(second);
  for (const run::StepEnd& end : wait_for_ends(backend, 2)) EXPECT_TRUE(end.is_success());
  EXPECT_TRUE(std::filesystem::exists(file("a")));
}

// As when a daemon is killed after it has published the results, or removed the folder, and before
// it has written that down.
TEST_F(WorkflowBackendTest, AnEndThatWasNotHeardIsToldAgainAndNothingRunsTwice) {
  for (const auto& [number, command, code] :
       {std::tuple{1, ran(), 0}, {2, ran() + "; exit 3", 1}}) {
    const run::StepCommand step = workflow({command}, static_cast<std::uint32_t>(number));
    {
      WorkflowBackend backend(options_, std::make_shared<run::Nursery>());
      backend.start(step);
      backend.ended();
      ASSERT_TRUE(comes_true([&] { return run::read_attempt(step.attempt_file).end.has_value(); }));
    }
    std::filesystem::remove_all(step.folder + "/state");
    WorkflowBackend backend(options_, std::make_shared<run::Nursery>());
    backend.adopt(step);
    const run::StepEnd end = wait_for_end(backend);
    EXPECT_EQ(end.end.cause, run::AttemptEnd::Cause::ended);
    EXPECT_EQ(end.end.exit_code, code);
    EXPECT_EQ(lines_of("ran").at("t0"), number);
  }
}

TEST_F(WorkflowBackendTest, SaysWhatWentWrongWhileNoDaemonWasThere) {
  const run::StepCommand step = workflow({"touch " + file("began") + "; until [ -e " + file("go") +
                                          " ]; do sleep 0.01; done; echo no grid >&2; exit 7"});
  const pid_t daemon = fork();
  if (daemon == 0) {
    WorkflowBackend backend(options_, std::make_shared<run::Nursery>());
    backend.start(step);
    backend.ended();
    for (;;) pause();
  }
  ASSERT_TRUE(comes_true([&] { return std::filesystem::exists(file("began")); }));
  kill(daemon, SIGKILL);
  waitpid(daemon, nullptr, 0);
  testing::put(file("go"), "");
  const std::string attempt = step.folder + "/state/runs/workflow-1/attempts/0.1";
  ASSERT_TRUE(comes_true([&] { return run::read_attempt(attempt).end.has_value(); }));
  WorkflowBackend backend(options_, std::make_shared<run::Nursery>());
  backend.adopt(step);
  EXPECT_EQ(wait_for_end(backend).end.exit_code, 1);
  const std::string said = testing::text_of(step.err_file);
  EXPECT_NE(said.find("t0 failed with exit code 7"), std::string::npos) << said;
  EXPECT_NE(said.find("no grid"), std::string::npos) << said;
}

// Clients must not go on to choose a daemon that can start nothing.
TEST_F(WorkflowBackendTest, WithoutTheProcessThatStartsTasksItGivesUpAndFailsNothing) {
  const run::StepCommand step = workflow({ran()});
  WorkflowBackend backend(options_, std::make_shared<run::Nursery>());
  const pid_t nursery = testing::children_of(getpid()).at(0);
  kill(nursery, SIGKILL);
  backend.start(step);
  EXPECT_THROW(wait_for_end(backend), run::NurseryGone);
  EXPECT_FALSE(run::read_attempt(step.attempt_file).end);
}

// The process that conducts it ends as a daemon that is stopped does, or is killed.
TEST_F(WorkflowBackendTest, EachTaskRunsOnceThoughTheDaemonEndsAgainAndAgain) {
  constexpr int kTasks = 30;
  const run::StepCommand step = workflow(std::vector<std::string>(kTasks, ran() + "; sleep 0.05"));
  testing::Dice dice(7);
  for (int i = 0; i < 16; ++i) {
    const pid_t daemon = fork();
    if (daemon == 0) {
      const bool leaves = i % 2 == 0;
      {
        WorkflowBackend backend(options_, std::make_shared<run::Nursery>());
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
  WorkflowBackend backend(options_, std::make_shared<run::Nursery>());
  backend.adopt(step);
  EXPECT_TRUE(wait_for_end(backend).is_success());
  EXPECT_EQ(lines_of("ran").size(), std::size_t{kTasks});
  for (const auto& [task, times] : lines_of("ran")) EXPECT_EQ(times, 1) << task;
}

}  // namespace
}  // namespace dovetail::federation
