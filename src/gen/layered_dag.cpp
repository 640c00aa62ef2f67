#include "gen/layered_dag.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace dovetail::gen {
namespace {

// Tasks first..first + size - 1.
struct TaskLevel {
  TaskId first = 0;
  std::uint32_t size = 0;
};

void check_spec(const LayeredDagSpec& spec) {
  check_range("tasks", spec.tasks, 1, static_cast<double>(kMaxGeneratedTasks));
  check_range("width", spec.width, 0, 1);
  check_range("density", spec.density, 0, 1);
  check_range("regularity", spec.regularity, 0, 1);
  check_range("jump", spec.jump, 1, static_cast<double>(kMaxGeneratedTasks));
  spec.times.check();
}

std::vector<TaskLevel> draw_levels(const LayeredDagSpec& spec, Random& random) {
  const double mean = mean_level_size(spec);
  const double spread = 1 - spec.regularity;
  std::vector<TaskLevel> levels;
  for (std::uint32_t placed = 0; placed < spec.tasks;) {
    const double drawn = std::floor(mean * (1 + random.uniform(-spread, spread)));
    const auto wanted = static_cast<std::uint32_t>(std::max(1.0, drawn));
    const std::uint32_t size = std::min(wanted, spec.tasks - placed);
    levels.push_back({placed, size});
    placed += size;
  }
  return levels;
}

// How many parents a task draws below a level of `above` tasks.
std::uint32_t draw_parent_count(std::uint32_t above, double density, Random& random) {
  const double drawn = std::floor(random.uniform(0, density * above));
  return std::min(above, 1 + static_cast<std::uint32_t>(drawn));
}

// Adds one random parent from the level. If that task is a parent already, takes the next one in
// cyclic order; if all are, adds no edge.
void add_parent(const TaskLevel& level, std::vector<TaskId>& parents, Random& random) {
  const auto first_try = static_cast<std::uint32_t>(random.below(level.size));
  for (std::uint32_t step = 0; step < level.size; ++step) {
    const TaskId candidate = level.first + (first_try + step) % level.size;
    if (std::find(parents.begin(), parents.end(), candidate) == parents.end()) {
      parents.push_back(candidate);
      return;
    }
  }
}

std::vector<TaskId> draw_parents(const std::vector<TaskLevel>& levels, std::size_t own,
                                 const LayeredDagSpec& spec, Random& random) {
  std::vector<TaskId> parents;
  const std::uint32_t wanted = draw_parent_count(levels[own - 1].size, spec.density, random);
  for (std::uint32_t k = 0; k < wanted; ++k) {
    const std::size_t jump = 1 + random.below(spec.jump);
    add_parent(levels[own - std::min(own, jump)], parents, random);
  }
  return parents;
}

}  // namespace

std::uint32_t mean_level_size(const LayeredDagSpec& spec) {
  // The guard keeps 100^0.5 from becoming 9 when pow() returns slightly less than 10.
  return static_cast<std::uint32_t>(std::floor(std::pow(spec.tasks, spec.width) + 1e-9));
}

Workflow layered_dag(const LayeredDagSpec& spec, Random& random, std::string name) {
  check_spec(spec);
  WorkflowBuilder builder(std::move(name));
  const std::vector<TaskLevel> levels = draw_levels(spec, random);
  for (std::uint32_t task = 0; task < spec.tasks; ++task) {
    builder.add_task({.id = "t" + std::to_string(task), .time = spec.times.draw(random)});
  }
  for (std::size_t own = 1; own < levels.size(); ++own) {
    for (std::uint32_t k = 0; k < levels[own].size; ++k) {
      for (TaskId parent : draw_parents(levels, own, spec, random)) {
        builder.add_edge(parent, levels[own].first + k);
      }
    }
  }
  return std::move(builder).build();
}

}  // namespace dovetail::gen
