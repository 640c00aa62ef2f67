// The results of the adaptive study: mean makespans and gains by every parameter.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "study/adaptive/adaptive_cases.hpp"

namespace dovetail::study {

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

// The gain of AHEFT over HEFT in per cent, by value (Tables 3, 4, 7, 8); empty where it was not
// published.
std::span<const double> adaptive_gains(AdaptiveApplication application, AdaptiveAxis axis);

// The mean makespan of all cases (Table 6 and the text).
std::optional<double> adaptive_mean(AdaptiveApplication application, AdaptiveStrategy strategy);

// "Table 3" and so on; empty where there is none.
std::string_view adaptive_name(AdaptiveApplication application, AdaptiveAxis axis);

}  // namespace published

}  // namespace dovetail::study
