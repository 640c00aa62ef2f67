// Workflows of known shape: two numerical kernels that mixed-parallel scheduling papers use (FFT
// and Strassen's matrix product) and simple shapes that make good tests.
//
//   Random random(1);
//   Workflow workflow = fft({.points = 8}, random);      // 39 tasks
//   Workflow tree = out_tree({.levels = 4, .arity = 2}, random);
//
// The random generator decides only the tasks' times. All functions throw InputError for a spec out
// of range.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/random.hpp"
#include "dovetail/workflow.hpp"
#include "gen/task_times.hpp"

namespace dovetail::gen {

// k points, a power of two: a binary tree of 2k - 1 recursive calls above log2(k) butterfly levels
// of k tasks each (5, 15, 39, 95 tasks for k = 2, 4, 8, 16). Tasks of a level take the same time,
// so every path is critical.
struct FftSpec {
  std::uint32_t points = 8;
  TaskTimes times = {};
};
Workflow fft(const FftSpec& spec, Random& random, std::string name = "fft");

// One level of Strassen's method: 10 sums of matrix quarters, 7 products, 8 sums that assemble the
// result. All products take one drawn time, the sums the given share of it.
struct StrassenSpec {
  double sum_share = 0.05;
  TaskTimes times = {};
};
Workflow strassen(const StrassenSpec& spec, Random& random, std::string name = "strassen");

struct ListSpec {
  std::uint32_t tasks = 10;
  TaskTimes times = {};
};
// Each task after the one before.
Workflow chain(const ListSpec& spec, Random& random, std::string name = "chain");
// No edges.
Workflow independent(const ListSpec& spec, Random& random, std::string name = "independent");

// Stages one after the other, each a fork, `width` parts and a join.
struct ForkJoinSpec {
  std::uint32_t width = 8;
  std::uint32_t stages = 1;
  TaskTimes times = {};
};
Workflow fork_join(const ForkJoinSpec& spec, Random& random, std::string name = "fork_join");

// Every task after all tasks of the level before.
struct StrictLevelsSpec {
  std::vector<std::uint32_t> widths = {4, 4, 4};
  TaskTimes times = {};
};
Workflow strict_levels(const StrictLevelsSpec& spec, Random& random, std::string name = "levels");

// A complete tree; one level is a single task.
struct TreeSpec {
  std::uint32_t levels = 4;
  std::uint32_t arity = 2;
  TaskTimes times = {};
};
// From the leaves to the root.
Workflow in_tree(const TreeSpec& spec, Random& random, std::string name = "in_tree");
// From the root to the leaves.
Workflow out_tree(const TreeSpec& spec, Random& random, std::string name = "out_tree");

}  // namespace dovetail::gen
