#include "planners/ensemble/performance_vector.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include "planners/ensemble/month_simulation.hpp"

namespace dovetail::planning {

namespace {

// Processors on which the post tasks of this number of scenarios keep up, were they as fine as
// sand.
std::int64_t fluid_need(const MonthProblem& problem, Count scenarios, Duration time) {
  const std::int64_t work = problem.post * problem.posts * scenarios;
  return (work + time - 1) / time;
}

// The same in whole post tasks per month, as the basic formula counts.
std::int64_t whole_need(const MonthProblem& problem, Count scenarios, Duration time) {
  const std::int64_t per = problem.posts_within(time);
  const std::int64_t posts = std::int64_t{problem.posts} * scenarios;
  return per == 0 ? kMaxProcessors + std::int64_t{1} : (posts + per - 1) / per;
}

// Rounds in which all processors do the post tasks of the last months of this number of scenarios.
std::int64_t last_rounds(const MonthProblem& problem, Count scenarios) {
  const std::int64_t posts = std::int64_t{problem.posts} * scenarios;
  return (posts + problem.processors - 1) / problem.processors;
}

// The scenarios, counted from one up, that fit and have as many last rounds as one of them.
template <typename Fits>
Count most_scenarios(const MonthProblem& problem, const Fits& fits) {
  Count most = 0;
  while (most < problem.scenarios && fits(most + 1) &&
         last_rounds(problem, most + 1) <= last_rounds(problem, 1)) {
    ++most;
  }
  return most;
}

// Up to how many scenarios every grouping of the heuristic has all months on the fastest size and
// post tasks that keep up, so that one measurement tells all.
Count flat_part(const MonthProblem& problem, const GroupingInfo& heuristic) {
  if (problem.disk || problem.full_speed_posts > 0) return 0;
  const GroupTime& size = fastest_size(problem.sizes);
  const bool may_grow = size.procs < problem.sizes.back().procs;
  if (may_grow && heuristic.grows_groups) return 0;
  return most_scenarios(problem, [&](Count scenarios) {
    const std::int64_t need = std::max(fluid_need(problem, scenarios, size.time),
                                       whole_need(problem, scenarios, size.time));
    return std::int64_t{scenarios} * size.procs + need <= problem.for_groups();
  });
}

}  // namespace

PerformanceVector::PerformanceVector(VectorSource source)
    : source_(std::move(source)), values_(static_cast<std::size_t>(source_.most)) {}

Duration PerformanceVector::measured(Count scenarios) {
  assert(scenarios >= 1 && scenarios <= source_.most);
  if (scenarios <= source_.flat) scenarios = 1;
  std::optional<Duration>& value = values_[static_cast<std::size_t>(scenarios - 1)];
  if (!value) value = source_.measure(scenarios);
  return *value;
}

Count PerformanceVector::planned_for(Count scenarios) {
  if (scenarios <= source_.flat || source_.most > kMostInTurn) return scenarios;
  Count best = scenarios;
  for (Count more = scenarios + 1; more <= source_.most; ++more) {
    if (source_.lower_bound(more) >= measured(best)) break;
    if (measured(more) < measured(best)) best = more;
  }
  return best;
}

Count scenarios_at_no_cost(const MonthProblem& problem) {
  if (!problem.has_room()) return 0;
  const GroupTime& size = fastest_size(problem.sizes);
  return most_scenarios(problem, [&](Count scenarios) {
    const std::int64_t procs = std::int64_t{scenarios} * size.procs;
    return procs <= problem.for_groups() &&
           procs + fluid_need(problem, scenarios, size.time) <= problem.processors;
  });
}

Duration bound_by_work(const MonthProblem& problem, Count scenarios) {
  double least_work = static_cast<double>(kForever);  // of a month, in processors x time
  for (const GroupTime& size : problem.sizes) {
    least_work =
        std::min(least_work, static_cast<double>(size.procs) * static_cast<double>(size.time));
  }
  const double months = static_cast<double>(scenarios) * problem.months;
  // A little less, against rounding.
  return static_cast<Duration>(months * least_work / problem.for_groups() * (1 - 1e-9));
}

PerformanceVector month_performance(const MonthProblem& problem, const GroupingInfo& heuristic,
                                    Dispatch dispatch) {
  if (!problem.has_room()) {
    const auto never = [](Count) { return Duration{kForever}; };
    return PerformanceVector({never, never, problem.scenarios, 0});
  }
  const auto measure = [problem, &heuristic, dispatch](Count scenarios) {
    MonthProblem part = problem;
    part.scenarios = scenarios;
    const MonthResult result = simulate_months(part, heuristic.make(part, dispatch), dispatch);
    return result.is_stuck ? Duration{kForever} : result.makespan;
  };
  const auto bound = [problem](Count scenarios) { return bound_by_work(problem, scenarios); };
  return PerformanceVector({measure, bound, problem.scenarios, flat_part(problem, heuristic)});
}

}  // namespace dovetail::planning
