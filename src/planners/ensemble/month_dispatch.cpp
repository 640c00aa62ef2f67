#include "planners/ensemble/month_dispatch.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

#include "core/order.hpp"

namespace dovetail::planning {

namespace {

constexpr std::array kRules = {
    DispatchInfo{"fair", "the least advanced scenario that is free", Dispatch::fair},
    DispatchInfo{"rotate", "the same; fast groups wait for scenarios that lag behind on slow ones",
                 Dispatch::rotate},
    DispatchInfo{"ideal", "as if months of a scenario need not follow each other; for figures only",
                 Dispatch::ideal},
};

Count whole_root(Count value) {
  Count root = 0;
  while (std::int64_t{root + 1} * (root + 1) <= value) ++root;
  return root;
}

std::vector<MonthDispatch::GroupState> idle_groups(std::span<const Duration> times) {
  std::vector<MonthDispatch::GroupState> groups;
  for (const Duration time : times) groups.push_back({.time = time});
  return groups;
}

}  // namespace

std::span<const DispatchInfo> dispatch_rules() { return kRules; }

std::string_view name_of(Dispatch rule) {
  return std::ranges::find(kRules, rule, &DispatchInfo::rule)->name;
}

MonthDispatch::MonthDispatch(Dispatch rule, Count scenarios, Count months,
                             std::span<const Duration> times)
    : MonthDispatch(rule,
                    std::vector<ScenarioState>(static_cast<std::size_t>(scenarios), {0, months}),
                    idle_groups(times)) {}

MonthDispatch::MonthDispatch(Dispatch rule, std::span<const ScenarioState> scenarios,
                             std::vector<GroupState> groups)
    : rule_(rule),
      is_unequal_(std::ranges::any_of(
          groups, [&](const GroupState& group) { return group.time != groups.front().time; })),
      groups_(std::move(groups)) {
  for (const auto& [done, months] : scenarios) {
    const bool is_new = scenarios_.empty() || scenarios_.back().months != months;
    const Count distance =
        is_new ? std::max(2, whole_root(months) / 2) : scenarios_.back().distance;
    scenarios_.push_back({.next_month = done, .months = months, .distance = distance});
    left_ += months - done;
  }
  rank_groups();
  std::vector<bool> is_taken(scenarios_.size());
  for (const GroupState& group : groups_) {
    if (group.computes == kNone) continue;
    is_taken[group.computes] = true;
    --left_;
  }
  for (std::uint32_t g = 0; g < groups_.size(); ++g) {
    if (groups_[g].computes != kNone) continue;
    const std::uint32_t awaited = std::exchange(groups_[g].awaits, kNone);
    if (awaited == kNone || scenarios_[awaited].next_month == scenarios_[awaited].months) {
      idle_.push(rank_[g]);
    } else if (is_taken[awaited]) {
      scenarios_[awaited].awaited_by = g;
    } else {
      is_taken[awaited] = true;
      take_over(g, awaited);
    }
  }
  for (std::uint32_t s = 0; s < scenarios_.size(); ++s) {
    if (!is_taken[s] && scenarios_[s].next_month < scenarios_[s].months) free(s);
  }
}

void MonthDispatch::rank_groups() {
  by_rank_ = order_by<std::uint32_t>(groups_.size(),
                                     [&](std::uint32_t group) { return groups_[group].time; });
  rank_.resize(groups_.size());
  for (std::uint32_t rank = 0; rank < by_rank_.size(); ++rank) rank_[by_rank_[rank]] = rank;
}

void MonthDispatch::free(std::uint32_t scenario) {
  const auto month = static_cast<std::uint32_t>(scenarios_[scenario].next_month);
  free_.push(std::uint64_t{month} << 32U | scenario);
}

void MonthDispatch::take_over(std::uint32_t group, std::uint32_t scenario) {
  groups_[group].computes = scenario;
  --left_;
  takeovers_.push_back({group, scenario, scenarios_[scenario].next_month});
}

std::optional<MonthStart> MonthDispatch::takeover() {
  if (takeovers_.empty()) return std::nullopt;
  const MonthStart start = takeovers_.back();
  takeovers_.pop_back();
  return start;
}

std::optional<MonthStart> MonthDispatch::propose() {
  while (!idle_.empty() && !free_.empty()) {
    const std::uint32_t group = by_rank_[idle_.top()];
    const auto scenario = static_cast<std::uint32_t>(free_.top());
    const std::uint32_t laggard = laggard_for(group, scenario);
    if (laggard == kNone) return MonthStart{group, scenario, scenarios_[scenario].next_month};
    idle_.pop();
    scenarios_[laggard].awaited_by = group;
  }
  return std::nullopt;
}

// The scenario on a slower group that lags so far behind that the group waits for it.
std::uint32_t MonthDispatch::laggard_for(std::uint32_t group, std::uint32_t scenario) const {
  const ScenarioProgress& ahead = scenarios_[scenario];
  if (rule_ != Dispatch::rotate || !is_unequal_ || ahead.next_month < ahead.distance) return kNone;
  std::uint32_t laggard = kNone;
  for (const GroupState& other : groups_) {
    const std::uint32_t x = other.computes;
    if (x == kNone || other.time <= groups_[group].time) continue;
    const ScenarioProgress& behind = scenarios_[x];
    if (behind.awaited_by != kNone || behind.months - behind.next_month < 2 ||
        ahead.next_month - behind.next_month < ahead.distance) {
      continue;
    }
    const bool lags_more = laggard == kNone || behind.next_month < scenarios_[laggard].next_month ||
                           (behind.next_month == scenarios_[laggard].next_month && x < laggard);
    if (lags_more) laggard = x;
  }
  return laggard;
}

void MonthDispatch::start(const MonthStart& start) {
  assert(by_rank_[idle_.top()] == start.group);
  idle_.pop();
  free_.pop();
  groups_[start.group].computes = start.scenario;
  --left_;
  ScenarioProgress& progress = scenarios_[start.scenario];
  if (rule_ == Dispatch::ideal && ++progress.next_month < progress.months) free(start.scenario);
}

void MonthDispatch::end(std::uint32_t group) {
  const std::uint32_t scenario = std::exchange(groups_[group].computes, kNone);
  if (!groups_[group].is_closing) idle_.push(rank_[group]);
  if (rule_ == Dispatch::ideal) return;
  ScenarioProgress& progress = scenarios_[scenario];
  if (++progress.next_month == progress.months) return;
  const std::uint32_t waiting = std::exchange(progress.awaited_by, kNone);
  waiting == kNone ? free(scenario) : take_over(waiting, scenario);
}

void MonthDispatch::sleep(std::uint32_t group) {
  assert(by_rank_[idle_.top()] == group);
  (void)group;
  idle_.pop();
}

}  // namespace dovetail::planning
