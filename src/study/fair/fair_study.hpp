// Repeats the evaluation of MAGS (Casanova, Desprez and Suter 2010): sets of workflows that share a
// cluster, planned by every algorithm for the goal fair. Prints Figures 2 to 4 as quartiles, Table
// II, run times and slacks beside the published numbers.
//
//   FairStudyResult result = run_fair_study({.sets = 1});
//   std::cout << format_table(result);
//
// Except for the run times, results are the same for the same options on any number of threads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gen/kernel_graphs.hpp"
#include "study/fair/fair_tables.hpp"
#include "study/study.hpp"

namespace dovetail::study {

struct FairStudyOptions {
  StudyScale scale = StudyScale::quick;
  std::uint64_t seed = 1;
  unsigned threads = 0;  // 0: as many as the machine has
  bool timing = true;    // measure the run times, too
  Progress progress = {};

  // Overrides of the scale.
  std::optional<std::size_t> sets = {};        // of each class and number of workflows
  std::vector<gen::KernelClass> classes = {};  // empty: all
  std::vector<std::size_t> workflows = {};     // in a set; empty: 2, 4, 6, 8 and 10
  std::vector<Count> processors = {};          // of the four clusters; empty: all
};

struct FairStudyResult {
  StudyScale scale = StudyScale::quick;
  std::uint64_t seed = 0;
  std::size_t sets = 0;                  // of each class and number of workflows
  std::vector<FairCase> cases = {};      // by class, number of workflows, set, cluster
  std::vector<FairTiming> timings = {};  // by algorithm; empty when they were not measured
  std::size_t timed_sets = 0;
};

// Throws InputError when nothing is selected, or a number is out of range.
FairStudyResult run_fair_study(const FairStudyOptions& options);

std::string format_table(const FairStudyResult& result);
std::string to_json(const FairStudyResult& result);
// A line per case and algorithm.
std::string to_csv(const FairStudyResult& result);

}  // namespace dovetail::study
