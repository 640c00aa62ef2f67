#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "batch/timed_command.hpp"
#include "dovetail/error.hpp"
#include "support/file_checks.hpp"

namespace dovetail::batch {
namespace {

using End = CommandResult::End;

CommandResult shell(const std::string& script, const CommandLimits& limits = {},
                    const Environment& environment = {}) {
  return run_command({"/bin/sh", "-c", script}, limits, environment);
}

std::size_t open_files() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    ++count;
  }
  return count;
}

TEST(RunCommand, AnswersWhatIsPrintedOnBothSides) {
  const CommandResult result = shell("echo one; echo two >&2; echo three");
  EXPECT_EQ(result.out, "one\nthree\n");
  EXPECT_EQ(result.err, "two\n");
  EXPECT_TRUE(result.is_fine());
}

TEST(RunCommand, AnswersTheExitCodeOrTheSignal) {
  EXPECT_EQ(shell("exit 7").exit_code, 7);
  EXPECT_EQ(shell("exit 7").end, End::exited);
  EXPECT_FALSE(shell("exit 7").is_fine());
  EXPECT_EQ(shell("kill -9 $$").exit_code, 128 + SIGKILL);
}

TEST(RunCommand, ArgumentsAreNotReadByAShell) {
  const std::string odd = "a b; $(exit 3) `x` \"'|*\n";
  EXPECT_EQ(run_command({"printf", "%s", odd}, {}).out, odd);
}

TEST(RunCommand, ReadsWhatItIsGivenAndNothingElse) {
  const std::string lines(200'000, 'x');
  EXPECT_EQ(shell("cat", {.input = lines}).out, lines);
  EXPECT_EQ(shell("cat").out, "");
}

TEST(RunCommand, AProgramThatIsNotThereIsAnAnswer) {
  EXPECT_EQ(run_command({"no-such-program-here"}, {}).end, End::not_found);
  EXPECT_EQ(run_command({"/no/such/program"}, {}).end, End::not_found);
}

TEST(RunCommand, AFileThatIsNoProgramIsAnError) {
  const std::string words = testing::failure_of([] { run_command({"/etc/passwd"}, {}); });
  EXPECT_NE(words.find("cannot run /etc/passwd"), words.npos) << words;
}

TEST(RunCommand, StandardInputIsEmpty) {
  EXPECT_EQ(shell("cat; echo end", {.seconds = 20}).out, "end\n");
}

TEST(RunCommand, LargeOutputsOnBothSidesArrive) {
  const CommandResult result =
      shell("head -c 3000000 /dev/zero >&2; head -c 5000000 /dev/zero", {.seconds = 60});
  EXPECT_EQ(result.out.size(), 5'000'000u);
  EXPECT_EQ(result.err.size(), 3'000'000u);
}

TEST(RunCommand, EndsWhatTakesTooLongWithAllItStarted) {
  const CommandResult result =
      shell("sleep 1000 & echo $!; trap '' TERM; sleep 1000", {.seconds = 0.3});
  EXPECT_EQ(result.end, End::timed_out);
  const pid_t grandchild = std::stoi(result.out);
  bool is_gone = false;
  for (int tries = 0; tries < 500 && !is_gone; ++tries) {
    // It may stay for a while as an entry without a program, until its parent asks how it ended.
    std::error_code error;
    is_gone = std::filesystem::read_symlink("/proc/" + std::to_string(grandchild) + "/exe", error)
                  .empty();
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_TRUE(is_gone);
}

TEST(RunCommand, DoesNotWaitForWhatIsLeftRunning) {
  const CommandResult result = shell("sleep 30 & echo $!", {.seconds = 20});
  EXPECT_EQ(result.end, End::exited);
  ASSERT_FALSE(result.out.empty());
  kill(std::stoi(result.out), SIGKILL);
}

TEST(RunCommand, EnvironmentIsOursWithChanges) {
  setenv("DVTEST_KEPT", "kept", 1);
  setenv("DVTEST_CHANGED", "before", 1);
  setenv("DVTEST_DROP_ONE", "dropped", 1);
  const CommandResult result =
      shell("echo $DVTEST_KEPT,$DVTEST_CHANGED,$DVTEST_DROP_ONE,$DVTEST_NEW",
            {.seconds = 10, .without = {"DVTEST_DROP"}},
            {{"DVTEST_CHANGED", "after"}, {"DVTEST_NEW", "a b"}});
  EXPECT_EQ(result.out, "kept,after,,a b\n");
}

TEST(RunCommand, FilesThatWeHaveOpenAreNotPassedOn) {
  const int file = open("/dev/null", O_RDONLY);  // without O_CLOEXEC
  const CommandResult result = shell("ls -l /proc/self/fd | wc -l");
  close(file);
  EXPECT_LE(std::stoi(result.out), 5);  // the total, three standard files, the folder
}

TEST(RunCommand, LeavesNeitherFilesNorProcessesBehind) {
  shell("true");
  const std::size_t before = open_files();
  for (int round = 0; round < 50; ++round) {
    shell("echo text");
    run_command({"no-such-program-here"}, {});
    shell("sleep 100", {.seconds = 0.001});
  }
  EXPECT_EQ(open_files(), before);
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST(RunCommand, IgnoredSignalsAreNotPassedOn) {
  const auto before = signal(SIGPIPE, SIG_IGN);
  const CommandResult result = shell("kill -PIPE $$; echo alive");
  signal(SIGPIPE, before);
  EXPECT_EQ(result.exit_code, 128 + SIGPIPE);
}

TEST(RunCommand, WorksWhenStandardFilesAreClosed) {
  const pid_t child = fork();
  if (child == 0) {
    for (const int standard : {0, 1, 2}) close(standard);
    const CommandResult result = shell("echo out; echo err >&2");
    _exit(result.out == "out\n" && result.err == "err\n" ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

TEST(RunCommand, ManyThreadsMayRunCommands) {
  std::vector<std::thread> threads;
  std::vector<int> wrong(4, 0);
  for (std::size_t thread = 0; thread < wrong.size(); ++thread) {
    threads.emplace_back([&wrong, thread] {
      for (int round = 0; round < 20; ++round) {
        const std::string text = std::to_string(thread) + "-" + std::to_string(round);
        if (run_command({"echo", text}, {.seconds = 60}).out != text + "\n") ++wrong[thread];
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(4, 0));
}

}  // namespace
}  // namespace dovetail::batch
