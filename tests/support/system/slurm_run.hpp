// dovetail executing workflows on a real Slurm of eight nodes, for tests of whole runs there.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "batch/pilot_state.hpp"
#include "support/system/real_run.hpp"
#include "support/system/slurm_cluster.hpp"

namespace dovetail::testing {

class SlurmRunTest : public RealRun {
 protected:
  void SetUp() override {
    if (const auto missing = SlurmCluster::missing()) GTEST_SKIP() << *missing;
    cluster_.emplace(8);
  }

  // Slurm is asked every second: this one decides as often.
  int run(std::vector<std::string> arguments) const {
    return dovetail(std::move(arguments), kOften);
  }
  pid_t begin_run(std::vector<std::string> arguments) const {
    return begin(std::move(arguments), kOften);
  }

  // How often each task has run; it adds its name to the file `ran`.
  std::map<std::string, int> times_run() const {
    std::map<std::string, int> times;
    std::istringstream lines(text_of(file("ran")));
    for (std::string line; std::getline(lines, line);) ++times[line];
    return times;
  }

  void wait_for_tasks(std::size_t count) const {
    for (int i = 0; i < 600 && times_run().size() < count; ++i) usleep(100'000);
    ASSERT_GE(times_run().size(), count) << printed();
  }

  void wait_until_printed(const std::string& text) const {
    for (int i = 0; i < 400 && printed().find(text) == std::string::npos; ++i) usleep(50'000);
    ASSERT_NE(printed().find(text), std::string::npos) << printed();
  }

  std::string jobs_left() {
    for (int i = 0; i < 100; ++i) {
      if (cluster_->run({"squeue", "--noheader"}).empty()) return {};
      usleep(100'000);
    }
    return cluster_->run({"squeue"});
  }

  std::string reservations() {
    const std::string all = cluster_->run({"scontrol", "--oneliner", "show", "reservation"});
    return all.find("No reservations") != std::string::npos ? "" : all;
  }

  std::vector<batch::PilotStatus> jobs_of(const std::string& run_id = "flow-1") const {
    const auto jobs = batch::read_pilot_states(run::RunFolder::open(state_, run_id).journal());
    return {jobs.all().begin(), jobs.all().end()};
  }

  const Environment kOften = {{"DOVETAIL_SLURM_POLL", "1"}};
  std::optional<SlurmCluster> cluster_;
};

}  // namespace dovetail::testing
