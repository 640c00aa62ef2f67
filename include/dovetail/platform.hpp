// Clusters, the reservations of other users on them, and the time at which planning happens.
//
// A Platform is checked when built and immutable afterwards; copies share the data. It keeps one
// calendar per cluster: the free processors from `now` on, with all reservations taken out.
//
//   Platform platform(0, {{.name = "kth", .processors = 128,
//                          .reservations = {{0, 3'600'000, 10}}}});
//   Calendar free = platform.calendar(0);
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dovetail/calendar.hpp"
#include "dovetail/nodes.hpp"
#include "dovetail/time.hpp"

namespace dovetail {

// Processors that another user holds on [start, end).
struct Reservation {
  Time start = 0;
  Time end = 0;
  Count procs = 0;
  friend bool operator==(const Reservation&, const Reservation&) = default;
};

// A simulated batch queue in front of a cluster.
struct QueueSpec {
  std::string log;
  std::string policy = "conservative";
  Count max_jobs = 0;  // per user; 0: no limit
};

// The batch systems that can stand behind a cluster, as files name them.
inline constexpr std::string_view kBatchSystems[] = {"slurm"};

// A real batch system behind a cluster.
struct BatchSpec {
  std::string system;     // one of kBatchSystems
  std::string partition;  // empty: the default one
};

struct Cluster {
  std::string name;
  Count processors = 0;
  // A platform sets it to what its nodes have, if they are described: 1 if they differ.
  Count cores_per_node = 1;
  // Its nodes, if they are described; then `processors` is the sum of their cores. Empty: only
  // processors count.
  std::vector<NodeType> node_types = {};
  double speed = 1.0;                          // divides task times
  std::optional<double> free_on_average = {};  // history: mean free processors (q in the papers)
  std::vector<Reservation> reservations = {};
  Time joins = kBeginning;
  Time leaves = kForever;
  std::optional<QueueSpec> queue = {};
  std::optional<BatchSpec> batch = {};

  // The number of processors that are free by history: clamp(floor(q), 1, processors).
  Count historical_procs() const;
};

// Describes in one sentence the reservations that together exceed the processors at some instant;
// nothing when there are none. Also reports a single reservation that is empty or out of range.
// `wall_clock`: times count from 1970 and are shown as dates.
std::optional<std::string> find_overbooking(const Cluster& cluster, bool wall_clock = false);

class Platform {
 public:
  // Throws InputError for no clusters, repeated names, nodes whose cores are not the processors,
  // and numbers out of range, including overbooking. `wall_clock`: times count from 1970 and may be
  // shown as dates.
  Platform(Time now, std::vector<Cluster> clusters, bool wall_clock = false);

  // One cluster without reservations.
  static Platform empty(Count processors, std::string name = "cluster");

  Time now() const;
  bool wall_clock() const;
  std::span<const Cluster> clusters() const;
  std::optional<std::size_t> find(std::string_view name) const;

  // Free processors of one cluster from now on.
  const Calendar& calendar(std::size_t cluster) const;

  // The same clusters at another planning time.
  Platform at(Time now) const;

 private:
  struct Data;
  std::shared_ptr<const Data> data_;
};

}  // namespace dovetail
