// The nodes of one job whose tasks share them, and the tasks that are ready to start there.
//
//   SharedNodes nodes(tasks, of_job);
//   nodes.add(16);
//   nodes.make_ready(task);
//   if (const auto task = nodes.start(waits)) ... nodes.nodes_of(*task) ...
//   nodes.release(*task);
//
// Of the ready tasks that fit now, the one that the job prefers starts. A task that does not fit
// does not hold up those behind it. Tasks that take the same wait in one line: when the first does
// not fit, none of them is asked about again until enough is released on a node. A part of
// job_schedule.hpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/packer.hpp"
#include "queue/strategies/job_tasks.hpp"

namespace dovetail::queue {

class SharedNodes {
 public:
  // The tasks are those of the job; there is no node yet. `tasks` must outlive it.
  SharedNodes(const JobTasks& tasks, std::span<const TaskId> of_job);

  // Once: the nodes of the job are numbered from 0.
  void add(Count nodes);

  void make_ready(TaskId task);

  // Starts the most preferred ready task that fits and that `waits(task)`; tasks that do not wait
  // any more are forgotten.
  template <typename Waits>
  std::optional<TaskId> start(const Waits& waits);

  // Where a task that was started runs.
  std::span<const NodeId> nodes_of(TaskId task) const { return held_.at(task); }

  // A task that was started is over.
  void release(TaskId task);

  // These nodes take no other task.
  void lose(std::span<const NodeId> nodes);

  // Whether there is room for any task, however small.
  bool has_room() const;

  // Whether all the nodes that are left, when idle, could not hold the task.
  bool is_hopeless(TaskId task) const { return !lines_.empty() && line_of(task).is_hopeless; }
  bool has_hopeless() const { return has_hopeless_; }

 private:
  // Tasks that take the same.
  struct Line {
    std::uint32_t demand = 0;               // position in the demands of all tasks
    std::vector<std::uint32_t> ready = {};  // heap of ranks; some may have been given up
    bool does_not_fit = false;              // until there is more room
    bool is_hopeless = false;
  };
  using First = std::pair<std::uint32_t, std::uint32_t>;  // rank, line

  const NodeDemand& demand(const Line& line) const {
    return tasks_->sharing().demands[line.demand];
  }
  std::uint32_t line_number(TaskId task) const;
  const Line& line_of(TaskId task) const { return lines_[line_number(task)]; }
  void offer(std::uint32_t line);
  bool may_fit_again(const NodeDemand& wanted, NodeId node) const;
  // `idle`: the nodes that are left, without any task; null: there are none.
  void find_hopeless(const Packer* idle);

  const JobTasks* tasks_;
  std::vector<Line> lines_;  // by demand
  // Heap: the first of each line that may fit is in it, among others that mean nothing any more.
  std::vector<First> firsts_;
  std::vector<std::uint32_t> unfit_;  // lines
  std::optional<Packer> packer_;
  std::vector<NodeId> lost_;
  bool has_hopeless_ = false;
  std::unordered_map<TaskId, std::vector<NodeId>> held_;
};

template <typename Waits>
std::optional<TaskId> SharedNodes::start(const Waits& waits) {
  if (!packer_) return std::nullopt;
  while (!firsts_.empty()) {
    std::ranges::pop_heap(firsts_, std::greater<>());
    const auto [rank, number] = firsts_.back();
    firsts_.pop_back();
    Line& line = lines_[number];
    if (line.does_not_fit) continue;
    const auto drop_first = [&] {
      std::ranges::pop_heap(line.ready, std::greater<>());
      line.ready.pop_back();
    };
    while (!line.ready.empty() && !waits(tasks_->at_rank(line.ready.front()))) drop_first();
    if (line.ready.empty()) continue;
    if (line.ready.front() != rank) {
      offer(number);
      continue;
    }
    std::vector<NodeId> nodes;
    if (!packer_->place(demand(line), nodes)) {
      line.does_not_fit = true;
      unfit_.push_back(number);
      continue;
    }
    drop_first();
    offer(number);
    const TaskId task = tasks_->at_rank(rank);
    held_.emplace(task, std::move(nodes));
    return task;
  }
  return std::nullopt;
}

}  // namespace dovetail::queue
