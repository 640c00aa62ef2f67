// A cluster with a simulated batch queue in front of it: what the cluster file says, as the rules
// of a scheduler and the jobs of other users.
//
//   Site site = make_site(read_platform("kth.yaml"), "kth.yaml", {});
//   Background background = site.background();
//   background.run_through(site.now);
//
// Without a queue in the file the machine is empty, apart from reservations. Times count from the
// first job of the log, or are those of the cluster file where there is no log.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "queue/sim/background.hpp"
#include "queue/sim/rule_names.hpp"

namespace dovetail::queue {

// What overrides the cluster file.
struct SiteOptions {
  TraceRules trace = {.processors_per_node = 0};  // 0: as many as a node has cores
  QueueRules queue = {.policy = ""};              // empty: the file's
  std::optional<Count> cap = {};                  // jobs of one user; 0: no limit
  CapMode cap_mode = CapMode::submitted;
};

struct Site {
  Cluster cluster;
  QueueRules rules;
  TraceRules trace;
  std::optional<TraceInfo> log = {};
  std::string log_file = {};  // where it was found
  std::shared_ptr<const std::vector<Job>> jobs = {};
  Count cap = 0;  // of the asking user's jobs; 0: no limit
  CapMode cap_mode = CapMode::submitted;
  std::int64_t user = -1;              // a number that no user of the log has
  Time now = 0;                        // when to submit unless told otherwise
  bool is_snapshot = false;            // others' jobs are those of this moment, as reservations
  bool now_is_guess = false;           // neither the file nor anybody says when
  std::optional<Time> date_of_0 = {};  // milliseconds since 1970, where dates are known

  Count nodes() const { return rules.room.nodes; }
  // Nodes that reservations take at this moment.
  Count reserved_at(Time time) const;
  // What strategies must respect themselves.
  Count submit_cap() const { return cap_mode == CapMode::submitted ? cap : 0; }
  // From the beginning.
  Background background() const { return {rules, jobs}; }
};

// How busy a machine is at one moment.
struct QueueState {
  std::size_t running = 0;
  std::size_t waiting = 0;
  Count busy = 0;
  Count reserved = 0;
  Count free = 0;
};

QueueState state_of(const Site& site, const Background& background);

// `file` is where the platform comes from; the log is looked for beside it, then in the current
// folder. Throws InputError when it is in neither, when the platform has several clusters and no or
// more than one queue, and for what no queue can have.
Site make_site(const Platform& platform, const std::string& file, const SiteOptions& options);

// Reservations in whole nodes, counted from `zero` on. Those that are there at the same moment
// share nodes where they can.
std::vector<Reservation> node_reservations(const Platform& platform, std::size_t cluster,
                                           Time zero);

}  // namespace dovetail::queue
