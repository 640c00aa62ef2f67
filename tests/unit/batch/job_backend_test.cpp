// Steps as jobs of a batch system that only pretends.
#include "batch/job_backend.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <mutex>

#include "batch/pilot/pilot_file.hpp"
#include "support/fake_system.hpp"
#include "support/file_checks.hpp"

namespace dovetail::batch {
namespace {

using testing::FakeSystem;
using testing::PretendedJob;

class JobBackendTest : public ::testing::Test {
 protected:
  // What happens at a question happens in the backend's own thread, which is the only one that
  // looks at the queue.
  void begin(const std::function<void(FakeSystem&, int)>& at_question, bool loses_answers = false) {
    auto system = std::make_unique<FakeSystem>();
    FakeSystem* fake = system.get();
    fake->loses_answers = loses_answers;
    fake->at_question = [=](int question) { at_question(*fake, question); };
    backend_ = std::make_unique<JobBackend>(
        folder_, std::move(system),
        JobBackendOptions{.program = "dovetail", .poll = 10, .look = 5, .settle = 20});
  }

  run::StepCommand command(std::uint32_t task) const {
    return {.task = task,
            .attempt = 1,
            .command = "true",
            .folder = own_.path().string(),
            .attempt_file = folder_.attempt(task, 1),
            .out_file = folder_.log(task, 1, "out"),
            .err_file = folder_.log(task, 1, "err"),
            .name = "step " + std::to_string(task)};
  }

  // As the node of a job writes it down.
  static void succeed(PretendedJob& job) {
    if (job.state != JobState::pending) return;
    const PilotOrder order = read_order(testing::order_of_script(job.script));
    auto file = run::AttemptWriter::create(order.tasks.front().command.attempt_file);
    if (file) file->write_end({});
    job.state = JobState::completed;
  }

  run::StepEnd next_end() {
    for (int i = 0; i < 2000; ++i) {
      const auto ends = backend_->ended();
      if (!ends.empty()) return ends.front();
      usleep(5000);
    }
    ADD_FAILURE() << "nothing has ended";
    return {};
  }

  testing::TemporaryFolder own_;
  run::RunFolder folder_ = run::RunFolder::create(own_.file("state"), "cluster");
  std::unique_ptr<JobBackend> backend_;
};

TEST_F(JobBackendTest, AStepIsAJobAndItsEndIsReported) {
  begin([](FakeSystem& system, int) {
    for (PretendedJob& job : system.queue) succeed(job);
  });
  backend_->start(command(7));
  const run::StepEnd end = next_end();
  EXPECT_EQ(end.task, 7U);
  EXPECT_TRUE(end.is_success());
}

TEST_F(JobBackendTest, ASubmissionWhoseAnswerIsLostIsNotRepeated) {
  std::size_t jobs = 0;
  begin(
      [&](FakeSystem& system, int question) {
        jobs = std::max(jobs, system.queue.size());
        if (question < 5) return;
        for (PretendedJob& job : system.queue) succeed(job);
      },
      true);
  backend_->start(command(1));
  EXPECT_TRUE(next_end().is_success());
  backend_.reset();
  EXPECT_EQ(jobs, 1U);
}

// An earlier process was killed before it submitted: one answer tells.
TEST_F(JobBackendTest, AnAdoptedStepThatNeverArrivedIsSubmitted) {
  begin([](FakeSystem& system, int) {
    for (PretendedJob& job : system.queue) succeed(job);
  });
  backend_->adopt(command(3));
  EXPECT_TRUE(next_end().is_success());
}

TEST_F(JobBackendTest, AJobThatIsOverWithoutAWordOfItsNodeIsLost) {
  begin([](FakeSystem& system, int) {
    for (PretendedJob& job : system.queue) job.state = JobState::node_fail;
  });
  backend_->start(command(1));
  const run::StepEnd end = next_end();
  EXPECT_TRUE(end.is_lost);
  EXPECT_EQ(end.end.why, "its job is gone");
}

TEST_F(JobBackendTest, AStepThatIsStoppedHasItsJobCancelled) {
  bool is_cancelled = false;
  begin([&](FakeSystem& system, int) { is_cancelled = system.count(JobState::cancelled) == 1; });
  backend_->start(command(1));
  usleep(50'000);
  backend_->stop(1);
  const run::StepEnd end = next_end();
  backend_.reset();
  EXPECT_FALSE(end.is_lost);
  EXPECT_EQ(end.end.cause, run::AttemptEnd::Cause::stopped);
  EXPECT_TRUE(is_cancelled);
}

}  // namespace
}  // namespace dovetail::batch
