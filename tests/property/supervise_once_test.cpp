// A task below a batch system, which signals the processes of a job one after the other.
#include <filesystem>

#include "run/local/supervisor.hpp"
#include "support/task_runner.hpp"

namespace dovetail::run {
namespace {

using testing::children_of;
using testing::comes_true;
using testing::is_running;
using testing::text_of;
using Cause = AttemptEnd::Cause;

constexpr Holdback kNone{.seconds = 0, .share = 0};
constexpr Holdback kLong{.seconds = 60, .share = 1e9};

class SuperviseOnceTest : public testing::TaskRunner {
 protected:
  pid_t begin(const std::string& text, const Holdback& holdback) const {
    const pid_t supervisor = fork();
    if (supervisor == 0) _exit(supervise_once(command(text), holdback).exit_code);
    return supervisor;
  }

  AttemptEnd end_of(pid_t supervisor) const {
    waitpid(supervisor, nullptr, 0);
    const auto end = read_attempt(command("").attempt_file).end;
    EXPECT_TRUE(end.has_value());
    return end.value_or(AttemptEnd::not_started("nothing is written"));
  }

  bool exists(const std::string& name) const { return access(file(name).c_str(), F_OK) == 0; }

  // Ends the command that a shell waits for, and nothing else, once the shell has written its pid;
  // true when the shell has ended after it.
  bool end_command_of_shell() const {
    if (!comes_true([&] { return exists("shell"); })) return false;
    const pid_t shell = pid_in("shell");
    pid_t sleeper = 0;
    const auto find_sleeper = [&] {
      for (const pid_t child : children_of(shell)) {
        if (text_of("/proc/" + std::to_string(child) + "/comm") == "sleep\n") sleeper = child;
      }
      return sleeper != 0;
    };
    if (!comes_true(find_sleeper)) return false;
    kill(sleeper, SIGTERM);
    return comes_true([&] { return !is_running(shell); });
  }
};

constexpr const char* kGoesOn = "echo $$ > s; mv s shell; sleep 60; touch went_on; true";
constexpr const char* kFails = "echo $$ > s; mv s shell; sleep 60 || exit 1";

TEST_F(SuperviseOnceTest, AShellThatWentOnBeforeItsTurnCameWasStopped) {
  for (const char* text : {kGoesOn, kFails}) {
    std::filesystem::remove(file("shell"));
    std::filesystem::remove(command("").attempt_file);
    const pid_t supervisor = begin(text, kLong);
    ASSERT_TRUE(end_command_of_shell());
    kill(supervisor, SIGTERM);
    const AttemptEnd end = end_of(supervisor);
    EXPECT_EQ(end.cause, Cause::stopped) << text;
    EXPECT_EQ(end.exit_code, text == kGoesOn ? 0 : 1);
    EXPECT_FALSE(end.is_success());
    EXPECT_LT(end.seconds, 50);
  }
  EXPECT_TRUE(exists("went_on"));
}

TEST_F(SuperviseOnceTest, WhatEndsOneCommandAloneIsTheTasksOwnMatter) {
  const pid_t supervisor = begin(kGoesOn, kNone);
  ASSERT_TRUE(end_command_of_shell());
  EXPECT_TRUE(end_of(supervisor).is_success());
}

TEST_F(SuperviseOnceTest, ASignalEndsTheTaskWithAllThatItStarted) {
  const pid_t supervisor = begin(kGoesOn, kNone);
  ASSERT_TRUE(comes_true([&] { return exists("shell"); }));
  kill(supervisor, SIGTERM);
  EXPECT_EQ(end_of(supervisor).cause, Cause::stopped);
  EXPECT_FALSE(exists("went_on"));
}

}  // namespace
}  // namespace dovetail::run
