// Workflows as rows of numbers.
#pragma once

#include <string>
#include <vector>

#include "queue/strategies/open_tasks.hpp"

namespace dovetail::testing {

struct Row {
  int seconds;
  std::vector<TaskId> parents = {};
};

// Tasks t0, t1, ... of one-node machines.
inline queue::LeveledTasks tasks_of(const std::vector<Row>& rows) {
  WorkflowBuilder builder("test");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    builder.add_task({.id = "t" + std::to_string(i), .time = TimeSpec::fixed(rows[i].seconds)});
  }
  for (TaskId task = 0; task < rows.size(); ++task) {
    for (const TaskId parent : rows[task].parents) builder.add_edge(parent, task);
  }
  return {std::move(builder).build(), Cluster{.name = "c", .processors = 1}};
}

}  // namespace dovetail::testing
