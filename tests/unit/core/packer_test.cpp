#include "core/packer.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace dovetail {
namespace {

using Nodes = std::vector<NodeId>;

// So many nodes of eight cores and 32 bytes.
std::vector<NodeType> alike(Count count) { return {{count, 8, 32, 0, {}}}; }

NodeDemand cores(Count count) { return {.cores = count}; }

// The nodes that the demand is given; none when it does not fit.
Nodes placed(Packer& packer, const NodeDemand& demand) {
  const bool fits = packer.fits(demand);
  Nodes nodes;
  EXPECT_EQ(packer.place(demand, nodes), fits);
  return nodes;
}

TEST(Packer, NumbersNodesByType) {
  const std::vector<NodeType> types = {{2, 8, 32, 0, {}}, {0, 1, 0, 0, {}}, {1, 4, 0, 2, {"a"}}};
  const Packer packer(types);
  ASSERT_EQ(packer.size(), 3U);
  EXPECT_EQ(packer.type_of(1), types[0]);
  EXPECT_EQ(packer.type_of(2), types[2]);
  EXPECT_EQ(packer.room(1), (Packer::NodeRoom{8, 32, 0}));
  EXPECT_EQ(packer.room(2), (Packer::NodeRoom{4, 0, 2}));
}

TEST(Packer, TakesTheNodesOfAJobInTheirOrder) {
  const std::vector<NodeType> types = {{1, 8, 32, 0, {}}, {1, 4, 0, 2, {}}};
  const std::vector<std::uint32_t> order = {1, 0, 1, 0};
  const Packer packer(types, order);
  ASSERT_EQ(packer.size(), 4U);
  EXPECT_EQ(packer.type_of(2), types[1]);
  EXPECT_EQ(packer.type_of(3), types[0]);
}

TEST(Packer, FillsANodeThatIsBegun) {
  Packer packer(alike(3));
  EXPECT_EQ(placed(packer, cores(3)), Nodes{0});
  EXPECT_EQ(placed(packer, cores(3)), Nodes{0});
  EXPECT_EQ(packer.room(0), (Packer::NodeRoom{2, 32, 0}));
  EXPECT_EQ(placed(packer, cores(3)), Nodes{1});
  // The first node has two cores left, the second five: each gets what fills it most.
  EXPECT_EQ(placed(packer, cores(1)), Nodes{0});
  EXPECT_EQ(placed(packer, cores(2)), Nodes{1});
}

TEST(Packer, AmongEqualCoresTakesTheNodeWithTheFewestGpusThenTheLeastMemory) {
  const std::vector<NodeType> types = {
      {1, 8, 64, 2, {}}, {1, 8, 64, 1, {}}, {1, 8, 32, 1, {}}, {2, 8, 16, 1, {}}};
  Packer packer(types);
  EXPECT_EQ(placed(packer, {.cores = 8, .types = 0b1111}), Nodes{3});
  EXPECT_EQ(placed(packer, {.cores = 8, .types = 0b1111}), Nodes{4});
  EXPECT_EQ(placed(packer, {.cores = 8, .types = 0b1111}), Nodes{2});
  EXPECT_EQ(placed(packer, {.cores = 8, .types = 0b1111}), Nodes{1});
  EXPECT_EQ(placed(packer, {.cores = 8, .types = 0b1111}), Nodes{0});
  EXPECT_EQ(placed(packer, {.cores = 8, .types = 0b1111}), Nodes{});
}

TEST(Packer, PassesFullerNodesThatLackMemoryOrGpus) {
  const std::vector<NodeType> types = {{2, 8, 32, 2, {}}};
  Packer packer(types);
  EXPECT_EQ(placed(packer, {.cores = 4, .memory = 30, .gpus = 1}), Nodes{0});
  EXPECT_EQ(placed(packer, {.cores = 1, .memory = 3}), Nodes{1});
  EXPECT_EQ(placed(packer, {.cores = 1, .memory = 2}), Nodes{0});
  EXPECT_EQ(placed(packer, {.cores = 1, .gpus = 2}), Nodes{1});
  EXPECT_EQ(placed(packer, {.cores = 1, .gpus = 1}), Nodes{0});
  EXPECT_EQ(placed(packer, {.cores = 1, .gpus = 1}), Nodes{});
}

TEST(Packer, UsesOnlyTheTypesThatWillDo) {
  const std::vector<NodeType> types = {{1, 4, 0, 0, {}}, {1, 8, 0, 0, {}}, {1, 16, 0, 0, {}}};
  Packer packer(types);
  EXPECT_EQ(placed(packer, {.cores = 1, .types = 0b110}), Nodes{1});
  EXPECT_EQ(placed(packer, {.cores = 8, .types = 0b011}), Nodes{});
  EXPECT_EQ(placed(packer, {.cores = 1, .types = 0b111}), Nodes{0});
}

TEST(Packer, DoesNotCountMemoryThatIsNotKnown) {
  const std::vector<NodeType> types = {{1, 8, 0, 0, {}}, {1, 8, 16, 0, {}}};
  Packer packer(types);
  EXPECT_EQ(placed(packer, {.cores = 1, .memory = 100, .types = 0b11}), Nodes{0});
  EXPECT_EQ(packer.room(0), (Packer::NodeRoom{7, 0, 0}));
  EXPECT_EQ(placed(packer, {.cores = 7, .memory = 100, .types = 0b11}), Nodes{0});
  EXPECT_EQ(placed(packer, {.cores = 1, .memory = 100, .types = 0b11}), Nodes{});
}

TEST(Packer, WideTasksTakeIdleNodesAlone) {
  Packer packer(alike(4));
  EXPECT_EQ(placed(packer, cores(1)), Nodes{0});
  EXPECT_EQ(placed(packer, {.nodes = 2, .cores = 4}), (Nodes{1, 2}));
  EXPECT_EQ(packer.room(1), (Packer::NodeRoom{4, 32, 0}));
  EXPECT_EQ(placed(packer, {.nodes = 2, .cores = 4}), Nodes{});
  // Small tasks may share nodes with a wide one that takes a part of each.
  EXPECT_EQ(placed(packer, cores(4)), Nodes{1});
}

TEST(Packer, NothingElseRunsOnWholeNodes) {
  Packer packer(alike(3));
  const NodeDemand two{.nodes = 2, .cores = 1, .is_whole = true};
  const NodeDemand one{.nodes = 1, .cores = 1, .is_whole = true};
  EXPECT_EQ(placed(packer, two), (Nodes{0, 1}));
  EXPECT_EQ(packer.room(0), Packer::NodeRoom{});
  EXPECT_EQ(placed(packer, cores(1)), Nodes{2});
  EXPECT_EQ(placed(packer, one), Nodes{});
  packer.release(two, Nodes{0, 1});
  EXPECT_EQ(packer.room(0), (Packer::NodeRoom{8, 32, 0}));
  EXPECT_EQ(placed(packer, one), Nodes{0});
}

TEST(Packer, WideTasksTakeTheSmallestNodesThatWillDoAndListThemByNumber) {
  const std::vector<NodeType> types = {
      {2, 16, 64, 0, {}}, {1, 8, 64, 1, {}}, {1, 8, 64, 0, {}}, {1, 4, 64, 0, {}}};
  Packer packer(types);
  const NodeDemand three{.nodes = 3, .cores = 8, .is_whole = true, .types = 0b11111};
  EXPECT_EQ(placed(packer, three), (Nodes{0, 2, 3}));
  EXPECT_EQ(packer.room(4), (Packer::NodeRoom{4, 64, 0}));
}

TEST(Packer, EqualNodesOfDifferentTypesGoByNumber) {
  const std::vector<NodeType> types = {{1, 8, 32, 0, {"a"}}, {1, 8, 32, 0, {"b"}}};
  const std::vector<std::uint32_t> order = {1, 0, 1, 0};
  Packer packer(types, order);
  EXPECT_EQ(placed(packer, {.nodes = 3, .cores = 1, .types = 0b11}), (Nodes{0, 1, 2}));
  EXPECT_EQ(placed(packer, {.cores = 1, .types = 0b01}), Nodes{1});
}

TEST(Packer, AFailureChangesNothing) {
  Packer packer(alike(2));
  Nodes nodes = {7};
  EXPECT_FALSE(packer.place(cores(9), nodes));
  EXPECT_FALSE(packer.place({.nodes = 3, .cores = 1}, nodes));
  EXPECT_EQ(nodes, Nodes{7});
  EXPECT_EQ(packer.room(0), (Packer::NodeRoom{8, 32, 0}));
}

TEST(Packer, TakesGivenNodesAndReleasesThem) {
  Packer packer(alike(3));
  const NodeDemand demand{.nodes = 2, .cores = 3, .memory = 5};
  packer.take(demand, Nodes{1, 2});
  EXPECT_EQ(packer.room(0), (Packer::NodeRoom{8, 32, 0}));
  EXPECT_EQ(packer.room(2), (Packer::NodeRoom{5, 27, 0}));
  packer.take({.cores = 2}, Nodes{2});
  EXPECT_EQ(placed(packer, cores(1)), Nodes{2});
  packer.release(demand, Nodes{1, 2});
  EXPECT_EQ(packer.room(1), (Packer::NodeRoom{8, 32, 0}));
  EXPECT_EQ(packer.room(2), (Packer::NodeRoom{5, 32, 0}));
  EXPECT_EQ(placed(packer, {.nodes = 2, .cores = 1}), (Nodes{0, 1}));
}

TEST(Packer, NothingIsPlacedOnALostNode) {
  Packer packer(alike(2));
  EXPECT_EQ(placed(packer, cores(2)), Nodes{0});
  packer.lose(0);
  packer.lose(0);
  EXPECT_EQ(packer.room(0), Packer::NodeRoom{});
  EXPECT_EQ(placed(packer, cores(2)), Nodes{1});
  packer.release(cores(2), Nodes{0});
  EXPECT_EQ(packer.room(0), Packer::NodeRoom{});
  EXPECT_FALSE(packer.fits(cores(7)));
  packer.release(cores(2), Nodes{1});
  EXPECT_FALSE(packer.fits({.nodes = 2, .cores = 1}));
  packer.lose(1);
  EXPECT_FALSE(packer.fits(cores(1)));
}

TEST(Packer, ACopyIsOnItsOwn) {
  Packer packer(alike(1));
  Packer copy = packer;
  EXPECT_EQ(placed(copy, cores(8)), Nodes{0});
  EXPECT_EQ(packer.room(0), (Packer::NodeRoom{8, 32, 0}));
  EXPECT_EQ(placed(packer, cores(8)), Nodes{0});
}

TEST(Packer, NoNodesHoldNothing) {
  Packer packer({});
  EXPECT_EQ(packer.size(), 0U);
  EXPECT_FALSE(packer.fits(cores(1)));
  EXPECT_FALSE(packer.fits({.nodes = 2, .cores = 1, .is_whole = true}));
}

}  // namespace
}  // namespace dovetail
