// Small random problems for property tests: the same seed gives the same problem everywhere.
#pragma once

#include <cstdint>

#include "dovetail/problem.hpp"

namespace dovetail::testing {

// A plain generator, so that tests do not rest on the library's own.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15U + 1) {}
  std::uint64_t next();
  // A whole number of low..high, both included.
  std::int64_t between(std::int64_t low, std::int64_t high);
  double real(double low, double high);
  bool chance(double probability) { return real(0, 1) < probability; }

 private:
  std::uint64_t state_;
};

struct RandomProblemOptions {
  int max_tasks = 12;
  Count max_processors = 16;
  int max_reservations = 10;
  bool all_models = true;   // fixed and table tasks too, not only Amdahl's
  bool tiny_times = false;  // times of a few milliseconds, where ties abound
};

Workflow random_workflow(Dice& dice, const RandomProblemOptions& options, Count processors,
                         const std::string& name = "w");
Platform random_platform(Dice& dice, const RandomProblemOptions& options);
Problem random_problem(std::uint64_t seed, const RandomProblemOptions& options = {});

}  // namespace dovetail::testing
