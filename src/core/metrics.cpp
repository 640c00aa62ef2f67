#include "dovetail/metrics.hpp"

#include <algorithm>

namespace dovetail {

Duration makespan(const Plan& plan) {
  Time end = plan.now;
  for (const Placement& placement : plan.placements) end = std::max(end, placement.end);
  return end - plan.now;
}

Duration makespan(const Plan& plan, std::size_t workflow) {
  Time end = plan.now;
  for (const Placement& placement : plan.placements) {
    if (placement.workflow == workflow) end = std::max(end, placement.end);
  }
  return end - plan.now;
}

Duration makespan(const Problem& problem, const Plan& plan, std::size_t workflow) {
  return std::max<Duration>(plan.now + makespan(plan, workflow) - problem.ready(workflow), 0);
}

Area consumed(const Plan& plan) {
  Area total = 0;
  for (const Placement& placement : plan.placements) {
    total += Area{placement.procs} * (placement.end - placement.start);
  }
  return total;
}

double cpu_hours(const Plan& plan) { return static_cast<double>(consumed(plan)) / 3.6e6; }

std::optional<double> certified_gap(const Plan& plan) {
  if (!plan.search || !plan.search->certificate || !plan.feasible) return std::nullopt;
  const Certificate& proof = *plan.search->certificate;
  const double best = proof.work > 0 ? static_cast<double>(proof.work)
                                     : static_cast<double>(proof.end + 1 - plan.now);
  const double found =
      proof.work > 0 ? static_cast<double>(consumed(plan)) : static_cast<double>(makespan(plan));
  if (best <= 0) return std::nullopt;  // a bound at or before now says nothing
  return std::max(0.0, found / best - 1);
}

Count peak_procs(const Plan& plan) {
  std::vector<std::pair<Time, Count>> events;
  events.reserve(2 * plan.placements.size());
  for (const Placement& placement : plan.placements) {
    events.emplace_back(placement.start, placement.procs);
    events.emplace_back(placement.end, -placement.procs);
  }
  std::sort(events.begin(), events.end());
  std::int64_t held = 0;
  std::int64_t peak = 0;
  for (const auto& [at, change] : events) peak = std::max(peak, held += change);
  return static_cast<Count>(peak);
}

}  // namespace dovetail
