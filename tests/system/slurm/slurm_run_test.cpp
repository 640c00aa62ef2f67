// Whole runs on a real Slurm: every strategy, and what goes wrong on the way.
#include "support/system/slurm_run.hpp"

#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <set>
#include <sstream>

namespace dovetail {
namespace {

constexpr int kLevels = 4;
constexpr int kWidth = 10;
constexpr int kTasks = kLevels * kWidth;

class SlurmRun : public testing::SlurmRunTest {
 protected:
  void SetUp() override {
    SlurmRunTest::SetUp();
    write_flow(1);
  }

  // Every task adds its name to `ran`, and what the two before it left to its own output.
  void write_flow(int seconds) const {
    std::ostringstream flow;
    flow << "name: flow\ntasks:\n";
    std::mt19937 random(7);
    for (int level = 0; level < kLevels; ++level) {
      for (int i = 0; i < kWidth; ++i) {
        const std::string id = name_of(level, i);
        std::string read;
        std::string after;
        for (const int j : {i, (i + 1) % kWidth}) {
          if (level == 0) continue;
          read += "cat " + name_of(level - 1, j) + " && ";
          after += (after.empty() ? "" : ", ") + name_of(level - 1, j);
        }
        flow << "  - {id: " << id << ", time: " << seconds << ", outputs: " << id
             << ", run: 'sleep " << seconds - 1 << "." << random() % 8 + 1 << " && { " << read
             << "echo " << id << "; } > " << id << ".part && echo " << id << " >> ran && mv " << id
             << ".part " << id << "', after: [" << after << "]}\n";
      }
    }
    write("flow.yaml", flow.str());
  }

  void forget_results() const {
    for (const auto& entry : std::filesystem::directory_iterator(folder())) {
      const std::string name = entry.path().filename().string();
      if (name == "ran" || name.starts_with("t")) std::filesystem::remove(entry.path());
    }
  }

  static std::string name_of(int level, int i) {
    return "t" + std::to_string(level) + "_" + std::to_string(i);
  }

  // Each task has run once, and all is as it must be.
  void expect_complete(const std::string& run_id = "flow-1") {
    for (const auto& [task, count] : times_run()) EXPECT_EQ(count, 1) << task << "\n" << printed();
    expect_right(run_id);
  }

  // All tasks are done, none that was done has run again, outputs are what they must be, and
  // nothing is left in the queue.
  void expect_right(const std::string& run_id = "flow-1") {
    EXPECT_EQ(state_of(run_id, kTasks).count(run::TaskState::done), std::size_t{kTasks})
        << printed();
    expect_no_second_success(run_id);
    for (int level = 0, lines = 1; level < kLevels; ++level, lines = 2 * lines + 1) {
      for (int i = 0; i < kWidth; ++i) {
        const std::string text = testing::text_of(file(name_of(level, i)));
        EXPECT_EQ(std::ranges::count(text, '\n'), lines) << name_of(level, i);
      }
    }
    EXPECT_EQ(jobs_left(), "");
  }

  void expect_no_second_success(const std::string& run_id) const {
    std::set<int> done;
    for (const run::Json& entry : journal(run_id)) {
      const int task = entry.value("task", -1);
      if (entry.value("what", "") == "start") {
        EXPECT_FALSE(done.contains(task)) << task << "\n" << printed();
      }
      const auto end = run::end_of(entry);
      if (end && end->is_success()) done.insert(task);
    }
    EXPECT_EQ(done.size(), std::size_t{kTasks});
  }
};

TEST_F(SlurmRun, CompletesUnderEveryStrategy) {
  int number = 0;
  for (const char* strategy :
       {"GLUME", "GLUME+", "ONEJOB", "LEVELBYLEVEL", "ZHANG", "ONEJOBPERTASK"}) {
    SCOPED_TRACE(strategy);
    forget_results();
    ASSERT_EQ(run({"run", "flow.yaml", "-c", "slurm", "--new", "--strategy", strategy}), 0)
        << printed();
    expect_complete("flow-" + std::to_string(++number));
  }
  EXPECT_EQ(jobs_of("flow-3").size(), 1U);
  EXPECT_EQ(jobs_of("flow-4").size(), std::size_t{kLevels});
  EXPECT_EQ(jobs_of("flow-6").size(), std::size_t{kTasks});
}

// Commands in front of Slurm's own write down that they were called.
TEST_F(SlurmRun, ADryRunLooksAtTheClusterOnce) {
  const std::string bin = file("bin");
  std::filesystem::create_directories(bin);
  for (const char* name : {"sbatch", "squeue", "sinfo", "scontrol", "sacct", "sacctmgr"}) {
    const std::string path = bin + "/" + name;
    testing::put(path, "#!/bin/sh\necho " + std::string(name) + " \"$@\" >> " + file("calls") +
                           "\nPATH=${PATH#" + bin + ":}\nexec " + name + " \"$@\"\n");
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  }
  const std::string path = bin + ":" + getenv("PATH");
  ASSERT_EQ(dovetail({"run", "flow.yaml", "-c", "slurm", "--dry-run"}, {{"PATH", path}}), 0)
      << printed();
  const std::string calls = testing::text_of(file("calls"));
  EXPECT_LE(std::ranges::count(calls, '\n'), 6) << calls;
  EXPECT_NE(calls.find("squeue"), std::string::npos) << calls;
  EXPECT_EQ(calls.find("squeue"), calls.rfind("squeue")) << calls;
}

TEST_F(SlurmRun, SurvivesThirtyKills) {
  std::mt19937 random(11);
  int kills = 0;
  for (int round = 1; kills < 30; ++round) {
    const std::string strategy = round % 2 == 0 ? "LEVELBYLEVEL" : "ONEJOBPERTASK";
    forget_results();
    const std::string id = "flow-" + std::to_string(round);
    std::vector<std::string> command = {"run",   "flow.yaml",  "-c",    "slurm",
                                        "--new", "--strategy", strategy};
    for (;;) {
      const pid_t process = begin_run(command);
      usleep(100'000 + random() % 1'500'000);
      const bool was_running = waitpid(process, nullptr, WNOHANG) == 0;
      if (!was_running) break;
      kill(process, SIGKILL);
      wait_for(process);
      ++kills;
      const bool has_begun = std::filesystem::exists(state_ + "/runs/" + id + "/run.json");
      if (has_begun) command = {"resume", id};
    }
    expect_complete(id);
  }
}

TEST_F(SlurmRun, GoesOnWhenTheControllerWasAway) {
  const pid_t process =
      begin_run({"run", "flow.yaml", "-c", "slurm", "--strategy", "LEVELBYLEVEL"});
  wait_for_tasks(5);
  cluster_->stop_controller();
  usleep(3'000'000);
  cluster_->start_controller();
  EXPECT_EQ(wait_for(process), 0) << printed();
  expect_complete();
}

// What was submitted right before a crash is not in the state that the controller comes back with.
TEST_F(SlurmRun, JobsThatACrashOfTheControllerLostAreSubmittedOnceMore) {
  cluster_->run({"sbatch", "--exclusive", "--nodes=8", "--time=1", "--wrap=sleep 12"});
  usleep(7'000'000);  // this one is saved
  const pid_t process = begin_run({"run", "flow.yaml", "-c", "slurm", "--strategy", "ONEJOB"});
  wait_until_printed("expected to start");
  usleep(300'000);
  cluster_->stop_controller("KILL");
  cluster_->start_controller();
  EXPECT_EQ(wait_for(process), 0) << printed();
  expect_complete();
  EXPECT_LE(jobs_of().front().tries, 2U);
}

TEST_F(SlurmRun, JobThatSomebodyElseCancelsIsReplaced) {
  const pid_t process = begin_run({"run", "flow.yaml", "-c", "slurm", "--strategy", "ONEJOB"});
  wait_for_tasks(8);
  cluster_->run({"scancel", "--user=" + std::to_string(getuid())});
  EXPECT_EQ(wait_for(process), 0) << printed();
  EXPECT_EQ(jobs_of().size(), 2U);
  EXPECT_EQ(jobs_of().front().why, "cancelled from outside");
  expect_right();
}

TEST_F(SlurmRun, ManyJobsThatSomebodyElseCancelsAreReplaced) {
  const pid_t process =
      begin_run({"run", "flow.yaml", "-c", "slurm", "--strategy", "ONEJOBPERTASK"});
  wait_for_tasks(3);
  cluster_->run({"scancel", "--user=" + std::to_string(getuid())});
  EXPECT_EQ(wait_for(process), 0) << printed();
  EXPECT_GT(jobs_of().size(), std::size_t{kTasks});
  expect_right();
}

// Tasks of one job are on nodes of their own, and so is what they start.
TEST_F(SlurmRun, WhatATaskStartsStaysOnItsNode) {
  std::string flow = "name: flow\ntasks:\n";
  for (int i = 0; i < 4; ++i) {
    flow += "  - {id: t" + std::to_string(i) +
            ", time: 3, processors: 2, run: 'srun sh -c \"echo \\$SLURMD_NODENAME\" > nodes" +
            std::to_string(i) + "; echo $SLURMD_NODENAME > own" + std::to_string(i) +
            "; sleep 1'}\n";
  }
  write("flow.yaml", flow);
  ASSERT_EQ(run({"run", "flow.yaml", "-c", "slurm", "--strategy", "ONEJOB"}), 0) << printed();
  for (int i = 0; i < 4; ++i) {
    const std::string own = testing::text_of(file("own" + std::to_string(i)));
    EXPECT_EQ(testing::text_of(file("nodes" + std::to_string(i))), own + own) << printed();
  }
}

// Slurm looks at time limits every half minute.
TEST_F(SlurmRun, JobWhoseTimeIsOverLeavesTheRestToAnother) {
  write_flow(6);
  const pid_t process = begin_run({"run", "flow.yaml", "-c", "slurm", "--strategy", "ONEJOB"});
  wait_for_tasks(8);
  cluster_->run({"scontrol", "update", "jobid=" + jobs_of().front().job_id, "EndTime=now+1"});
  EXPECT_EQ(wait_for(process), 0) << printed();
  ASSERT_EQ(jobs_of().size(), 2U) << printed();
  EXPECT_EQ(jobs_of().front().why, "its time was over");
  EXPECT_LT(jobs_of().back().tasks.size(), std::size_t{kTasks - 7});
  expect_right();
}

TEST_F(SlurmRun, NodeThatCrashesCostsOnlyWhatRanOnIt) {
  const pid_t process = begin_run({"run", "flow.yaml", "-c", "slurm", "--strategy", "ONEJOB"});
  wait_for_tasks(8);
  // At once, rather than when Slurm notices.
  cluster_->crash_node("n3");
  cluster_->run({"scontrol", "update", "nodename=n3", "state=down", "reason=test"});
  EXPECT_EQ(wait_for(process), 0) << printed();
  expect_right();
}

TEST_F(SlurmRun, CancelEndsItsJobsAndNoOthers) {
  const std::string other = cluster_->run(
      {"sbatch", "--parsable", "--exclusive", "--nodes=7", "--time=1", "--wrap=sleep 30"});
  const pid_t process = begin_run({"run", "flow.yaml", "-c", "slurm", "--strategy", "ONEJOB"});
  wait_until_printed("expected to start");
  EXPECT_EQ(run({"cancel", "flow-1"}), 0) << printed();
  EXPECT_EQ(wait_for(process), 1);
  usleep(1'000'000);
  EXPECT_EQ(cluster_->run({"squeue", "--noheader", "--format=%i"}), other);
}

TEST_F(SlurmRun, FailedTaskIsTriedAgainAsOftenAsItMay) {
  write("flow.yaml",
        "name: flow\ntasks:\n"
        "  - {id: a, time: 1, run: 'echo a >> ran; test $(wc -l < ran) -gt 1', retries: 1}\n"
        "  - {id: b, time: 1, run: 'exit 3'}\n"
        "  - {id: c, time: 1, after: b, run: 'true'}\n"
        "  - {id: d, time: 1, after: a, run: 'true'}\n");
  EXPECT_EQ(run({"run", "flow.yaml", "-c", "slurm", "--strategy", "ONEJOB", "--keep-going"}), 1);
  const run::RunState state = state_of("flow-1", 4);
  EXPECT_EQ(state.count(run::TaskState::done), 2U) << printed();
  EXPECT_EQ(state.tasks()[0].attempt, 2U);
  EXPECT_EQ(state.tasks()[1].end.exit_code, 3);
  EXPECT_EQ(state.tasks()[2].state, run::TaskState::waiting);
}

}  // namespace
}  // namespace dovetail
