// What a cluster starts next: a pure function of what is there and what runs.
//
// Groups are the sizes that a heuristic chose for the scenarios that are left. The fastest idle
// group takes the least advanced free scenario; when that one is far ahead of a scenario on a
// slower group, it waits for that one (the rule `rotate` of docs/ensembles.md). Post tasks run on
// the processors that no group has, and on all when no month is left to be started, but never more
// than a few at a time. While the disk is short no month is started; when none runs any more, all
// post tasks are done first.
#pragma once

#include <vector>

#include "federation/daemon/month_state.hpp"
#include "planners/ensemble/grouping.hpp"

namespace dovetail::federation {

struct DispatchRules {
  Count processors = 1;
  Count posts_at_once = 4;
  bool flushes = false;  // the disk is short, or was and post tasks are left
};

// A scenario that may be computed.
struct Candidate {
  std::string request;
  Count scenario = 0;
  Count done = 0;
  Count months = 0;
  bool runs = false;  // a month of it does, on so many processors
  Count processors = 0;
};

struct MonthLoad {
  std::vector<Candidate> scenarios = {};  // in the order in which they came
  Count running_posts = 0;
  Count foreign = 0;  // processors of months that belong to none of the scenarios
  std::size_t waiting_posts = 0;
};

struct MonthStarts {
  struct Main {
    std::size_t scenario = 0;  // of the load
    Count processors = 0;
  };
  std::vector<Main> mains = {};
  std::size_t posts = 0;  // of those that wait, the first so many
};

MonthStarts decide_starts(const MonthLoad& load, const MonthProblem& problem,
                          const Grouping& grouping, const DispatchRules& rules);

}  // namespace dovetail::federation
