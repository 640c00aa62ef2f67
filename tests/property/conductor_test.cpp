// The conductor of runs on this machine, called as a program that does other things besides would:
// interrupted by another thread, left, and called again.
#include "run/conductor.hpp"

#include <fmt/format.h>

#include <chrono>
#include <map>
#include <thread>

#include "run/known_run.hpp"
#include "run/mailbox.hpp"
#include "support/task_runner.hpp"

namespace dovetail::run {
namespace {

class ConductorTest : public testing::TaskRunner {
 protected:
  // Tasks beside each other, on two processors.
  void describe(const std::vector<std::string>& commands, int retries = 0) {
    WorkflowBuilder builder("flow");
    for (const std::string& command : commands) {
      builder.add_task({.id = fmt::format("t{}", count_++),
                        .time = TimeSpec::fixed(0.1),
                        .run = command,
                        .execution = {.retries = static_cast<std::uint32_t>(retries)}});
    }
    const RunDescription description{.workflows = {std::move(builder).build()},
                                     .folder = file(""),
                                     .platform = Platform::empty(2, "local")};
    folder_.emplace(begin_run(file("state"), description).folder);
  }

  RunOutcome conduct_again() {
    const KnownRun run(*folder_);
    RunOptions options = run.description.options();
    options.renews_failures = false;
    return conduct(*folder_, run.problem, options, nursery_, control_).outcome;
  }

  std::map<std::string, int> lines_of(const std::string& name) const {
    std::map<std::string, int> lines;
    std::ifstream text(file(name));
    for (std::string line; std::getline(text, line);) ++lines[line];
    return lines;
  }

  std::shared_ptr<Nursery> nursery_ = std::make_shared<Nursery>();
  RunControl control_;
  std::optional<RunFolder> folder_;
  int count_ = 0;

  void TearDown() override {
    nursery_.reset();
    TaskRunner::TearDown();
  }
};

TEST_F(ConductorTest, EndsWhenItIsCancelledFromAnotherThread) {
  describe({"sleep 1000", "echo $$ > began; sleep 1000"});
  std::thread other([&] {
    testing::comes_true([&] { return !testing::text_of(file("began")).empty(); });
    control_.ask(Interrupt::cancel);
  });
  EXPECT_EQ(conduct_again(), RunOutcome::cancelled);
  other.join();
  EXPECT_FALSE(testing::is_running(pid_in("began")));
}

TEST_F(ConductorTest, IsCancelledBeforeItBegins) {
  describe({"touch began"});
  control_.ask(Interrupt::cancel);
  EXPECT_EQ(conduct_again(), RunOutcome::cancelled);
  EXPECT_FALSE(std::filesystem::exists(file("began")));
}

// It leaves at every moment, and is called again by the same process.
TEST_F(ConductorTest, RunsEachTaskOnceThoughItIsLeftAgainAndAgain) {
  constexpr int kTasks = 40;
  describe(std::vector<std::string>(kTasks, "echo $DOVETAIL_TASK >> ran; sleep 0.02"));
  RunOutcome outcome = RunOutcome::interrupted;
  int calls = 0;
  while (outcome == RunOutcome::interrupted) {
    std::thread other([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(calls % 7 * 15));
      control_.ask(Interrupt::leave);
    });
    outcome = conduct_again();
    other.join();
    control_.take();
    ASSERT_LT(++calls, 1000);
  }
  EXPECT_EQ(outcome, RunOutcome::done);
  EXPECT_GT(calls, 5);
  EXPECT_EQ(lines_of("ran").size(), std::size_t{kTasks});
  for (const auto& [task, times] : lines_of("ran")) EXPECT_EQ(times, 1) << task;
}

TEST_F(ConductorTest, GoesOnWithoutRunningAgainWhatFailed) {
  describe({"echo a >> ran; exit 3", "echo b >> ran; sleep 0.5"});
  std::thread other([&] {
    testing::comes_true([&] { return lines_of("ran").size() == 2; });
    control_.ask(Interrupt::leave);
  });
  const RunOutcome first = conduct_again();
  other.join();
  EXPECT_NE(first, RunOutcome::done);
  EXPECT_EQ(conduct_again(), RunOutcome::failed);
  EXPECT_EQ(lines_of("ran"), (std::map<std::string, int>{{"a", 1}, {"b", 1}}));
}

TEST_F(ConductorTest, GoesOnWithTheTriesThatAreLeft) {
  describe({"echo a >> ran; [ $DOVETAIL_ATTEMPT = 2 ]"}, 1);
  std::thread other([&] {
    testing::comes_true([&] { return lines_of("ran").size() == 1; });
    control_.ask(Interrupt::leave);
  });
  EXPECT_EQ(conduct_again(), RunOutcome::interrupted);
  other.join();
  EXPECT_EQ(conduct_again(), RunOutcome::done);
  EXPECT_EQ(lines_of("ran"), (std::map<std::string, int>{{"a", 2}}));
}

TEST_F(ConductorTest, TwoRunsAtOnceShareANursery) {
  describe(std::vector<std::string>(20, "echo $DOVETAIL_RUN.$DOVETAIL_TASK >> ran"));
  const RunFolder first = *folder_;
  describe(std::vector<std::string>(20, "echo $DOVETAIL_RUN.$DOVETAIL_TASK >> ran"));
  std::thread other([&] {
    RunControl control;
    const KnownRun run(first);
    EXPECT_EQ(conduct(first, run.problem, run.description.options(), nursery_, control).outcome,
              RunOutcome::done);
  });
  EXPECT_EQ(conduct_again(), RunOutcome::done);
  other.join();
  EXPECT_EQ(lines_of("ran").size(), 40U);
}

}  // namespace
}  // namespace dovetail::run
