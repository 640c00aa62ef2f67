// Real tasks that use memory: how much is measured, and what becomes of those that use too much.
#include <gtest/gtest.h>

#include <filesystem>

#include "run/local/launcher.hpp"
#include "support/task_runner.hpp"

namespace dovetail::run {
namespace {

using testing::text_of;
using Cause = AttemptEnd::Cause;

constexpr std::int64_t kMebi = 1024 * 1024;

// Holds that many mebibytes for a while, by reading a line of that length.
std::string holds(int mebibytes, const std::string& seconds) {
  return "(head -c " + std::to_string(mebibytes) + "M /dev/zero | tr '\\0' x; sleep " + seconds +
         ") | tail -c " + std::to_string(mebibytes) + "M > /dev/null";
}

class TaskMemoryTest : public testing::TaskRunner {};

TEST_F(TaskMemoryTest, AllProcessesOfATaskCountTogether) {
  const AttemptEnd end = run(holds(60, "4") + " & " + holds(60, "4") + " & wait");
  EXPECT_TRUE(end.is_success());
  EXPECT_LT(end.peak_kib * 1024, 100 * kMebi) << "of the largest process";
  EXPECT_GT(end.peak_memory, 110 * kMebi);
  EXPECT_LT(end.peak_memory, 400 * kMebi);
}

TEST_F(TaskMemoryTest, AShortTaskIsAsLargeAsItsLargestProcess) {
  const AttemptEnd end = run("true");
  EXPECT_GT(end.peak_memory, 0);
  EXPECT_EQ(end.peak_memory, end.peak_kib * 1024);
}

TEST_F(TaskMemoryTest, ATaskWhoseProcessesTogetherUseTooMuchIsEnded) {
  StepCommand task = command(holds(60, "60") + " & " + holds(60, "60") + " & wait; touch over");
  task.memory_limit = 100 * kMebi;
  const AttemptEnd end = run(task);
  EXPECT_EQ(end.cause, Cause::out_of_memory);
  EXPECT_EQ(end.why, "it used more than its limit of 100.0 MiB of memory");
  EXPECT_FALSE(end.is_success());
  EXPECT_LT(end.seconds, 50);
  EXPECT_FALSE(std::filesystem::exists(file("over")));
}

TEST_F(TaskMemoryTest, AProcessCannotHaveMoreAddressesThanTheLimit) {
  StepCommand task = command("ulimit -v; " + holds(300, "0") + "; exit $?");
  task.memory_limit = 200 * kMebi;
  const AttemptEnd end = run(task);
  EXPECT_EQ(output().substr(0, output().find('\n')), std::to_string(200 * 1024));
  EXPECT_FALSE(end.is_success());
  EXPECT_EQ(end.cause, Cause::ended) << "it may have failed for another reason";
  EXPECT_EQ(end.why, "each of its processes was limited to 200.0 MiB of addresses");
  StepCommand small = command("true", 2);
  small.memory_limit = 200 * kMebi;
  EXPECT_EQ(run(small).why, "");
}

// A folder stands for the group: the task finds itself in it, and plays the kernel.
TEST_F(TaskMemoryTest, ATaskInAControlGroupIsEndedByTheKernel) {
  std::filesystem::create_directories(file("groups"));
  StepCommand task = command(
      "ulimit -v; cd groups/dovetail-*; cat memory.max cgroup.procs; "
      "echo oom_kill 1 > memory.events; echo 999999999 > memory.peak; kill -KILL $$");
  task.memory_limit = 100 * kMebi;
  task.memory_group = file("groups");
  const AttemptEnd end = run(task);
  EXPECT_EQ(output(), "unlimited\n1048576000");
  EXPECT_EQ(end.cause, Cause::out_of_memory);
  EXPECT_EQ(end.why, "it used more than its limit of 100.0 MiB of memory");
  EXPECT_EQ(end.peak_memory, 999'999'999);
  EXPECT_EQ(end.signal, SIGKILL);
}

TEST_F(TaskMemoryTest, AKillThatNobodyElseKnowsOfIsNotCalledMemory) {
  StepCommand task = command("kill -KILL $$");
  task.memory_limit = 0;
  const AttemptEnd end = run(task);
  EXPECT_EQ(end.signal, SIGKILL);
  EXPECT_EQ(end.cause, Cause::ended);
}

}  // namespace
}  // namespace dovetail::run
