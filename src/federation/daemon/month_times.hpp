// How long the months of a service take on a cluster: what was measured there, where anything was,
// and else what the owner has configured.
#pragma once

#include <string>

#include "federation/daemon/month_state.hpp"
#include "federation/daemon/service.hpp"
#include "run/history/performance_history.hpp"

namespace dovetail::federation {

// How long a month takes in a group of that size, or in the largest that is not larger. 0 without
// any times.
Duration main_time(const MonthTimes& times, Count processors);

class MonthHistory {
 public:
  // `path` is a performance history (run/history/performance_history.hpp), `cluster` its machine.
  MonthHistory(std::string path, std::string cluster)
      : path_(std::move(path)), cluster_(std::move(cluster)) {}

  // Throws ExecutionError when the history cannot be written.
  void add(const MonthStep& step, const Service& service, double seconds) const;

  // For a size that was measured at least three times, the median of the newest; for the others,
  // the configured time, scaled as the measured ones are off. A history that cannot be read is
  // ignored. Safe to call from several threads.
  MonthTimes times(const Service& service) const;

 private:
  std::string path_;
  std::string cluster_;
};

}  // namespace dovetail::federation
