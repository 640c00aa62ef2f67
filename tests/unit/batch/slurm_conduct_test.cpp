// Runs on Slurm's commands, which only pretend: what the conductor asks of them, and what is told
// in Slurm's words. conduct_test.cpp has what does not depend on the batch system.
#include <gtest/gtest.h>

#include "batch/conduct.hpp"
#include "batch/pilot_state.hpp"
#include "run/mailbox.hpp"
#include "support/fake_slurm.hpp"
#include "support/file_checks.hpp"

namespace dovetail::batch {
namespace {

using testing::FakeJob;
using testing::FakeSlurm;

class SlurmConduct : public ::testing::Test {
 protected:
  // One task after the other.
  static Problem problem(int tasks) {
    WorkflowBuilder builder("flow");
    for (int i = 0; i < tasks; ++i) {
      builder.add_task({.id = "t" + std::to_string(i), .time = TimeSpec::fixed(1), .run = "true"});
      if (i > 0) builder.add_edge(static_cast<TaskId>(i - 1), static_cast<TaskId>(i));
    }
    Cluster cluster{.name = "main", .processors = 8, .cores_per_node = 2};
    return Problem({std::move(builder).build()}, Platform(0, {cluster}));
  }

  JobRunOptions options(const std::string& strategy) {
    return {.strategy = strategy,
            .token = "test",
            .program = "dovetail",
            .folder = own_.path().string(),
            .poll = 10,
            .look = 10,
            .say = [this](const std::string& news) { said_ += news + "\n"; }};
  }

  run::RunEnd run(const Problem& problem, const std::string& strategy) {
    slurm::Client client = slurm_.client();
    return conduct(folder_, problem, options(strategy), client, control_);
  }

  testing::TemporaryFolder own_;
  run::RunFolder folder_ = run::RunFolder::create(own_.file("state"), "flow");
  FakeSlurm slurm_;
  run::RunControl control_;
  std::string said_;
};

TEST_F(SlurmConduct, RunsToTheEnd) {
  slurm_.at_question = [&](int) { slurm_.work_all(); };
  EXPECT_EQ(run(problem(3), "LEVELBYLEVEL").outcome, run::RunOutcome::done) << said_;
  EXPECT_EQ(slurm_.count("COMPLETED"), 3U);
}

TEST_F(SlurmConduct, JobsWhoseSubmissionWasNeverAnsweredAreCancelledToo) {
  slurm_.loses_answers = true;
  slurm_.at_question = [&](int question) {
    if (question == 2) run::post(folder_, {{"what", "cancel"}});
  };
  EXPECT_EQ(run(problem(2), "ONEJOB").outcome, run::RunOutcome::cancelled) << said_;
  ASSERT_EQ(slurm_.jobs.size(), 1U);
  EXPECT_EQ(slurm_.jobs.front().state, "CANCELLED");
}

TEST_F(SlurmConduct, NodesThatAreOutOfUseForAWhileAreWaitedFor) {
  slurm_.are_nodes_up = false;
  slurm_.at_question = [&](int question) {
    if (question == 8) slurm_.are_nodes_up = true;
    slurm_.work_all();
  };
  EXPECT_EQ(run(problem(2), "ONEJOB").outcome, run::RunOutcome::done) << said_;
  EXPECT_NE(said_.find("no node of partition main can be used now; see sinfo; waiting for it\n"),
            std::string::npos);
}

TEST_F(SlurmConduct, LimitsOfThePartitionAndOfTimeAreInItsWords) {
  slurm_.partition = "MaxTime=2:00 MinNodes=2 MaxNodes=UNLIMITED";
  slurm_.at_question = [&](int) { slurm_.work_all(); };
  EXPECT_EQ(run(problem(1), "ONEJOB").outcome, run::RunOutcome::done) << said_;
  EXPECT_EQ(slurm_.jobs.front().nodes, "2");
  EXPECT_EQ(slurm_.jobs.front().limit, "00:01:00");
}

TEST_F(SlurmConduct, WhyAJobDoesNotStartIsToldOnce) {
  slurm_.at_question = [&](int question) {
    for (FakeJob& job : slurm_.jobs) job.reason = "JobHeldUser";
    if (question == 6) slurm_.work_all();
  };
  EXPECT_EQ(run(problem(1), "ONEJOB").outcome, run::RunOutcome::done) << said_;
  const std::string told = "job 0: Slurm does not start it: JobHeldUser; see scontrol show job 1\n";
  EXPECT_NE(said_.find(told), std::string::npos) << said_;
  EXPECT_EQ(said_.find(told), said_.rfind(told));
}

// The caller has looked at the cluster once, in four calls, and asks no more.
TEST_F(SlurmConduct, ADryRunAsksOnlyForLimitsBesideThePictureThatItIsGiven) {
  slurm::Client client = slurm_.client();
  JobRunOptions dry = options("ONEJOB");
  dry.is_dry = true;
  dry.picture = client.picture();
  EXPECT_EQ(client.calls(), 4U);
  conduct(folder_, problem(2), dry, client, control_);
  EXPECT_EQ(client.calls(), 5U);
  EXPECT_TRUE(slurm_.jobs.empty());
}

}  // namespace
}  // namespace dovetail::batch
