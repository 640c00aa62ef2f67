// A problem on heterogeneous resources in compact arrays: the cost of each task on each resource,
// and of each edge between two.
//
// Resources are clusters of one processor. Several workflows are planned as one graph.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "dovetail/problem.hpp"

namespace dovetail::planning {

using ResourceId = std::uint32_t;  // position in Platform::clusters()

class CostGraph {
 public:
  struct Input {
    TaskId from = 0;
    Duration transfer = 0;  // between different resources
  };
  struct Output {
    TaskId to = 0;
    std::uint32_t input = 0;  // position of the edge among all inputs
  };

  explicit CostGraph(const Problem& problem);

  // The same from arrays: costs by task and resource; the inputs task by task, those of task i from
  // first_input[i] to first_input[i + 1]. Needs every task to come after its predecessors.
  CostGraph(std::size_t resources, std::vector<Duration> costs, std::vector<Input> inputs,
            std::vector<std::uint32_t> first_input);

  std::size_t size() const { return first_input_.size() - 1; }
  std::size_t resource_count() const { return resources_; }
  std::size_t edge_count() const { return inputs_.size(); }

  // kForever: the task does not run there.
  Duration cost(TaskId task, ResourceId resource) const {
    return costs_[task * resources_ + resource];
  }
  std::span<const Duration> costs(TaskId task) const {
    return {costs_.data() + task * resources_, resources_};
  }

  std::span<const Input> inputs(TaskId task) const {
    return std::span(inputs_).subspan(first_input_[task],
                                      first_input_[task + 1] - first_input_[task]);
  }
  std::uint32_t first_input(TaskId task) const { return first_input_[task]; }
  const Input& input(std::uint32_t position) const { return inputs_[position]; }
  std::span<const Output> outputs(TaskId task) const {
    return std::span(outputs_).subspan(first_output_[task],
                                       first_output_[task + 1] - first_output_[task]);
  }

  // Every task after its predecessors.
  std::span<const TaskId> topological_order() const { return order_; }

 private:
  void add(const Problem& problem, std::size_t workflow, TaskId first);
  void link_outputs();

  std::size_t resources_;
  std::vector<Duration> costs_;  // by task and resource
  std::vector<Input> inputs_;    // by task
  std::vector<std::uint32_t> first_input_;
  std::vector<Output> outputs_;  // by task
  std::vector<std::uint32_t> first_output_;
  std::vector<TaskId> order_;
};

// Why the planners for heterogeneous resources cannot plan this, as the end of a sentence; empty
// when they can.
std::string pool_unfit(const Problem& problem);

// Says that a resource leaves, as the end of a sentence about a planner that does not look ahead.
std::string leaves_unseen(const Problem& problem);

}  // namespace dovetail::planning
