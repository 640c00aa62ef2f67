#include "dovetail/platform.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "dovetail/error.hpp"

namespace dovetail {

struct Platform::Data {
  Time now;
  bool wall_clock;
  std::vector<Cluster> clusters;
  std::vector<Calendar> calendars;
};

namespace {

// The free processors of the cluster from now on: its capacity while it is present, less the
// reservations. Nothing when the reservations do not fit, which a checked cluster allows only when
// it joins or leaves.
std::optional<Calendar> make_calendar(const Cluster& cluster, Time now) {
  Calendar calendar(cluster.processors, now);
  if (cluster.joins > now) calendar.set_capacity({now, cluster.joins}, 0);
  if (cluster.leaves < kForever) {
    calendar.set_capacity({std::max(now, cluster.leaves), kForever}, 0);
  }
  std::vector<Booking> bookings;
  bookings.reserve(cluster.reservations.size());
  for (const Reservation& reservation : cluster.reservations) {
    if (reservation.end <= now) continue;
    bookings.push_back({{std::max(now, reservation.start), reservation.end}, reservation.procs});
  }
  if (!calendar.reserve_all(bookings)) return std::nullopt;
  return calendar;
}

std::string describe(const Reservation& reservation, bool wall_clock) {
  return std::to_string(reservation.procs) + " processors from " +
         format_clock(reservation.start, wall_clock) + " to " +
         format_clock(reservation.end, wall_clock);
}

// What is wrong with one type of node; nothing when it may be.
std::optional<std::string> fault_of(const NodeType& type) {
  struct Field {
    const char* name;
    Count value;
    Count least;
  };
  for (const auto& [name, value, least] : std::initializer_list<Field>{
           {"count", type.count, 1}, {"cores", type.cores, 1}, {"gpus", type.gpus, 0}}) {
    if (value >= least && value <= kMaxProcessors) continue;
    return std::string(name) + " must be from " + std::to_string(least) + " to " +
           std::to_string(kMaxProcessors) + ", found " + std::to_string(value);
  }
  if (type.memory < 0 || type.memory > kMaxMemory) {
    return "memory must be from 0 to " + format_size(kMaxMemory) + ", found " +
           std::to_string(type.memory);
  }
  for (const std::string& feature : type.features) {
    if (feature.empty()) return "a feature has an empty name";
    if (has_control_characters(feature)) return "a feature has a control character in its name";
  }
  return std::nullopt;
}

// What is wrong with the nodes as a whole. The limits on sums let others add up in 64 bits.
std::optional<std::string> fault_of_nodes(const Cluster& cluster) {
  const std::vector<NodeType>& types = cluster.node_types;
  if (types.size() > kMaxNodeTypes) {
    return "it has " + std::to_string(types.size()) + " types of nodes; at most " +
           std::to_string(kMaxNodeTypes) + " are allowed";
  }
  std::int64_t cores = 0;
  std::int64_t gpus = 0;
  Bytes memory_left = kMaxMemory;
  for (std::size_t i = 0; i < types.size(); ++i) {
    const NodeType& type = types[i];
    if (const auto fault = fault_of(type)) {
      return "node type " + std::to_string(i + 1) + ": " + *fault;
    }
    cores += std::int64_t{type.count} * type.cores;
    gpus += std::int64_t{type.count} * type.gpus;
    if (type.memory > memory_left / type.count) {
      return "its nodes have more than " + format_size(kMaxMemory) + " of memory together";
    }
    memory_left -= type.memory * type.count;
  }
  if (cores != cluster.processors) {
    return "its nodes have " + std::to_string(cores) + " cores together, but it has " +
           std::to_string(cluster.processors) + " processors";
  }
  if (gpus > kMaxProcessors) {
    return "its nodes have " + std::to_string(gpus) + " GPUs together; at most " +
           std::to_string(kMaxProcessors) + " are allowed";
  }
  return std::nullopt;
}

void check_cluster(const Cluster& cluster, bool wall_clock) {
  const auto reject = [&](const std::string& why) {
    throw InputError("cluster \"" + cluster.name + "\": " + why);
  };
  if (cluster.name.empty()) throw InputError("a cluster has an empty name");
  if (has_control_characters(cluster.name)) {
    throw InputError("a cluster's name has a line break or another control character in it");
  }
  if (cluster.processors < 1 || cluster.processors > kMaxProcessors) {
    reject("processors must be between 1 and " + std::to_string(kMaxProcessors) + ", found " +
           std::to_string(cluster.processors));
  }
  if (!cluster.node_types.empty()) {
    if (const auto fault = fault_of_nodes(cluster)) reject(*fault);
  }
  if (!(cluster.speed > 0 && cluster.speed <= 1e6)) {
    reject("speed must be above 0 and at most 1e6, found " + std::to_string(cluster.speed));
  }
  if (const auto free = cluster.free_on_average; free && !(*free >= 0 && *free <= 1e9)) {
    reject("free_on_average must not be negative, found " + std::to_string(*free));
  }
  if (cluster.leaves <= cluster.joins) reject("it leaves before it joins");
  if (const auto problem = find_overbooking(cluster, wall_clock)) reject(*problem);
}

// The cores of a node, if all nodes have the same number; else 1.
Count common_cores(const std::vector<NodeType>& types) {
  const Count cores = types.front().cores;
  const bool is_common =
      std::ranges::all_of(types, [&](const auto& t) { return t.cores == cores; });
  return is_common ? cores : 1;
}

}  // namespace

Count Cluster::historical_procs() const {
  if (!free_on_average) return processors;
  return static_cast<Count>(std::clamp(std::floor(*free_on_average), 1.0, double(processors)));
}

std::optional<std::string> find_overbooking(const Cluster& cluster, bool wall_clock) {
  struct SpanEnd {
    Time at;
    std::int64_t change;
    std::size_t reservation;
  };
  std::vector<SpanEnd> events;
  events.reserve(2 * cluster.reservations.size());
  for (std::size_t i = 0; i < cluster.reservations.size(); ++i) {
    const Reservation& reservation = cluster.reservations[i];
    if (reservation.end <= reservation.start) {
      return "reservation of " + describe(reservation, wall_clock) +
             " does not end after its start";
    }
    if (reservation.procs < 1 || reservation.procs > cluster.processors) {
      return "reservation of " + describe(reservation, wall_clock) + " does not fit into " +
             std::to_string(cluster.processors) + " processors";
    }
    events.push_back({reservation.start, reservation.procs, i});
    events.push_back({reservation.end, -std::int64_t{reservation.procs}, i});
  }
  std::ranges::sort(events, {},
                    [](const SpanEnd& event) { return std::pair(event.at, event.change); });
  std::int64_t taken = 0;
  for (const SpanEnd& event : events) {
    taken += event.change;
    if (taken > cluster.processors) {
      return "reservations take " + std::to_string(taken) + " of " +
             std::to_string(cluster.processors) + " processors at " +
             format_clock(event.at, wall_clock) + " (the last of them: " +
             describe(cluster.reservations[event.reservation], wall_clock) + ")";
    }
  }
  return std::nullopt;
}

Platform::Platform(Time now, std::vector<Cluster> clusters, bool wall_clock) {
  if (clusters.empty()) throw InputError("the platform has no clusters");
  auto data = std::make_shared<Data>(Data{now, wall_clock, std::move(clusters), {}});
  for (std::size_t i = 0; i < data->clusters.size(); ++i) {
    Cluster& cluster = data->clusters[i];
    check_cluster(cluster, wall_clock);
    if (!cluster.node_types.empty()) cluster.cores_per_node = common_cores(cluster.node_types);
    for (std::size_t j = 0; j < i; ++j) {
      if (data->clusters[j].name == cluster.name) {
        throw InputError("two clusters are called \"" + cluster.name + "\"; names must differ");
      }
    }
    auto calendar = make_calendar(cluster, now);
    if (!calendar) {
      throw InputError("cluster \"" + cluster.name +
                       "\": a reservation lies before it joins or after it leaves");
    }
    data->calendars.push_back(*std::move(calendar));
  }
  data_ = std::move(data);
}

Platform Platform::empty(Count processors, std::string name) {
  return Platform(0, {Cluster{.name = std::move(name), .processors = processors}});
}

Time Platform::now() const { return data_->now; }
bool Platform::wall_clock() const { return data_->wall_clock; }
std::span<const Cluster> Platform::clusters() const { return data_->clusters; }
const Calendar& Platform::calendar(std::size_t cluster) const { return data_->calendars[cluster]; }

std::optional<std::size_t> Platform::find(std::string_view name) const {
  for (std::size_t i = 0; i < data_->clusters.size(); ++i) {
    if (data_->clusters[i].name == name) return i;
  }
  return std::nullopt;
}

Platform Platform::at(Time now) const { return Platform(now, data_->clusters, data_->wall_clock); }

}  // namespace dovetail
