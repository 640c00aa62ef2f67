// Workflows of two applications with wide sections: BLAST (one search per part of the input) and
// WIEN2K (two wide sections around a single task), which Yu and Shi used for adaptive scheduling
// (2007).
//
//   Random random(1);
//   Workflow workflow = blast({.ways = 200}, random);   // 402 tasks
//
// All tasks of an operation take the same time, on one processor, and so do the transfers from its
// tasks. Throws InputError for a spec out of range.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/random.hpp"
#include "dovetail/workflow.hpp"

namespace dovetail::gen {

struct WaysSpec {
  std::uint32_t ways = 200;   // parallel tasks
  double mean_seconds = 100;  // an operation's time is uniform from 0 to twice this
  double ccr = 1;             // mean transfer time over mean task time
};

// split -> ways x (blast -> parse) -> merge: 2 ways + 2 tasks.
Workflow blast(const WaysSpec& spec, Random& random, std::string name = "blast");

// StageIn -> LAPW0 -> ways x LAPW1 -> LAPW2_FERMI -> ways x LAPW2 -> Sumpara -> LCore -> Mixer ->
// Converged -> StageOut: 2 ways + 8 tasks.
Workflow wien2k(const WaysSpec& spec, Random& random, std::string name = "wien2k");

// The structure of the two, without costs: consecutive operations, some of them with a task per
// way.
struct WideStage {
  std::string_view name;
  bool wide = false;
};
std::span<const WideStage> blast_operations();
std::span<const WideStage> wien2k_operations();

// Tasks are sorted by operation. Two consecutive wide operations are connected way by way;
// otherwise all tasks of one come before all tasks of the next.
struct WaysGraph {
  struct Edge {
    TaskId from = 0;
    TaskId to = 0;
  };
  std::vector<std::uint32_t> operation;  // by task
  std::vector<Edge> edges;
};
WaysGraph ways_graph(std::span<const WideStage> operations, std::uint32_t ways);

// Throws InputError when the numbers are out of range.
void check_spec(const WaysSpec& spec);

}  // namespace dovetail::gen
