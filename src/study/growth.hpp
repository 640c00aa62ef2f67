// How run times grow with the size of the problem: the exponents behind Table 8 of Aida and
// Casanova, measured on this machine.
//
// Tasks, reservations or processors double while the other two stay fixed. The times of a planner
// then follow about size^x, and x is the slope of a line through their logarithms.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "study/study.hpp"

namespace dovetail {

struct GrowthRow {
  std::string_view algorithm;
  std::vector<double> milliseconds;  // by size
  double exponent = 0;
};

struct GrowthTable {
  std::string parameter;  // "tasks", "reservations", "processors"
  std::vector<double> sizes;
  // The exponent that Table 8 states for every algorithm: one for reservations and processors; for
  // tasks that of V (V + E), with E growing as in the workflows used.
  double stated_exponent = 0;
  std::vector<GrowthRow> rows;
};

// The slope of the least-squares line through (log size, log value). Needs two different sizes, all
// numbers positive.
double fitted_exponent(std::span<const double> sizes, std::span<const double> values);

// One table per parameter: means over some workflows of the default application, with deadlines as
// loose as for the run times.
std::vector<GrowthTable> measure_growth(std::uint64_t seed, StudyScale scale,
                                        std::span<const std::string_view> planners);

}  // namespace dovetail
