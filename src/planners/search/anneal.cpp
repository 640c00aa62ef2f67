#include "planners/search/anneal.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "planners/search/steady_math.hpp"

namespace dovetail::planning {

namespace {

constexpr std::uint64_t kCoolings = 64;      // temperature steps in a run
constexpr std::uint64_t kLookAtClock = 800;  // tasks placed between two checks of the time
constexpr double kNear = 0.01;               // a plan this close to the best is worth justifying

}  // namespace

SearchSettings SearchSettings::fine(std::size_t tasks) {
  SearchSettings settings;
  if (tasks >= 300) settings.hot = 0.001;
  return settings;
}

SearchSettings SearchSettings::coarse() {
  return {.hot = 0.01, .cold = 0.0001, .exact_share = 0.3, .spread = 0.9, .many = 0.1};
}

Annealer::Annealer(DraftDecoder& decoder, const SearchGoal& goal, const SearchSettings& settings,
                   const Random& random)
    : decoder_(decoder),
      goal_(goal),
      settings_(settings),
      random_(random),
      tasks_(decoder.view().size()),
      temperature_(settings.hot) {
  if (goal.scale != nullptr) meter_.emplace(*goal.scale);
}

DecodeLimits Annealer::limits_for(Area threshold) const {
  DecodeLimits limits = goal_.limits;
  if (goal_.value == SearchValue::area) {
    limits.area = std::min(limits.area, threshold);
  } else {
    limits.end = std::min(limits.end, decoder_.now() + static_cast<Time>(threshold));
  }
  return limits;
}

// False when the value exceeds the threshold, if there is one.
bool Annealer::decode(const DraftPlan& draft, DecodedPlan& plan, std::optional<Area> threshold) {
  if (meter_) {
    constexpr auto kAny = std::numeric_limits<std::int64_t>::max();
    meter_->aim_at(threshold ? static_cast<std::int64_t>(*threshold) : kAny);
    return decoder_.decode(draft, goal_.limits, *meter_, plan);
  }
  return decoder_.decode(draft, threshold ? limits_for(*threshold) : goal_.limits, plan);
}

bool Annealer::start(const DraftPlan& draft) {
  draft_ = Draft::of(draft);
  if (!decode(draft, plan_)) return false;
  best_ = plan_;
  best_draft_ = draft;
  knows_critical_ = false;
  return true;
}

// The value may be worse by a share of at most -t ln u.
Area Annealer::draw_threshold() {
  const double u = 1.0 - random_.uniform01();
  const double slack = -temperature_ * steady_log(u);
  const Area now = value(plan_);
  return now + static_cast<Area>(static_cast<double>(now) * slack);
}

void Annealer::run(std::uint64_t trials, const std::function<bool()>& is_over) {
  const std::uint64_t patience = 500 * tasks_ + 1000;
  const std::uint64_t stretch = std::max<std::uint64_t>(1, trials / kCoolings);
  const double cooling = steady_exp(steady_log(settings_.cold / settings_.hot) / kCoolings / 4);
  const double cooled = cooling * cooling * cooling * cooling;
  const std::uint64_t pause = std::max<std::uint64_t>(1, kLookAtClock / tasks_);
  temperature_ = settings_.hot;
  since_progress_ = 0;
  for (std::uint64_t i = 1; i <= trials && value(best_) > goal_.enough; ++i, ++trials_) {
    if (i % stretch == 0) temperature_ *= cooled;
    if (is_over && i % pause == 0 && is_over()) return;
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

void Annealer::accept() {
  std::swap(draft_, trial_);
  std::swap(plan_, trial_plan_);
  knows_critical_ = false;
  keep_if_best();
}

void Annealer::keep_if_best() {
  const Area best = value(best_);
  if (goal_.is_better(plan_, best_, decoder_.now())) {
    best_ = plan_;
    best_draft_ = draft_.plan;
    since_progress_ = 0;
  }
  const bool is_near = static_cast<double>(value(plan_)) <= static_cast<double>(best) * (1 + kNear);
  if (goal_.value == SearchValue::area || !is_near) return;
  if (since_progress_ > 0 && !random_.chance(0.3)) return;
  trial_plan_ = plan_;
  if (goal_.scale != nullptr) {
    decoder_.justify(trial_plan_, *goal_.scale);
  } else {
    decoder_.justify(trial_plan_);
  }
  if (value(trial_plan_) < value(best_)) {
    best_ = trial_plan_;
    best_draft_ = draft_.plan;
    since_progress_ = 0;
  }
}

// Restarts not far from the current draft. A draft without a plan within the limits is not taken.
void Annealer::kick() {
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
void Annealer::rebuild() {
  trial_ = Draft::of(draft_of(plan_.slots));
  std::ranges::fill(trial_.plan.is_exact, char{0});
  if (decode(trial_.plan, trial_plan_)) accept();
}

void Annealer::propose() {
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

void Annealer::change_bounds() {
  const auto most = 1 + static_cast<std::uint64_t>(static_cast<double>(tasks_) * settings_.many);
  for (std::uint64_t left = 1 + random_.below(most); left > 0; --left) {
    scale_bound(any_task(), factor(-settings_.spread, settings_.spread));
  }
}

void Annealer::change_places() {
  for (std::uint64_t left = 1 + random_.below(3); left > 0; --left) shift(any_task());
}

void Annealer::help_critical() {
  scale_bound(critical_task(), factor(0, 0.7));
  if (!random_.chance(0.6)) return;
  for (std::uint64_t left = 1 + random_.below(2); left > 0; --left) {
    const TaskId task = any_task();
    if (!is_critical_[task]) scale_bound(task, factor(-0.9, 0.1));
  }
}

void Annealer::cut_costs() {
  for (std::uint64_t left = 1 + random_.below(2); left > 0; --left) {
    scale_bound(any_task(), factor(-0.7, 0));
  }
  if (random_.chance(0.4)) scale_bound(any_task(), factor(0, 0.7));
}

void Annealer::pull_critical() {
  const TaskId task = critical_task();
  const Interval room = room_of(task);
  const Time place = trial_.places[task];
  if (room.begin < place) {
    const auto target =
        room.begin +
        static_cast<Time>(random_.below(static_cast<std::uint64_t>(place - room.begin)));
    move_to(task, target);
  }
  if (random_.chance(0.5)) scale_bound(task, factor(-settings_.spread, settings_.spread));
}

void Annealer::change_window() {
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

void Annealer::nudge_bound() { scale_bound(any_task(), factor(-0.2, 0.2)); }

// The end that must become earlier to improve the plan.
Time Annealer::critical_end() {
  if (goal_.scale == nullptr) return plan_.end;
  const std::vector<Time> ends = goal_.scale->ends_of(plan_);
  const auto workflow = goal_.scale->decisive(ends);
  return ends[workflow ? *workflow : random_.below(ends.size())];
}

TaskId Annealer::critical_task() {
  if (!knows_critical_) {
    find_critical(plan_.slots, critical_end(), by_end_, is_critical_, chain_);
    knows_critical_ = true;
  }
  return chain_[random_.below(chain_.size())];
}

double Annealer::factor(double low, double high) { return steady_exp(random_.uniform(low, high)); }

// Scales from the task's current width, so that every new bound makes a difference.
void Annealer::scale_bound(TaskId task, double by) {
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
Interval Annealer::room_of(TaskId task) const {
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

void Annealer::shift(TaskId task) {
  const Interval room = room_of(task);
  const auto reach = std::max<Time>(1, static_cast<Time>(tasks_) * 3 / 10);
  const Time place = trial_.places[task];
  const Time low = std::max(room.begin, place - reach);
  const Time high = std::min(room.end, place + reach + 1);
  const auto target =
      low + static_cast<Time>(random_.below(static_cast<std::uint64_t>(high - low)));
  move_to(task, target);
}

void Annealer::move_to(TaskId task, Time place) {
  move_task(trial_.plan.order, trial_.places, task, static_cast<std::uint32_t>(place));
}

}  // namespace dovetail::planning
