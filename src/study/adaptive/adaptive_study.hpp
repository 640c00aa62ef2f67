// Repeats the evaluation of AHEFT (Yu and Shi 2007): workflows on a growing pool of heterogeneous
// resources, planned once, planned again at every join, or decided task by task. Prints Tables 3,
// 4, 6, 7, 8 and the six series of Figure 8 beside the published numbers.
//
//   AdaptiveStudyResult result = run_adaptive_study({.graphs = 1, .models = 2});
//   std::cout << format_table(result);
//
// The result is the same for the same options on any number of threads.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gen/heft_graph.hpp"
#include "study/study.hpp"

namespace dovetail::study {

enum class AdaptiveStrategy {
  heft,            // planned once, ranks from mean costs
  heft_best,       // planned once, the best of four kinds of rank
  aheft,           // planned again at every join, from heft_best on: the default mode
  aheft_paper,     // the same by the printed equations
  aheft_inflight,  // the same with mean ranks, but files under way count
  min_min,         // task by task, files in parallel
  min_min_sum      // task by task, files one after the other
};

inline constexpr std::array kAdaptiveStrategies = {
    AdaptiveStrategy::heft,        AdaptiveStrategy::heft_best,      AdaptiveStrategy::aheft,
    AdaptiveStrategy::aheft_paper, AdaptiveStrategy::aheft_inflight, AdaptiveStrategy::min_min,
    AdaptiveStrategy::min_min_sum};

// "HEFT", "HEFT_BEST", "AHEFT", ...
std::string_view to_string(AdaptiveStrategy strategy);

// A value for each strategy.
template <typename T>
class ByStrategy {
 public:
  T& operator[](AdaptiveStrategy strategy) { return values_[static_cast<std::size_t>(strategy)]; }
  const T& operator[](AdaptiveStrategy strategy) const {
    return values_[static_cast<std::size_t>(strategy)];
  }
  friend bool operator==(const ByStrategy&, const ByStrategy&) = default;

 private:
  std::array<T, kAdaptiveStrategies.size()> values_ = {};
};

using Makespans = ByStrategy<Duration>;  // 0 where the strategy was not run

// Makespans by pool. Resources join until the workflow ends. Min-Min runs only on request: on wide
// workflows it takes longer than all others together.
std::vector<Makespans> run_cases(const gen::PoolFlow& flow, std::span<const gen::PoolSpec> pools,
                                 bool with_min_min);

enum class AdaptiveApplication { random, blast, wien2k };

inline constexpr std::array kAdaptiveApplications = {
    AdaptiveApplication::random, AdaptiveApplication::blast, AdaptiveApplication::wien2k};

// "random", "blast", "wien2k".
std::string_view to_string(AdaptiveApplication application);

// The parameters in which the cases differ. The size is the number of tasks, or of parallel ways.
enum class AdaptiveAxis { size, ccr, out_degree, beta, resources, interval, share };

inline constexpr std::array kAdaptiveAxes = {
    AdaptiveAxis::size,      AdaptiveAxis::ccr,      AdaptiveAxis::out_degree, AdaptiveAxis::beta,
    AdaptiveAxis::resources, AdaptiveAxis::interval, AdaptiveAxis::share};

// "size", "ccr", ...
std::string_view to_string(AdaptiveAxis axis);

// The parameters of a random graph.
struct AdaptiveType {
  AdaptiveApplication application = AdaptiveApplication::random;
  std::uint32_t size = 0;
  double ccr = 0;
  double out_degree = 0;  // of random graphs only
  double beta = 0;
};

// The values of Tables 2 and 5; none if the application does not have the parameter.
std::span<const double> axis_values(AdaptiveApplication application, AdaptiveAxis axis);

// All combinations of the values: 625 types of random graphs, 125 of the others; 80 pools.
std::vector<AdaptiveType> adaptive_types(AdaptiveApplication application);
std::vector<gen::PoolSpec> adaptive_pools(AdaptiveApplication application);

struct AdaptiveCase {
  std::uint32_t graph = 0;  // cases of one graph are consecutive
  AdaptiveType type;
  gen::PoolSpec pool;
  Makespans ends;
};

double value_on(const AdaptiveCase& one, AdaptiveAxis axis);

// The gain of a strategy over HEFT on a set of cases: 1 - sum of its makespans / sum of HEFT's.
struct AdaptiveGain {
  double percent = 0;
  std::optional<double> error = {};  // standard error over graphs; with two of them or more
};

struct AdaptiveCell {
  double value = 0;  // on the axis
  std::size_t graphs = 0;
  std::size_t cases = 0;
  // Nothing if the strategy was not run or there is no case. HEFT has no gain.
  ByStrategy<std::optional<double>> mean = {};  // seconds
  ByStrategy<std::optional<AdaptiveGain>> gain = {};
};

struct AdaptiveTable {
  AdaptiveApplication application = AdaptiveApplication::random;
  AdaptiveAxis axis = AdaptiveAxis::size;
  std::vector<AdaptiveCell> cells;  // by value
};

// All cases of an application.
struct AdaptiveTotal {
  AdaptiveApplication application = AdaptiveApplication::random;
  AdaptiveCell cell;
};

AdaptiveCell adaptive_total(std::span<const AdaptiveCase> cases, AdaptiveApplication application);
AdaptiveTable adaptive_table(std::span<const AdaptiveCase> cases, AdaptiveApplication application,
                             AdaptiveAxis axis);

namespace published {

// The gain of AHEFT over HEFT in per cent, by value; empty where it was not published.
struct AdaptiveGains {
  std::string_view name = {};  // "Table 3" and so on
  std::span<const double> percent = {};
};
AdaptiveGains adaptive_gains(AdaptiveApplication application, AdaptiveAxis axis);

// The mean makespan of all cases (Table 6 and the text).
std::optional<double> adaptive_mean(AdaptiveApplication application, AdaptiveStrategy strategy);

}  // namespace published

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
