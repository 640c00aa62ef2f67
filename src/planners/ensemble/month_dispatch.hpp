// Which month a group computes next: the rules of dispatch. The simulation that predicts and the
// daemon that runs months for real both ask here.
//
// fair     the idle group with the shortest months takes the free scenario that is least advanced.
// rotate   the same, but when that scenario is far ahead of one on a slower group, the group waits
//          for that one and takes its next month: on unequal groups no scenario is left behind.
// ideal    the scenario with the fewest started months, whether or not its last month has ended:
//          no schedule that can be run; published figures come from it.
//
// Ties: lowest number. Source: Caniou et al. 2009 (fair); rotate and ideal are explained in
// docs/ensembles.md.
//
//   while (const auto start = dispatch.propose()) dispatch.start(*start);
//   dispatch.end(group);
//
// A month costs a few heap operations, under rotate also a look at every group.
#pragma once

#include <functional>
#include <optional>
#include <queue>
#include <span>
#include <string_view>
#include <vector>

#include "planners/ensemble/grouping.hpp"

namespace dovetail::planning {

struct DispatchInfo {
  std::string_view name;
  std::string_view summary;
  Dispatch rule;
};

std::span<const DispatchInfo> dispatch_rules();
std::string_view name_of(Dispatch rule);

struct MonthStart {
  std::uint32_t group = 0;
  std::uint32_t scenario = 0;
  Count month = 0;  // from 0
};

class MonthDispatch {
 public:
  // Groups by the time of a month; all are idle and all scenarios free.
  MonthDispatch(Dispatch rule, Count scenarios, Count months, std::span<const Duration> times);

  struct ScenarioState {
    Count done = 0;  // months
    Count months = 1;
  };
  static constexpr std::uint32_t kNone = 0xFFFFFFFFU;
  struct GroupState {
    Duration time = 0;
    std::uint32_t computes = kNone;  // a scenario
    std::uint32_t awaits = kNone;    // a scenario, as an earlier dispatch has decided
    bool is_closing = false;         // the month that it computes is its last
  };

  // In the middle of a run. A group whose scenario was awaited and has ended its month takes it
  // over; one that awaits a scenario without months left is idle.
  MonthDispatch(Dispatch rule, std::span<const ScenarioState> scenarios,
                std::vector<GroupState> groups);

  // A group that waited for a scenario takes its next month. First of all when months have ended;
  // it counts as started.
  std::optional<MonthStart> takeover();

  // What starts next; nothing without an idle group or a free scenario.
  std::optional<MonthStart> propose();

  // What propose() answered just now starts. takeover() has started already.
  void start(const MonthStart& start);

  // The group has computed its month.
  void end(std::uint32_t group);

  // The idle group that propose() answered just now cannot start yet; until it wakes it is not
  // idle.
  void sleep(std::uint32_t group);
  void wake(std::uint32_t group) { idle_.push(rank_[group]); }

  // Months that have not been started.
  std::int64_t left() const { return left_; }

  // The group that waits for the scenario; kNone: none does.
  std::uint32_t awaited_by(std::uint32_t scenario) const { return scenarios_[scenario].awaited_by; }

 private:
  // Smallest first.
  template <typename T>
  using Least = std::priority_queue<T, std::vector<T>, std::greater<>>;

  struct ScenarioProgress {
    Count next_month = 0;  // under ideal those before it may still run
    Count months = 0;
    Count distance = 0;  // D: months ahead from which a group waits for another scenario
    std::uint32_t awaited_by = kNone;
  };

  void rank_groups();
  void free(std::uint32_t scenario);
  void take_over(std::uint32_t group, std::uint32_t scenario);
  std::uint32_t laggard_for(std::uint32_t group, std::uint32_t scenario) const;

  Dispatch rule_;
  bool is_unequal_;
  std::int64_t left_ = 0;
  std::vector<ScenarioProgress> scenarios_;
  std::vector<GroupState> groups_;
  std::vector<std::uint32_t> rank_;     // of a group, by time and number
  std::vector<std::uint32_t> by_rank_;  // the inverse
  Least<std::uint32_t> idle_;           // ranks
  Least<std::uint64_t> free_;           // months done, then scenario
  std::vector<MonthStart> takeovers_;
};

}  // namespace dovetail::planning
