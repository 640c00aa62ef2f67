// The ends of a run, where exactly once is hardest: two processes that begin the same run, one that
// is killed after its last task, and journals that a bad disk has damaged.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <thread>

#include "support/random_problem.hpp"
#include "support/system/real_run.hpp"

namespace dovetail {
namespace {

namespace fs = std::filesystem;
using testing::Dice;

class RunEndsTest : public testing::RealRun {
 protected:
  // How often each task has begun and ended.
  std::map<std::string, int> trace() const {
    std::map<std::string, int> lines;
    std::ifstream file(this->file("trace"));
    for (std::string line; std::getline(file, line);) ++lines[line];
    return lines;
  }

  int most_often() const {
    int most = 0;
    for (const auto& [line, count] : trace()) most = std::max(most, count);
    return most;
  }

  // Waits for what must come sooner or later.
  template <typename Condition>
  static bool comes_true(Condition condition) {
    using namespace std::chrono_literals;
    for (const auto until = std::chrono::steady_clock::now() + 60s; !condition();) {
      if (std::chrono::steady_clock::now() > until) return false;
      std::this_thread::sleep_for(1ms);
    }
    return true;
  }

  // The exit code of one of the processes, which is then 0; nothing while both run.
  static std::optional<int> first_end(pid_t (&children)[2]) {
    for (pid_t& child : children) {
      int status = 0;
      if (child == 0 || waitpid(child, &status, WNOHANG) != child) continue;
      child = 0;
      return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }
    return std::nullopt;
  }

  std::string journal_file(const std::string& run) const {
    return run::RunFolder::open(state_, run).journal();
  }
};

const std::string kTrace = "echo begin $DOVETAIL_TASK >> trace; ";

TEST_F(RunEndsTest, TheSameRunTwiceAtOnceRunsEveryTaskOnce) {
  // The first task ends when one of the two processes has given up.
  write("flow.yaml", "name: flow\ntasks:\n  - {id: a, time: 1, run: '" + kTrace +
                         "until [ -e go ]; do sleep 0.01; done'}\n  - {id: b, after: [a], time: 1, "
                         "run: '" +
                         kTrace + "true'}\n");
  for (int round = 0; round < 10; ++round) {
    SCOPED_TRACE(round);
    for (const char* name : {"trace", "go", "printed"}) fs::remove(file(name));
    pid_t children[] = {begin({"run", "flow.yaml", "-j", "2"}),
                        begin({"run", "flow.yaml", "-j", "2"})};
    std::optional<int> code;
    const bool is_decided = comes_true([&] {
      code = first_end(children);
      return code.has_value() || most_often() > 1;
    });
    write("go", "");
    for (const pid_t child : children) {
      if (child == 0) continue;
      EXPECT_EQ(wait_for(child), 0) << printed();
    }
    ASSERT_TRUE(is_decided);
    EXPECT_EQ(code, 2) << printed();
    EXPECT_NE(printed().find(" the same in this folder"), std::string::npos) << printed();
    ASSERT_EQ(most_often(), 1);
    ASSERT_EQ(trace().size(), 2U);
  }
}

TEST_F(RunEndsTest, KilledAfterItsLastTaskTheSameCommandRunsNothingAgain) {
  std::string text = "name: flow\ntasks:\n";
  for (int task = 0; task < 4; ++task) {
    text += "  - {id: t" + std::to_string(task) + ", time: 1, run: '" + kTrace + "true'}\n";
  }
  write("flow.yaml", text);
  Dice dice(3);
  int kills = 0;
  for (int round = 1; round <= 30; ++round) {
    SCOPED_TRACE(round);
    fs::remove_all(state_);
    for (const char* name : {"trace", "printed"}) fs::remove(file(name));
    const pid_t child = begin({"run", "flow.yaml", "-j", "2"});
    ASSERT_TRUE(comes_true([&] { return trace().size() == 4; }));
    usleep(static_cast<useconds_t>(dice.between(0, 40'000)));
    kill(child, SIGKILL);
    wait_for(child);
    // Once the end is told, the same command runs the workflow once more.
    if (printed().find("all 4 tasks done") != std::string::npos) continue;
    ++kills;
    ASSERT_EQ(dovetail({"run", "flow.yaml", "-j", "2"}), 0) << printed();
    ASSERT_EQ(most_often(), 1) << printed();
    ASSERT_EQ(journal("flow-1").back().value("what", ""), "done");
  }
  EXPECT_GT(kills, 0);
}

// Two tasks that are done and one that fails.
const std::string kFailing = "name: flow\ntasks:\n  - {id: a, time: 1, run: '" + kTrace +
                             "true'}\n  - {id: b, after: [a], time: 1, run: '" + kTrace +
                             "true'}\n  - {id: c, after: [b], time: 1, run: '" + kTrace +
                             "test -e repaired'}\n";

TEST_F(RunEndsTest, ADamagedJournalIsNamedAndNothingRunsAgain) {
  write("flow.yaml", kFailing);
  ASSERT_EQ(dovetail({"run", "flow.yaml"}), 1);
  const std::string whole = testing::text_of(journal_file("flow-1"));
  const std::size_t done = whole.find("\"exit\":0");
  ASSERT_NE(done, std::string::npos);
  std::string damaged = whole;
  damaged[done + 7] = '1';  // done becomes failed
  testing::put(journal_file("flow-1"), damaged);
  write("repaired", "");
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"resume", "flow-1"}, {"run", "flow.yaml"}}) {
    fs::remove(file("printed"));
    EXPECT_EQ(dovetail(command), 2);
    EXPECT_NE(printed().find("damaged: its checksum does not match"), std::string::npos)
        << printed();
  }
  EXPECT_NE(printed().find("--new"), std::string::npos) << printed();
  EXPECT_EQ(most_often(), 1);
  testing::put(journal_file("flow-1"), whole);
  EXPECT_EQ(dovetail({"resume", "flow-1"}), 0) << printed();
  EXPECT_EQ(trace()["begin a"], 1);
  EXPECT_EQ(trace()["begin c"], 2);
}

TEST_F(RunEndsTest, WhatAShortenedJournalForgotIsTakenFromTheAttempts) {
  write("flow.yaml", kFailing);
  ASSERT_EQ(dovetail({"run", "flow.yaml"}), 1);
  write("repaired", "");
  const std::string file = journal_file("flow-1");
  const std::string whole = testing::text_of(file);
  testing::put(file, whole.substr(0, whole.find('\n') + 1));  // only that it began
  EXPECT_EQ(dovetail({"resume", "flow-1"}), 0) << printed();
  EXPECT_EQ(trace()["begin a"], 1);
  EXPECT_EQ(trace()["begin b"], 1);
  EXPECT_EQ(trace()["begin c"], 2) << "it had failed";
}

TEST_F(RunEndsTest, OthersCannotReadTheState) {
  write("flow.yaml", "name: flow\ntasks: [{id: a, time: 1, run: echo secret}]\n");
  const mode_t before = umask(0);
  const int code = dovetail({"run", "flow.yaml"});
  umask(before);
  ASSERT_EQ(code, 0) << printed();
  const auto mode = [&](const std::string& path) {
    struct stat about {};
    EXPECT_EQ(stat((state_ + path).c_str(), &about), 0) << path;
    return about.st_mode & 0777U;
  };
  for (const char* folder : {"", "/runs", "/runs/flow-1", "/runs/flow-1/logs", "/beginning"}) {
    EXPECT_EQ(mode(folder), 0700U) << folder;
  }
  for (const char* file : {"run.json", "journal.ndjson", "lock", "nursery.lock", "attempts/0.1",
                           "logs/0.1.out", "logs/0.1.err"}) {
    EXPECT_EQ(mode(std::string("/runs/flow-1/") + file), 0600U) << file;
  }
}

TEST_F(RunEndsTest, WithoutSyncIsKeptInTheRun) {
  write("flow.yaml", "name: flow\ntasks: [{id: a, time: 1, run: touch made, outputs: [made]}]\n");
  ASSERT_EQ(dovetail({"run", "flow.yaml", "--no-sync"}), 0) << printed();
  const std::string description = testing::text_of(state_ + "/runs/flow-1/run.json");
  EXPECT_NE(description.find("\"sync\":false"), std::string::npos) << description;
}

}  // namespace
}  // namespace dovetail
