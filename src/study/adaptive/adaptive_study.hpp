// Repeats the evaluation of AHEFT (Yu and Shi 2007): workflows on a growing pool of heterogeneous
// resources, planned once, planned again at every join, or decided task by task. Prints Tables 3,
// 4, 6, 7, 8 and the six series of Figure 8 beside the published numbers.
//
//   AdaptiveStudyResult result = run_adaptive_study({.graphs = 1, .models = 2});
//   std::cout << format_table(result);
//
// The result is the same for the same options on any number of threads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "study/adaptive/adaptive_tables.hpp"
#include "study/study.hpp"

namespace dovetail::study {

struct AdaptiveStudyOptions {
  StudyScale scale = StudyScale::quick;
  std::uint64_t seed = 1;
  unsigned threads = 0;  // 0: as many as the machine has
  Progress progress = {};
  double mean_seconds = 100;  // of a task; not given in the paper

  // Overrides of the scale.
  std::vector<AdaptiveApplication> applications = {};  // empty: all
  std::vector<std::uint32_t> sizes = {};   // tasks or parallel ways of the graphs; empty: all
  std::optional<std::size_t> graphs = {};  // of each type
  std::optional<std::size_t> models = {};  // pools, of the 80, for each graph
};

struct AdaptiveSize {
  AdaptiveApplication application = AdaptiveApplication::random;
  std::size_t graphs = 0;  // of each type
  std::size_t models = 0;  // for each graph
};

struct AdaptiveStudyResult {
  StudyScale scale = StudyScale::quick;
  std::uint64_t seed = 0;
  double mean_seconds = 0;
  std::vector<AdaptiveSize> sizes = {};
  std::vector<AdaptiveCase> cases = {};  // by application, type, graph, pool
  std::vector<AdaptiveTotal> totals = {};
  std::vector<AdaptiveTable> tables = {};  // of every application by every parameter
};

// Throws InputError when nothing is selected, or a number is out of range.
AdaptiveStudyResult run_adaptive_study(const AdaptiveStudyOptions& options);

std::string format_table(const AdaptiveStudyResult& result);
std::string to_json(const AdaptiveStudyResult& result);
// A line per type of graph, pool and strategy: the mean makespan.
std::string to_csv(const AdaptiveStudyResult& result);

}  // namespace dovetail::study
