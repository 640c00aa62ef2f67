#include "queue/strategies/allocation.hpp"

#include <algorithm>

namespace dovetail::queue {

Duration least_leeway(const WaitEstimator& queue, Count nodes, Duration run, Duration delay,
                      LeewayRule rule) {
  const auto is_enough = [&](Duration leeway) {
    return queue.wait(nodes, run + leeway) + leeway >= delay;
  };
  if (is_enough(0)) return 0;
  // The predicate fails at `low` and holds at `high`, in whole seconds.
  Duration low = 0;
  Duration high = (delay + kSecond - 1) / kSecond;
  const Duration close = rule == LeewayRule::code ? 600 : 1;
  while (high - low > close) {
    const Duration middle = (low + high) / 2;
    (is_enough(middle * kSecond) ? high : low) = middle;
  }
  return kSecond * (rule == LeewayRule::code ? low : high);
}

namespace {

Allocation with_nodes(const Cutting& cutting, const WaitEstimator& queue, const TaskSet& set,
                      Count nodes, Duration delay) {
  Allocation result;
  result.nodes = nodes;
  result.run = cutting.run(set, nodes);
  result.leeway = least_leeway(queue, nodes, result.run, delay, cutting.options().leeway);
  result.wait = queue.wait(nodes, result.length());
  return result;
}

double utilisation(const Allocation& job, Duration work) {
  return static_cast<double>(work) /
         (static_cast<double>(job.nodes) * static_cast<double>(job.length()));
}

// The best of those that use their nodes well enough; the one that uses them best when none does.
Allocation well_used(const Cutting& cutting, const WaitEstimator& queue, const TaskSet& set,
                     Duration delay) {
  Allocation best;
  Allocation thrifty;
  Duration best_score = kForever;
  for (Count nodes = set.least_nodes; nodes <= Cutting::most_nodes(queue, set); ++nodes) {
    const Allocation job = with_nodes(cutting, queue, set, nodes, delay);
    if (thrifty.nodes == 0 || utilisation(job, set.work) > utilisation(thrifty, set.work)) {
      thrifty = job;
    }
    if (utilisation(job, set.work) < cutting.options().min_utilisation) continue;
    const Duration score = std::max(delay, queue.wait(nodes, job.run)) + job.run;
    if (score < best_score) {
      best = job;
      best_score = score;
    }
  }
  if (best.nodes != 0) return best;
  thrifty.is_wasteful = true;
  return thrifty;
}

}  // namespace

Allocation allocate(const Cutting& cutting, const WaitEstimator& queue, TaskSet set,
                    Duration delay) {
  Allocation result =
      cutting.options().min_utilisation > 0
          ? well_used(cutting, queue, set, delay)
          : with_nodes(cutting, queue, set, cutting.best_nodes(queue, set, delay), delay);
  result.set = std::move(set);
  return result;
}

Split best_split(const Cutting& cutting, const WaitEstimator& queue, const TaskSet& open,
                 Duration delay) {
  Split best{allocate(cutting, queue, open, delay)};
  best.end = best.first.end();
  for (const std::uint32_t level : cutting.levels_of(open)) {
    if (level == open.last_level) break;
    Allocation first =
        allocate(cutting, queue, cutting.on_levels(open, open.first_level, level), delay);
    if (!first.may_split()) continue;
    const Allocation rest = allocate(
        cutting, queue, cutting.on_levels(open, level + 1, open.last_level), first.length());
    if (!rest.may_split()) continue;
    const Duration wait = cutting.options().glume == GlumeRule::paper
                              ? rest.wait
                              : std::max(first.length(), rest.wait);
    const Duration end = first.wait + wait + rest.leeway + rest.run;
    if (end < best.end) best = {std::move(first), end};
  }
  return best;
}

}  // namespace dovetail::queue
