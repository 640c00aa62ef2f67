// Small random problems on clusters with nodes of several types, with tasks that need memory, GPUs,
// features or several nodes.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "dovetail/error.hpp"
#include "support/random_problem.hpp"

namespace dovetail::testing {

inline std::vector<NodeType> random_types(Dice& dice) {
  std::vector<NodeType> types;
  const auto count = dice.between(1, 3);
  for (std::int64_t i = 0; i < count; ++i) {
    NodeType& type = types.emplace_back();
    type.count = static_cast<Count>(dice.between(1, 5));
    type.cores = static_cast<Count>(dice.between(1, 8));
    if (dice.chance(0.7)) type.memory = dice.between(4, 64) * kGibibyte;
    if (dice.chance(0.4)) type.gpus = static_cast<Count>(dice.between(1, 4));
    if (dice.chance(0.3)) type.features.emplace_back("fast");
  }
  return types;
}

inline TaskNeeds random_needs(Dice& dice) {
  TaskNeeds needs;
  if (dice.chance(0.4)) {
    needs.memory = dice.between(1, 20) * kGibibyte;
  } else if (dice.chance(0.2)) {
    needs.memory_per_processor = dice.between(1, 6) * kGibibyte;
  }
  if (dice.chance(0.2)) needs.gpus = static_cast<Count>(dice.between(1, 2));
  if (dice.chance(0.2)) {
    needs.min_nodes = static_cast<Count>(dice.between(1, 3));
    needs.max_nodes = needs.min_nodes + static_cast<Count>(dice.between(0, 2));
  }
  if (dice.chance(0.1)) needs.features.emplace_back("fast");
  return needs;
}

// The tasks of a workflow with random needs; those that no node could hold get none, or one
// processor.
inline Workflow with_random_needs(Dice& dice, const Workflow& plain,
                                  const std::vector<NodeType>& types) {
  WorkflowBuilder builder(plain.name());
  for (TaskId task = 0; task < plain.size(); ++task) {
    TaskSpec spec{.id = std::string(plain.id(task)), .time = plain.time_spec(task)};
    if (dice.chance(0.6)) spec.needs = random_needs(dice);
    if (spec.time.kind != TimeKind::fixed && plain.time(task).max_procs() < spec.needs.min_nodes) {
      spec.needs.min_nodes = spec.needs.max_nodes = 0;
    }
    const Count least = std::max(plain.time(task).min_procs(), spec.needs.min_nodes);
    if (spec.time.kind == TimeKind::fixed && spec.needs.min_nodes > 0) {
      spec.time.processors = {least, least};
    }
    if (!demand_of(spec.needs, least, types)) spec.needs = {};
    builder.add_task(spec);
  }
  for (TaskId task = 0; task < plain.size(); ++task) {
    for (const TaskId before : plain.predecessors(task)) builder.add_edge(before, task);
  }
  return std::move(builder).build();
}

// Nothing when the dice give a task that no node can hold.
inline std::optional<Problem> random_problem_on_nodes(std::uint64_t seed, int workflows = 1) {
  Dice dice(seed);
  const std::vector<NodeType> types = random_types(dice);
  Cluster cluster{.name = "c", .node_types = types};
  for (const NodeType& type : types) cluster.processors += type.count * type.cores;
  RandomProblemOptions options{.max_tasks = 2 + static_cast<int>(seed % 24),
                               .max_processors = cluster.processors,
                               .all_models = seed % 3 != 0,
                               .tiny_times = seed % 7 == 0};
  for (std::int64_t i = dice.between(0, 8); i > 0; --i) {
    const Time start = dice.between(-50'000, 400'000);
    cluster.reservations.push_back(
        {start, start + dice.between(1, 200'000),
         static_cast<Count>(dice.between(1, std::max<Count>(1, cluster.processors / 2)))});
    if (find_overbooking(cluster)) cluster.reservations.pop_back();
  }
  std::vector<Workflow> flows;
  for (int i = 0; i < workflows; ++i) {
    const Workflow plain =
        random_workflow(dice, options, cluster.processors, "w" + std::to_string(i));
    flows.push_back(with_random_needs(dice, plain, types));
  }
  try {
    return Problem(std::move(flows), Platform(0, {std::move(cluster)}));
  } catch (const InputError&) {
    return std::nullopt;
  }
}

}  // namespace dovetail::testing
