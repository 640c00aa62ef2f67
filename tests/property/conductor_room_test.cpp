// Runs on this machine whose tasks need memory and GPUs, alone and beside each other.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <thread>

#include "dovetail/error.hpp"
#include "run/conductor.hpp"
#include "run/local/machine_leases.hpp"
#include "run/run_description.hpp"
#include "support/file_checks.hpp"
#include "support/task_runner.hpp"
#include "support/whole_file.hpp"

namespace dovetail::run {
namespace {

using testing::text_of;

class ConductorRoomTest : public testing::TaskRunner {
 protected:
  static RunDescription describe(const std::string& folder, int tasks, const TaskNeeds& needs,
                                 const MemoryAndGpus& limit, const std::string& command) {
    WorkflowBuilder builder("flow");
    for (int task = 0; task < tasks; ++task) {
      builder.add_task({.id = fmt::format("t{}", task),
                        .time = TimeSpec::fixed(0.1),
                        .run = command,
                        .needs = needs});
    }
    return {.workflows = {std::move(builder).build()},
            .folder = folder,
            .platform = Platform::empty(8, "local"),
            .limit = limit};
  }

  RunState conducted(const RunDescription& description, std::vector<std::string>* warnings = {}) {
    const RunFolder folder = begin_run(file("state"), description).folder;
    RunControl control;
    const Problem problem = description.problem();
    RunOptions options = description.options();
    options.warned = [&](const std::string& what) {
      if (warnings != nullptr) warnings->push_back(what);
    };
    RunEnd end = conduct(folder, problem, options, nursery_, control);
    EXPECT_EQ(end.outcome, RunOutcome::done);
    return std::move(end.state);
  }

  void TearDown() override {
    EXPECT_FALSE(std::filesystem::exists(file("clash"))) << text_of(file("clash"));
    nursery_.reset();
    TaskRunner::TearDown();
  }

  std::shared_ptr<Nursery> nursery_ = std::make_shared<Nursery>();
};

// A folder for each GPU that a task has: made by one task at a time.
constexpr const char* kHoldsGpus =
    "[ \"$CUDA_VISIBLE_DEVICES/$ROCR_VISIBLE_DEVICES\" = \"$DOVETAIL_GPUS/$DOVETAIL_GPUS\" ] || "
    "echo visible >> clash\n"
    "IFS=,; for gpu in $DOVETAIL_GPUS; do mkdir gpu$gpu || echo $gpu >> clash; done\n"
    "sleep 0.03; for gpu in $DOVETAIL_GPUS; do rmdir gpu$gpu; echo $gpu >> used; done";

TEST_F(ConductorRoomTest, EachGpuHasOneTaskAtATime) {
  const RunState state = conducted(describe(file(""), 12, {.gpus = 2}, {.gpus = 3}, kHoldsGpus));
  for (const TaskStatus& task : state.tasks()) EXPECT_EQ(task.gpus.size(), 2U);
  EXPECT_EQ(text_of(file("used")).size(), 2U * 2 * 12);
}

TEST_F(ConductorRoomTest, RunsAtOnceShareTheGpus) {
  const auto description = describe(file(""), 15, {.gpus = 1}, {.gpus = 2}, kHoldsGpus);
  std::thread other([&] { conducted(description); });
  conducted(description);
  other.join();
  EXPECT_EQ(text_of(file("used")).size(), 2U * 30);
}

TEST_F(ConductorRoomTest, ATaskWithoutGpusIsToldNothingOfThem) {
  unsetenv("CUDA_VISIBLE_DEVICES");
  conducted(describe(file(""), 1, {.memory = kMebibyte}, {.memory = kGibibyte, .gpus = 2},
                     "echo \"${DOVETAIL_GPUS-none}${CUDA_VISIBLE_DEVICES-none}\" > seen"));
  EXPECT_EQ(text_of(file("seen")), "nonenone\n");
}

// A line when a task begins and one when it ends: never more than three begun at a time.
constexpr const char* kCounts = "echo + >> trace; sleep 0.03; echo - >> trace";

int most_at_a_time(const std::string& trace) {
  int now = 0;
  int most = 0;
  for (const char letter : trace) {
    if (letter == '+') most = std::max(most, ++now);
    if (letter == '-') --now;
  }
  return most;
}

TEST_F(ConductorRoomTest, MemoryIsNeverGivenTwice) {
  const MemoryAndGpus limit{.memory = 10 * kMebibyte};
  conducted(describe(file(""), 14, {.memory = 3 * kMebibyte}, limit, kCounts));
  const std::string trace = text_of(file("trace"));
  EXPECT_EQ(std::ranges::count(trace, '-'), 14);
  EXPECT_EQ(most_at_a_time(trace), 3);
}

TEST_F(ConductorRoomTest, WithoutLeasesRunsGoOnAndSaySoOnce) {
  std::filesystem::create_directories(file("state"));
  testing::put(file("state/leases"), "no folder");
  std::vector<std::string> warnings;
  const RunState state = conducted(describe(file(""), 6, {.memory = kMebibyte, .gpus = 1},
                                            {.memory = 4 * kMebibyte, .gpus = 2}, kHoldsGpus),
                                   &warnings);
  EXPECT_EQ(state.count(TaskState::done), 6U);
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_EQ(warnings[0], lease_file(file("state")) +
                             ": cannot be used: Not a directory; several runs at once may use the "
                             "same cores, memory and GPUs");
}

TEST_F(ConductorRoomTest, ALeaseIsGivenBackWhenTheTaskHasEnded) {
  conducted(describe(file(""), 4, {.memory = kMebibyte, .gpus = 1},
                     {.memory = 4 * kMebibyte, .gpus = 2}, "true"));
  MachineLeases leases(lease_file(file("state")));
  EXPECT_EQ(leases.memory_held(), 0);
  EXPECT_TRUE(leases.gpus_held().empty());
}

TEST_F(ConductorRoomTest, WhatNeverFitsIsRefused) {
  const auto why = [&](const TaskNeeds& needs, const MemoryAndGpus& limit) -> std::string {
    try {
      describe(file(""), 1, needs, limit, "true").check();
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(why({.memory = 3 * kGibibyte}, {.memory = 2 * kGibibyte}),
            "workflow \"flow\": task \"t0\" needs 3.0 GiB of memory, and this run may use 2.0 GiB; "
            "--memory says how much it may use");
  EXPECT_EQ(why({.gpus = 2}, {.gpus = 1}),
            "workflow \"flow\": task \"t0\" needs 2 GPUs, and this run may use 1; --gpus says how "
            "many it may use");
  EXPECT_EQ(why({.memory = 3 * kGibibyte}, {}), "") << "nothing is known of the memory";
}

}  // namespace
}  // namespace dovetail::run
