#include "planners/replan/shared_cluster.hpp"

#include <algorithm>
#include <span>

namespace dovetail::planning {

SharedCluster::SharedCluster(const Platform& platform)
    : cluster_(platform.clusters().front()),
      wall_clock_(platform.wall_clock()),
      others_(cluster_.reservations) {}

void SharedCluster::cancel(const Reservation& booking, Time now) {
  const auto found = std::ranges::find(others_, booking);
  if (found == others_.end()) return;
  if (found->start < now) {
    found->end = now;
  } else {
    others_.erase(found);
  }
}

Platform SharedCluster::without_ours(Time from, const std::vector<Reservation>& ours) const {
  return platform_with(from, held(from, ours));
}

Platform SharedCluster::with_ours(Time from, std::vector<Reservation> ours) const {
  const std::vector<Reservation> others = held(from, ours);
  ours.insert(ours.end(), others.begin(), others.end());
  return platform_with(from, std::move(ours));
}

Platform SharedCluster::platform_with(Time from, std::vector<Reservation> reservations) const {
  Cluster cluster = cluster_;
  cluster.reservations = std::move(reservations);
  return Platform(from, {std::move(cluster)}, wall_clock_);
}

// The part of others' bookings and of failures that our tasks leave room for.
std::vector<Reservation> SharedCluster::held(Time from,
                                             const std::vector<Reservation>& ours) const {
  Calendar free = platform_with(from, ours).calendar(0);
  std::vector<Reservation> held;
  for (const auto* list : {&others_, &failures_}) {
    for (const Reservation& wanted : *list) {
      const Interval window{std::max(from, wanted.start), wanted.end};
      if (window.end <= window.begin) continue;
      const std::size_t first = held.size();
      for (const Step& step : free.steps(window)) {
        const Count procs = std::min(wanted.procs, step.free);
        if (procs == 0) continue;
        const bool goes_on = held.size() > first && held.back().end == step.begin;
        if (goes_on && held.back().procs == procs) {
          held.back().end = step.end;
        } else {
          held.push_back({step.begin, step.end, procs});
        }
      }
      for (const Reservation& piece : std::span(held).subspan(first)) {
        free.reserve({piece.start, piece.end}, piece.procs);
      }
    }
  }
  return held;
}

}  // namespace dovetail::planning
