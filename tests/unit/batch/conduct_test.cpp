// The conductor of runs on a batch system against one that only pretends, on a clock of its own:
// what goes wrong in a real cluster, at the worst moment.
#include "batch/conduct.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "batch/pilot_state.hpp"
#include "run/mailbox.hpp"
#include "support/fake_system.hpp"
#include "support/file_checks.hpp"

namespace dovetail::batch {
namespace {

using testing::FakeSystem;
using testing::PretendedJob;

class Conduct : public ::testing::Test {
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
    return conduct(folder_, problem, options(strategy), system_, control_);
  }

  JobRunOptions options(const std::string& strategy) {
    return {.strategy = strategy,
            .token = "test",
            .program = "dovetail",
            .folder = own_.path().string(),
            .say = [this](const std::string& news) { said_ += news + "\n"; },
            .clock = system_.clock(),
            .wait = system_.waiting()};
  }

  void ask_to_cancel() { run::post(folder_, {{"what", "cancel"}}); }

  std::vector<PilotStatus> jobs() const {
    const PilotStates states = read_pilot_states(folder_.journal());
    return {states.all().begin(), states.all().end()};
  }

  testing::TemporaryFolder own_;
  run::RunFolder folder_ = run::RunFolder::create(own_.file("state"), "flow");
  FakeSystem system_;
  run::RunControl control_;
  std::string said_;
};

TEST_F(Conduct, RunsToTheEnd) {
  system_.at_question = [&](int) { system_.work_all(); };
  const run::RunEnd end = run(problem(3, true), "LEVELBYLEVEL");
  EXPECT_EQ(end.outcome, run::RunOutcome::done) << said_;
  ASSERT_EQ(jobs().size(), 3U);
  for (const PilotStatus& job : jobs()) EXPECT_EQ(job.end, JobEnd::done);
}

TEST_F(Conduct, TasksShareTheNodesOfAJob) {
  system_.at_question = [&](int) { system_.work_all(); };
  EXPECT_EQ(run(problem(7), "ONEJOB").outcome, run::RunOutcome::done) << said_;
  EXPECT_EQ(said_.find("job 0: 7 tasks on 4 nodes for up to 1m"), 0U) << said_;
}

// After a crash the controller gives the id of a job that it lost to the next one.
TEST_F(Conduct, JobsOfOthersThatGotOurIdsAreLeftAlone) {
  system_.at_question = [&](int question) {
    if (question != 3) return;
    ASSERT_EQ(system_.queue.size(), 1U);
    system_.queue.front().name = "precious";
    ask_to_cancel();
  };
  EXPECT_EQ(run(problem(2), "ONEJOB").outcome, run::RunOutcome::cancelled) << said_;
  EXPECT_EQ(system_.queue.front().state, JobState::pending);
}

TEST_F(Conduct, JobsWhoseSubmissionWasNeverAnsweredAreCancelledToo) {
  system_.loses_answers = true;
  system_.at_question = [&](int question) {
    if (question == 2) ask_to_cancel();
  };
  EXPECT_EQ(run(problem(2), "ONEJOB").outcome, run::RunOutcome::cancelled) << said_;
  ASSERT_EQ(system_.queue.size(), 1U);
  EXPECT_EQ(system_.queue.front().state, JobState::cancelled);
}

// The submission was on its way while we cancelled: it turns up when all is over.
TEST_F(Conduct, JobsThatTurnUpLateNeverBeginAndAreCancelled) {
  PretendedJob late;
  system_.at_question = [&](int question) {
    if (question == 1) {
      ASSERT_EQ(system_.queue.size(), 1U);
      late = system_.queue.front();
      system_.queue.clear();
      ask_to_cancel();
    }
    if (question == 6) system_.queue.push_back(late);
  };
  system_.loses_answers = true;
  EXPECT_EQ(run(problem(2), "ONEJOB").outcome, run::RunOutcome::cancelled) << said_;
  ASSERT_EQ(system_.queue.size(), 1U);
  EXPECT_EQ(system_.queue.front().state, JobState::cancelled);
  system_.queue.front().state = JobState::pending;  // had it begun before
  system_.work(system_.queue.front());
  EXPECT_EQ(run::read_run_state(folder_.journal(), 2).count(run::TaskState::done), 0U);
}

TEST_F(Conduct, AJobThatWasLostIsSubmittedOnceMore) {
  system_.at_question = [&](int question) {
    if (question == 2) system_.queue.clear();
    if (question > 2) system_.work_all();
  };
  EXPECT_EQ(run(problem(2), "ONEJOB").outcome, run::RunOutcome::done) << said_;
  ASSERT_EQ(system_.queue.size(), 1U);
  EXPECT_EQ(system_.queue.front().name, "dovetail-test-0.2");
  ASSERT_EQ(jobs().size(), 1U);
  EXPECT_EQ(jobs().front().tries, 2U);
}

// Killed while submitting, and from then on at every third look at the queue.
TEST_F(Conduct, WhoIsKilledAgainAndAgainGetsOnAllTheSame) {
  struct Killed {};
  system_.loses_answers = true;
  system_.at_question = [&](int) {
    if (system_.queue.empty()) return;
    system_.queue.clear();
    throw Killed{};
  };
  EXPECT_THROW(run(problem(2), "ONEJOB"), Killed);
  system_.loses_answers = false;
  for (int i = 0; i < 80 && system_.queue.empty(); ++i) {
    system_.at_question = [looks = 0](int) mutable {
      if (++looks == 3) throw Killed{};
    };
    EXPECT_THROW(run(problem(2), "ONEJOB"), Killed);
  }
  ASSERT_EQ(system_.queue.size(), 1U) << said_;
  EXPECT_EQ(system_.queue.front().name, "dovetail-test-0.2");
}

TEST_F(Conduct, ThatOthersCancelManyJobsIsNoReasonToGiveUp) {
  int rounds = 0;
  system_.at_question = [&](int) {
    if (system_.count(JobState::pending) < 5) return;
    if (++rounds > 2) return system_.work_all();
    for (PretendedJob& job : system_.queue) {
      if (job.state == JobState::pending)
        job.state = rounds == 1 ? JobState::cancelled : JobState::node_fail;
    }
  };
  EXPECT_EQ(run(problem(5), "ONEJOBPERTASK").outcome, run::RunOutcome::done) << said_;
  EXPECT_EQ(jobs().size(), 15U);
}

TEST_F(Conduct, JobsThatEndWithoutHavingBegunATaskEndTheRun) {
  system_.at_question = [&](int) {
    for (PretendedJob& job : system_.queue) {
      if (job.state == JobState::pending) job.state = JobState::failed;
    }
  };
  const std::string error = testing::failure_of([&] { run(problem(1), "ONEJOB"); });
  EXPECT_EQ(error.find("3 jobs in a row ended without having run a task"), 0U) << error;
  EXPECT_EQ(system_.count(JobState::pending), 0U);
}

TEST_F(Conduct, NodesThatAreOutOfUseForAWhileAreWaitedFor) {
  system_.are_nodes_up = false;
  system_.at_question = [&](int question) {
    if (question == 8) system_.are_nodes_up = true;
    system_.work_all();
  };
  EXPECT_EQ(run(problem(2), "ONEJOB").outcome, run::RunOutcome::done) << said_;
  EXPECT_NE(said_.find("no node of partition main can be used now; waiting for it\n"),
            std::string::npos);
  EXPECT_EQ(said_.find("waiting for it"), said_.rfind("waiting for it")) << "told once";
}

TEST_F(Conduct, JobsHaveAsManyNodesAsThePartitionWants) {
  system_.partition.min_nodes = 2;
  system_.at_question = [&](int) { system_.work_all(); };
  EXPECT_EQ(run(problem(1), "ONEJOB").outcome, run::RunOutcome::done) << said_;
  EXPECT_EQ(system_.queue.front().nodes, 2);
}

TEST_F(Conduct, WorkThatIsLongerThanThePartitionAllowsIsDoneInSeveralJobs) {
  system_.partition.max_time = 2 * kMinute;
  system_.at_question = [&](int) {
    for (PretendedJob& job : system_.queue) system_.work(job, 2);
  };
  EXPECT_EQ(run(problem(6, true, 40), "ONEJOB").outcome, run::RunOutcome::done) << said_;
  EXPECT_EQ(system_.queue.size(), 3U);
  for (const PretendedJob& job : system_.queue) EXPECT_EQ(job.limit, 2 * kMinute);
}

TEST_F(Conduct, ATaskThatIsCutShortGetsMoreTimeAndFailsInTheEnd) {
  system_.at_question = [&](int) {
    for (PretendedJob& job : system_.queue) system_.work(job, 1, "time");
  };
  EXPECT_EQ(run(problem(1), "ONEJOB").outcome, run::RunOutcome::failed) << said_;
  ASSERT_EQ(system_.queue.size(), 3U);
  EXPECT_EQ(system_.queue[0].limit, kMinute);
  EXPECT_EQ(system_.queue[1].limit, 2 * kMinute);
  EXPECT_EQ(system_.queue[2].limit, 4 * kMinute);
  EXPECT_NE(said_.find("job 0: its time was over"), std::string::npos) << said_;
}

TEST_F(Conduct, WhyAJobDoesNotStartIsToldOnce) {
  system_.at_question = [&](int question) {
    for (PretendedJob& job : system_.queue) {
      job.reason = "held";
      job.waits_for = WaitsFor::help;
    }
    if (question == 6) system_.work_all();
  };
  EXPECT_EQ(run(problem(1), "ONEJOB").outcome, run::RunOutcome::done) << said_;
  const std::string told = "job 0: it waits: held";
  EXPECT_NE(said_.find(told), std::string::npos) << said_;
  EXPECT_EQ(said_.find(told), said_.rfind(told));
}

TEST_F(Conduct, CancellingAgainRemovesWhatCameBack) {
  const Problem flow = problem(1);
  system_.at_question = [&](int question) {
    if (question == 2) ask_to_cancel();
  };
  EXPECT_EQ(run(flow, "ONEJOB").outcome, run::RunOutcome::cancelled) << said_;
  system_.queue.front().state = JobState::pending;
  system_.at_question = {};
  EXPECT_EQ(cancel(folder_, flow, options("ONEJOB"), system_), 1U);
  EXPECT_EQ(system_.queue.front().state, JobState::cancelled);
  EXPECT_EQ(cancel(folder_, flow, options("ONEJOB"), system_), 0U);
}

TEST_F(Conduct, ASubmissionWhoseAnswerIsLostIsFoundByItsName) {
  system_.loses_answers = true;
  system_.at_question = [&](int question) {
    if (question == 3) system_.work_all();
  };
  EXPECT_EQ(run(problem(2), "ONEJOB").outcome, run::RunOutcome::done) << said_;
  EXPECT_EQ(system_.queue.size(), 1U) << "submitted once";
  ASSERT_EQ(jobs().size(), 1U);
  EXPECT_EQ(jobs().front().job_id, "1");
}

TEST_F(Conduct, AJobThatVanishedAndIsRememberedHasEnded) {
  system_.at_question = [&](int question) {
    if (question == 1) {
      system_.past = {system_.queue.front()};
      system_.past.front().state = JobState::timeout;
      system_.queue.clear();
    }
    if (question > 1) system_.work_all();
  };
  EXPECT_EQ(run(problem(2), "ONEJOB").outcome, run::RunOutcome::done) << said_;
  ASSERT_EQ(jobs().size(), 2U);
  EXPECT_EQ(jobs()[0].end, JobEnd::unfinished);
  EXPECT_EQ(jobs()[0].why, "its time was over");
}

TEST_F(Conduct, AJobThatWillNeverStartIsReplaced) {
  system_.at_question = [&](int question) {
    if (question == 1) system_.queue.front().waits_for = WaitsFor::nothing;
    if (question > 1) system_.work_all();
  };
  EXPECT_EQ(run(problem(1), "ONEJOB").outcome, run::RunOutcome::done) << said_;
  ASSERT_EQ(jobs().size(), 2U);
  EXPECT_EQ(jobs()[0].end, JobEnd::lost);
}

// The first process is interrupted while its jobs wait; the second finds them where they are.
TEST_F(Conduct, ARunThatIsResumedGoesOnWithTheJobsThatAreThere) {
  struct Killed {};
  system_.at_question = [&](int question) {
    if (question == 2) throw Killed{};
  };
  EXPECT_THROW(run(problem(3, true), "LEVELBYLEVEL"), Killed);
  ASSERT_FALSE(system_.queue.empty());
  const std::size_t before = system_.queue.size();
  system_.at_question = [&](int) { system_.work_all(); };
  EXPECT_EQ(run(problem(3, true), "LEVELBYLEVEL").outcome, run::RunOutcome::done) << said_;
  EXPECT_GE(before, 1U);
  EXPECT_EQ(system_.queue.size(), 3U) << "none was submitted twice";
}

// Any user can give a job the name of ours, and let it wait before ours or after it.
TEST_F(Conduct, JobsOfOthersWithOurNamesAreNeitherAdoptedNorCancelled) {
  const auto copy = [&](const std::string& id) {
    PretendedJob other = system_.queue.back();
    other.id = id;
    other.user = "not-" + own_user();
    other.state = JobState::running;
    return other;
  };
  system_.loses_answers = true;  // so that names alone tell
  system_.at_question = [&](int question) {
    if (system_.queue.size() == 1) {
      system_.queue.push_back(copy("98"));
      system_.queue.push_front(copy("99"));
    }
    if (question == 6) ask_to_cancel();
  };
  EXPECT_EQ(run(problem(2), "ONEJOB").outcome, run::RunOutcome::cancelled) << said_;
  ASSERT_EQ(jobs().size(), 1U);
  EXPECT_EQ(jobs().front().job_id, "1");
  ASSERT_EQ(system_.queue.size(), 3U) << "submitted once";
  EXPECT_EQ(system_.queue[0].state, JobState::running);
  EXPECT_EQ(system_.queue[1].state, JobState::cancelled);
  EXPECT_EQ(system_.queue[2].state, JobState::running);
}

TEST_F(Conduct, NoMoreJobsAreSubmittedThanTheUserMayHave) {
  system_.most_jobs = 2;
  std::size_t most = 0;
  system_.at_question = [&](int question) {
    most = std::max(most, system_.count(JobState::pending));
    if (question % 3 == 2) system_.work_all();
  };
  EXPECT_EQ(run(problem(5), "ONEJOBPERTASK").outcome, run::RunOutcome::done) << said_;
  EXPECT_EQ(most, 2U);
}

TEST_F(Conduct, WhenOthersJobsOfTheUserFillItsLimitRoomIsWaitedFor) {
  system_.most_jobs = 1;
  PretendedJob other;
  other.id = "99";
  other.name = "other";
  other.user = own_user();
  other.state = JobState::running;
  system_.queue.push_back(other);
  system_.at_question = [&](int question) {
    if (question == 4) system_.queue.front().state = JobState::completed;
    if (question > 4) {
      for (PretendedJob& job : system_.queue) system_.work(job);
    }
  };
  EXPECT_EQ(run(problem(1), "ONEJOB").outcome, run::RunOutcome::done) << said_;
  EXPECT_NE(said_.find("as many jobs as allowed, 1; waiting for room\n"), std::string::npos)
      << said_;
}

TEST_F(Conduct, ASystemThatDoesNotAnswerIsAskedAgain) {
  system_.at_question = [&](int question) {
    system_.is_away = question >= 2 && question < 6;
    if (question > 6) system_.work_all();
  };
  EXPECT_EQ(run(problem(2), "ONEJOB").outcome, run::RunOutcome::done) << said_;
  EXPECT_NE(said_.find("Fake does not answer; jobs go on, asking again\n"), std::string::npos);
  EXPECT_NE(said_.find("Fake answers again\n"), std::string::npos);
}

TEST_F(Conduct, ADryRunDecidesByThePictureItIsGiven) {
  JobRunOptions dry = options("ONEJOB");
  dry.is_dry = true;
  dry.picture = system_.picture();
  dry.picture->at -= kDay;  // however old it is
  system_.are_nodes_up = false;
  conduct(folder_, problem(2), dry, system_, control_);
  EXPECT_TRUE(system_.queue.empty());
  EXPECT_EQ(jobs().size(), 1U);
  EXPECT_NE(said_.find("job 0: 2 tasks on"), std::string::npos) << said_;
}

}  // namespace
}  // namespace dovetail::batch
