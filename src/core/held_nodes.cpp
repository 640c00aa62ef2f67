#include "core/held_nodes.hpp"

#include <algorithm>

#include "core/order.hpp"

namespace dovetail {

namespace {

// That part of a whole, rounded up.
template <typename Number>
Number share_of(Number whole, Count part, Count parts) {
  // Memory may have 60 bits, so it is divided before it is multiplied.
  const Number each = whole / parts;
  const Number rest = whole % parts;
  return each * part + (rest * part + parts - 1) / parts;
}

class HoldPlacer {
 public:
  explicit HoldPlacer(const Cluster& cluster)
      : types_(cluster.node_types), type_of_(types_of_nodes(cluster)) {
    for (const std::uint32_t type : type_of_) {
      free_.push_back({types_[type].cores, types_[type].memory, types_[type].gpus});
    }
  }

  void place(const Reservation& reservation) {
    give_back(reservation.start);
    Count left = reservation.procs;
    for (std::uint32_t node = static_cast<std::uint32_t>(free_.size()); left > 0 && node-- > 0;) {
      Room& free = free_[node];
      const Count cores = std::min(left, free.cores);
      if (cores == 0) continue;
      const NodeType& type = types_[type_of_[node]];
      holds_.push_back(
          {.node = node,
           .window = {reservation.start, reservation.end},
           .cores = cores,
           .memory = std::min(free.memory, share_of<Bytes>(type.memory, cores, type.cores)),
           .gpus = std::min(free.gpus, share_of<Count>(type.gpus, cores, type.cores))});
      active_.push_back(holds_.size() - 1);
      change(node, holds_.back(), -1);
      left -= cores;
    }
  }

  std::vector<NodeHold> take() && { return std::move(holds_); }

 private:
  struct Room {
    Count cores = 0;
    Bytes memory = 0;
    Count gpus = 0;
  };

  void change(std::uint32_t node, const NodeHold& hold, int sign) {
    free_[node].cores += sign * hold.cores;
    free_[node].memory += sign * hold.memory;
    free_[node].gpus += sign * hold.gpus;
  }

  void give_back(Time now) {
    std::erase_if(active_, [&](std::size_t hold) {
      if (holds_[hold].window.end > now) return false;
      change(holds_[hold].node, holds_[hold], 1);
      return true;
    });
  }

  const std::vector<NodeType>& types_;
  std::vector<std::uint32_t> type_of_;
  std::vector<Room> free_;  // by node
  std::vector<NodeHold> holds_;
  std::vector<std::size_t> active_;
};

}  // namespace

std::vector<std::uint32_t> types_of_nodes(const Cluster& cluster) {
  std::vector<std::uint32_t> types;
  for (std::uint32_t type = 0; type < cluster.node_types.size(); ++type) {
    types.insert(types.end(), static_cast<std::size_t>(cluster.node_types[type].count), type);
  }
  return types;
}

std::vector<NodeHold> held_nodes(const Cluster& cluster) {
  HoldPlacer placer(cluster);
  const auto& reservations = cluster.reservations;
  const auto start_of = [&](std::size_t i) { return reservations[i].start; };
  for (const std::size_t i : order_by<std::size_t>(reservations.size(), start_of)) {
    placer.place(reservations[i]);
  }
  return std::move(placer).take();
}

}  // namespace dovetail
