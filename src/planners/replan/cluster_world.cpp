#include "planners/replan/cluster_world.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "planners/fair/sharing.hpp"
#include "planners/replan/warm_search.hpp"
#include "planners/replan/workflow_part.hpp"

namespace dovetail::planning {

namespace {

Area area_of(std::span<const Slot> slots) {
  Area sum = 0;
  for (const Slot& slot : slots) sum += slot.area();
  return sum;
}

}  // namespace

ClusterWorld::ClusterWorld(const Problem& problem, PlanMaker make_plan,
                           const ClusterWorldOptions& options)
    : problem_(problem),
      make_plan_(std::move(make_plan)),
      options_(options),
      clock_(problem.now()),
      workflows_(problem.workflows().begin(), problem.workflows().end()),
      progress_(problem.task_count(), TaskProgress::waiting),
      drift_(problem.task_count(), 1.0),
      shared_(problem.platform()),
      slots_(problem.task_count()) {
  for (std::uint32_t w = 0; w < workflows_.size(); ++w) {
    first_.push_back(names_.size());
    for (TaskId task = 0; task < workflows_[w].size(); ++task) names_.push_back({w, task});
  }
  if (problem_.goal() != Goal::fair) return;
  PlanningContext context(problem_);
  for (const Member& member : context.shared<Sharing>().members()) {
    alone_.push_back(member.alone);
    due_lengths_.push_back(member.due_length);
  }
}

Duration ClusterWorld::duration(std::size_t number, Count procs) const {
  const Workflow& workflow = workflows_[names_[number].workflow];
  const TaskTime time = workflow.time(names_[number].task);
  const Cluster& cluster = problem_.platform().clusters().front();
  if (time.kind() != TimeKind::per_resource) return time.at_speed(cluster.speed).duration(procs);
  const auto resource = std::ranges::find(workflow.resource_names(), cluster.name);
  const auto position = resource - workflow.resource_names().begin();
  return time.on_resource(static_cast<std::int32_t>(position)).duration(procs);
}

// When the last of a task's inputs arrives, but not before now.
Time ClusterWorld::inputs_end(std::size_t number, const Slots& slots) const {
  const TaskRef name = names_[number];
  Time end = std::max(clock_, problem_.release(name.workflow, name.task));
  for (const TaskId before : workflows_[name.workflow].predecessors(name.task)) {
    const std::size_t input = first_[name.workflow] + before;
    if (progress_[input] != TaskProgress::finished) end = std::max(end, slots[input].end);
  }
  return end;
}

Time ClusterWorld::end_of(const Slots& slots) const {
  return std::ranges::max_element(slots, {}, &Slot::end)->end;
}

void ClusterWorld::advance(Time now) {
  clock_ = now;
  for (std::size_t number = 0; number < progress_.size(); ++number) {
    TaskProgress& progress = progress_[number];
    if (progress == TaskProgress::waiting && has_plan_ && slots_[number].start < now) {
      progress = TaskProgress::running;
    }
    if (progress == TaskProgress::running && slots_[number].end <= now) {
      progress = TaskProgress::finished;
    }
  }
}

void ClusterWorld::restore(Time now, std::vector<TaskProgress> progress, Slots slots,
                           bool has_plan) {
  clock_ = now;
  progress_ = std::move(progress);
  slots_ = std::move(slots);
  auto goes_on = has_plan ? moved(false) : std::nullopt;
  has_plan_ = goes_on.has_value();
  if (goes_on) slots_ = std::move(*goes_on);
}

bool ClusterWorld::apply(const std::vector<Event>& events) {
  bool matters = false;
  const std::optional<Time> end_before = current_end();
  for (const Event& event : events) matters = handle(event) || matters;
  if (!has_plan_) return true;
  if (auto slots = moved(true)) {
    slots_ = std::move(*slots);
  } else {
    has_plan_ = false;
  }
  return matters || is_beyond_band(end_before, current_end(), clock_, options_.band);
}

bool ClusterWorld::handle(const Event& event) {
  switch (event.kind) {
    case Event::Kind::reserve:
      shared_.book({event.start, event.until, event.procs});
      return true;
    case Event::Kind::cancel:
      shared_.cancel({event.start, event.until, event.procs}, clock_);
      return true;
    case Event::Kind::fail:
      fail({clock_, event.until, event.procs});
      return true;
    case Event::Kind::late:
      delay(event.task, event.factor);
      return options_.band == 0 || std::abs(drift_[event.task] - 1) > options_.band;
    case Event::Kind::lost:
      if (!runs(event.task)) return false;
      lose(event.task);
      return true;
    case Event::Kind::join:
    case Event::Kind::leave:
    case Event::Kind::leave_later:
    case Event::Kind::slow:
      break;  // a cluster does not change
  }
  return false;
}

// Takes idle processors first, then those of the tasks that started last. Other users get none of
// the latter, even if they could not get all that they booked.
void ClusterWorld::fail(const Reservation& failure) {
  Count idle = shared_.with_ours(clock_, running()).calendar(0).free_at(clock_);
  while (idle < failure.procs) {
    std::optional<std::size_t> last;
    for (std::size_t number = 0; number < progress_.size(); ++number) {
      if (runs(number) && (!last || slots_[number].start >= slots_[*last].start)) last = number;
    }
    if (!last) break;
    idle += slots_[*last].procs;
    lose(*last);
  }
  shared_.fail(failure);
}

void ClusterWorld::delay(std::size_t number, double factor) {
  if (progress_[number] == TaskProgress::finished) return;
  const TaskRef name = names_[number];
  drift_[number] *= factor;
  Workflow& workflow = workflows_[name.workflow];
  std::vector<TaskId> all(workflow.size());
  std::iota(all.begin(), all.end(), TaskId{0});
  workflow = part_of(workflow, all, [&](TaskId task) { return task == name.task ? factor : 1.0; });
  if (!runs(number)) return;
  Slot& slot = slots_[number];
  slot.end = clock_ + run_time(to_seconds(slot.end - clock_) * factor);
  if (slot.end > problem_.platform().clusters().front().leaves) lose(number);
}

void ClusterWorld::lose(std::size_t number) {
  Slot run = slots_[number];
  run.end = clock_;
  lost_.push_back(placement_at(names_[number], run));
  progress_[number] = TaskProgress::waiting;
}

std::vector<Reservation> ClusterWorld::running() const {
  std::vector<Reservation> bookings;
  for (std::size_t number = 0; number < slots_.size(); ++number) {
    const Slot& slot = slots_[number];
    const bool holds = runs(number) && slot.procs > 0 && slot.end > clock_;
    if (holds) bookings.push_back({clock_, slot.end, slot.procs});
  }
  return bookings;
}

Platform ClusterWorld::platform() const {
  std::vector<Reservation> ours;
  for (std::size_t number = 0; number < slots_.size(); ++number) {
    if (waits(number) && !has_plan_) continue;
    const Slot& slot = slots_[number];
    ours.push_back({slot.start, slot.end, slot.procs});
  }
  for (const Placement& run : lost_) ours.push_back({run.start, run.end, run.procs});
  return shared_.without_ours(problem_.now(), ours);
}

std::vector<std::size_t> ClusterWorld::waiting() const {
  std::vector<std::size_t> numbers;
  for (std::size_t number = 0; number < progress_.size(); ++number) {
    if (waits(number)) numbers.push_back(number);
  }
  return numbers;
}

// The waiting tasks as a separate problem.
Problem ClusterWorld::rest(const std::vector<std::size_t>& numbers) const {
  Slots started = slots_;
  for (const std::size_t number : numbers) started[number].end = clock_;
  std::vector<std::vector<TaskId>> tasks(workflows_.size());
  std::vector<Time> releases;
  for (const std::size_t number : numbers) {
    tasks[names_[number].workflow].push_back(names_[number].task);
    releases.push_back(inputs_end(number, started));
  }
  std::vector<Workflow> parts;
  for (std::size_t w = 0; w < tasks.size(); ++w) {
    if (tasks[w].size() == workflows_[w].size()) {
      parts.push_back(workflows_[w]);
    } else if (!tasks[w].empty()) {
      parts.push_back(part_of(workflows_[w], tasks[w], [](TaskId) { return 1.0; }));
    }
  }
  return Problem(std::move(parts), shared_.with_ours(clock_, running()), problem_.goal(),
                 problem_.deadline())
      .with_releases(std::move(releases));
}

// The plan in force with the same processors and order, each task as early as possible or, if
// starts are kept, no earlier than its planned start.
auto ClusterWorld::moved(bool keeps_starts) const -> std::optional<Slots> {
  std::vector<std::size_t> order = waiting();
  std::ranges::stable_sort(order, {}, [&](std::size_t number) { return slots_[number].start; });
  Calendar calendar = shared_.with_ours(clock_, running()).calendar(0);
  Slots slots = slots_;
  for (const std::size_t number : order) {
    Slot& slot = slots[number];
    const Time ready = std::max(inputs_end(number, slots), keeps_starts ? slot.start : clock_);
    const Duration length = duration(number, slot.procs);
    const auto start = calendar.earliest_fit(slot.procs, length, ready);
    if (!start) return std::nullopt;
    slot = {slot.procs, *start, *start + length};
    calendar.reserve({slot.start, slot.end}, slot.procs);
  }
  return slots;
}

std::optional<Time> ClusterWorld::current_end() const {
  if (!has_plan_) return std::nullopt;
  return end_of(slots_);
}

std::optional<Time> ClusterWorld::propose() {
  std::ranges::fill(drift_, 1.0);
  goes_on_.reset();
  proposal_.reset();
  declined_.reset();
  const std::vector<std::size_t> numbers = waiting();
  if (numbers.empty()) {
    offer(slots_, algorithm_);
    return current_end();
  }
  if (has_plan_) {
    // Prefers no change of order or processors if that is as good.
    goes_on_ = moved(false);
    if (goes_on_) offer(*goes_on_, algorithm_);
    if (options_.searches && goes_on_ && problem_.goal() != Goal::fair) {
      offer(searched(*goes_on_, numbers, options_.stability), "DOVETAIL");
      if (options_.tells_declined && options_.stability > 0 && !prefers_proposal()) {
        decline(searched(*goes_on_, numbers, 0));
      }
      return end_of(told());
    }
  }
  const Plan plan = make_plan_(rest(numbers));
  if (plan.feasible) {
    Slots slots = slots_;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const Placement& placed = plan.placements[i];
      slots[numbers[i]] = {placed.procs, placed.start, placed.end};
    }
    offer(std::move(slots), plan.algorithm);
  }
  if (!proposal_) return std::nullopt;
  return end_of(told());
}

// The plan that propose() reports.
auto ClusterWorld::told() const -> const Slots& {
  const bool is_declined = options_.tells_declined && has_plan_ && declined_ &&
                           !prefers_proposal() && is_better(*declined_, *proposal_);
  return is_declined ? *declined_ : *proposal_;
}

void ClusterWorld::decline(Slots slots) {
  if (!declined_ || is_better(slots, *declined_)) declined_ = std::move(slots);
}

// The result of a search from that plan for the waiting tasks.
auto ClusterWorld::searched(const Slots& from, const std::vector<std::size_t>& numbers,
                            double stability) const -> Slots {
  const Problem problem = rest(numbers);
  PlanningContext context(problem, options_.planning);
  WarmStart how{.stability = stability};
  if (problem_.goal() == Goal::deadline) how.deadline = problem_.deadline();
  for (std::size_t number = 0; number < slots_.size(); ++number) {
    if (!waits(number)) how.busy_until = std::max(how.busy_until, slots_[number].end);
  }
  Slots waiting;
  for (const std::size_t number : numbers) waiting.push_back(from[number]);
  const Slots better = search_from(context, waiting, how);
  Slots slots = from;
  for (std::size_t i = 0; i < numbers.size(); ++i) slots[numbers[i]] = better[i];
  return slots;
}

void ClusterWorld::offer(Slots slots, const std::string& algorithm) {
  if (proposal_) {
    const double more = has_plan_ ? net_gain(slots) - net_gain(*proposal_) : 0;
    if (more < 0 || (more == 0 && !is_better(slots, *proposal_))) {
      decline(std::move(slots));
      return;
    }
  }
  proposal_ = std::move(slots);
  proposal_by_ = algorithm;
}

// Meeting the deadline comes first, then the goal.
bool ClusterWorld::is_better(const Slots& a, const Slots& b) const {
  const Time end_a = end_of(a);
  const Time end_b = end_of(b);
  if (problem_.goal() == Goal::fair) {
    const double stretch_a = worst_stretch(a);
    const double stretch_b = worst_stretch(b);
    if (stretch_a != stretch_b) return stretch_a < stretch_b;
  }
  if (problem_.goal() != Goal::deadline) return end_a < end_b;
  const Time deadline = *problem_.deadline();
  if (end_a > deadline || end_b > deadline) return end_a < end_b;
  return area_of(a) < area_of(b);
}

// The gain over the plan in force, less the gain required for the tasks that it moves.
double ClusterWorld::net_gain(const Slots& slots) const {
  const std::size_t tasks = waiting().size();
  if (tasks == 0) return gain(slots);
  const double share = static_cast<double>(moved_by(slots)) / static_cast<double>(tasks);
  return gain(slots) - options_.stability * share;
}

double ClusterWorld::gain(const Slots& slots) const {
  constexpr double kWorthAll = 1e6;
  const auto less = [](auto now, auto before) {
    const auto old = static_cast<double>(before);
    return old > 0 ? (old - static_cast<double>(now)) / old : 0;
  };
  const Time end = end_of(slots);
  const Time end_before = end_of(slots_);
  if (problem_.goal() == Goal::deadline) {
    const bool is_late = end > *problem_.deadline();
    const bool was_late = end_before > *problem_.deadline();
    if (is_late != was_late) return is_late ? -kWorthAll : kWorthAll;
    if (!is_late) {
      Area started = 0;
      for (std::size_t number = 0; number < slots_.size(); ++number) {
        if (!waits(number)) started += slots_[number].area();
      }
      return less(area_of(slots) - started, area_of(slots_) - started);
    }
  }
  if (problem_.goal() == Goal::fair) {
    const double stretch = worst_stretch(slots);
    const double stretch_before = worst_stretch(slots_);
    if (stretch != stretch_before) return less(stretch, stretch_before);
  }
  return less(end - clock_, end_before - clock_);
}

// Counts waiting tasks. Those whose order changed only because the plan in force was pulled forward
// do not count.
std::size_t ClusterWorld::moved_by(const Slots& slots) const {
  Slots before;
  Slots after;
  for (const std::size_t number : waiting()) {
    before.push_back(goes_on_ ? (*goes_on_)[number] : slots_[number]);
    after.push_back(slots[number]);
  }
  return moved_tasks(before, after);
}

// The stretch of the workflow that is worst off, to one part in a hundred: smaller gains are not
// worth a new plan.
double ClusterWorld::worst_stretch(const Slots& slots) const {
  double worst = 0;
  for (std::size_t number = 0; number < slots.size(); ++number) {
    const std::size_t workflow = names_[number].workflow;
    const auto length = static_cast<double>(slots[number].end - problem_.ready(workflow));
    worst = std::max(worst, length / static_cast<double>(due_lengths_[workflow]));
  }
  return std::round(100 * worst);
}

std::optional<std::size_t> ClusterWorld::moved_by_proposal() const {
  if (!has_plan_ || !proposal_) return std::nullopt;
  return moved_by(told());
}

bool ClusterWorld::prefers_proposal() const {
  return is_better(*proposal_, slots_) && net_gain(*proposal_) >= 0;
}

void ClusterWorld::adopt() {
  slots_ = std::move(*proposal_);
  algorithm_ = proposal_by_;
  has_plan_ = true;
}

void ClusterWorld::give_up() { has_plan_ = false; }

Plan ClusterWorld::executed() const {
  Plan plan{.algorithm = algorithm_,
            .now = problem_.now(),
            .deadline = problem_.deadline(),
            .feasible = has_plan_};
  if (!has_plan_) return plan;
  plan.alone = alone_;
  for (std::size_t number = 0; number < slots_.size(); ++number) {
    plan.placements.push_back(placement_at(names_[number], slots_[number]));
  }
  return plan;
}

}  // namespace dovetail::planning
