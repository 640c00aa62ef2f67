// Measurements of tasks whose law is known.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "run/history/performance_history.hpp"
#include "support/random_problem.hpp"

namespace dovetail::testing {

using run::Measurement;

// A task that follows Amdahl's law and keeps its processors busy where it can.
struct Law {
  double seconds = 100;
  double alpha = 0.1;
  double at(Count p) const { return seconds * (alpha + (1 - alpha) / p); }
};

inline Measurement measured(int run, Count processors, double seconds, double cpu_seconds,
                            const std::string& task = "k_1") {
  return {.workflow = "w",
          .kind = "k",
          .task = task,
          .machine = "m",
          .run = "w-" + std::to_string(run),
          .processors = processors,
          .seconds = seconds,
          .cpu_seconds = cpu_seconds,
          .time = 1000 * run};
}

// So many runs on those numbers of processors in turn, newest first, each a few per cent off.
inline std::vector<Measurement> measure(const Law& law, const std::vector<Count>& processors,
                                        int runs, double noise, Dice& dice) {
  std::vector<Measurement> all;
  for (int run = runs; run > 0; --run) {
    const Count p = processors[static_cast<std::size_t>(run) % processors.size()];
    const double factor = dice.real(1 - noise, 1 + noise);
    all.push_back(measured(run, p, law.at(p) * factor, law.seconds * factor));
  }
  return all;
}

inline double relative(double found, double expected) {
  return std::abs(found - expected) / expected;
}

}  // namespace dovetail::testing
