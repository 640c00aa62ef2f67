// The packer against a scan over all nodes (oracles/plain_packer.hpp), on random nodes and random
// tasks that come, go and lose their nodes: no answer may differ. And what a task takes of nodes
// against trying every number of nodes. A failure prints the seed and the number of the operation.
#include <algorithm>
#include <array>
#include <cstdint>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "core/packer.hpp"
#include "core/random.hpp"
#include "gtest/gtest.h"
#include "oracles/plain_packer.hpp"

namespace dovetail {
namespace {

using testing::plain_demand;
using testing::PlainPacker;

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : random_(seed) {}
  bool chance(double p) { return random_.chance(p); }
  std::uint64_t below(std::size_t n) { return random_.below(n); }

  template <typename Number>
  Number between(Number low, Number high) {
    return low + static_cast<Number>(random_.below(static_cast<std::uint64_t>(high - low) + 1));
  }

 private:
  Random random_;
};

// Few values each, so that ties are common.
NodeType random_type(Dice& dice, Count most_nodes) {
  NodeType type;
  type.count = dice.between<Count>(0, most_nodes);
  type.cores = dice.chance(0.5) ? 8 : dice.between<Count>(1, 16);
  if (dice.chance(0.8)) type.memory = dice.chance(0.5) ? 32 : dice.between<Bytes>(1, 64);
  if (dice.chance(0.4)) type.gpus = dice.between<Count>(1, 4);
  for (const char* feature : {"a", "b"}) {
    if (dice.chance(0.5)) type.features.emplace_back(feature);
  }
  return type;
}

std::vector<NodeType> random_types(Dice& dice, Count most_nodes) {
  std::vector<NodeType> types(dice.chance(0.02) ? kMaxNodeTypes : dice.between<std::size_t>(1, 5));
  for (NodeType& type : types) {
    type = random_type(dice, types.size() > 5 ? 2 : most_nodes);
  }
  return types;
}

TaskNeeds random_needs(Dice& dice) {
  TaskNeeds needs;
  if (dice.chance(0.4)) needs.memory = dice.between<Bytes>(1, dice.chance(0.1) ? 70 : 16);
  if (dice.chance(0.3)) needs.memory_per_processor = dice.between<Bytes>(1, 8);
  if (dice.chance(0.25)) needs.gpus = dice.between<Count>(1, dice.chance(0.1) ? 5 : 2);
  if (dice.chance(0.2)) needs.min_nodes = dice.between<Count>(1, 4);
  if (dice.chance(0.2)) needs.max_nodes = dice.between<Count>(1, 6);
  for (const char* feature : {"a", "b"}) {
    if (dice.chance(0.15)) needs.features.emplace_back(feature);
  }
  return needs;
}

std::string described(const NodeDemand& demand) {
  std::ostringstream text;
  text << demand.nodes << " x " << demand.cores << " cores, " << demand.memory << " bytes, "
       << demand.gpus << " gpus" << (demand.is_whole ? ", whole" : "") << ", types "
       << demand.types;
  return text.str();
}

struct Running {
  NodeDemand demand;
  std::vector<NodeId> nodes;
};

class PackerScenario {
 public:
  PackerScenario(std::uint64_t seed, std::vector<NodeType> types, bool in_order)
      : PackerScenario(seed, types, type_numbers(seed, types, in_order), in_order) {}

  void run(int operations) {
    compare_rooms();
    for (operation_ = 0; operation_ < operations; ++operation_) {
      step();
      if (operation_ % 64 == 0) compare_rooms();
      if (::testing::Test::HasFatalFailure()) return;
    }
    compare_rooms();
    while (!running_.empty() && !::testing::Test::HasFatalFailure()) release();
    compare_with_idle_nodes();
  }

 private:
  PackerScenario(std::uint64_t seed, const std::vector<NodeType>& types,
                 std::vector<std::uint32_t> type_of_node, bool in_order)
      : seed_(seed),
        dice_(seed),
        types_(types),
        type_of_node_(std::move(type_of_node)),
        packer_(in_order ? Packer(types) : Packer(types, type_of_node_)),
        twin_(types, type_of_node_) {
    EXPECT_EQ(packer_.size(), type_of_node_.size()) << where();
  }

  static std::vector<std::uint32_t> type_numbers(std::uint64_t seed,
                                                 const std::vector<NodeType>& types,
                                                 bool in_order) {
    std::vector<std::uint32_t> result;
    for (std::uint32_t type = 0; type < types.size(); ++type) {
      for (Count i = 0; i < types[type].count; ++i) result.push_back(type);
    }
    Dice dice(seed + 1'000'000);
    for (std::size_t i = result.size(); !in_order && i > 1; --i) {
      std::swap(result[i - 1], result[dice.below(i)]);
    }
    return result;
  }

  void step() {
    const auto kind = dice_.below(100);
    if (kind < 55) {
      place();
    } else if (kind < 86) {
      release();
    } else if (kind < 94) {
      take();
    } else if (kind < 98) {
      ask();
    } else if (kind < 99) {
      packer_ = Packer(packer_);
    } else if (dice_.chance(0.3) && !type_of_node_.empty()) {
      const auto node = static_cast<NodeId>(dice_.below(type_of_node_.size()));
      packer_.lose(node);
      twin_.lose(node);
    }
  }

  // Mostly what a task takes; sometimes anything, even of nodes that cannot have it.
  NodeDemand random_demand() {
    if (dice_.chance(0.7)) {
      const Count most = dice_.chance(0.1) ? 40 : 6;
      const auto demand = demand_of(random_needs(dice_), dice_.between<Count>(1, most), types_);
      if (demand) return *demand;
    }
    NodeDemand demand;
    demand.nodes = dice_.chance(0.7) ? 1 : dice_.between<Count>(2, 5);
    demand.cores = dice_.between<Count>(1, dice_.chance(0.3) ? 17 : 4);
    demand.memory = dice_.chance(0.5) ? 0 : dice_.between<Bytes>(1, 30);
    demand.gpus = dice_.chance(0.7) ? 0 : dice_.between<Count>(1, 3);
    demand.is_whole = dice_.chance(0.15);
    demand.types = dice_.chance(0.5) ? ~std::uint64_t{0} : dice_.below(~std::uint64_t{0});
    return demand;
  }

  void place() {
    const NodeDemand demand = random_demand();
    std::vector<NodeId> nodes = {77};
    std::vector<NodeId> expected = {77};
    const bool fits = packer_.fits(demand);
    const bool is_placed = twin_.place(demand, expected);
    ASSERT_EQ(packer_.place(demand, nodes), is_placed) << where() << described(demand);
    ASSERT_EQ(fits, is_placed) << where() << described(demand);
    ASSERT_EQ(nodes, expected) << where() << described(demand);
    if (!is_placed) return;
    compare_rooms_of(nodes);
    running_.push_back({demand, nodes});
  }

  // Any nodes that have the room.
  void take() {
    NodeDemand demand = random_demand();
    Running task{demand, {}};
    for (NodeId node = 0; node < type_of_node_.size(); ++node) {
      if (twin_.has_room(demand, node) && dice_.chance(0.2)) task.nodes.push_back(node);
    }
    if (task.nodes.size() > 5) task.nodes.resize(5);
    if (task.nodes.empty()) return;
    task.demand.nodes = static_cast<Count>(task.nodes.size());
    packer_.take(task.demand, task.nodes);
    twin_.take(task.demand, task.nodes);
    compare_rooms_of(task.nodes);
    running_.push_back(std::move(task));
  }

  void release() {
    if (running_.empty()) return;
    std::swap(running_[dice_.below(running_.size())], running_.back());
    const Running task = std::move(running_.back());
    running_.pop_back();
    packer_.release(task.demand, task.nodes);
    twin_.release(task.demand, task.nodes);
    compare_rooms_of(task.nodes);
  }

  void ask() {
    const NodeDemand demand = random_demand();
    ASSERT_EQ(packer_.fits(demand), twin_.fits(demand)) << where() << described(demand);
  }

  void compare_rooms_of(const std::vector<NodeId>& nodes) {
    for (const NodeId node : nodes) {
      const Packer::NodeRoom room = packer_.room(node);
      const std::array<std::int64_t, 3> found = {room.cores, room.memory, room.gpus};
      ASSERT_EQ(found, twin_.room(node)) << where() << "node " << node;
    }
  }

  // All rooms; and by the tasks alone, that no node has more than it can have.
  void compare_rooms() {
    std::vector<std::array<std::int64_t, 4>> used(type_of_node_.size());
    for (const Running& task : running_) {
      for (const NodeId node : task.nodes) {
        const NodeType& type = types_[type_of_node_[node]];
        const std::int64_t all = type.cores;
        used[node][0] += task.demand.is_whole ? all : task.demand.cores;
        used[node][1] += task.demand.memory;
        used[node][2] += task.demand.gpus;
        used[node][3] += task.demand.is_whole ? 1 : 0;
        ASSERT_EQ(task.demand.types >> type_of_node_[node] & 1U, 1U) << where();
      }
    }
    for (NodeId node = 0; node < used.size(); ++node) {
      const NodeType& type = types_[type_of_node_[node]];
      ASSERT_EQ(packer_.type_of(node), type) << where();
      ASSERT_LE(used[node][0], type.cores) << where() << "node " << node;
      if (type.memory > 0) {
        ASSERT_LE(used[node][1], type.memory) << where() << "node " << node;
      }
      ASSERT_LE(used[node][2], type.gpus) << where() << "node " << node;
      compare_rooms_of({node});
    }
  }

  // After the last release every node has what it had at first, and lost ones have nothing.
  void compare_with_idle_nodes() {
    for (NodeId node = 0; node < type_of_node_.size(); ++node) {
      const NodeType& type = types_[type_of_node_[node]];
      const Packer::NodeRoom idle{type.cores, type.memory, type.gpus};
      ASSERT_EQ(packer_.room(node), twin_.is_lost(node) ? Packer::NodeRoom{} : idle) << where();
    }
  }

  std::string where() const {
    return "seed " + std::to_string(seed_) + ", operation " + std::to_string(operation_) + ": ";
  }

  std::uint64_t seed_;
  Dice dice_;
  std::vector<NodeType> types_;
  std::vector<std::uint32_t> type_of_node_;
  Packer packer_;
  PlainPacker twin_;
  std::vector<Running> running_;
  int operation_ = 0;
};

TEST(PackerOracle, AgreesWithAScanOverAllNodes) {
  for (std::uint64_t seed = 1; seed <= 4'000; ++seed) {
    Dice dice(seed + 2'000'000);
    const Count most_nodes = dice.chance(0.8) ? 5 : 30;
    PackerScenario(seed, random_types(dice, most_nodes), dice.chance(0.5)).run(150);
    if (HasFatalFailure()) return;
  }
}

// Hundreds of nodes with a memory of their own each: deep trees.
TEST(PackerOracle, AgreesOnManyNodesOfManyKinds) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Dice dice(seed + 3'000'000);
    std::vector<NodeType> types = random_types(dice, 200);
    types.resize(3);
    types[0] = {400, 16, 1'000, 0, {}};
    types[1].count = 150;
    types[2] = {250, 12, 900, 4, {"a"}};
    PackerScenario(seed, types, dice.chance(0.5)).run(2'000);
    if (HasFatalFailure()) return;
  }
}

TEST(DemandOracle, AgreesWithTryingEveryNumberOfNodes) {
  int answered = 0;
  int spread = 0;
  for (std::uint64_t seed = 1; seed <= 40'000; ++seed) {
    Dice dice(seed);
    const std::vector<NodeType> types = random_types(dice, 6);
    const TaskNeeds needs = random_needs(dice);
    const Count processors = dice.between<Count>(1, dice.chance(0.3) ? 150 : 12);
    const auto demand = demand_of(needs, processors, types);
    ASSERT_EQ(demand, plain_demand(needs, processors, types)) << "seed " << seed;
    ASSERT_EQ(lacking(needs, processors, types).empty(), demand.has_value()) << "seed " << seed;
    if (!demand) continue;
    ASSERT_TRUE(Packer(types).fits(*demand)) << "seed " << seed << ": " << described(*demand);
    ++answered;
    if (demand->nodes > 1) ++spread;
  }
  EXPECT_GT(answered, 10'000);
  EXPECT_GT(spread, 2'000);
}

}  // namespace
}  // namespace dovetail
