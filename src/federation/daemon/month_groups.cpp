#include "federation/daemon/month_groups.hpp"

#include <algorithm>

namespace dovetail::federation {

namespace {

constexpr std::uint32_t kNone = planning::MonthDispatch::kNone;

std::pair<RequestName, Count> key_of(const ReadyScenario& one) {
  return {one.request, one.scenario};
}

Count free_processors(const MonthLoad& load, const MonthRules& rules) {
  Count free = rules.processors - load.running_posts - load.foreign;
  for (const ReadyScenario& one : load.scenarios) {
    if (one.runs) free -= one.processors;
  }
  return free;
}

bool runs_any_month(const MonthLoad& load) {
  return load.foreign > 0 || std::ranges::any_of(load.scenarios, &ReadyScenario::runs);
}

}  // namespace

// After the groups were chosen anew some months run on sizes that are no group's any more: those
// are groups that close.
std::vector<planning::MonthDispatch::GroupState> MonthGroups::groups_at(
    const MonthLoad& load) const {
  std::vector<planning::MonthDispatch::GroupState> groups;
  for (const Count procs : grouping_.groups) groups.push_back({.time = problem_.time_of(procs)});
  const auto fits = [&](std::uint32_t group, const ReadyScenario& one) {
    return grouping_.groups[group] == one.processors && groups[group].computes == kNone;
  };
  std::vector<std::uint32_t> unplaced;
  for (std::uint32_t i = 0; i < load.scenarios.size(); ++i) {
    const ReadyScenario& one = load.scenarios[i];
    const auto awaited = awaited_by_.find(key_of(one));
    if (awaited != awaited_by_.end()) groups[awaited->second].awaits = i;
    if (!one.runs) continue;
    const auto known = computed_by_.find(key_of(one));
    if (known != computed_by_.end() && fits(known->second, one)) {
      groups[known->second].computes = i;
    } else {
      unplaced.push_back(i);
    }
  }
  for (const std::uint32_t i : unplaced) {
    const ReadyScenario& one = load.scenarios[i];
    std::uint32_t group = 0;
    while (group < grouping_.groups.size() && !fits(group, one)) ++group;
    if (group < grouping_.groups.size()) {
      groups[group].computes = i;
    } else {
      const auto size = std::ranges::find(problem_.sizes, one.processors, &GroupTime::procs);
      const Duration time = size == problem_.sizes.end() ? 0 : size->time;
      groups.push_back({.time = time, .computes = i, .is_closing = true});
    }
  }
  return groups;
}

void MonthGroups::start_mains(const MonthLoad& load, planning::MonthDispatch& dispatch, Count free,
                              MonthStarts& starts) {
  const auto start = [&](const planning::MonthStart& month) {
    const Count processors = grouping_.groups[month.group];
    if (processors > free) return false;
    free -= processors;
    starts.mains.push_back({month.scenario, processors, month.group});
    return true;
  };
  while (const auto month = dispatch.takeover()) {
    // The scenario is kept for the group until that has its processors.
    if (!start(*month)) awaited_by_[key_of(load.scenarios[month->scenario])] = month->group;
  }
  while (const auto month = dispatch.propose()) {
    start(*month) ? dispatch.start(*month) : dispatch.sleep(month->group);
  }
}

void MonthGroups::remember(const MonthLoad& load, const planning::MonthDispatch& dispatch,
                           const MonthStarts& starts) {
  for (std::uint32_t i = 0; i < load.scenarios.size(); ++i) {
    const std::uint32_t group = dispatch.awaited_by(i);
    if (group != kNone) awaited_by_[key_of(load.scenarios[i])] = group;
  }
  for (const MonthStarts::Main& main : starts.mains) {
    computed_by_[key_of(load.scenarios[main.scenario])] = main.group;
  }
}

MonthStarts MonthGroups::start(const MonthLoad& load, const MonthRules& rules) {
  MonthStarts starts;
  std::int64_t months = 0;  // that are not started
  for (const ReadyScenario& one : load.scenarios)
    months += one.months - one.done - (one.runs ? 1 : 0);
  if (!rules.flushes) {
    std::vector<planning::MonthDispatch::ScenarioState> scenarios;
    for (const ReadyScenario& one : load.scenarios) scenarios.push_back({one.done, one.months});
    planning::MonthDispatch dispatch(planning::Dispatch::rotate, scenarios, groups_at(load));
    awaited_by_.clear();
    start_mains(load, dispatch, free_processors(load, rules), starts);
    remember(load, dispatch, starts);
  }
  Count room = free_processors(load, rules);
  for (const MonthStarts::Main& main : starts.mains) room -= main.processors;
  months -= static_cast<std::int64_t>(starts.mains.size());
  if (rules.flushes && runs_any_month(load)) {
    room = 0;
  } else if (!rules.flushes && months > 0) {
    room = std::min(room, grouping_.post_processors - load.running_posts);
  }
  room = std::min(room, rules.posts_at_once - load.running_posts);
  starts.posts = std::min(load.waiting_posts, static_cast<std::size_t>(std::max(room, 0)));
  return starts;
}

}  // namespace dovetail::federation
