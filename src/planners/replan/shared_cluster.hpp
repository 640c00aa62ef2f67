// A cluster that others use too, while reservations appear and vanish and processors fail. Our
// tasks keep their processors: others get the rest.
//
//   SharedCluster shared(problem.platform());
//   shared.book({start, end, 16});
//   Platform free = shared.with_ours(now, running);
#pragma once

#include <vector>

#include "dovetail/platform.hpp"

namespace dovetail::planning {

class SharedCluster {
 public:
  // Needs a platform of one cluster.
  explicit SharedCluster(const Platform& platform);

  void book(const Reservation& booking) { others_.push_back(booking); }
  void fail(const Reservation& failure) { failures_.push_back(failure); }
  // Ends the booking now: the part that has passed stays held.
  void cancel(const Reservation& booking, Time now);

  // The cluster from a moment on, with what others get beside our tasks; with_ours adds those.
  Platform without_ours(Time from, const std::vector<Reservation>& ours) const;
  Platform with_ours(Time from, std::vector<Reservation> ours) const;

 private:
  Platform platform_with(Time from, std::vector<Reservation> reservations) const;
  std::vector<Reservation> held(Time from, const std::vector<Reservation>& ours) const;

  Cluster cluster_;
  bool wall_clock_;
  std::vector<Reservation> others_;
  std::vector<Reservation> failures_;
};

}  // namespace dovetail::planning
