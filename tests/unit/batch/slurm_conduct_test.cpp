// The conductor of runs on Slurm against one that only pretends: what goes wrong in a real cluster,
// at the worst moment.
#include <gtest/gtest.h>

#include <algorithm>

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
  // Tasks without order between them, or one after the other.
  Problem problem(int tasks, bool is_chain = false, double seconds = 1) const {
    WorkflowBuilder builder("flow");
    for (int i = 0; i < tasks; ++i) {
      builder.add_task(
          {.id = "t" + std::to_string(i), .time = TimeSpec::fixed(seconds), .run = "true"});
      if (is_chain && i > 0) builder.add_edge(static_cast<TaskId>(i - 1), static_cast<TaskId>(i));
    }
    Cluster cluster{.name = "main", .processors = 8, .cores_per_node = 2};
    return Problem({std::move(builder).build()}, Platform(0, {cluster}));
  }

  run::RunEnd run(const Problem& problem, const std::string& strategy) {
    Client client = slurm_.client();
    return conduct(folder_, problem, options(strategy), client);
  }

  SlurmRunOptions options(const std::string& strategy) {
    return {.strategy = strategy,
            .token = "test",
            .program = "dovetail",
            .folder = own_.path().string(),
            .poll = 10,
            .look = 10,
            .say = [this](const std::string& news) { said_ += news + "\n"; }};
  }

  void ask_to_cancel() { run::post(folder_, {{"what", "cancel"}}); }

  std::vector<PilotStatus> jobs() const {
    const PilotStates states = read_pilot_states(folder_.journal());
    return {states.all().begin(), states.all().end()};
  }

  testing::TemporaryFolder own_;
  run::RunFolder folder_ = run::RunFolder::create(own_.file("state"), "flow");
  FakeSlurm slurm_;
  std::string said_;
};

TEST_F(SlurmConduct, RunsToTheEnd) {
  slurm_.at_question = [&](int) { slurm_.work_all(); };
  const run::RunEnd end = run(problem(3, true), "LEVELBYLEVEL");
  EXPECT_EQ(end.outcome, run::RunOutcome::done) << said_;
  ASSERT_EQ(jobs().size(), 3U);
  for (const PilotStatus& job : jobs()) EXPECT_EQ(job.end, JobEnd::done);
}

// After a crash the controller gives the id of a job that it lost to the next one.
TEST_F(SlurmConduct, JobsOfOthersThatGotOurIdsAreLeftAlone) {
  slurm_.at_question = [&](int question) {
    if (question != 3) return;
    ASSERT_EQ(slurm_.jobs.size(), 1U);
    slurm_.jobs.front().name = "precious";
    ask_to_cancel();
  };
  EXPECT_EQ(run(problem(2), "ONEJOB").outcome, run::RunOutcome::cancelled) << said_;
  EXPECT_EQ(slurm_.jobs.front().state, "PENDING");
}

TEST_F(SlurmConduct, JobsWhoseSubmissionWasNeverAnsweredAreCancelledToo) {
  slurm_.loses_answers = true;
  slurm_.at_question = [&](int question) {
    if (question == 2) ask_to_cancel();
  };
  EXPECT_EQ(run(problem(2), "ONEJOB").outcome, run::RunOutcome::cancelled) << said_;
  ASSERT_EQ(slurm_.jobs.size(), 1U);
  EXPECT_EQ(slurm_.jobs.front().state, "CANCELLED");
}

// The submission was on its way while we cancelled: it turns up when all is over.
TEST_F(SlurmConduct, JobsThatTurnUpLateNeverBeginAndAreCancelled) {
  FakeJob late;
  slurm_.at_question = [&](int question) {
    if (question == 2) {
      ASSERT_EQ(slurm_.jobs.size(), 1U);
      late = slurm_.jobs.front();
      slurm_.jobs.clear();
      ask_to_cancel();
    }
    if (question == 6) slurm_.jobs.push_back(late);
  };
  slurm_.loses_answers = true;
  EXPECT_EQ(run(problem(2), "ONEJOB").outcome, run::RunOutcome::cancelled) << said_;
  ASSERT_EQ(slurm_.jobs.size(), 1U);
  EXPECT_EQ(slurm_.jobs.front().state, "CANCELLED");
  slurm_.jobs.front().state = "PENDING";  // had it begun before
  slurm_.work(slurm_.jobs.front());
  EXPECT_EQ(run::read_run_state(folder_.journal(), 2).count(run::TaskState::done), 0U);
}

TEST_F(SlurmConduct, AJobThatSlurmLostIsSubmittedOnceMore) {
  slurm_.at_question = [&](int question) {
    if (question == 2) slurm_.jobs.clear();
    if (question > 2) slurm_.work_all();
  };
  EXPECT_EQ(run(problem(2), "ONEJOB").outcome, run::RunOutcome::done) << said_;
  ASSERT_EQ(slurm_.jobs.size(), 1U);
  EXPECT_EQ(slurm_.jobs.front().name, "dovetail-test-0.2");
  ASSERT_EQ(jobs().size(), 1U);
  EXPECT_EQ(jobs().front().tries, 2U);
}

// Killed while submitting, and from then on at every third look at the queue.
TEST_F(SlurmConduct, WhoIsKilledAgainAndAgainGetsOnAllTheSame) {
  struct Killed {};
  slurm_.loses_answers = true;
  slurm_.at_question = [&](int) {
    if (slurm_.jobs.empty()) return;
    slurm_.jobs.clear();
    throw Killed{};
  };
  EXPECT_THROW(run(problem(2), "ONEJOB"), Killed);
  slurm_.loses_answers = false;
  for (int i = 0; i < 80 && slurm_.jobs.empty(); ++i) {
    usleep(100'000);
    slurm_.at_question = [looks = 0](int) mutable {
      if (++looks == 3) throw Killed{};
    };
    EXPECT_THROW(run(problem(2), "ONEJOB"), Killed);
  }
  ASSERT_EQ(slurm_.jobs.size(), 1U) << said_;
  EXPECT_EQ(slurm_.jobs.front().name, "dovetail-test-0.2");
}

TEST_F(SlurmConduct, ThatOthersCancelManyJobsIsNoReasonToGiveUp) {
  int rounds = 0;
  slurm_.at_question = [&](int) {
    if (slurm_.count("PENDING") < 5) return;
    if (++rounds > 2) return slurm_.work_all();
    for (FakeJob& job : slurm_.jobs) {
      if (job.state == "PENDING") job.state = rounds == 1 ? "CANCELLED" : "NODE_FAIL";
    }
  };
  EXPECT_EQ(run(problem(5), "ONEJOBPERTASK").outcome, run::RunOutcome::done) << said_;
  EXPECT_EQ(jobs().size(), 15U);
}

TEST_F(SlurmConduct, JobsThatEndWithoutHavingBegunATaskEndTheRun) {
  slurm_.at_question = [&](int) {
    for (FakeJob& job : slurm_.jobs) {
      if (job.state == "PENDING") job.state = "FAILED";
    }
  };
  const std::string error = testing::failure_of([&] { run(problem(1), "ONEJOB"); });
  EXPECT_EQ(error.find("3 jobs in a row ended without having run a task"), 0U) << error;
  EXPECT_EQ(slurm_.count("PENDING"), 0U);
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
  EXPECT_EQ(said_.find("waiting for it"), said_.rfind("waiting for it")) << "told once";
}

TEST_F(SlurmConduct, JobsHaveAsManyNodesAsThePartitionWants) {
  slurm_.partition = "MaxTime=UNLIMITED MinNodes=2 MaxNodes=UNLIMITED";
  slurm_.at_question = [&](int) { slurm_.work_all(); };
  EXPECT_EQ(run(problem(1), "ONEJOB").outcome, run::RunOutcome::done) << said_;
  EXPECT_EQ(slurm_.jobs.front().nodes, "2");
}

TEST_F(SlurmConduct, WorkThatIsLongerThanThePartitionAllowsIsDoneInSeveralJobs) {
  slurm_.partition = "MaxTime=2:00 MinNodes=1 MaxNodes=UNLIMITED";
  slurm_.at_question = [&](int) {
    for (FakeJob& job : slurm_.jobs) slurm_.work(job, 2);
  };
  EXPECT_EQ(run(problem(6, true, 40), "ONEJOB").outcome, run::RunOutcome::done) << said_;
  EXPECT_EQ(slurm_.jobs.size(), 3U);
  for (const FakeJob& job : slurm_.jobs) EXPECT_EQ(job.limit, "00:02:00");
}

TEST_F(SlurmConduct, ATaskThatIsCutShortGetsMoreTimeAndFailsInTheEnd) {
  slurm_.at_question = [&](int) {
    for (FakeJob& job : slurm_.jobs) slurm_.work(job, 1, "time");
  };
  EXPECT_EQ(run(problem(1), "ONEJOB").outcome, run::RunOutcome::failed) << said_;
  ASSERT_EQ(slurm_.jobs.size(), 3U);
  EXPECT_EQ(slurm_.jobs[0].limit, "00:01:00");
  EXPECT_EQ(slurm_.jobs[1].limit, "00:02:00");
  EXPECT_EQ(slurm_.jobs[2].limit, "00:04:00");
  EXPECT_NE(said_.find("job 0: its time was over"), std::string::npos) << said_;
}

TEST_F(SlurmConduct, WhyAJobDoesNotStartIsToldOnce) {
  slurm_.at_question = [&](int question) {
    for (FakeJob& job : slurm_.jobs) job.reason = "JobHeldUser";
    if (question == 6) slurm_.work_all();
  };
  EXPECT_EQ(run(problem(1), "ONEJOB").outcome, run::RunOutcome::done) << said_;
  const std::string told = "job 0: Slurm does not start it: JobHeldUser";
  EXPECT_NE(said_.find(told), std::string::npos) << said_;
  EXPECT_EQ(said_.find(told), said_.rfind(told));
}

TEST_F(SlurmConduct, CancellingAgainRemovesWhatCameBack) {
  const Problem flow = problem(1);
  slurm_.at_question = [&](int question) {
    if (question == 2) ask_to_cancel();
  };
  EXPECT_EQ(run(flow, "ONEJOB").outcome, run::RunOutcome::cancelled) << said_;
  slurm_.jobs.front().state = "PENDING";
  slurm_.at_question = {};
  Client client = slurm_.client();
  EXPECT_EQ(cancel(folder_, flow, options("ONEJOB"), client), 1U);
  EXPECT_EQ(slurm_.jobs.front().state, "CANCELLED");
  EXPECT_EQ(cancel(folder_, flow, options("ONEJOB"), client), 0U);
}

}  // namespace
}  // namespace dovetail::batch
