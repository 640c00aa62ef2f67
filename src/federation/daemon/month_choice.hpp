// Which months and post tasks of a cluster start next: groups for the scenarios that are left, and
// post tasks first while the disk is short.
//
//   MonthChoice choice(options);
//   if (const auto question = choice.question(state, service)) {
//     choice.take(*question, choice.answer(*question));
//   }
//   for (const MonthStep& step : choice.next(state, service)) ...   // these count as started
#pragma once

#include <functional>
#include <optional>
#include <string>
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

// What groups are to be chosen for. Months and scenarios are those of a shorter problem when there
// are very many (planning::shortened).
struct GroupsQuestion {
  Service service = {};
  Count scenarios = 0;
  Count months = 0;

  bool is_same_as(const GroupsQuestion& other) const {
    return service.name == other.service.name && scenarios == other.scenarios &&
           months == other.months;
  }
};

class MonthChoice {
 public:
  // The options must outlive it.
  explicit MonthChoice(const RunnerOptions& options) : options_(options) {}

  // Nothing when the groups that there are serve for what is to be done.
  std::optional<GroupsQuestion> question(const MonthState& state, const Service& service) const;

  // The groups for it. May take long, and touches nothing that changes: needs no lock.
  MonthGroups answer(const GroupsQuestion& question) const;

  // From now on these groups are used. Whatever has changed since the question was asked, they can
  // run months of its service; question() tells whether better ones are wanted.
  void take(const GroupsQuestion& question, MonthGroups groups);

  // The steps to start now, without numbers; months are those of the service. No months without
  // groups for that service.
  std::vector<MonthStep> next(const MonthState& state, const Service& service);

  // A step has failed. A full disk fails everything that runs on it: what can be cleared away goes
  // first then.
  void hear_failure(const MonthState& state);

 private:
  EnsembleSite site_with(const MonthTimes& times) const;
  bool is_short_of_disk(const MonthState& state) const;
  bool flushes(const MonthState& state);

  const RunnerOptions& options_;
  // The groups, and for what they were chosen.
  GroupsQuestion grouped_for_;
  MonthGroups groups_;
  bool flushing_ = false;
};

}  // namespace dovetail::federation
