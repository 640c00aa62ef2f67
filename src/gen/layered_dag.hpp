// Random layered workflows, on which the scheduling literature compares algorithms (the model of
// the public DAG generator that Aida and Casanova used).
//
//   Random random(1);
//   Workflow workflow = layered_dag({.tasks = 50, .width = 0.5}, random);
//
// Tasks come in levels. Every task below the first level has parents, most of them in the level
// just above; with jump > 1 some are further up. A task may have no child, and there may be
// several entries and exits.
#pragma once

#include <cstdint>
#include <string>

#include "core/random.hpp"
#include "dovetail/workflow.hpp"
#include "gen/task_times.hpp"

namespace dovetail::gen {

struct LayeredDagSpec {
  std::uint32_t tasks = 50;
  double width = 0.5;       // mean level size = tasks^width: 0 a chain, 1 all in one level
  double density = 0.5;     // share of the level just above that a task may have as parents
  double regularity = 0.5;  // 1: equal levels; 0: sizes from zero to twice the mean
  std::uint32_t jump = 1;   // edges span 1..jump levels
  TaskTimes times = {};
};

// floor(tasks^width), at least 1: 1, 7 and 33 for 50 tasks and widths 0.1, 0.5 and 0.9.
std::uint32_t mean_level_size(const LayeredDagSpec& spec);

// Tasks are "t0", "t1", ... level by level. Throws InputError for a spec out of range.
Workflow layered_dag(const LayeredDagSpec& spec, Random& random, std::string name = "layered");

}  // namespace dovetail::gen
