#include "planners/search/anneal.hpp"

#include <algorithm>
#include <limits>

#include "planners/search/steady_math.hpp"

namespace dovetail::planning {

namespace {

constexpr std::uint64_t kCoolings = 64;      // temperature steps in a run
constexpr std::uint64_t kLookAtClock = 800;  // tasks placed between two checks of the time
constexpr double kNear = 0.01;               // a plan this close to the best is worth justifying

// How bold the moves are. Two settings find better plans than two seeds.
struct SearchSettings {
  double hot = 0.003;  // temperatures, as a share of the value
  double cold = 0.0001;
  double exact_share = 0.1;  // of new bounds
  double spread = 0.5;       // of newly drawn bounds, as a power of e
  double many = 1.0 / 25;    // share of tasks changed by one move
};
constexpr SearchSettings kBold{.hot = 0.01, .exact_share = 0.3, .spread = 0.9, .many = 0.1};

SearchSettings settings_for(std::size_t tasks) {
  return tasks < 300 ? SearchSettings{} : SearchSettings{.hot = 0.001};
}

class Annealer {
 public:
  Annealer(DraftDecoder& decoder, const SearchGoal& goal, const AnnealingRun& run)
      : decoder_(decoder),
        goal_(goal),
        run_(run),
        random_(run.random),
        tasks_(decoder.view().size()),
        settings_(run.is_bold ? kBold : settings_for(tasks_)),
        temperature_(settings_.hot) {
    if (goal.scale != nullptr) meter_.emplace(*goal.scale);
  }

  std::optional<AnnealedPlan> anneal(const DraftPlan& start) {
    draft_ = Draft::of(start);
    if (!decode(start, plan_)) return std::nullopt;
    best_ = plan_;
    best_draft_ = start;
    make_trials();
    return AnnealedPlan{std::move(best_), trials_};
  }

 private:
  struct Draft {
    DraftPlan plan;
    std::vector<std::uint32_t> places;  // by task, in the order
    static Draft of(const DraftPlan& plan) { return {plan, places_in(plan.order)}; }
  };

  Area value(const DecodedPlan& plan) const { return goal_.value_of(plan, decoder_.now()); }
  Area other(const DecodedPlan& plan) const { return goal_.other_of(plan, decoder_.now()); }

  void make_trials() {
    const std::uint64_t trials = run_.trials;
    const std::uint64_t patience = 500 * tasks_ + 1000;
    const std::uint64_t stretch = std::max<std::uint64_t>(1, trials / kCoolings);
    const double cooling = steady_exp(steady_log(settings_.cold / settings_.hot) / kCoolings / 4);
    const double cooled = cooling * cooling * cooling * cooling;
    const std::uint64_t pause = std::max<std::uint64_t>(1, kLookAtClock / tasks_);
    for (std::uint64_t i = 1; i <= trials && value(best_) > goal_.enough; ++i, ++trials_) {
      if (i % stretch == 0) temperature_ *= cooled;
      if (run_.is_over && i % pause == 0 && run_.is_over()) return;
      if (++since_progress_ > patience && i < trials - trials / 20) {
        kick();
        continue;
      }
      propose();
      if (!decode(trial_.plan, trial_plan_, draw_threshold())) continue;
      const bool is_equal = value(trial_plan_) == value(plan_);
      if (is_equal && other(trial_plan_) > other(plan_)) continue;
      accept();
    }
  }

  // False when the value exceeds the threshold, if there is one.
  bool decode(const DraftPlan& draft, DecodedPlan& plan, std::optional<Area> threshold = {}) {
    if (meter_) {
      constexpr auto kAny = std::numeric_limits<std::int64_t>::max();
      meter_->aim_at(threshold ? static_cast<std::int64_t>(*threshold) : kAny);
      return decoder_.decode(draft, goal_.limits, *meter_, plan);
    }
    DecodeLimits limits = goal_.limits;
    if (threshold && goal_.value == SearchValue::area) {
      limits.area = std::min(limits.area, *threshold);
    } else if (threshold) {
      limits.end = std::min(limits.end, decoder_.now() + static_cast<Time>(*threshold));
    }
    return decoder_.decode(draft, limits, plan);
  }

  // The value may be worse by a share of at most -t ln u.
  Area draw_threshold() {
    const double u = 1.0 - random_.uniform01();
    const double slack = -temperature_ * steady_log(u);
    const Area now = value(plan_);
    return now + static_cast<Area>(static_cast<double>(now) * slack);
  }

  void accept() {
    std::swap(draft_, trial_);
    std::swap(plan_, trial_plan_);
    knows_critical_ = false;
    keep_if_best();
  }

  void keep_if_best() {
    const Area best = value(best_);
    if (goal_.is_better(plan_, best_, decoder_.now())) keep(plan_);
    const bool is_near =
        static_cast<double>(value(plan_)) <= static_cast<double>(best) * (1 + kNear);
    if (goal_.value == SearchValue::area || !is_near) return;
    if (since_progress_ > 0 && !random_.chance(0.3)) return;
    trial_plan_ = plan_;
    decoder_.justify(trial_plan_, goal_.scale);
    if (value(trial_plan_) < value(best_)) keep(trial_plan_);
  }

  void keep(const DecodedPlan& plan) {
    best_ = plan;
    best_draft_ = draft_.plan;
    since_progress_ = 0;
  }

  // Restarts not far from the current draft. A draft without a plan within the limits is not taken.
  void kick() {
    since_progress_ = 0;
    trial_ = random_.chance(0.5) ? Draft::of(best_draft_) : draft_;
    const double share = random_.chance(0.3) ? 1.0 : 0.3;
    for (TaskId task = 0; task < tasks_; ++task) {
      if (!random_.chance(share)) continue;
      scale_bound(task, factor(-1, 1));
      shift(task);
    }
    if (decode(trial_.plan, trial_plan_)) {
      accept();
    } else {
      rebuild();
    }
  }

  // Rebuilds the draft from the current plan, with room for narrower tasks.
  void rebuild() {
    trial_ = Draft::of(draft_of(plan_.slots));
    std::ranges::fill(trial_.plan.is_exact, char{0});
    if (decode(trial_.plan, trial_plan_)) accept();
  }

  void propose() {
    trial_.plan = draft_.plan;
    trial_.places = draft_.places;
    const double u = random_.uniform01();
    if (u < 0.20) return change_bounds();
    if (u < 0.25) return change_places();
    if (u < 0.60) return goal_.value == SearchValue::area ? cut_costs() : help_critical();
    if (u < 0.80) return pull_critical();
    if (u < 0.85) return change_window();
    nudge_bound();
  }

  void change_bounds() {
    const auto most = 1 + static_cast<std::uint64_t>(static_cast<double>(tasks_) * settings_.many);
    for (std::uint64_t left = 1 + random_.below(most); left > 0; --left) {
      scale_bound(any_task(), factor(-settings_.spread, settings_.spread));
    }
  }

  void change_places() {
    for (std::uint64_t left = 1 + random_.below(3); left > 0; --left) shift(any_task());
  }

  void help_critical() {
    scale_bound(critical_task(), factor(0, 0.7));
    if (!random_.chance(0.6)) return;
    for (std::uint64_t left = 1 + random_.below(2); left > 0; --left) {
      const TaskId task = any_task();
      if (!is_critical_[task]) scale_bound(task, factor(-0.9, 0.1));
    }
  }

  void cut_costs() {
    for (std::uint64_t left = 1 + random_.below(2); left > 0; --left) {
      scale_bound(any_task(), factor(-0.7, 0));
    }
    if (random_.chance(0.4)) scale_bound(any_task(), factor(0, 0.7));
  }

  void pull_critical() {
    const TaskId task = critical_task();
    const Time first = room_of(task).begin;
    if (first < trial_.places[task]) move_between(task, first, trial_.places[task]);
    if (random_.chance(0.5)) scale_bound(task, factor(-settings_.spread, settings_.spread));
  }

  void change_window() {
    const std::size_t most = std::max<std::size_t>(3, tasks_ / 6);
    const std::size_t length = std::min(tasks_, 3 + random_.below(most - 2));
    const std::size_t first = random_.below(tasks_ - length + 1);
    const std::vector<TaskId> window(
        trial_.plan.order.begin() + static_cast<std::ptrdiff_t>(first),
        trial_.plan.order.begin() + static_cast<std::ptrdiff_t>(first + length));
    for (const TaskId task : window) {
      if (random_.chance(0.5)) scale_bound(task, factor(-settings_.spread, settings_.spread));
      if (random_.chance(1.0 / 3)) shift(task);
    }
  }

  void nudge_bound() { scale_bound(any_task(), factor(-0.2, 0.2)); }

  // The end that must become earlier to improve the plan.
  Time critical_end() {
    if (goal_.scale == nullptr) return plan_.end;
    const std::vector<Time> ends = goal_.scale->ends_of(plan_);
    const auto workflow = goal_.scale->decisive(ends);
    return ends[workflow ? *workflow : random_.below(ends.size())];
  }

  TaskId critical_task() {
    if (!knows_critical_) {
      find_critical(plan_.slots, critical_end(), by_end_, is_critical_, chain_);
      knows_critical_ = true;
    }
    return chain_[random_.below(chain_.size())];
  }

  double factor(double low, double high) { return steady_exp(random_.uniform(low, high)); }

  // Scales from the task's current width, so that every new bound makes a difference.
  void scale_bound(TaskId task, double by) {
    const TaskTime& time = decoder_.view().time(task);
    const Count now = plan_.slots[task].procs;
    const Count widest = decoder_.menu().widest(task).procs;
    if (time.min_procs() == widest) return;
    auto wanted = static_cast<Count>(std::min(static_cast<double>(now) * by + 0.5, 1e7));
    if (wanted == now) wanted += random_.chance(0.5) ? 1 : -1;
    wanted = std::clamp(wanted, time.min_procs(), widest);
    Count procs = time.floor_allowed(wanted);
    if (procs == now && wanted > now)
      procs = std::max(procs, std::min(time.next_allowed(now), widest));
    trial_.plan.bounds[task] = {procs, time.duration(procs)};
    trial_.plan.is_exact[task] = random_.chance(settings_.exact_share) ? 1 : 0;
  }

  // The places in the order that the task's predecessors and successors allow.
  Interval room_of(TaskId task) const {
    Interval room{0, static_cast<Time>(tasks_)};
    const Workflow& workflow = decoder_.view().workflow();
    for (const TaskId before : workflow.predecessors(task)) {
      room.begin = std::max<Time>(room.begin, Time{trial_.places[before]} + 1);
    }
    for (const TaskId after : workflow.successors(task)) {
      room.end = std::min<Time>(room.end, trial_.places[after]);
    }
    return room;
  }

  void shift(TaskId task) {
    const Interval room = room_of(task);
    const auto reach = std::max<Time>(1, static_cast<Time>(tasks_) * 3 / 10);
    const Time place = trial_.places[task];
    const Time low = std::max(room.begin, place - reach);
    const Time high = std::min(room.end, place + reach + 1);
    move_between(task, low, high);
  }

  // To any place in [low, high).
  void move_between(TaskId task, Time low, Time high) {
    const Time place =
        low + static_cast<Time>(random_.below(static_cast<std::uint64_t>(high - low)));
    move_task(trial_.plan.order, trial_.places, task, static_cast<std::uint32_t>(place));
  }

  TaskId any_task() { return static_cast<TaskId>(random_.below(tasks_)); }

  DraftDecoder& decoder_;
  const SearchGoal& goal_;
  const AnnealingRun& run_;
  Random random_;
  std::size_t tasks_;
  SearchSettings settings_;
  std::optional<FairMeter> meter_ = {};
  Draft draft_, trial_;
  DecodedPlan plan_, trial_plan_, best_;
  DraftPlan best_draft_;
  std::uint64_t trials_ = 0;
  std::uint64_t since_progress_ = 0;
  double temperature_;
  bool knows_critical_ = false;
  std::vector<TaskId> by_end_, chain_;
  std::vector<char> is_critical_;
};

}  // namespace

std::optional<AnnealedPlan> anneal(DraftDecoder& decoder, const SearchGoal& goal,
                                   const DraftPlan& start, const AnnealingRun& run) {
  return Annealer(decoder, goal, run).anneal(start);
}

}  // namespace dovetail::planning
