#include "planners/ensemble/grouping.hpp"

#include <algorithm>
#include <cassert>

namespace dovetail {

std::int64_t MonthProblem::posts_within(Duration time) const {
  // No more than there are: the product with any number of processors stays within 64 bits.
  const std::int64_t all = std::max<std::int64_t>(1, posts * all_months());
  return post == 0 ? all : std::min(all, time / post);
}

Duration MonthProblem::time_of(Count procs) const {
  const auto found = std::lower_bound(sizes.begin(), sizes.end(), procs,
                                      [](const GroupTime& a, Count b) { return a.procs < b; });
  assert(found != sizes.end() && found->procs == procs && "the size is allowed");
  return found->time;
}

MonthProblem month_problem(const EnsembleSite& site, const EnsembleRules& rules, Count scenarios,
                           Count months) {
  return {.scenarios = scenarios,
          .months = months,
          .processors = site.processors,
          .reserved = reserved_for_posts(site, rules),
          .sizes = group_sizes(site, rules),
          .post = site.times.post,
          .posts = site.times.posts,
          .full_speed_posts = rules.full_speed_posts,
          .disk = rules.disk};
}

const GroupTime& fastest_size(std::span<const GroupTime> sizes) {
  return *std::find_if(sizes.begin(), sizes.end(),
                       [&](const GroupTime& size) { return size.time == sizes.back().time; });
}

Grouping with_rest(const MonthProblem& problem, std::vector<Count> groups) {
  Grouping grouping{std::move(groups)};
  grouping.post_processors = problem.processors - grouping.grouped();
  return grouping;
}

}  // namespace dovetail
