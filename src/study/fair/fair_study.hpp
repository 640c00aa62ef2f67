// Repeats the evaluation of MAGS (Casanova, Desprez and Suter 2010): sets of workflows that share a
// cluster, planned by every algorithm for the goal fair. Prints Figures 2 to 4 as quartiles, Table
// II, run times and slacks beside the published numbers.
//
//   FairStudyResult result = run_fair_study({.sets = 1});
//   std::cout << format_table(result);
//
// Except for the run times, results are the same for the same options on any number of threads.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dovetail/planner.hpp"
#include "gen/kernel_graphs.hpp"
#include "study/study.hpp"

namespace dovetail::study {

// The clusters of the paper's Table I; speeds in GFlop/s.
struct FairCluster {
  std::string_view name;
  Count processors;
  double gigaflops;
};
std::span<const FairCluster> fair_clusters();

// The published algorithms, in the order of the planners' table.
std::vector<const PlannerInfo*> fair_planners();

enum class FairMetric { makespan, average_stretch, maximum_stretch };
inline constexpr std::array kFairMetrics = {FairMetric::makespan, FairMetric::average_stretch,
                                            FairMetric::maximum_stretch};
std::string_view to_string(FairMetric metric);

// One set of workflows on one cluster, and the metrics of every algorithm on it.
struct FairCase {
  gen::KernelClass kernels = gen::KernelClass::random;
  std::size_t workflows = 0;
  std::size_t set = 0;
  FairCluster cluster = {};
  std::vector<std::array<double, kFairMetrics.size()>> metrics = {};  // by algorithm; seconds first
  double slack = 1;                                                   // of MAGS
  bool keeps_bound = true;  // no workflow of MAGS exceeds 2 x slack x S*

  double of(std::size_t algorithm, FairMetric metric) const {
    return metrics[algorithm][static_cast<std::size_t>(metric)];
  }
};

// Least, first quartile, median, third quartile, greatest: the content of a box plot. Quartiles
// between two values are interpolated.
using Quartiles = std::array<double, 5>;
Quartiles quartiles(std::vector<double> values);

// A part of the cases; empty fields: all.
struct FairPart {
  std::optional<gen::KernelClass> kernels = {};
  std::optional<Count> processors = {};
  bool has(const FairCase& one) const {
    return (!kernels || one.kernels == *kernels) &&
           (!processors || one.cluster.processors == *processors);
  }
  std::string name() const;  // "all", "FFT", "20 processors"
};

// The classes, and the clusters, that have cases.
std::vector<FairPart> class_parts(std::span<const FairCase> cases);
std::vector<FairPart> cluster_parts(std::span<const FairCase> cases);

// Needs a case of the part.
Quartiles box_of(std::span<const FairCase> cases, const FairPart& part, std::size_t algorithm,
                 FairMetric metric);

// Table II: by how many per cent the algorithm is above MAGS on average. Needs a case of the part.
double percent_above_mags(std::span<const FairCase> cases, const FairPart& part,
                          std::size_t algorithm, FairMetric metric);

struct SlackFacts {
  std::size_t cases = 0;
  std::size_t ones = 0;       // slack 1 sufficed
  std::size_t above_two = 0;  // more than 2 was needed
  double largest = 1;
  std::size_t beyond_bound = 0;  // cases in which a workflow of MAGS exceeds its bound
};
SlackFacts slack_facts(std::span<const FairCase> cases, const FairPart& part);

// How long an algorithm plans ten random workflows on the largest cluster.
struct FairTiming {
  std::string_view algorithm;
  double milliseconds = 0;
};

namespace published {

// The published parts of a box; empty for other algorithms.
std::array<std::optional<double>, 5> fair_box(std::string_view algorithm, FairMetric metric);

// Table II; nothing for MAGS itself.
std::optional<double> fair_percent(std::string_view algorithm, FairMetric metric);

std::optional<double> fair_seconds(std::string_view algorithm);

inline constexpr double kSlackOnePercent = 92;
inline constexpr int kSlackAboveTwo = 2;  // of 1,500

}  // namespace published

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
