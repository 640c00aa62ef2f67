// Tasks as jobs see them: how long each takes, what comes after it, which one a job prefers, and
// what each takes of the job's nodes.
//
//   JobTasks tasks(times, Pick::shortest, next_of);            // each task takes a node
//   JobTasks tasks(times, Pick::shortest, next_of, sharing);   // tasks share nodes
//
// Immutable; any number of threads may read it.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "dovetail/workflow.hpp"
#include "queue/strategies/node_share.hpp"

namespace dovetail::queue {

// Which ready task goes first.
enum class Pick { shortest, longest };

class JobTasks {
 public:
  // next_of(task) lists the tasks that come after it, each once.
  template <typename NextOf>
  JobTasks(std::vector<Duration> times, Pick pick, NextOf next_of, NodeSharing sharing = {})
      : JobTasks(std::move(times), pick, std::move(sharing)) {
    for (TaskId task = 0; task < size(); ++task) {
      const auto& next = next_of(task);
      next_.insert(next_.end(), next.begin(), next.end());
      first_next_.push_back(static_cast<std::uint32_t>(next_.size()));
    }
  }

  std::uint32_t size() const { return static_cast<std::uint32_t>(times_.size()); }
  Duration time(TaskId task) const { return times_[task]; }
  std::span<const TaskId> next(TaskId task) const {
    return {next_.data() + first_next_[task], next_.data() + first_next_[task + 1]};
  }

  // Position in the order in which a job prefers the tasks.
  std::uint32_t rank(TaskId task) const { return ranks_[task]; }
  TaskId at_rank(std::uint32_t rank) const { return at_rank_[rank]; }
  // The longest is number 0.
  TaskId by_length(std::uint32_t number) const {
    return at_rank_[pick_ == Pick::longest ? number : size() - 1 - number];
  }

  // Whether tasks share nodes; else each takes one, and sharing() says nothing.
  bool are_sharing() const { return !sharing_.demand_of.empty(); }
  const NodeSharing& sharing() const { return sharing_; }

 private:
  JobTasks(std::vector<Duration> times, Pick pick, NodeSharing sharing);

  std::vector<Duration> times_;
  Pick pick_;
  NodeSharing sharing_;
  std::vector<TaskId> at_rank_;
  std::vector<std::uint32_t> ranks_;
  std::vector<std::uint32_t> first_next_ = {0};  // by task: where its part of next_ begins
  std::vector<TaskId> next_;
};

}  // namespace dovetail::queue
