// The search behind the planner DOVETAIL: simulated annealing over drafts.
//
// A trial changes the order of a few tasks or how wide they may be. The acceptance threshold is
// drawn first, so a trial is decoded only until it is clear that it will be rejected. After a long
// time without progress a large part of the draft is drawn anew. Temperature and kicks depend on
// the number of trials, never on a clock, so the same seed and trials give the same plan.
//
//   Annealer search(decoder, {.value = SearchValue::end}, {}, Random(1));
//   search.start(draft);
//   search.run(10'000, {});
//   const DecodedPlan& plan = search.best();
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/random.hpp"
#include "planners/fair/fair_scale.hpp"
#include "planners/search/draft_plan.hpp"

namespace dovetail::planning {

enum class SearchValue { end, area, fairness };

// What the search minimises, and the limits it must keep.
struct SearchGoal {
  SearchValue value = SearchValue::end;
  DecodeLimits limits = {};
  Area enough = 0;                   // stop at this value: hardly anything is left to gain
  const FairScale* scale = nullptr;  // for fairness: measures plans and says which are allowed

  Area value_of(const DecodedPlan& plan, Time now) const {
    if (value == SearchValue::end) return Area{plan.end - now};
    return value == SearchValue::area ? plan.area : Area{plan.fairness};
  }
  // The second criterion, for plans of the same value.
  Area other_of(const DecodedPlan& plan, Time now) const {
    return value == SearchValue::area ? Area{plan.end - now} : plan.area;
  }
  bool is_better(const DecodedPlan& a, const DecodedPlan& b, Time now) const {
    return std::pair(value_of(a, now), other_of(a, now)) <
           std::pair(value_of(b, now), other_of(b, now));
  }
  bool allows(const DecodedPlan& plan) const {
    return plan.end <= limits.end && plan.area <= limits.area &&
           (scale == nullptr || scale->allows(plan));
  }
};

// How bold the moves are. Two settings find better plans than two seeds.
struct SearchSettings {
  double hot = 0.003;  // temperatures, as a share of the value
  double cold = 0.0001;
  double exact_share = 0.1;  // of new bounds
  double spread = 0.5;       // of newly drawn bounds, as a power of e
  double many = 1.0 / 25;    // share of tasks changed by one move
  static SearchSettings fine(std::size_t tasks);
  static SearchSettings coarse();
};

class Annealer {
 public:
  Annealer(DraftDecoder& decoder, const SearchGoal& goal, const SearchSettings& settings,
           const Random& random);

  // False when the draft has no plan within the limits; then best() is undefined.
  bool start(const DraftPlan& draft);

  // Needs start() to have succeeded. Checks every few trials whether to stop early.
  void run(std::uint64_t trials, const std::function<bool()>& is_over);

  const DraftPlan& best_draft() const { return best_draft_; }
  const DecodedPlan& best() const { return best_; }
  std::uint64_t trials() const { return trials_; }

 private:
  struct Draft {
    DraftPlan plan;
    std::vector<std::uint32_t> places;  // by task, in the order
    static Draft of(const DraftPlan& plan) { return {plan, places_in(plan.order)}; }
  };

  Area value(const DecodedPlan& plan) const { return goal_.value_of(plan, decoder_.now()); }
  Area other(const DecodedPlan& plan) const { return goal_.other_of(plan, decoder_.now()); }
  DecodeLimits limits_for(Area threshold) const;
  bool decode(const DraftPlan& draft, DecodedPlan& plan, std::optional<Area> threshold = {});
  Area draw_threshold();
  void accept();
  void keep_if_best();
  void kick();
  void rebuild();

  void propose();
  void change_bounds();
  void change_places();
  void help_critical();
  void cut_costs();
  void pull_critical();
  void change_window();
  void nudge_bound();

  TaskId any_task() { return static_cast<TaskId>(random_.below(tasks_)); }
  TaskId critical_task();
  Time critical_end();
  double factor(double low, double high);
  void scale_bound(TaskId task, double by);
  void move_to(TaskId task, Time place);
  void shift(TaskId task);
  Interval room_of(TaskId task) const;

  DraftDecoder& decoder_;
  SearchGoal goal_;
  SearchSettings settings_;
  Random random_;
  std::size_t tasks_;
  std::optional<FairMeter> meter_ = {};
  Draft draft_, trial_;
  DecodedPlan plan_, trial_plan_, best_;
  DraftPlan best_draft_;
  std::uint64_t trials_ = 0;
  std::uint64_t since_progress_ = 0;
  double temperature_ = 0;
  bool knows_critical_ = false;
  std::vector<TaskId> by_end_, chain_;
  std::vector<char> is_critical_;
};

}  // namespace dovetail::planning
