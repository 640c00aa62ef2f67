// A pilot with real tasks, without a batch system: its steps are processes of this program, whose
// main (slurm_pilot_test.cpp) runs a task as `dovetail step` does.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "batch/pilot/pilot.hpp"
#include "run/journal_file.hpp"
#include "support/fake_system.hpp"
#include "support/file_checks.hpp"
#include "support/task_runner.hpp"
#include "support/whole_file.hpp"

namespace dovetail::batch {

using Random = std::mt19937;

inline std::uint32_t below(Random& random, std::uint32_t bound) {
  return std::uniform_int_distribution<std::uint32_t>(0, bound - 1)(random);
}

class PilotInPlace : public ::testing::Test {
 protected:
  void SetUp() override {
    alarm(300);                        // a test that hangs ends the program
    prctl(PR_SET_CHILD_SUBREAPER, 1);  // what a killed pilot leaves behind is found
  }
  void TearDown() override {
    EXPECT_TRUE(everything_has_ended());
    alarm(0);
  }

  static bool everything_has_ended() {
    return testing::comes_true([] { return waitpid(-1, nullptr, WNOHANG) < 0; });
  }

  PilotTask& add(std::uint32_t number, const std::string& command,
                 std::vector<std::uint32_t> after = {}, Duration expected = 10) {
    const std::string log = own_.file("log");
    order_.tasks.push_back({.command = {.task = number,
                                        .attempt = 1,
                                        .command = "echo s $T >> " + log + "; " + command +
                                                   "; x=$?; echo e $T >> " + log + "; exit $x",
                                        .folder = own_.path().string(),
                                        .attempt_file = folder_.attempt(number, 1),
                                        .out_file = folder_.log(number, 1, "out"),
                                        .err_file = folder_.log(number, 1, "err"),
                                        .environment = {{"T", std::to_string(number)}},
                                        .grace_seconds = 0.2,
                                        .name = "t" + std::to_string(number),
                                        .expected = expected},
                            .after = std::move(after)});
    return order_.tasks.back();
  }

  static PilotOptions options() {
    return {.first_look = 5, .last_look = 20, .margin = 0, .settle = 100, .patience = 150};
  }

  JobAllocation allocation(Duration length = 60'000) const {
    JobAllocation allocation{.job_id = "42", .nodes = {}, .until = run::wall_now() + length};
    for (Count i = 1; i <= order_.nodes; ++i) allocation.nodes.push_back("n" + std::to_string(i));
    return allocation;
  }

  std::string run(const PilotOptions& options, Duration length = 60'000) const {
    write_order(order_file(folder_, 1), order_);
    return run_pilot(folder_, read_order(order_file(folder_, 1)), allocation(length), system_,
                     options);
  }
  std::string run() const { return run(options()); }

  // A pilot in a process of its own.
  pid_t begin() const {
    write_order(order_file(folder_, 1), order_);
    const pid_t pilot = fork();
    if (pilot == 0)
      _exit(run_pilot(folder_, order_, allocation(), system_, options()) == "done" ? 0 : 1);
    return pilot;
  }

  PilotReport report() const { return read_report(folder_, order_); }

  std::map<std::uint32_t, PilotReport::EndedTask> ends() const {
    std::map<std::uint32_t, PilotReport::EndedTask> ends;
    for (const PilotReport::EndedTask& end : report().ends) {
      EXPECT_TRUE(ends.emplace(end.task, end).second) << "two ends of " << end.task;
    }
    return ends;
  }

  const PilotTask& task(std::uint32_t number) const {
    return *std::ranges::find_if(
        order_.tasks, [&](const PilotTask& task) { return task.command.task == number; });
  }

  bool is_inside(std::uint32_t number) const {
    return std::ranges::any_of(order_.tasks,
                               [&](const PilotTask& task) { return task.command.task == number; });
  }

  // In a new folder; what is outside of it is done.
  void random_order(Random& random) {
    std::filesystem::remove_all(own_.file("state"));
    std::filesystem::remove(own_.file("log"));
    folder_ = run::RunFolder::create(own_.file("state"), "flow");
    order_.tasks.clear();
    for (const std::uint32_t outside : {1000, 1001}) mark_done(folder_, outside);
    order_.nodes = 1 + below(random, 4);
    order_.node = {.cores = 1 + static_cast<Count>(below(random, 4))};
    order_.node.gpus = static_cast<Count>(below(random, 3));
    order_.picks_longest = below(random, 2) == 0;
    const std::uint32_t count = 1 + below(random, 10);
    for (std::uint32_t i = 0; i < count; ++i) {
      std::vector<std::uint32_t> after;
      for (std::uint32_t before = 0; before < i; ++before) {
        if (below(random, 4) == 0) after.push_back(before);
      }
      if (below(random, 8) == 0) after.push_back(1000 + below(random, 2));  // outside
      const Duration length = below(random, 4) * 4;
      const bool fails = below(random, 10) == 0;
      PilotTask& task = add(i, "sleep 0.0" + std::to_string(10 + length) + (fails ? "; false" : ""),
                            after, length);
      const bool is_wide = order_.nodes > 1 && below(random, 8) == 0;
      task.demand = {.nodes = is_wide ? 2 : 1,
                     .cores = 1 + static_cast<Count>(below(random, order_.node.cores)),
                     .gpus = static_cast<Count>(below(random, order_.node.gpus + 1)),
                     .is_whole = is_wide && below(random, 2) == 0};
    }
    std::ranges::shuffle(order_.tasks, random);
  }

  // The cores and GPUs of nodes that tasks have, each by one task at a time.
  class Holdings {
   public:
    void take(std::uint32_t task, const std::vector<NodeShare>& on) {
      for (const NodeShare& share : on) {
        for (const int core : share.cores) add(task, share.node + " core " + std::to_string(core));
        for (const int gpu : share.gpus) add(task, share.node + " gpu " + std::to_string(gpu));
      }
    }
    void give_back(std::uint32_t task) {
      std::erase_if(held_, [&](const auto& held) { return held.second == task; });
    }

   private:
    void add(std::uint32_t task, const std::string& what) {
      const auto [found, is_new] = held_.emplace(what, task);
      EXPECT_TRUE(is_new) << what << " of " << task << " and " << found->second;
    }
    std::map<std::string, std::uint32_t> held_;
  };

  void expect_share(const PilotReport::BegunTask& start) const;
  void expect_report_in_order() const;
  void expect_tasks_in_order() const;

  testing::TemporaryFolder own_;
  run::RunFolder folder_ = run::RunFolder::create(own_.file("state"), "flow");
  // Its steps are this program, which runs a task as `dovetail step` does.
  testing::FakeSystem system_;
  PilotOrder order_ = {.job_name = "flow-1.p1", .pilot = 1};
};

// It has what it takes, on different nodes of the job.
inline void PilotInPlace::expect_share(const PilotReport::BegunTask& start) const {
  const NodeDemand& demand = task(start.task).demand;
  std::set<std::string> nodes;
  for (const NodeShare& share : start.on) {
    const NodeType& node = order_.node;
    EXPECT_TRUE(nodes.insert(share.node).second) << share.node;
    EXPECT_EQ(share.cores.size(),
              static_cast<std::size_t>(demand.is_whole ? node.cores : demand.cores));
    EXPECT_EQ(share.gpus.size(),
              static_cast<std::size_t>(demand.is_whole ? node.gpus : demand.gpus));
    for (const int core : share.cores) EXPECT_TRUE(core >= 0 && core < node.cores) << core;
  }
  EXPECT_EQ(nodes.size(), static_cast<std::size_t>(demand.nodes));
}

// As the pilot saw it: what it started when, and that no ready task was to be preferred.
inline void PilotInPlace::expect_report_in_order() const {
  std::set<std::uint32_t> started;
  std::set<std::uint32_t> done;
  Holdings holdings;
  std::map<std::uint32_t, PilotReport::BegunTask> starts;
  for (const PilotReport::BegunTask& start : report().starts) starts[start.task] = start;
  const auto is_ready = [&](const PilotTask& task) {
    return std::ranges::all_of(task.after, [&](auto before) { return done.contains(before); });
  };
  const auto preferred = [&](const PilotTask& a, const PilotTask& b) {
    const Duration first = a.command.expected;
    const Duration second = b.command.expected;
    if (first == second) return &a < &b;
    return order_.picks_longest ? first > second : first < second;
  };
  if (!std::filesystem::exists(report_file(folder_, 1))) return;
  run::read_journal(report_file(folder_, 1), [&](const run::Json& entry) {
    if (entry["what"] == "start") {
      const PilotTask& next = task(entry["task"]);
      for (const auto before : next.after) {
        EXPECT_TRUE(done.contains(before) || !is_inside(before)) << entry;
      }
      for (const PilotTask& other : order_.tasks) {
        // What takes more may have to wait.
        if (other.demand != next.demand) continue;
        EXPECT_FALSE(!started.contains(other.command.task) && is_ready(other) &&
                     preferred(other, next))
            << other.command.name << " should come before " << next.command.name;
      }
      EXPECT_TRUE(started.insert(next.command.task).second) << entry;
      expect_share(starts.at(next.command.task));
      holdings.take(next.command.task, starts.at(next.command.task).on);
    } else if (entry["what"] == "end") {
      holdings.give_back(entry["task"]);
      if (entry["cause"] == "ended" && entry["exit"] == 0) done.insert(entry["task"].get<int>());
    }
  });
}

// As the tasks saw it, which wrote into one file when they began and ended.
inline void PilotInPlace::expect_tasks_in_order() const {
  std::map<std::uint32_t, std::vector<NodeShare>> on;
  for (const PilotReport::BegunTask& start : report().starts) on[start.task] = start.on;
  std::set<std::uint32_t> ended;
  Holdings holdings;
  std::ifstream log(own_.file("log"));
  std::string what;
  for (std::uint32_t number = 0; log >> what >> number;) {
    ASSERT_TRUE(on.contains(number)) << "never written down: " << number;
    if (what == "s") {
      for (const auto before : task(number).after) {
        EXPECT_TRUE(ended.contains(before) || !is_inside(before)) << number;
      }
      holdings.take(number, on[number]);
    } else {
      holdings.give_back(number);
      ended.insert(number);
    }
  }
}

}  // namespace dovetail::batch
