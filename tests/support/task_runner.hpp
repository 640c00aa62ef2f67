// Real tasks for the tests of the launcher: a folder for their files, and a launcher to start them.
#pragma once

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "run/local/launcher.hpp"
#include "support/file_checks.hpp"
#include "support/whole_file.hpp"

namespace dovetail::testing {

// Asks again and again until the answer is yes; false when it never is. For what is over in a
// moment, but in nobody's hands.
template <typename Question>
bool comes_true(Question question) {
  for (int i = 0; i < 20'000; ++i) {
    if (question()) return true;
    usleep(1000);
  }
  return false;
}

inline std::vector<pid_t> children_of(pid_t process) {
  const std::string number = std::to_string(process);
  std::ifstream file("/proc/" + number + "/task/" + number + "/children");
  std::vector<pid_t> pids;
  for (pid_t pid = 0; file >> pid;) pids.push_back(pid);
  return pids;
}

inline bool is_running(pid_t process) { return kill(process, 0) == 0; }

class TaskRunner : public ::testing::Test {
 protected:
  void SetUp() override {
    alarm(120);                        // a test that hangs ends the program
    prctl(PR_SET_CHILD_SUBREAPER, 1);  // what loses its parent becomes our child, and is found
  }
  void TearDown() override {
    EXPECT_TRUE(comes_true([] { return waitpid(-1, nullptr, WNOHANG) < 0; }))
        << children_of(getpid()).size() << " processes are left";
    alarm(0);
  }

  std::string file(const std::string& name) const { return folder_.file(name); }
  std::string lock_file() const { return file("nursery.lock"); }

  // Runs in the test's folder; the task can take less time to end than users have.
  run::StepCommand command(const std::string& text, std::uint32_t task = 1) const {
    const std::string name = file(std::to_string(task));
    return {.task = task,
            .attempt = 1,
            .command = text,
            .folder = folder_.path().string(),
            .attempt_file = name + ".1",
            .out_file = name + ".out",
            .err_file = name + ".err",
            .grace_seconds = 0.3};
  }

  // Of as many tasks as are expected, in the order of their ends.
  static std::vector<run::StepEnd> wait_for(run::Launcher& launcher, std::size_t count) {
    std::vector<run::StepEnd> all;
    while (all.size() < count) {
      pollfd ready{.fd = launcher.descriptor(), .events = POLLIN, .revents = 0};
      poll(&ready, 1, -1);
      for (run::StepEnd& report : launcher.reports()) all.push_back(std::move(report));
    }
    return all;
  }

  // Runs one task. What is reported is also in its file.
  run::AttemptEnd run(const run::StepCommand& command) const {
    run::Launcher launcher(lock_file(), std::make_shared<run::Nursery>());
    launcher.start(command);
    const run::StepEnd report = wait_for(launcher, 1).front();
    EXPECT_EQ(report.task, command.task);
    EXPECT_EQ(report.attempt, command.attempt);
    const run::Attempt attempt = run::read_attempt(command.attempt_file);
    EXPECT_EQ(run::to_json(attempt.end.value_or(report.end)), run::to_json(report.end));
    return report.end;
  }

  run::AttemptEnd run(const std::string& text) const { return run(command(text)); }
  std::string output() const { return text_of(file("1.out")); }

  // The start of an attempt, once its supervisor has written it.
  static std::optional<run::AttemptStart> start_of(const run::StepCommand& command) {
    comes_true([&] { return run::read_attempt(command.attempt_file).start.has_value(); });
    return run::read_attempt(command.attempt_file).start;
  }

  // The number that a task wrote into a file.
  pid_t pid_in(const std::string& name) const {
    pid_t pid = 0;
    std::ifstream(file(name)) >> pid;
    EXPECT_GT(pid, 0);
    return pid;
  }

 private:
  TemporaryFolder folder_;
};

}  // namespace dovetail::testing
