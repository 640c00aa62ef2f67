// Ensembles for tests: the reference clusters, and random ones.
#pragma once

#include <map>
#include <string>

#include "dovetail/ensemble.hpp"
#include "oracles/plain_ensemble.hpp"
#include "planners/ensemble/grouping.hpp"
#include "support/random_problem.hpp"

namespace dovetail::testing {

// Sizes from 4 on, in seconds.
inline planning::MonthProblem months_on(const std::vector<Duration>& seconds, Duration post_seconds,
                                        Count processors, Count scenarios, Count months) {
  planning::MonthProblem problem{.scenarios = scenarios,
                                 .months = months,
                                 .processors = processors,
                                 .post = post_seconds * kSecond};
  Count procs = 4;
  for (const Duration time : seconds) problem.sizes.push_back({procs++, time * kSecond});
  return problem;
}

inline planning::MonthProblem grillon(Count processors, Count scenarios = 10, Count months = 180) {
  return months_on({8050, 4205, 2670, 2090, 1855, 1652, 1502, 1400}, 100, processors, scenarios,
                   months);
}

inline planning::MonthProblem azur(Count processors, Count scenarios = 10, Count months = 180) {
  return months_on({8300, 4350, 2900, 2225, 1865, 1660, 1560, 1440}, 110, processors, scenarios,
                   months);
}

// The same for the plain program.
inline plain::Months plain_months(const planning::MonthProblem& problem) {
  plain::Months months{.scenarios = problem.scenarios,
                       .months = problem.months,
                       .processors = problem.for_groups(),
                       .post = problem.post};
  for (const GroupTime& size : problem.sizes) months.times[size.procs] = size.time;
  return months;
}

struct RandomMonths {
  Count most_scenarios = 8;
  Count most_months = 24;
  Count most_processors = 90;
  bool steep_posts = false;  // post tasks as long as months
  bool with_gaps = false;    // between the sizes
};

inline planning::MonthProblem random_months(Dice& dice, const RandomMonths& options = {}) {
  planning::MonthProblem problem{
      .scenarios = static_cast<Count>(dice.between(1, options.most_scenarios)),
      .months = static_cast<Count>(dice.between(1, options.most_months))};
  // Few different values, so that ties abound.
  Duration time = dice.between(20, 400);
  auto procs = static_cast<Count>(dice.between(1, 5));
  const auto sizes = dice.between(1, 8);
  for (std::int64_t i = 0; i < sizes; ++i) {
    problem.sizes.push_back({procs, time});
    time = std::max<Duration>(1, time - dice.between(0, std::max<Duration>(1, time / 3)));
    procs += options.with_gaps ? static_cast<Count>(dice.between(1, 3)) : 1;
  }
  problem.processors =
      static_cast<Count>(dice.between(problem.sizes.front().procs, options.most_processors));
  problem.post = dice.between(1, options.steep_posts ? 300 : 30);
  return problem;
}

}  // namespace dovetail::testing
