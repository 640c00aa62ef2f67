#include "planners/ensemble/month_formula.hpp"

#include <algorithm>

namespace dovetail::planning {

namespace {

std::int64_t divided_up(std::int64_t value, std::int64_t by) { return (value + by - 1) / by; }

// Post tasks that are left when all main tasks have ended.
std::int64_t posts_left(const MonthProblem& problem, Count processors, GroupTime size,
                        Count groups) {
  const std::int64_t months = problem.all_months();
  const std::int64_t in_last_wave = months % groups;  // 0: the last wave is full
  const std::int64_t waves = divided_up(months, groups);
  const std::int64_t per_wave = std::int64_t{problem.posts} * groups;
  const std::int64_t per = problem.posts_within(size.time);
  const std::int64_t others = processors - std::int64_t{groups} * size.procs;
  // During the last wave, also the groups that have nothing to do any more.
  const std::int64_t in_last = per * (processors - in_last_wave * size.procs);
  const std::int64_t last = std::int64_t{problem.posts} * in_last_wave;
  if (others == 0) {
    const std::int64_t all = problem.posts * months;
    return in_last_wave == 0 ? all : last + std::max<std::int64_t>(0, all - last - in_last);
  }
  // What piles up in a wave, as long as waves are full.
  const std::int64_t pile = std::max<std::int64_t>(0, per_wave - per * others);
  if (in_last_wave == 0) return (waves - 1) * pile + per_wave;
  return last + std::max<std::int64_t>(0, (waves - 2) * pile + per_wave - in_last);
}

Duration unequal_estimate(const MonthProblem& problem, const Grouping& grouping) {
  const Duration main = least_time_of_months(problem, grouping.groups, problem.all_months());
  Duration first = main;
  for (const Count procs : grouping.groups) first = std::min(first, problem.time_of(procs));
  const std::int64_t all = problem.posts * problem.all_months();
  const std::int64_t meanwhile =
      problem.post == 0 ? all : (main - first) / problem.post * grouping.post_processors;
  const std::int64_t left = std::max<std::int64_t>(problem.posts, all - meanwhile);
  return main + divided_up(left, problem.processors) * problem.post;
}

}  // namespace

Duration equal_groups_makespan(const MonthProblem& problem, Count processors, GroupTime size,
                               Count groups) {
  const Duration main = divided_up(problem.all_months(), groups) * size.time;
  return main +
         divided_up(posts_left(problem, processors, size, groups), processors) * problem.post;
}

Duration formula_makespan(const MonthProblem& problem, const Grouping& grouping) {
  const auto& groups = grouping.groups;
  const bool equal = std::all_of(groups.begin(), groups.end(),
                                 [&](Count procs) { return procs == groups.front(); });
  if (!equal) return unequal_estimate(problem, grouping);
  return equal_groups_makespan(problem, problem.processors,
                               {groups.front(), problem.time_of(groups.front())},
                               static_cast<Count>(groups.size()));
}

Duration least_time_of_months(const MonthProblem& problem, std::span<const Count> groups,
                              std::int64_t months) {
  std::vector<Duration> times;
  for (const Count procs : groups) times.push_back(problem.time_of(procs));
  const Duration fastest = *std::min_element(times.begin(), times.end());
  Duration early = 0;  // too early
  Duration late = months * fastest;
  while (late - early > 1) {
    const Duration middle = early + (late - early) / 2;
    std::int64_t done = 0;
    for (const Duration time : times) done += middle / time;
    (done >= months ? late : early) = middle;
  }
  return late;
}

}  // namespace dovetail::planning
