#include "planners/ensemble/month_choice.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

namespace dovetail {

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

}  // namespace

std::span<const DispatchInfo> dispatch_rules() { return kRules; }

std::string_view name_of(Dispatch rule) {
  return std::find_if(kRules.begin(), kRules.end(),
                      [&](const DispatchInfo& row) { return row.rule == rule; })
      ->name;
}

MonthDispatcher::MonthDispatcher(Dispatch rule, Count scenarios, Count months,
                                 std::span<const Duration> times)
    : rule_(rule),
      months_(months),
      distance_(std::max(2, whole_root(months) / 2)),
      is_unequal_(!std::all_of(times.begin(), times.end(),
                               [&](Duration time) { return time == times.front(); })),
      left_(std::int64_t{scenarios} * months),
      rank_(times.size()),
      next_month_(static_cast<std::size_t>(scenarios), 0),
      awaited_by_(static_cast<std::size_t>(scenarios), kNobody) {
  for (std::uint32_t g = 0; g < times.size(); ++g) {
    groups_.push_back({times[g]});
    by_rank_.push_back(g);
  }
  std::stable_sort(by_rank_.begin(), by_rank_.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return times[a] < times[b]; });
  for (std::uint32_t rank = 0; rank < by_rank_.size(); ++rank) {
    rank_[by_rank_[rank]] = rank;
    idle_.push(rank);
  }
  for (std::uint32_t s = 0; s < next_month_.size(); ++s) free(s);
}

void MonthDispatcher::free(std::uint32_t scenario) {
  free_.push(std::uint64_t{static_cast<std::uint32_t>(next_month_[scenario])} << 32U | scenario);
}

std::optional<MonthStart> MonthDispatcher::takeover() {
  if (takeovers_.empty()) return std::nullopt;
  const MonthStart start = takeovers_.back();
  takeovers_.pop_back();
  return start;
}

std::optional<MonthStart> MonthDispatcher::propose() {
  while (!idle_.empty() && !free_.empty()) {
    const std::uint32_t group = by_rank_[idle_.top()];
    const auto scenario = static_cast<std::uint32_t>(free_.top());
    const std::uint32_t laggard = laggard_for(group, scenario);
    if (laggard == kNobody) return MonthStart{group, scenario, next_month_[scenario]};
    idle_.pop();
    awaited_by_[laggard] = group;
  }
  return std::nullopt;
}

// The scenario on a slower group that lags so far behind that the group waits for it.
std::uint32_t MonthDispatcher::laggard_for(std::uint32_t group, std::uint32_t scenario) const {
  if (rule_ != Dispatch::rotate || !is_unequal_ || next_month_[scenario] < distance_)
    return kNobody;
  std::uint32_t laggard = kNobody;
  for (const Group& other : groups_) {
    const std::uint32_t x = other.scenario;
    if (x == kNobody || other.time <= groups_[group].time || awaited_by_[x] != kNobody) continue;
    if (months_ - next_month_[x] < 2 || next_month_[scenario] - next_month_[x] < distance_)
      continue;
    const bool lags_more = laggard == kNobody || next_month_[x] < next_month_[laggard] ||
                           (next_month_[x] == next_month_[laggard] && x < laggard);
    if (lags_more) laggard = x;
  }
  return laggard;
}

void MonthDispatcher::start(const MonthStart& start) {
  assert(by_rank_[idle_.top()] == start.group);
  idle_.pop();
  free_.pop();
  groups_[start.group].scenario = start.scenario;
  --left_;
  if (rule_ == Dispatch::ideal && ++next_month_[start.scenario] < months_) free(start.scenario);
}

void MonthDispatcher::end(std::uint32_t group) {
  const std::uint32_t scenario = groups_[group].scenario;
  groups_[group].scenario = kNobody;
  idle_.push(rank_[group]);
  if (rule_ == Dispatch::ideal) return;
  if (++next_month_[scenario] == months_) return;
  const std::uint32_t waiting = std::exchange(awaited_by_[scenario], kNobody);
  if (waiting == kNobody) return free(scenario);
  groups_[waiting].scenario = scenario;
  --left_;
  takeovers_.push_back({waiting, scenario, next_month_[scenario]});
}

void MonthDispatcher::sleep(std::uint32_t group) {
  assert(by_rank_[idle_.top()] == group);
  (void)group;
  idle_.pop();
}

}  // namespace dovetail
