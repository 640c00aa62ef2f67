// Pilots and steps inside the jobs of a real Slurm.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <set>

#include "batch/pilot/pilot.hpp"
#include "batch/pilot/pilot_file.hpp"
#include "support/file_checks.hpp"
#include "support/job_work.hpp"
#include "support/system/slurm_cluster.hpp"
#include "support/task_runner.hpp"
#include "support/whole_file.hpp"
#include "test_places.hpp"

namespace dovetail::batch {
namespace {

using run::AttemptEnd;
using testing::comes_true;
using testing::is_marked_done;
using testing::put;
using testing::SlurmCluster;
using testing::text_of;

class SlurmPilotLive : public ::testing::Test {
 protected:
  static constexpr int kNodes = 8;

  static void SetUpTestSuite() {
    if (!SlurmCluster::missing()) cluster_ = std::make_unique<SlurmCluster>(kNodes, 2);
  }
  static void TearDownTestSuite() { cluster_.reset(); }

  void SetUp() override {
    if (const auto missing = SlurmCluster::missing()) GTEST_SKIP() << *missing;
  }

  PilotOrder order(std::uint32_t pilot, Count nodes) const {
    return {.job_name = "flow-1.p" + std::to_string(pilot),
            .pilot = pilot,
            .nodes = nodes,
            .node = {.cores = 2},
            .request = 10 * kMinute};
  }

  PilotTask& add(PilotOrder& order, std::uint32_t number, const std::string& command,
                 std::vector<std::uint32_t> after = {}) const {
    order.tasks.push_back({.command = {.task = number,
                                       .attempt = 1,
                                       .command = command,
                                       .folder = own_.path().string(),
                                       .attempt_file = folder_.attempt(number, 1),
                                       .out_file = folder_.log(number, 1, "out"),
                                       .err_file = folder_.log(number, 1, "err"),
                                       .environment = {{"DOVETAIL_PROCESSORS", "2"}},
                                       .name = "task " + std::to_string(number),
                                       .expected = 1000},
                           .demand = {.cores = 2},
                           .after = std::move(after)});
    return order.tasks.back();
  }

  // Answers the job's number.
  std::string submit(const PilotOrder& order, const std::string& patience = "60") const {
    write_order(order_file(folder_, order.pilot), order);
    const std::string script = script_file(folder_, order.pilot);
    put(script, "#!/bin/sh\nexec " DOVETAIL_PROGRAM " pilot --patience=" + patience + " " +
                    order_file(folder_, order.pilot) + "\n");
    std::string id = cluster_->run({"sbatch", "--parsable", "--exclusive", "--no-requeue",
                                    "--time=10", "--nodes=" + std::to_string(order.nodes),
                                    "--output=" + output_file(folder_, order.pilot), script});
    id.resize(id.find('\n'));
    return id;
  }

  static bool is_over(const std::string& id) {
    return comes_true([&] {
      usleep(50'000);
      return cluster_->run({"squeue", "--noheader", "--jobs=" + id}).empty();
    });
  }

  PilotReport report(const PilotOrder& order) const { return read_report(folder_, order); }

  // That of a job that has come to an end.
  PilotReport run(const PilotOrder& order, const std::string& patience = "60") const {
    EXPECT_TRUE(is_over(submit(order, patience)));
    const PilotReport report = this->report(order);
    EXPECT_TRUE(report.began) << text_of(output_file(folder_, order.pilot));
    return report;
  }

  static std::map<std::uint32_t, PilotReport::EndedTask> ends_of(const PilotReport& report) {
    std::map<std::uint32_t, PilotReport::EndedTask> ends;
    for (const PilotReport::EndedTask& end : report.ends) ends.emplace(end.task, end);
    return ends;
  }

  bool appears(const std::string& name) const {
    return comes_true([&] { return std::filesystem::exists(own_.file(name)); });
  }

  static std::unique_ptr<SlurmCluster> cluster_;
  testing::TemporaryFolder own_;
  run::RunFolder folder_ = run::RunFolder::create(own_.file("state"), "flow");
};

std::unique_ptr<SlurmCluster> SlurmPilotLive::cluster_;

TEST_F(SlurmPilotLive, AllNodesAreUsedAtOnceByOneTaskEach) {
  PilotOrder order = this->order(1, kNodes);
  for (std::uint32_t i = 0; i < kNodes; ++i) {
    // Waits until all have come.
    add(order, i,
        "touch here-$SLURMD_NODENAME; echo $SLURMD_NODENAME $SLURM_CPUS_ON_NODE "
        "$DOVETAIL_PROCESSORS; for i in $(seq 600); do test $(ls here-* | wc -l) = 8 && exit 0; "
        "sleep 0.05; done; exit 1");
  }
  const PilotReport report = run(order);
  EXPECT_EQ(report.over, "done");
  EXPECT_EQ(report.nodes.size(), 8U);
  std::set<std::string> nodes;
  for (const PilotReport::BegunTask& start : report.starts) {
    nodes.insert(start.on.front().node);
    EXPECT_EQ(text_of(folder_.log(start.task, 1, "out")), start.on.front().node + " 2 2\n");
  }
  EXPECT_EQ(nodes.size(), 8U);
}

TEST_F(SlurmPilotLive, ManyShortTasksAreAllRunOnce) {
  PilotOrder order = this->order(1, kNodes);
  for (std::uint32_t i = 0; i < 100; ++i) add(order, i, "echo x >> ran-" + std::to_string(i));
  const PilotReport report = run(order);
  EXPECT_EQ(report.over, "done");
  EXPECT_EQ(report.starts.size(), 100U);
  EXPECT_EQ(ends_of(report).size(), 100U);
  for (std::uint32_t i = 0; i < 100; ++i) {
    EXPECT_EQ(text_of(own_.file("ran-" + std::to_string(i))), "x\n");
    EXPECT_TRUE(is_marked_done(folder_, i));
  }
}

TEST_F(SlurmPilotLive, FailuresAreToldAndOnlyWhatNeedsThemIsLeftOut) {
  PilotOrder order = this->order(1, 2);
  add(order, 1, "exit 7");
  add(order, 2, "true", {1});
  add(order, 3, "kill -9 $$");
  add(order, 4, "true").command.outputs = {"made"};
  add(order, 5, "true");
  const PilotReport report = run(order);
  EXPECT_EQ(report.over, "failed");
  const auto ends = ends_of(report);
  ASSERT_EQ(ends.size(), 4U);
  EXPECT_EQ(ends.at(1).end.exit_code, 7);
  EXPECT_EQ(ends.at(3).end.signal, 9);
  EXPECT_EQ(ends.at(4).missing, "made");
  EXPECT_TRUE(ends.at(5).end.is_success());
}

TEST_F(SlurmPilotLive, AJobWaitsForTheTasksOfAnother) {
  PilotOrder first = order(1, 1);
  add(first, 1, "sleep 1; touch first");
  PilotOrder second = order(2, 1);
  add(second, 2, "test -e first", {1});
  const std::string waits = submit(second);
  const std::string works = submit(first);
  EXPECT_TRUE(is_over(works) && is_over(waits));
  EXPECT_EQ(report(first).over, "done");
  EXPECT_EQ(report(second).over, "done");
}

TEST_F(SlurmPilotLive, WhatSlurmDoesNotStartIsToldInItsWords) {
  PilotOrder order = this->order(1, 1);
  order.node.cores = 9;
  add(order, 1, "true");
  const PilotReport report = run(order, "1");
  EXPECT_EQ(report.over, "failed");
  ASSERT_EQ(report.ends.size(), 1U);
  EXPECT_EQ(report.ends[0].end.cause, AttemptEnd::Cause::not_started);
  EXPECT_NE(report.ends[0].end.why.find("srun: error: Unable to create step"), std::string::npos)
      << report.ends[0].end.why;
}

TEST_F(SlurmPilotLive, TasksHaveTimeToEndWhenThePilotIsAskedTo) {
  PilotOrder order = this->order(1, 2);
  const std::string patient = "trap 'sleep 0.5; touch over-$T; exit 1' TERM; touch runs-$T; ";
  for (std::uint32_t i = 1; i <= 2; ++i) {
    add(order, i, "T=" + std::to_string(i) + "; " + patient + "while :; do sleep 0.05; done");
  }
  add(order, 3, "true");
  order.tasks.back().command.expected = 2000;
  const std::string id = submit(order);
  ASSERT_TRUE(appears("runs-1") && appears("runs-2"));
  cluster_->run({"scancel", "--batch", "--signal=TERM", id});
  EXPECT_TRUE(is_over(id));
  const PilotReport report = this->report(order);
  EXPECT_EQ(report.over, "asked");
  ASSERT_EQ(report.ends.size(), 2U);
  for (const PilotReport::EndedTask& end : report.ends) {
    EXPECT_EQ(end.end.cause, AttemptEnd::Cause::stopped);
    EXPECT_TRUE(std::filesystem::exists(own_.file("over-" + std::to_string(end.task))));
  }
}

TEST_F(SlurmPilotLive, TasksOfACancelledJobAreStoppedOrLost) {
  PilotOrder order = this->order(1, 2);
  for (std::uint32_t i = 1; i <= 2; ++i) {
    add(order, i, "touch runs-" + std::to_string(i) + "; sleep 100");
  }
  const std::string id = submit(order);
  ASSERT_TRUE(appears("runs-1") && appears("runs-2"));
  cluster_->run({"scancel", id});
  EXPECT_TRUE(is_over(id));
  const PilotReport report = this->report(order);
  EXPECT_EQ(report.starts.size(), 2U);
  for (const PilotReport::EndedTask& end : report.ends) {
    EXPECT_EQ(end.end.cause, AttemptEnd::Cause::stopped);
  }
  for (const PilotTask& task : order.tasks) {
    EXPECT_FALSE(run::read_attempt(task.command.attempt_file).still_runs());
  }
}

TEST_F(SlurmPilotLive, NothingRunsOnWhenThePilotIsKilled) {
  PilotOrder order = this->order(1, 2);
  for (std::uint32_t i = 1; i <= 2; ++i) {
    add(order, i, "touch runs-" + std::to_string(i) + "; sleep 100; touch never");
  }
  const std::string id = submit(order);
  ASSERT_TRUE(appears("runs-1") && appears("runs-2"));
  cluster_->run({"scancel", "--batch", "--signal=KILL", id});
  EXPECT_TRUE(is_over(id));
  const PilotReport report = this->report(order);
  EXPECT_EQ(report.starts.size(), 2U);
  EXPECT_EQ(report.over, "");
  for (const PilotReport::EndedTask& end : report.ends) EXPECT_FALSE(end.end.is_success());
  for (const PilotTask& task : order.tasks) {
    EXPECT_FALSE(run::read_attempt(task.command.attempt_file).still_runs());
  }
}

TEST_F(SlurmPilotLive, OfTasksOnANodeThatCrashedThereIsAStartAndNoEnd) {
  PilotOrder order = this->order(1, 2);
  for (std::uint32_t i = 1; i <= 2; ++i) {
    add(order, i, "touch runs-" + std::to_string(i) + "; sleep 100");
  }
  const std::string id = submit(order);
  ASSERT_TRUE(appears("runs-1") && appears("runs-2"));
  const PilotReport::BegunTask lost = report(order).starts.back();  // not on the pilot's own node
  const std::string node = lost.on.front().node;
  cluster_->crash_node(node);
  cluster_->run({"scontrol", "update", "nodename=" + node, "state=down", "reason=test"});
  EXPECT_TRUE(is_over(id));
  EXPECT_FALSE(ends_of(report(order)).contains(lost.task));
  cluster_->start_node(node);
  cluster_->run({"scontrol", "update", "nodename=" + node, "state=resume"});
}

}  // namespace
}  // namespace dovetail::batch
