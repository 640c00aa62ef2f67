// Which months and post tasks of a cluster start next: groups for the scenarios that are left, and
// post tasks first while the disk is short.
//
//   MonthChoice choice(options);
//   for (const MonthStep& step : choice.next(state, service)) ...   // these count as started
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "federation/daemon/daemon_file.hpp"
#include "federation/daemon/month_groups.hpp"
#include "federation/daemon/month_state.hpp"

namespace dovetail::federation {

struct RunnerOptions {
  std::string name;  // of the cluster
  DaemonDescription description;
  // The times of a service's months as they are known now.
  std::function<MonthTimes(const Service&)> times;
  // What a month took.
  std::function<void(const MonthStep&, const Service&, double seconds)> measured = [](auto&&...) {};
  std::function<void(const std::string& line)> log = [](auto&&...) {};
};

class MonthChoice {
 public:
  // The options must outlive it.
  explicit MonthChoice(const RunnerOptions& options) : options_(options) {}

  // The steps to start now, without numbers; months are those of the service.
  std::vector<MonthStep> next(const MonthState& state, const Service& service);

  // A step has failed. A full disk fails everything that runs on it: what can be cleared away goes
  // first then.
  void hear_failure(const MonthState& state);

 private:
  void regroup(const Service& service, const MonthLoad& load);
  bool is_short_of_disk(const MonthState& state) const;
  bool flushes(const MonthState& state);

  const RunnerOptions& options_;
  // The groups, and for what they were chosen.
  std::string grouped_service_;
  std::pair<Count, Count> grouped_for_ = {0, 0};
  MonthGroups groups_;
  bool flushing_ = false;
};

}  // namespace dovetail::federation
