// Which tasks a problem accepts, and on how many processors, against trying every count of
// processors with every number of nodes (oracles/plain_packer.hpp).
#include <gtest/gtest.h>

#include "dovetail/problem.hpp"
#include "oracles/plain_packer.hpp"
#include "support/file_checks.hpp"
#include "support/random_problem.hpp"

namespace dovetail {
namespace {

using testing::Dice;

Count between(Dice& dice, Count low, Count high) {
  return static_cast<Count>(dice.between(low, high));
}

std::vector<std::string> random_features(Dice& dice, double probability) {
  std::vector<std::string> features;
  for (const char* feature : {"a", "b"}) {
    if (dice.chance(probability)) features.emplace_back(feature);
  }
  return features;
}

// Some say nothing about their nodes.
std::vector<Cluster> random_clusters(Dice& dice) {
  std::vector<Cluster> clusters;
  for (auto n = dice.between(1, 3); n > 0; --n) {
    Cluster cluster{.name = "c" + std::to_string(n), .processors = between(dice, 1, 40)};
    const auto types = dice.chance(0.2) ? 0 : dice.between(1, 4);
    if (types > 0) cluster.processors = 0;
    for (auto i = types; i > 0; --i) {
      NodeType type{.count = between(dice, 1, 3), .cores = between(dice, 1, 9)};
      if (dice.chance(0.7)) type.memory = dice.between(1, 30);
      if (dice.chance(0.5)) type.gpus = between(dice, 0, 3);
      type.features = random_features(dice, 0.5);
      cluster.processors += type.count * type.cores;
      cluster.node_types.push_back(std::move(type));
    }
    clusters.push_back(std::move(cluster));
  }
  return clusters;
}

TaskNeeds random_needs(Dice& dice) {
  TaskNeeds needs;
  if (dice.chance(0.3)) {
    needs.memory = dice.between(1, 30);
  } else if (dice.chance(0.4)) {
    needs.memory_per_processor = dice.between(1, 8);
  }
  if (dice.chance(0.3)) needs.gpus = between(dice, 1, 3);
  if (dice.chance(0.4)) {
    needs.min_nodes = between(dice, 1, 4);
    needs.max_nodes = needs.min_nodes + between(dice, 0, 3);
  }
  needs.features = random_features(dice, 0.15);
  return needs;
}

// A task's time with the counts of processors that it names itself.
struct TimeAndCounts {
  TimeSpec time;
  std::vector<Count> counts = {};

  static TimeAndCounts random(Dice& dice, Count least) {
    TimeAndCounts made;
    const Count min = std::max(least, between(dice, 1, dice.chance(0.5) ? 4 : 30));
    const Count max = min + between(dice, 0, 12);
    switch (dice.between(0, 2)) {
      case 0:
        return {TimeSpec::fixed(1, min), {min}};
      case 1:
        made.time = TimeSpec::amdahl(1000, 0.1, {min, max});
        for (Count procs = min; procs <= max; ++procs) made.counts.push_back(procs);
        return made;
      default:
        for (Count procs = min; procs <= max; procs += between(dice, 1, 5)) {
          made.counts.push_back(procs);
          made.time.measured.emplace_back(procs, 1000 - procs);
        }
        made.time = TimeSpec::table(made.time.measured);
        return made;
    }
  }
};

bool plainly_holds(const Cluster& cluster, const TaskNeeds& needs, Count procs) {
  if (procs > cluster.processors) return false;
  if (cluster.node_types.empty()) return needs.features.empty();
  return testing::plain_demand(needs, procs, cluster.node_types).has_value();
}

void compare(std::uint64_t seed, int& refused, int& accepted) {
  Dice dice(seed);
  const std::vector<Cluster> clusters = random_clusters(dice);
  const TaskNeeds needs = random_needs(dice);
  const auto [time, counts] = TimeAndCounts::random(dice, needs.min_nodes);
  WorkflowBuilder builder("w");
  builder.add_task({.id = "a", .time = time, .needs = needs});
  const Workflow workflow = std::move(builder).build();
  const Platform platform(0, clusters);
  bool runs = false;
  for (const Cluster& cluster : clusters) {
    for (const Count procs : counts) runs = runs || plainly_holds(cluster, needs, procs);
  }
  const std::string error = testing::error_of([&] { Problem({workflow}, platform); });
  ASSERT_EQ(error == "no error", runs) << "seed " << seed << ": " << error;
  ++(runs ? accepted : refused);
  if (!runs) {
    ASSERT_EQ(error.find("workflow \"w\": task \"a\" "), 0U) << "seed " << seed << ": " << error;
    ASSERT_EQ(error.find('\n'), std::string::npos) << "seed " << seed << ": " << error;
    return;
  }
  // On nodes a moldable task has some of the counts that they can hold.
  const Problem problem({workflow}, platform);
  for (std::size_t c = 0; c < clusters.size(); ++c) {
    const bool has_all = clusters[c].node_types.empty() || time.kind != TimeKind::amdahl;
    bool is_held = false;
    bool is_allowed = false;
    for (Count procs = 1; procs <= clusters[c].processors + 1; ++procs) {
      const bool named = std::ranges::find(counts, procs) != counts.end();
      const bool holds = named && plainly_holds(clusters[c], needs, procs);
      const bool allows = problem.allows(0, 0, c, procs);
      ASSERT_TRUE(has_all ? allows == holds : !allows || holds)
          << "seed " << seed << ": " << procs << " processors on cluster " << c;
      is_held = is_held || holds;
      is_allowed = is_allowed || allows;
    }
    ASSERT_EQ(is_allowed, is_held) << "seed " << seed << ": cluster " << c;
  }
}

TEST(NodeFit, ATaskIsAcceptedIfSomeNodesCanHoldIt) {
  int refused = 0;
  int accepted = 0;
  for (std::uint64_t seed = 0; seed < 10'000; ++seed) {
    compare(seed, refused, accepted);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(refused, 1'000);
  EXPECT_GT(accepted, 1'000);
}

}  // namespace
}  // namespace dovetail
