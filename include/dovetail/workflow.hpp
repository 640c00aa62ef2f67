// A workflow: a checked directed acyclic graph of tasks, in compact arrays.
//
// Built once, then immutable; copies share the data and are nearly free. Tasks are numbered
// 0..size-1 in the order in which they were added, and this number breaks every tie.
//
//   WorkflowBuilder builder("demo");
//   TaskId a = builder.add_task({.id = "a", .time = TimeSpec::fixed(60)});
//   TaskId b = builder.add_task({.id = "b", .time = TimeSpec::amdahl(3600, 0.05)});
//   builder.add_edge(a, b);
//   Workflow workflow = std::move(builder).build();
//
// A Workflow may be read from any number of threads.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "dovetail/nodes.hpp"
#include "dovetail/speedup.hpp"
#include "dovetail/time.hpp"

namespace dovetail {

using TaskId = std::uint32_t;

// How to execute a task, beyond its command. Planners ignore it.
struct TaskExecution {
  std::string kind = {};  // tasks of one kind do the same work on other data; empty: from the id
  std::string directory = {};  // to run in, relative to where the run was started
  std::vector<std::pair<std::string, std::string>> environment = {};
  std::vector<std::string> inputs = {};   // files that it reads, relative to its directory
  std::vector<std::string> outputs = {};  // files that exist once it has succeeded
  double timeout_seconds = 0;             // 0: none
  std::uint32_t retries = 0;              // after a failure
  friend bool operator==(const TaskExecution&, const TaskExecution&) = default;
};

// One task as a user writes it.
struct TaskSpec {
  std::string id;
  TimeSpec time;
  std::string run = {};  // the command to execute; may be empty when only planning
  TaskExecution execution = {};
  TaskNeeds needs = {};
};

// The terms on which a workflow competes with others for the same processors.
struct WorkflowTerms {
  double weight = 1;  // kMinWeight to kMaxWeight; twice the weight means half the stretch
  std::optional<Time> ready_at = {};  // on the clusters' clock; nothing: at once
  bool ready_is_date = false;         // ready_at counts from 1970
  friend bool operator==(const WorkflowTerms&, const WorkflowTerms&) = default;
};

inline constexpr double kMinWeight = 0.01;
inline constexpr double kMaxWeight = 100;

// An id without the number at its end: "blur_17" is of the kind "blur".
std::string_view kind_of_id(std::string_view id);

class Workflow {
 public:
  // An empty workflow without a name.
  Workflow();

  const std::string& name() const;
  std::size_t size() const;
  std::size_t edge_count() const;
  const WorkflowTerms& terms() const;

  // The same tasks under other terms, which must be in range.
  Workflow with_terms(const WorkflowTerms& terms) const;

  std::string_view id(TaskId task) const;
  std::string_view run(TaskId task) const;
  const TaskExecution& execution(TaskId task) const;

  // What it needs beside processors, and whether any task needs something.
  const TaskNeeds& needs(TaskId task) const;
  bool has_needs() const;

  // The kind that its execution names, else the kind of its id.
  std::string_view kind(TaskId task) const;

  std::optional<TaskId> find(std::string_view id) const;

  // The task's run time by processors. A view into this workflow: valid while any copy lives.
  TaskTime time(TaskId task) const;

  // The same in the form that a user writes.
  TimeSpec time_spec(TaskId task) const;

  // In the order of task numbers.
  std::span<const TaskId> successors(TaskId task) const;
  std::span<const TaskId> predecessors(TaskId task) const;

  // Transfer times from each predecessor, in the order of predecessors(): how long a task waits for
  // its input when the two run on different clusters. Empty when the workflow has no transfers.
  std::span<const Duration> transfers_in(TaskId task) const;
  bool has_transfers() const;

  // Every task after all of its predecessors; among tasks that could come next, lower numbers
  // first.
  std::span<const TaskId> topological_order() const;

  // The number of edges on the longest path from an entry task to each task.
  std::vector<std::uint32_t> levels() const;

  // The names that per-resource times refer to, in order of first use.
  std::span<const std::string> resource_names() const;

  // Bytes held by the arrays, shared or not.
  std::size_t memory_bytes() const;

 private:
  friend class WorkflowBuilder;
  struct Data;
  explicit Workflow(std::shared_ptr<const Data> data);
  std::shared_ptr<const Data> data_;
};

class WorkflowBuilder {
 public:
  explicit WorkflowBuilder(std::string name = "workflow");
  ~WorkflowBuilder();
  WorkflowBuilder(WorkflowBuilder&&) noexcept;
  WorkflowBuilder& operator=(WorkflowBuilder&&) noexcept;

  void set_name(std::string name);

  // Throws InputError for a weight out of range.
  void set_terms(const WorkflowTerms& terms);

  // Throws InputError for an empty or repeated id, and for a time model or needs that are out of
  // range. A moldable task that needs several nodes runs on at least as many processors.
  TaskId add_task(const TaskSpec& task);

  std::optional<TaskId> find(std::string_view id) const;
  std::size_t size() const;

  // An edge given twice counts once, with the longer transfer. Throws InputError for a self-loop.
  void add_edge(TaskId from, TaskId to, Duration transfer = 0);

  // Throws InputError when there is no task, or a cycle; the message prints one cycle.
  Workflow build() &&;

 private:
  std::unique_ptr<Workflow::Data> data_;
  struct Edges;
  std::unique_ptr<Edges> edges_;
};

}  // namespace dovetail
