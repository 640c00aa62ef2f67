#include "dovetail/nodes.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/random.hpp"

namespace dovetail {
namespace {

constexpr Bytes kTebibyte = 1024 * kGibibyte;

// Four nodes of 16 cores and 64G.
std::vector<NodeType> four_nodes() { return {{4, 16, 64 * kGibibyte, 0, {}}}; }

// Six ordinary nodes, two with GPUs and twice the cores, one with much memory.
std::vector<NodeType> three_types() {
  return {{6, 16, 64 * kGibibyte, 0, {"infiniband"}},
          {2, 32, 256 * kGibibyte, 4, {"infiniband", "a100"}},
          {1, 16, 1 * kTebibyte, 0, {}}};
}

NodeDemand part_of(Count nodes, Count cores, std::uint64_t types) {
  return {.nodes = nodes, .cores = cores, .types = types};
}

NodeDemand whole(Count nodes, Count cores, std::uint64_t types) {
  return {.nodes = nodes, .cores = cores, .is_whole = true, .types = types};
}

TEST(NodeDemand, ATaskThatFitsIntoANodeTakesAPartOfOne) {
  EXPECT_EQ(demand_of({}, 1, four_nodes()), part_of(1, 1, 1));
  EXPECT_EQ(demand_of({}, 16, four_nodes()), part_of(1, 16, 1));
}

TEST(NodeDemand, OtherwiseItTakesTheFewestWholeNodes) {
  EXPECT_EQ(demand_of({}, 17, four_nodes()), whole(2, 9, 1));
  EXPECT_EQ(demand_of({}, 33, four_nodes()), whole(3, 11, 1));
  EXPECT_EQ(demand_of({}, 64, four_nodes()), whole(4, 16, 1));
  EXPECT_EQ(demand_of({}, 65, four_nodes()), std::nullopt);
}

TEST(NodeDemand, WholeNodesMayBeOfSeveralTypesButThereMustBeEnoughOfThemTogether) {
  EXPECT_EQ(demand_of({}, 32, three_types()), part_of(1, 32, 0b010));
  // Two nodes of 32 cores hold 50, but 70 need five of 14 cores: of every type.
  EXPECT_EQ(demand_of({}, 50, three_types()), whole(2, 25, 0b010));
  EXPECT_EQ(demand_of({}, 70, three_types()), whole(5, 14, 0b111));
  EXPECT_EQ(demand_of({}, 144, three_types()), whole(9, 16, 0b111));
  // Nine nodes are there; a tenth would be needed.
  EXPECT_EQ(demand_of({}, 145, three_types()), std::nullopt);
}

TEST(NodeDemand, MoreNodesThanAreThereOfTheTypesThatCanHoldItAreNotEnough) {
  // 18 cores on each of three nodes: only two have them. 14 on each of four: all do.
  EXPECT_EQ(demand_of({.min_nodes = 3}, 54, three_types()), part_of(4, 14, 0b111));
  EXPECT_EQ(demand_of({.min_nodes = 3, .max_nodes = 3}, 54, three_types()), std::nullopt);
}

TEST(NodeDemand, WithNodesItTakesAPartOfEachOfTheSmallestAllowedNumber) {
  EXPECT_EQ(demand_of({.min_nodes = 2, .max_nodes = 4}, 8, four_nodes()), part_of(2, 4, 1));
  EXPECT_EQ(demand_of({.min_nodes = 2, .max_nodes = 4}, 40, four_nodes()), part_of(3, 14, 1));
  EXPECT_EQ(demand_of({.max_nodes = 2}, 8, four_nodes()), part_of(1, 8, 1));
  EXPECT_EQ(demand_of({.max_nodes = 2}, 20, four_nodes()), part_of(2, 10, 1));
  EXPECT_EQ(demand_of({.min_nodes = 3}, 8, four_nodes()), part_of(3, 3, 1));
}

TEST(NodeDemand, OneNodeMeansNeverSpread) {
  const TaskNeeds shared_memory{.min_nodes = 1, .max_nodes = 1};
  EXPECT_EQ(demand_of(shared_memory, 16, four_nodes()), part_of(1, 16, 1));
  EXPECT_EQ(demand_of(shared_memory, 17, four_nodes()), std::nullopt);
  EXPECT_EQ(demand_of({.max_nodes = 1}, 17, four_nodes()), std::nullopt);
}

TEST(NodeDemand, NodesAreNeverMoreThanProcessors) {
  EXPECT_EQ(demand_of({.min_nodes = 3}, 2, four_nodes()), std::nullopt);
  EXPECT_EQ(demand_of({.min_nodes = 3}, 3, four_nodes()), part_of(3, 1, 1));
  // 40G for each processor: a node of 64G holds one.
  EXPECT_EQ(demand_of({.memory_per_processor = 40 * kGibibyte}, 2, four_nodes())->nodes, 2);
  EXPECT_EQ(demand_of({.memory_per_processor = 65 * kGibibyte}, 2, four_nodes()), std::nullopt);
}

TEST(NodeDemand, MemoryIsOnEachNode) {
  const auto demand = demand_of({.memory = 60 * kGibibyte}, 40, four_nodes());
  ASSERT_TRUE(demand);
  EXPECT_EQ(*demand, (NodeDemand{3, 14, 60 * kGibibyte, 0, true, 1}));
  EXPECT_EQ(demand_of({.memory = 65 * kGibibyte}, 1, four_nodes()), std::nullopt);
  EXPECT_EQ(demand_of({.memory = 65 * kGibibyte}, 1, three_types())->types, 0b110U);
}

TEST(NodeDemand, MemoryPerProcessorCountsTheCoresOfTheNode) {
  const TaskNeeds needs{.memory_per_processor = 8 * kGibibyte};
  // Eight cores fill the 64G of a node.
  EXPECT_EQ(demand_of(needs, 8, four_nodes()), (NodeDemand{1, 8, 64 * kGibibyte, 0, false, 1}));
  EXPECT_EQ(demand_of(needs, 9, four_nodes()), (NodeDemand{2, 5, 40 * kGibibyte, 0, true, 1}));
  EXPECT_EQ(demand_of(needs, 32, four_nodes()), (NodeDemand{4, 8, 64 * kGibibyte, 0, true, 1}));
  EXPECT_EQ(demand_of(needs, 33, four_nodes()), std::nullopt);
}

TEST(NodeDemand, OfBothKindsOfMemoryTheLargerCounts) {
  const TaskNeeds needs{.memory = 10 * kGibibyte, .memory_per_processor = 4 * kGibibyte};
  EXPECT_EQ(demand_of(needs, 2, four_nodes())->memory, 10 * kGibibyte);
  EXPECT_EQ(demand_of(needs, 4, four_nodes())->memory, 16 * kGibibyte);
}

TEST(NodeDemand, UnknownMemoryIsNotCounted) {
  const std::vector<NodeType> types = {{1, 8, 0, 0, {}}, {1, 8, kGibibyte, 0, {}}};
  EXPECT_EQ(demand_of({.memory = 2 * kGibibyte}, 4, types),
            (NodeDemand{1, 4, 2 * kGibibyte, 0, false, 0b01}));
  EXPECT_EQ(demand_of({.memory = kGibibyte}, 4, types)->types, 0b11U);
  // More than any number of bytes that is counted.
  EXPECT_EQ(demand_of({.memory_per_processor = kMaxMemory}, 8, types),
            (NodeDemand{1, 8, kMaxMemory, 0, false, 0b01}));
}

TEST(NodeDemand, GpusAreOnEachNode) {
  EXPECT_EQ(demand_of({.gpus = 4}, 1, three_types()), (NodeDemand{1, 1, 0, 4, false, 0b010}));
  EXPECT_EQ(demand_of({.gpus = 4}, 64, three_types()), (NodeDemand{2, 32, 0, 4, true, 0b010}));
  EXPECT_EQ(demand_of({.gpus = 4}, 65, three_types()), std::nullopt);
  EXPECT_EQ(demand_of({.gpus = 5}, 1, three_types()), std::nullopt);
}

TEST(NodeDemand, EachNodeMustHaveAllFeatures) {
  EXPECT_EQ(demand_of({.features = {"infiniband"}}, 1, three_types())->types, 0b011U);
  EXPECT_EQ(demand_of({.features = {"a100", "infiniband"}}, 1, three_types())->types, 0b010U);
  EXPECT_EQ(demand_of({.features = {"infiniband"}}, 128, three_types()), whole(8, 16, 0b011));
  EXPECT_EQ(demand_of({.features = {"infiniband"}}, 129, three_types()), std::nullopt);
  EXPECT_EQ(demand_of({.features = {"nvme"}}, 1, three_types()), std::nullopt);
}

TEST(NodeDemand, AsManyTypesAndNodesAsThereMayBe) {
  std::vector<NodeType> types(kMaxNodeTypes, NodeType{1, 1, 0, 0, {}});
  EXPECT_EQ(demand_of({}, 64, types), whole(64, 1, ~std::uint64_t{0}));
  types.back() = {kMaxProcessors, 1, 0, 0, {"last"}};
  const TaskNeeds needs{.features = {"last"}};
  EXPECT_EQ(demand_of(needs, kMaxProcessors, types),
            whole(kMaxProcessors, 1, std::uint64_t{1} << 63));
}

TEST(NodeDemand, WithoutNodesThereIsNone) {
  EXPECT_EQ(demand_of({}, 1, {}), std::nullopt);
  EXPECT_EQ(demand_of({}, 1, std::vector<NodeType>{{0, 8, 0, 0, {}}}), std::nullopt);
}

TEST(Lacking, IsEmptyWhenTheTaskCanRun) {
  EXPECT_EQ(lacking({}, 64, four_nodes()), "");
  EXPECT_EQ(lacking({.gpus = 4, .features = {"a100"}}, 64, three_types()), "");
}

TEST(Lacking, NamesTheMostThatANodeHas) {
  EXPECT_EQ(lacking({.gpus = 5}, 1, three_types()),
            "needs 5 gpus on a node, but the nodes with most have 4");
  EXPECT_EQ(lacking({.gpus = 1}, 1, four_nodes()), "needs 1 gpu on a node, but no node has any");
  EXPECT_EQ(lacking({.memory = 2 * kTebibyte}, 1, three_types()),
            "needs 2T of memory on a node, but the nodes with most have 1T");
  EXPECT_EQ(lacking({.memory_per_processor = 65 * kGibibyte}, 4, four_nodes()),
            "needs 65G of memory for each processor, but the nodes with most have 64G");
  EXPECT_EQ(lacking({.max_nodes = 1}, 33, three_types()),
            "needs 33 cores on a node, but the nodes with most have 32");
}

TEST(Lacking, ComparesWithTheNodesThatHaveTheRest) {
  EXPECT_EQ(lacking({.memory = 500 * kGibibyte, .gpus = 1}, 1, three_types()),
            "needs 500G of memory on a node, but the nodes with 1 gpu have at most 256G");
  EXPECT_EQ(lacking({.gpus = 5, .features = {"infiniband"}}, 1, three_types()),
            "needs 5 gpus on a node, but the nodes with infiniband have at most 4");
  EXPECT_EQ(lacking({.memory = 300 * kGibibyte, .max_nodes = 1}, 17, three_types()),
            "needs 17 cores on a node, but the nodes with 300G of memory have at most 16");
  const std::vector<NodeType> types = {{1, 8, 0, 2, {}}, {1, 8, 0, 0, {"nvme"}}};
  EXPECT_EQ(lacking({.gpus = 1, .features = {"nvme"}}, 1, types),
            "needs 1 gpu on a node, but no node with nvme has any");
}

TEST(Lacking, NamesTheFeatureThatNoNodeHas) {
  EXPECT_EQ(lacking({.features = {"infiniband", "nvme"}}, 1, three_types()),
            "needs a node with nvme, which no node has");
  const std::vector<NodeType> types = {{1, 8, 0, 0, {"a", "b"}}, {1, 8, 0, 0, {"b", "c"}}};
  EXPECT_EQ(lacking({.features = {"a", "b", "c"}}, 1, types),
            "needs a node with a, b and c, but no node has all of these");
}

TEST(Lacking, CountsTheNodes) {
  EXPECT_EQ(lacking({}, 65, four_nodes()),
            "needs 17 cores on each of 4 nodes, but the nodes with most have 16");
  EXPECT_EQ(lacking({.min_nodes = 3, .max_nodes = 3}, 54, three_types()),
            "needs 18 cores on each of 3 nodes, but only 2 nodes have that");
  EXPECT_EQ(lacking({.min_nodes = 5}, 8, four_nodes()), "needs 5 nodes, but there are 4");
  EXPECT_EQ(lacking({.min_nodes = 3, .features = {"a100"}}, 8, three_types()),
            "needs 3 nodes with a100, but there are 2");
  EXPECT_EQ(lacking({.min_nodes = 3}, 2, four_nodes()),
            "needs at least 3 nodes, but has only 2 processors to spread over them");
  EXPECT_EQ(lacking({.min_nodes = 3, .max_nodes = 2}, 8, four_nodes()),
            "needs at least 3 nodes, but may take at most 2");
  EXPECT_EQ(lacking({}, 1, {}), "needs a node, but there is none");
}

TEST(Lacking, NamesCoresAndMemoryWhereTheyGoTogether) {
  EXPECT_EQ(lacking({.memory_per_processor = 8 * kGibibyte, .max_nodes = 1}, 9, four_nodes()),
            "needs 9 cores and 72G of memory on a node, but the nodes that come nearest have 16 "
            "cores and 64G");
  EXPECT_EQ(lacking({.memory_per_processor = 8 * kGibibyte}, 33, four_nodes()),
            "needs 9 cores and 72G of memory on each of 4 nodes, but the nodes that come nearest "
            "have 16 cores and 64G");
  const std::vector<NodeType> types = {{3, 16, 0, 0, {}}, {1, 16, 8 * kGibibyte, 0, {}}};
  EXPECT_EQ(lacking({.memory_per_processor = kGibibyte, .min_nodes = 4}, 40, types),
            "needs 10 cores and 10G of memory on each of 4 nodes, but only 3 nodes have that");
}

TEST(Size, ReadsBytesAndUnits) {
  const std::pair<const char*, Bytes> cases[] = {
      {"0", 0},
      {"1000", 1000},
      {"1000B", 1000},
      {"100K", 100 * 1024},
      {"512M", 512 * kMebibyte},
      {"4G", 4 * kGibibyte},
      {"4g", 4 * kGibibyte},
      {"4Gi", 4 * kGibibyte},
      {"4GB", 4 * kGibibyte},
      {"4GiB", 4 * kGibibyte},
      {"4 gb", 4 * kGibibyte},
      {"007G", 7 * kGibibyte},
      {"1T", kTebibyte},
      {"1P", 1024 * kTebibyte},
      {"1024P", kMaxMemory},
      {"1152921504606846976", kMaxMemory},
  };
  for (const auto& [text, size] : cases) EXPECT_EQ(parse_size(text), size) << text;
}

TEST(Size, RoundsFractionsUpToWholeBytes) {
  EXPECT_EQ(parse_size("1.5T"), 1536 * kGibibyte);
  EXPECT_EQ(parse_size("1.50T"), 1536 * kGibibyte);
  EXPECT_EQ(parse_size("0.5K"), 512);
  EXPECT_EQ(parse_size("0.1K"), 103);  // 102.4
  EXPECT_EQ(parse_size("0.0K"), 0);
  EXPECT_EQ(parse_size("0.0001K"), 1);
  EXPECT_EQ(parse_size("0.0009765625K"), 1);                        // exactly one
  EXPECT_EQ(parse_size("0.00097656250000000000000000000001K"), 2);  // a little more
  EXPECT_EQ(parse_size("1.3P"), 1'463'669'878'895'412);             // ...411.2
  EXPECT_EQ(parse_size("1023.9999999999999999999P"), kMaxMemory);
}

TEST(Size, RefusesWhatIsNone) {
  for (const char* text : {"",
                           " ",
                           "G",
                           "4 GB?",
                           "4X",
                           "4Gx",
                           "4GG",
                           "4iB",
                           "4BB",
                           "-1G",
                           "-0",
                           "+4G",
                           "1.5.2G",
                           "1.G",
                           ".5G",
                           "1.5",
                           "1.5B",
                           "1,5G",
                           "nan",
                           "inf",
                           "1e9",
                           "0x10",
                           " 4G",
                           "4G ",
                           "4 ",
                           "4\tG",
                           "4 G B",
                           "1152921504606846977",
                           "1024.1P",
                           "1025P",
                           "1024.0000000000000000000001P",
                           "99999999999999999999999999",
                           "9223372036854775808G"}) {
    EXPECT_EQ(parse_size(text), std::nullopt) << "'" << text << "'";
  }
}

TEST(Size, IsWrittenAsPeopleWould) {
  const std::pair<Bytes, const char*> cases[] = {
      {0, "0"},
      {1, "1"},
      {1000, "1000"},
      {1023, "1023"},
      {1024, "1K"},
      {1536, "1536"},  // "1.5K" is as short
      {100 * 1024, "100K"},
      {512 * kMebibyte, "512M"},  // so is "0.5G"
      {4 * kGibibyte, "4G"},
      {1536 * kMebibyte, "1.5G"},
      {1536 * kGibibyte, "1.5T"},
      {kMaxMemory, "1024P"},
      {kMaxMemory - 1, "1152921504606846975"},
      {kGibibyte + 1, "1073741825"},
      {1'463'669'878'895'412, "1.3P"},
  };
  for (const auto& [size, text] : cases) EXPECT_EQ(format_size(size), text) << size;
}

TEST(Size, IsReadBackAsItWasWritten) {
  Random random(1);
  for (int i = 0; i < 50'000; ++i) {
    // As many sizes of every length.
    Bytes size = static_cast<Bytes>(random.below(static_cast<std::uint64_t>(kMaxMemory) + 1)) >>
                 random.below(60);
    if (i % 3 == 0) size = size / kMebibyte * kMebibyte;
    const std::string text = format_size(size);
    ASSERT_EQ(parse_size(text), size) << text;
    ASSERT_LE(text.size(), std::to_string(size).size()) << text;
  }
}

// All texts of up to five characters that are sizes, and what is written for each.
TEST(Size, IsWrittenInTheFewestCharacters) {
  std::map<Bytes, std::size_t> shortest;
  const std::string letters = "0123456789.KMGTP";
  std::vector<std::string> texts = {""};
  for (std::size_t length = 1; length <= 5; ++length) {
    std::vector<std::string> longer;
    for (const std::string& text : texts) {
      if (!text.empty() && text.back() > '9') continue;
      for (const char letter : letters) longer.push_back(text + letter);
    }
    texts = std::move(longer);
    for (const std::string& text : texts) {
      const auto size = parse_size(text);
      if (size) shortest.emplace(*size, length);
    }
  }
  ASSERT_GT(shortest.size(), 100'000U);
  for (const auto& [size, length] : shortest) ASSERT_EQ(format_size(size).size(), length) << size;
}

}  // namespace
}  // namespace dovetail
