// The groups of processors of a cluster that computes months, and what they start next.
//
// Groups are the sizes that a heuristic chose for the scenarios that are left; which scenario a
// group takes, or waits for, is the rule `rotate` of planners/ensemble/month_dispatch.hpp. Post
// tasks run on the processors that no group has, and on all when no month is left to be started,
// but never more than a few at a time. While the disk is short no month is started; when none runs
// any more, all post tasks are done first.
//
// What runs is told anew every time. In between, only which group computes or awaits which scenario
// is remembered; a restarted daemon tells groups by their sizes and decides again.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "federation/daemon/request_name.hpp"
#include "planners/ensemble/grouping.hpp"
#include "planners/ensemble/month_dispatch.hpp"

namespace dovetail::federation {

struct MonthRules {
  Count processors = 1;
  Count posts_at_once = 4;
  bool flushes = false;  // the disk is short, or was and post tasks are left
};

// A scenario that may be computed.
struct ReadyScenario {
  RequestName request;
  Count scenario = 0;
  Count done = 0;
  Count months = 0;
  bool runs = false;     // whether one of its months runs
  Count processors = 0;  // of the month that runs
};

struct MonthLoad {
  std::vector<ReadyScenario> scenarios = {};  // in the order in which they came
  Count running_posts = 0;
  Count foreign = 0;  // processors of months that belong to none of the scenarios
  std::size_t waiting_posts = 0;
};

struct MonthStarts {
  struct Main {
    std::size_t scenario = 0;  // of the load
    Count processors = 0;
    std::uint32_t group = 0;
  };
  std::vector<Main> mains = {};
  std::size_t posts = 0;  // how many of the waiting ones, from the first on
};

class MonthGroups {
 public:
  MonthGroups() = default;
  MonthGroups(planning::MonthProblem problem, planning::Grouping grouping)
      : problem_(std::move(problem)), grouping_(std::move(grouping)) {}

  const planning::Grouping& grouping() const { return grouping_; }

  // What is to be started now. Counts as started.
  MonthStarts start(const MonthLoad& load, const MonthRules& rules);

 private:
  using Key = std::pair<RequestName, Count>;  // request, scenario

  std::vector<planning::MonthDispatch::GroupState> groups_at(const MonthLoad& load) const;
  void start_mains(const MonthLoad& load, planning::MonthDispatch& dispatch, Count free,
                   MonthStarts& starts);
  void remember(const MonthLoad& load, const planning::MonthDispatch& dispatch,
                const MonthStarts& starts);

  planning::MonthProblem problem_;
  planning::Grouping grouping_;
  std::map<Key, std::uint32_t> computed_by_;
  std::map<Key, std::uint32_t> awaited_by_;
};

}  // namespace dovetail::federation
