// The sample graph of the papers on HEFT and AHEFT. Resources r1 to r4 are 0 to 3; r4 joins.
#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "dovetail/problem.hpp"

namespace dovetail::testing {

inline Workflow sample_workflow() {
  constexpr std::size_t kJobs = 10;
  constexpr std::array<std::array<int, 4>, kJobs> kCosts = {{{14, 16, 9, 14},
                                                             {13, 19, 18, 17},
                                                             {11, 13, 19, 14},
                                                             {13, 8, 17, 15},
                                                             {12, 13, 10, 14},
                                                             {13, 16, 9, 16},
                                                             {7, 15, 11, 15},
                                                             {5, 11, 14, 20},
                                                             {18, 12, 20, 13},
                                                             {21, 7, 16, 15}}};
  constexpr std::array<std::array<TaskId, 3>, 15> kEdges = {{{1, 2, 18},
                                                             {1, 3, 12},
                                                             {1, 4, 9},
                                                             {1, 5, 11},
                                                             {1, 6, 14},
                                                             {2, 8, 19},
                                                             {2, 9, 16},
                                                             {3, 7, 23},
                                                             {4, 8, 27},
                                                             {4, 9, 23},
                                                             {5, 9, 13},
                                                             {6, 8, 15},
                                                             {7, 10, 17},
                                                             {8, 10, 11},
                                                             {9, 10, 13}}};
  WorkflowBuilder builder("sample");
  for (std::size_t job = 0; job < kJobs; ++job) {
    std::vector<std::pair<std::string, double>> times;
    for (std::size_t r = 0; r < 4; ++r) {
      times.emplace_back("r" + std::to_string(r + 1), kCosts[job][r]);
    }
    builder.add_task({.id = "n" + std::to_string(job + 1), .time = TimeSpec::per_resource(times)});
  }
  for (const auto& [from, to, transfer] : kEdges) {
    builder.add_edge(from - 1, to - 1, Duration{transfer} * 1000);
  }
  return std::move(builder).build();
}

inline Problem sample_problem(Time r4_joins) {
  std::vector<Cluster> clusters;
  for (const char* name : {"r1", "r2", "r3", "r4"}) {
    clusters.push_back({.name = name, .processors = 1});
  }
  clusters.back().joins = r4_joins;
  return Problem({sample_workflow()}, Platform(0, clusters));
}

}  // namespace dovetail::testing
