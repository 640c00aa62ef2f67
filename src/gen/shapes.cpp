#include "gen/shapes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <initializer_list>
#include <utility>

#include "dovetail/error.hpp"

namespace dovetail::gen {
namespace {

void check_count(const char* name, std::uint64_t value, std::uint64_t least = 1) {
  check_range(name, static_cast<double>(value), static_cast<double>(least),
              static_cast<double>(kMaxGeneratedTasks));
}

// Adds `count` tasks "prefix_0", "prefix_1", ..., each with a time from `draw`.
template <typename Draw>
std::vector<TaskId> add_row(WorkflowBuilder& builder, const std::string& prefix,
                            std::uint32_t count, Draw draw) {
  std::vector<TaskId> row;
  row.reserve(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    row.push_back(builder.add_task({.id = fmt::format("{}_{}", prefix, i), .time = draw()}));
  }
  return row;
}

std::vector<TaskId> add_row(WorkflowBuilder& builder, const std::string& prefix,
                            std::uint32_t count, const TaskTimes& times, Random& random) {
  return add_row(builder, prefix, count, [&] { return times.draw(random); });
}

std::vector<TaskId> add_even_row(WorkflowBuilder& builder, const std::string& prefix,
                                 std::uint32_t count, const TaskTimes& times, Random& random) {
  const TimeSpec same = times.draw(random);
  return add_row(builder, prefix, count, [&] { return same; });
}

void add_all_edges(WorkflowBuilder& builder, const std::vector<TaskId>& from,
                   const std::vector<TaskId>& to) {
  for (TaskId a : from) {
    for (TaskId b : to) builder.add_edge(a, b);
  }
}

// The number of tasks on each level of a complete tree, the root first.
std::vector<std::uint32_t> tree_widths(const TreeSpec& spec) {
  check_count("levels", spec.levels);
  check_count("arity", spec.arity);
  std::vector<std::uint32_t> widths;
  std::uint64_t width = 1;
  std::uint64_t total = 0;
  for (std::uint32_t level = 0; level < spec.levels; ++level, width *= spec.arity) {
    check_count("tasks of the tree", total += width);
    widths.push_back(static_cast<std::uint32_t>(width));
  }
  return widths;
}

// A complete tree, level by level; `connect(parent, child)` adds the edges.
template <typename Connect>
void add_tree(WorkflowBuilder& builder, const TreeSpec& spec, Random& random, Connect connect) {
  spec.times.check();
  const std::vector<std::uint32_t> widths = tree_widths(spec);
  std::vector<TaskId> above;
  for (std::size_t level = 0; level < widths.size(); ++level) {
    std::vector<TaskId> row =
        add_row(builder, fmt::format("node_{}", level), widths[level], spec.times, random);
    for (std::size_t i = 0; i < row.size() && level > 0; ++i) {
      connect(above[i / spec.arity], row[i]);
    }
    above = std::move(row);
  }
}

}  // namespace

Workflow fft(const FftSpec& spec, Random& random, std::string name) {
  spec.times.check();
  check_count("points", spec.points, 2);
  if (!std::has_single_bit(spec.points)) {
    throw InputError(fmt::format("points is {}; it must be a power of two", spec.points));
  }
  const auto depth = static_cast<std::uint32_t>(std::countr_zero(spec.points));
  WorkflowBuilder builder(std::move(name));
  std::vector<TaskId> above;
  for (std::uint32_t level = 0; level <= depth; ++level) {
    std::vector<TaskId> row =
        add_even_row(builder, fmt::format("call_{}", level), 1U << level, spec.times, random);
    for (std::size_t i = 0; i < row.size() && level > 0; ++i) {
      builder.add_edge(above[i / 2], row[i]);
    }
    above = std::move(row);
  }
  for (std::uint32_t level = 0; level < depth; ++level) {
    std::vector<TaskId> row =
        add_even_row(builder, fmt::format("butterfly_{}", level), spec.points, spec.times, random);
    for (std::size_t i = 0; i < row.size(); ++i) {
      builder.add_edge(above[i], row[i]);
      builder.add_edge(above[i ^ (std::size_t{1} << level)], row[i]);
    }
    above = std::move(row);
  }
  return std::move(builder).build();
}

Workflow strassen(const StrassenSpec& spec, Random& random, std::string name) {
  spec.times.check();
  check_range("sum_share", spec.sum_share, 0.001, 1);
  const TimeSpec product = spec.times.draw(random);
  TimeSpec sum = product;
  sum.seconds = std::max(1.0, std::round(1000 * product.seconds * spec.sum_share)) / 1000;

  WorkflowBuilder builder(std::move(name));
  const auto add = [&](const char* id, const TimeSpec& time,
                       std::initializer_list<const char*> after) {
    const TaskId task = builder.add_task({.id = id, .time = time});
    for (const char* parent : after) builder.add_edge(*builder.find(parent), task);
  };
  for (const char* id :
       {"A11_plus_A22", "B11_plus_B22", "A21_plus_A22", "B12_minus_B22", "B21_minus_B11",
        "A11_plus_A12", "A21_minus_A11", "B11_plus_B12", "A12_minus_A22", "B21_plus_B22"}) {
    add(id, sum, {});
  }
  add("M1", product, {"A11_plus_A22", "B11_plus_B22"});
  add("M2", product, {"A21_plus_A22"});
  add("M3", product, {"B12_minus_B22"});
  add("M4", product, {"B21_minus_B11"});
  add("M5", product, {"A11_plus_A12"});
  add("M6", product, {"A21_minus_A11", "B11_plus_B12"});
  add("M7", product, {"A12_minus_A22", "B21_plus_B22"});
  add("M1_plus_M4", sum, {"M1", "M4"});
  add("M7_minus_M5", sum, {"M7", "M5"});
  add("C11", sum, {"M1_plus_M4", "M7_minus_M5"});
  add("C12", sum, {"M3", "M5"});
  add("C21", sum, {"M2", "M4"});
  add("M1_minus_M2", sum, {"M1", "M2"});
  add("M3_plus_M6", sum, {"M3", "M6"});
  add("C22", sum, {"M1_minus_M2", "M3_plus_M6"});
  return std::move(builder).build();
}

Workflow chain(const ListSpec& spec, Random& random, std::string name) {
  spec.times.check();
  check_count("tasks", spec.tasks);
  WorkflowBuilder builder(std::move(name));
  const std::vector<TaskId> row = add_row(builder, "link", spec.tasks, spec.times, random);
  for (std::size_t i = 1; i < row.size(); ++i) builder.add_edge(row[i - 1], row[i]);
  return std::move(builder).build();
}

Workflow independent(const ListSpec& spec, Random& random, std::string name) {
  spec.times.check();
  check_count("tasks", spec.tasks);
  WorkflowBuilder builder(std::move(name));
  add_row(builder, "task", spec.tasks, spec.times, random);
  return std::move(builder).build();
}

Workflow fork_join(const ForkJoinSpec& spec, Random& random, std::string name) {
  spec.times.check();
  check_count("width", spec.width);
  check_count("stages", spec.stages);
  check_count("tasks", (spec.width + std::uint64_t{2}) * spec.stages);
  WorkflowBuilder builder(std::move(name));
  std::vector<TaskId> last;
  for (std::uint32_t stage = 0; stage < spec.stages; ++stage) {
    const TaskId fork =
        builder.add_task({.id = fmt::format("fork_{}", stage), .time = spec.times.draw(random)});
    const std::vector<TaskId> parts =
        add_row(builder, fmt::format("part_{}", stage), spec.width, spec.times, random);
    const TaskId join =
        builder.add_task({.id = fmt::format("join_{}", stage), .time = spec.times.draw(random)});
    add_all_edges(builder, last, {fork});
    add_all_edges(builder, {fork}, parts);
    add_all_edges(builder, parts, {join});
    last = {join};
  }
  return std::move(builder).build();
}

Workflow strict_levels(const StrictLevelsSpec& spec, Random& random, std::string name) {
  spec.times.check();
  check_count("levels", spec.widths.size());
  WorkflowBuilder builder(std::move(name));
  std::vector<TaskId> above;
  std::uint64_t total = 0;
  for (std::size_t level = 0; level < spec.widths.size(); ++level) {
    check_count("width", spec.widths[level]);
    check_count("tasks", total += spec.widths[level]);
    std::vector<TaskId> row =
        add_row(builder, fmt::format("level_{}", level), spec.widths[level], spec.times, random);
    add_all_edges(builder, above, row);
    above = std::move(row);
  }
  return std::move(builder).build();
}

Workflow in_tree(const TreeSpec& spec, Random& random, std::string name) {
  WorkflowBuilder builder(std::move(name));
  add_tree(builder, spec, random,
           [&](TaskId parent, TaskId child) { builder.add_edge(child, parent); });
  return std::move(builder).build();
}

Workflow out_tree(const TreeSpec& spec, Random& random, std::string name) {
  WorkflowBuilder builder(std::move(name));
  add_tree(builder, spec, random,
           [&](TaskId parent, TaskId child) { builder.add_edge(parent, child); });
  return std::move(builder).build();
}

}  // namespace dovetail::gen
