// A real Slurm on this machine, for tests of what talks to one: scripts/slurm-cluster as an object.
//
//   if (const auto missing = SlurmCluster::missing()) GTEST_SKIP() << *missing;
//   SlurmCluster cluster(4);   // the commands of this process now find it
//   cluster.crash_node("n2");
//
// The cluster ends with the object. One at a time in a process, as SLURM_CONF names it.
#pragma once

#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "batch/timed_command.hpp"
#include "test_places.hpp"

namespace dovetail::testing {

class SlurmCluster {
 public:
  // What is not there, for the message of a test that is skipped.
  static std::optional<std::string> missing() {
    for (const char* program : {"munged", "slurmctld", "slurmd", "sbatch"}) {
      if (!is_installed(program)) return std::string(program) + " is not installed";
    }
    return {};
  }

  // `lines` stand in for those of the same name in slurm.conf. The nodes are n1, n2, ...
  explicit SlurmCluster(int nodes, int cpus = 2, const std::string& lines = "")
      : folder_(make_folder()) {
    try {
      script({"start", folder_, "--nodes", std::to_string(nodes), "--cpus", std::to_string(cpus),
              "--conf", lines});
    } catch (...) {
      std::filesystem::remove_all(folder_);
      throw;
    }
    setenv("SLURM_CONF", conf().c_str(), 1);
  }
  ~SlurmCluster() {
    unsetenv("SLURM_CONF");
    batch::run_command({kScript, "stop", folder_}, {.seconds = 60});
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  SlurmCluster(const SlurmCluster&) = delete;
  SlurmCluster& operator=(const SlurmCluster&) = delete;

  // Where a test may put files, too.
  const std::string& folder() const { return folder_; }
  std::string conf() const { return folder_ + "/slurm.conf"; }

  // Ends the node at once, with all that runs on it. Slurm takes up to half a minute to notice.
  void crash_node(const std::string& node) { script({"crash-node", folder_, node}); }
  void start_node(const std::string& node) { script({"start-node", folder_, node}); }

  // By "TERM" it saves its state, by "KILL" it does not.
  void stop_controller(const std::string& signal = "TERM") {
    script({"stop-controller", folder_, signal});
  }
  void start_controller() { script({"start-controller", folder_}); }

  // Runs one of Slurm's commands and answers what it prints. Throws when it fails.
  std::string run(const std::vector<std::string>& arguments) {
    const batch::CommandResult result = batch::run_command(arguments, {.seconds = 20});
    if (!result.is_fine()) {
      throw std::runtime_error(arguments.front() + " failed: " + result.out + result.err);
    }
    return result.out;
  }

 private:
  static constexpr const char* kScript = DOVETAIL_SOURCE_DIR "/scripts/slurm-cluster";

  static bool is_installed(const std::string& program) {
    for (const char* folder : {"/usr/sbin/", "/usr/bin/", "/sbin/", "/usr/local/sbin/"}) {
      if (access((folder + program).c_str(), X_OK) == 0) return true;
    }
    return false;
  }

  // Not in TMPDIR: sockets need a short path.
  static std::string make_folder() {
    char path[] = "/tmp/dvslXXXXXX";
    if (mkdtemp(path) == nullptr) throw std::runtime_error("cannot make a folder in /tmp");
    return path;
  }

  void script(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), kScript);
    const batch::CommandResult result = batch::run_command(arguments, {.seconds = 150});
    if (!result.is_fine()) throw std::runtime_error(result.out + result.err);
  }

  std::string folder_;
};

}  // namespace dovetail::testing
