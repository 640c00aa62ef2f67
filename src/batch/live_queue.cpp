#include "batch/live_queue.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "batch/batch_errors.hpp"
#include "io/text.hpp"
#include "queue/strategies/node_share.hpp"
#include "queue/strategies/strategy.hpp"

namespace dovetail::batch {

namespace {

// Longer than any plan, short enough to add up.
constexpr Duration kAges = 3650 * kDay;

const Partition& partition_named(const ClusterPicture& picture, const std::string& name) {
  io::NearestWord nearest(name);
  for (const Partition& partition : picture.partitions) {
    if (name.empty() ? partition.is_default : partition.name == name) return partition;
    nearest.offer(partition.name);
  }
  if (name.empty()) throw InputError("the cluster has no default partition; name one");
  throw InputError("the cluster has no partition " + io::quote(name) + nearest.suggestion());
}

std::set<std::string> usable_nodes(const ClusterPicture& picture, const Partition& partition) {
  const std::set<std::string> ours(partition.node_names.begin(), partition.node_names.end());
  std::set<std::string> usable;
  for (const ClusterNode& node : picture.nodes) {
    if (node.is_usable && ours.contains(node.name)) usable.insert(node.name);
  }
  return usable;
}

void take(NodeWindows& windows, const std::vector<std::string>& nodes, Interval window) {
  if (window.begin >= window.end) return;
  for (const std::string& node : nodes) {
    if (const auto found = windows.find(node); found != windows.end()) {
      found->second.push_back(window);
    }
  }
}

std::vector<Interval> repeated(const ReservedNodes& held) {
  constexpr int kTimes = 60;
  std::vector<Interval> windows{{held.start, held.end}};
  for (int i = 1; held.period > 0 && i < kTimes; ++i) {
    windows.push_back({held.start + i * held.period, held.end + i * held.period});
  }
  return windows;
}

std::vector<Interval> joined(std::vector<Interval> windows) {
  std::ranges::sort(windows, {}, &Interval::begin);
  std::vector<Interval> out;
  for (const Interval& window : windows) {
    if (!out.empty() && window.begin <= out.back().end) {
      out.back().end = std::max(out.back().end, window.end);
    } else {
      out.push_back(window);
    }
  }
  return out;
}

// A job inside a reservation, or two on one node, take the node once.
NodeWindows windows_of(const ClusterPicture& picture, const std::set<std::string>& nodes) {
  NodeWindows windows;
  for (const std::string& node : nodes) windows[node];
  for (const ClusterJob& job : picture.jobs) {
    if (job.state != JobState::running) continue;
    // A job past its limit is about to end.
    const WallTime end = std::max(job.end.value_or(picture.at + kAges), picture.at + kSecond);
    take(windows, job.node_names, {picture.at, std::min(end, picture.at + kAges)});
  }
  for (const ReservedNodes& held : picture.reservations) {
    for (const Interval& window : repeated(held)) {
      take(windows, held.node_names,
           {std::max(window.begin, picture.at), std::min(window.end, picture.at + kAges)});
    }
  }
  for (auto& [node, taken] : windows) taken = joined(std::move(taken));
  return windows;
}

std::vector<Reservation> taken_nodes(const ClusterPicture& picture,
                                     const std::set<std::string>& nodes) {
  std::map<std::pair<Time, Time>, Count> counts;
  for (const auto& [node, taken] : windows_of(picture, nodes)) {
    for (const Interval& window : taken) ++counts[{window.begin, window.end}];
  }
  std::vector<Reservation> reservations;
  for (const auto& [window, count] : counts) {
    reservations.push_back({window.first, window.second, count});
  }
  return reservations;
}

std::vector<queue::Ask> queue_in_order(const ClusterPicture& picture,
                                       const std::set<std::string>& nodes) {
  std::set<std::string> rivals;  // partitions that have some of the nodes
  for (const Partition& partition : picture.partitions) {
    if (std::ranges::any_of(partition.node_names,
                            [&](const std::string& name) { return nodes.contains(name); })) {
      rivals.insert(partition.name);
    }
  }
  std::vector<const ClusterJob*> waiting;
  for (const ClusterJob& job : picture.jobs) {
    const bool competes = job.state == JobState::pending &&
                          std::ranges::any_of(job.partitions, [&](const auto& name) {
                            return rivals.contains(name);
                          });
    const bool fits = std::cmp_less_equal(job.nodes, nodes.size());
    if (competes && fits && job.waits_for == WaitsFor::nodes) waiting.push_back(&job);
  }
  std::ranges::stable_sort(waiting, [](const ClusterJob* a, const ClusterJob* b) {
    return std::pair(-a->priority, a->submitted) < std::pair(-b->priority, b->submitted);
  });
  std::vector<queue::Ask> asks;
  for (const ClusterJob* job : waiting) {
    asks.push_back({.nodes = job->nodes, .length = std::clamp<Duration>(job->limit, 1, kAges)});
  }
  return asks;
}

queue::QueueSnapshot snapshot_of(const ClusterPicture& picture, const std::string& partition) {
  const std::set<std::string> nodes = usable_nodes(picture, partition_named(picture, partition));
  const std::vector<Reservation> taken = taken_nodes(picture, nodes);
  return queue::QueueSnapshot({.nodes = static_cast<Count>(nodes.size())}, {},
                              queue_in_order(picture, nodes), picture.at, {.reservations = taken});
}

}  // namespace

Duration job_limit(Duration run_time, Duration overhead) {
  return (run_time + overhead + kMinute - 1) / kMinute * kMinute;
}

PartitionLimits limits_of(const ClusterPicture& picture, const std::string& name) {
  const Partition& partition = partition_named(picture, name);
  const std::set<std::string> nodes = usable_nodes(picture, partition);
  if (!partition.is_up) throw NotNow("partition " + partition.name + " is down");
  if (nodes.empty()) {
    throw NotNow("no node of partition " + partition.name + " can be used now" +
                 (picture.shown_by.empty() ? "" : "; see " + picture.shown_by));
  }
  std::vector<NodeType> types;
  for (const ClusterNode& node : picture.nodes) {
    if (!nodes.contains(node.name)) continue;
    types.push_back(
        {.cores = node.cpus, .memory = node.memory, .gpus = node.gpus, .features = node.features});
  }
  const NodeType least = queue::common_node(types);
  PartitionLimits limits{.name = partition.name,
                         .nodes = static_cast<Count>(nodes.size()),
                         .cores_per_node = least.cores,
                         .memory_per_node = least.memory,
                         .gpus_per_node = least.gpus,
                         .features = least.features,
                         .min_nodes = partition.min_nodes,
                         .max_time = partition.max_time};
  const auto all = static_cast<Count>(partition.node_names.size());
  limits.max_nodes = std::min(all, partition.max_nodes.value_or(all));
  return limits;
}

std::string broken_limit(const PartitionLimits& limits, Count nodes, Duration length) {
  const std::string where = "partition " + limits.name + " allows jobs ";
  if (nodes > limits.max_nodes) {
    return where + "on at most " + std::to_string(limits.max_nodes) + " nodes, this one needs " +
           std::to_string(nodes);
  }
  if (length > limits.max_time) {
    return where + "of at most " + format_duration(limits.max_time) + ", this one needs " +
           format_duration(length);
  }
  return {};
}

Platform live_nodes(const ClusterPicture& picture, const std::string& name,
                    std::span<const LaterNeed> needs) {
  const PartitionLimits limits = limits_of(picture, name);
  const std::set<std::string> nodes = usable_nodes(picture, partition_named(picture, name));
  std::vector<Reservation> held = taken_nodes(picture, nodes);
  queue::Room room({.nodes = limits.nodes}, held, picture.at);
  const auto hold = [&](const queue::Ask& ask, Time from) {
    const queue::BlockSlot slot = room.earliest(ask, std::max(from, picture.at));
    room.take(ask, slot);
    held.push_back({slot.start, slot.start + ask.length, ask.nodes});
  };
  for (const LaterNeed& need : needs) {
    hold({.nodes = std::min(need.nodes, limits.nodes), .length = need.length}, need.from);
  }
  for (const queue::Ask& ask : queue_in_order(picture, nodes)) hold(ask, picture.at);
  Cluster cluster{.name = limits.name, .processors = limits.nodes, .reservations = std::move(held)};
  return Platform(picture.at, {std::move(cluster)}, true);
}

Platform live_platform(const ClusterPicture& picture, const std::string& name) {
  const PartitionLimits limits = limits_of(picture, name);
  Cluster cluster = live_nodes(picture, name, {}).clusters().front();
  cluster.processors *= limits.cores_per_node;
  cluster.cores_per_node = limits.cores_per_node;
  cluster.node_types = {limits.node(limits.nodes)};
  for (Reservation& one : cluster.reservations) one.procs *= limits.cores_per_node;
  return Platform(picture.at, {std::move(cluster)}, true);
}

NodeWindows node_windows(const ClusterPicture& picture, const std::string& name) {
  return windows_of(picture, usable_nodes(picture, partition_named(picture, name)));
}

LiveQueue::LiveQueue(const ClusterPicture& picture, const std::string& partition)
    : limits_(limits_of(picture, partition)), snapshot_(snapshot_of(picture, partition)) {}

Duration LiveQueue::wait(Count nodes, Duration work) const {
  return wait_of_job(nodes, std::min(job_limit(work, queue::kJobOverhead), limits_.max_time));
}

Duration LiveQueue::wait_of_job(Count nodes, Duration limit) const {
  const bool is_possible = nodes <= limits_.nodes && limit <= limits_.max_time;
  return is_possible ? snapshot_.wait(nodes, limit) : kAges;
}

}  // namespace dovetail::batch
