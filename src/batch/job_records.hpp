// What Slurm tells about a cluster, as plain data: its nodes, partitions, reservations and jobs.
// text.hpp reads it from what the commands print, client.hpp asks them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dovetail/time.hpp"
#include "run/clock.hpp"

namespace dovetail::batch {

using run::WallTime;

enum class JobState : std::uint8_t {
  pending,
  running,  // also completing, suspended and the like: it holds its nodes
  completed,
  failed,
  timeout,
  out_of_memory,
  node_fail,
  cancelled,
  preempted,
  unknown,  // of a newer Slurm: neither over nor known to run
};

// Whether a job in that state will never run again.
constexpr bool is_over(JobState state) {
  return state != JobState::pending && state != JobState::running && state != JobState::unknown;
}

struct Job {
  std::string id;  // "123", or "123_4" of an array
  std::string name;
  std::string user = {};
  std::string account = {};                  // to which it is charged; empty without accounting
  std::string qos = {};                      // likewise
  std::vector<std::string> partitions = {};  // to which it may go; one that runs has one
  std::string reservation = {};              // in which it is to run; empty: none
  JobState state = JobState::unknown;
  std::string reason = {};  // why it waits: "Resources", "Priority", "Dependency", ...
  Count nodes = 1;
  Count cpus = 1;                            // of all its nodes
  std::vector<std::string> node_names = {};  // while it runs
  Duration limit = kForever;
  std::int64_t priority = 0;
  WallTime submitted = 0;
  std::optional<WallTime> start = {};  // of one that waits: as Slurm plans it, if it does
  std::optional<WallTime> end = {};    // of one that runs: at the latest
};

struct Node {
  std::string name;
  Count cpus = 1;
  bool is_usable = true;  // neither down nor drained nor about to be
  std::string state = {};
};

struct Partition {
  std::string name;
  bool is_default = false;
  bool is_up = true;
  std::vector<std::string> node_names = {};
  Duration max_time = kForever;
  Count min_nodes = 1;
  std::optional<Count> max_nodes = {};
  std::string qos = {};  // whose limits hold for all jobs in it; empty: none
};

struct ReservedNodes {
  std::string name;
  WallTime start = 0;
  WallTime end = 0;
  std::vector<std::string> node_names = {};
  std::vector<std::string> users = {};  // who may use it
  std::string flags = {};               // "MAINT,..."
};

// All of it at one moment.
struct ClusterPicture {
  WallTime at = 0;
  std::vector<Node> nodes = {};
  std::vector<Partition> partitions = {};
  std::vector<ReservedNodes> reservations = {};
  std::vector<Job> jobs = {};  // of everybody, also those that are over as long as Slurm keeps them
};

}  // namespace dovetail::batch
