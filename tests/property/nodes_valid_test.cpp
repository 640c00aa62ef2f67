// Every planner of the table on clusters with nodes: thousands of random problems with memory,
// GPUs, features, tasks over several nodes and reservations, judged by the checker and by an
// oracle that looks at every node at every moment.
#include <gtest/gtest.h>

#include "core/held_nodes.hpp"
#include "dovetail/answer.hpp"
#include "dovetail/check.hpp"
#include "dovetail/metrics.hpp"
#include "oracles/plain_nodes.hpp"
#include "support/random_nodes.hpp"

namespace dovetail {
namespace {

using testing::Dice;
using testing::random_problem_on_nodes;

const Cluster& cluster_of(const Problem& problem) { return problem.platform().clusters().front(); }

std::vector<plain::NodeSize> sizes_of(const Cluster& cluster) {
  std::vector<plain::NodeSize> sizes;
  for (const NodeType& type : cluster.node_types) {
    for (Count i = 0; i < type.count; ++i) sizes.push_back({type.cores, type.memory, type.gpus});
  }
  return sizes;
}

std::vector<plain::NodeUse> uses_of(const Problem& problem, const Plan& plan) {
  std::vector<plain::NodeUse> uses;
  for (std::size_t i = 0; i < plan.placements.size(); ++i) {
    const Placement& placement = plan.placements[i];
    const Workflow& workflow = problem.workflows()[placement.workflow];
    const auto demand =
        demand_of(workflow.needs(placement.task), placement.procs, cluster_of(problem).node_types);
    uses.push_back({.name = std::string(workflow.id(placement.task)),
                    .begin = placement.start,
                    .end = placement.end,
                    .nodes = plan.nodes[i],
                    .cores = demand->cores,
                    .memory = demand->memory,
                    .gpus = demand->gpus,
                    .is_whole = demand->is_whole});
  }
  for (const NodeHold& hold : held_nodes(cluster_of(problem))) {
    if (hold.window.end <= problem.now()) continue;
    uses.push_back({.name = "a reservation",
                    .begin = hold.window.begin,
                    .end = hold.window.end,
                    .nodes = {hold.node},
                    .cores = hold.cores,
                    .memory = hold.memory,
                    .gpus = hold.gpus});
  }
  return uses;
}

void expect_valid(const Problem& problem, const Plan& plan, std::uint64_t seed) {
  ASSERT_TRUE(plan.feasible) << plan.algorithm << " seed " << seed;
  ASSERT_EQ(plan.nodes.size(), plan.placements.size()) << plan.algorithm << " seed " << seed;
  ASSERT_EQ(check(problem, plan), std::vector<std::string>{}) << plan.algorithm << " seed " << seed;
  ASSERT_EQ(check(problem, make_record(problem, plan)), std::vector<std::string>{})
      << plan.algorithm << " seed " << seed;
  ASSERT_EQ(plain::find_overbooked_node(sizes_of(cluster_of(problem)), uses_of(problem, plan)), "")
      << plan.algorithm << " seed " << seed;
}

TEST(NodesValid, EveryPlanOfEveryPlannerFitsTheNodes) {
  int planned = 0;
  for (std::uint64_t seed = 1; seed <= 10'000; ++seed) {
    const auto problem = random_problem_on_nodes(seed);
    if (!problem) continue;
    ++planned;
    for (const Plan& plan : plan_all(*problem)) {
      ASSERT_NO_FATAL_FAILURE(expect_valid(*problem, plan, seed));
    }
  }
  EXPECT_GT(planned, 8'000);
}

TEST(NodesValid, TheAnswerFitsTheNodesAndItsProofHolds) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const auto problem = random_problem_on_nodes(seed);
    if (!problem) continue;
    PlannerOptions options;
    options.search.trials = 200;
    PlanningContext context(*problem, options);
    ASSERT_NO_FATAL_FAILURE(expect_valid(*problem, find_answer(context).plan, seed));
  }
}

TEST(NodesValid, SeveralWorkflowsShareNodesFairly) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const auto several = random_problem_on_nodes(seed, 3);
    if (!several) continue;
    const Problem problem({several->workflows().begin(), several->workflows().end()},
                          several->platform(), Goal::fair);
    for (const Plan& plan : plan_all(problem)) {
      ASSERT_NO_FATAL_FAILURE(expect_valid(problem, plan, seed));
    }
  }
}

TEST(NodesValid, DeadlinesAreKeptOnNodes) {
  int met = 0;
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    const auto any = random_problem_on_nodes(seed);
    if (!any) continue;
    const Plan early = plan(*find_planner("BL_CPAR_BD_CPAR"), *any);
    const Problem problem({any->workflows().begin(), any->workflows().end()}, any->platform(),
                          Goal::deadline, any->now() + makespan(early) * 3 / 2);
    for (const Plan& plan : plan_all(problem)) {
      if (!plan.feasible) continue;
      ++met;
      ASSERT_NO_FATAL_FAILURE(expect_valid(problem, plan, seed));
      ASSERT_LE(plan.now + makespan(plan), *problem.deadline());
    }
  }
  EXPECT_GT(met, 1'000);
}

// What the checker must see: each change makes a valid plan wrong.
TEST(NodesValid, TheCheckerSeesWhatIsWrongWithNodes) {
  int moved = 0;
  for (std::uint64_t seed = 1; seed <= 600; ++seed) {
    const auto problem = random_problem_on_nodes(seed);
    if (!problem) continue;
    Dice dice(seed);
    Plan plan = dovetail::plan(*find_planner("BL_CPAR_BD_CPAR"), *problem);
    Plan without = plan;
    without.nodes.clear();
    ASSERT_FALSE(check(*problem, without).empty()) << "seed " << seed;
    const auto nodes = sizes_of(cluster_of(*problem)).size();
    std::vector<std::uint32_t>& of_one =
        plan.nodes[static_cast<std::size_t>(dice.between(0, std::ssize(plan.nodes) - 1))];
    of_one.front() =
        static_cast<std::uint32_t>(dice.between(0, std::ssize(std::vector<char>(nodes))));
    // The oracle knows neither types nor repeated nodes.
    const bool is_known = of_one.front() < nodes;
    const bool is_wrong = !is_known || !plain::find_overbooked_node(sizes_of(cluster_of(*problem)),
                                                                    uses_of(*problem, plan))
                                            .empty();
    if (!is_wrong) continue;
    ++moved;
    ASSERT_FALSE(check(*problem, plan).empty()) << "seed " << seed;
  }
  EXPECT_GT(moved, 50);
}

}  // namespace
}  // namespace dovetail
