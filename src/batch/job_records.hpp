// What a batch system tells about its cluster, as plain data: nodes, partitions, reservations and
// jobs. system.hpp asks for it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dovetail/nodes.hpp"
#include "dovetail/time.hpp"
#include "run/clock.hpp"

namespace dovetail::batch {

using run::WallTime;

enum class JobState : std::uint8_t {
  pending,
  running,  // also completing, suspended, ...: it holds its nodes
  completed,
  failed,
  timeout,
  out_of_memory,
  node_fail,
  cancelled,
  preempted,
  unknown,  // a word of a newer version: neither over nor known to run
};

// Whether a job in that state will never run again.
constexpr bool is_over(JobState state) {
  return state != JobState::pending && state != JobState::running && state != JobState::unknown;
}

// What a waiting job waits for.
enum class WaitsFor : std::uint8_t {
  nodes,      // its turn: the system plans a start for it
  condition,  // a dependency, a date, a limit of its user: it has no place in the queue yet
  help,       // a person has to do something: it is held, for instance
  nothing,    // it will never start
};

struct ClusterJob {
  std::string id;  // "123", or "123_4" of an array
  std::string name;
  std::string user = {};
  std::string account = {};                  // to which it is charged; empty without accounting
  std::string qos = {};                      // likewise
  std::vector<std::string> partitions = {};  // to which it may go; one that runs has one
  std::string reservation = {};              // in which it is to run; empty: none
  JobState state = JobState::unknown;
  WaitsFor waits_for = WaitsFor::nodes;
  std::string reason = {};  // why it waits, in the system's own words
  Count nodes = 1;
  Count cpus = 1;                            // of all its nodes
  std::vector<std::string> node_names = {};  // while it runs
  Duration limit = kForever;
  std::int64_t priority = 0;
  WallTime submitted = 0;
  std::optional<WallTime> start = {};  // of one that waits: as the system plans it, if it does
  std::optional<WallTime> end = {};    // of one that runs: at the latest
};

struct ClusterNode {
  std::string name;
  Count cpus = 1;
  Bytes memory = 0;  // 0: not known
  Count gpus = 0;
  std::vector<std::string> features = {};
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
  std::vector<std::string> users = {};  // that may use it
  std::string flags = {};               // in the system's own words
  Duration period = 0;                  // after which it comes again; 0: it does not
};

// A cluster at one moment.
struct ClusterPicture {
  WallTime at = 0;
  std::vector<ClusterNode> nodes = {};
  std::vector<Partition> partitions = {};
  std::vector<ReservedNodes> reservations = {};
  std::vector<ClusterJob> jobs =
      {};                     // of everybody, also those that are over while they are remembered
  std::string shown_by = {};  // the command that shows people the nodes
};

}  // namespace dovetail::batch
