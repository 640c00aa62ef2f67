#include "planners/search/window_flow.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "planners/list/earliest_slot.hpp"

namespace dovetail::planning {

namespace {

constexpr TaskId kNone = std::numeric_limits<TaskId>::max();

// A task's durations are rounded up to whole milliseconds, with a guard of 1e-6.
double unrounded(const TaskTime& time, double procs) {
  const double seconds = time.seconds() / time.speed();
  return 1000 * seconds * (time.alpha() + (1 - time.alpha()) / procs) - 1e-6;
}

}  // namespace

WindowFlow::WindowFlow(const ClusterView& view, const TimeWindows& windows)
    : WindowFlow(view, windows, {-kForever, kForever}) {}

WindowFlow::WindowFlow(const ClusterView& view, const TimeWindows& windows, Interval span)
    : view_(view),
      windows_(windows),
      is_inside_(view.size()),
      through_(view.size()),
      choices_(view.size()),
      reach_(view.size()) {
  flows_.begin.resize(view.size());
  flows_.end.resize(view.size());
  std::size_t edges = 0;
  for (TaskId task = 0; task < view.size(); ++task) {
    const bool is_inside = windows.ready[task] >= span.begin && windows.due[task] <= span.end;
    is_inside_[task] = is_inside ? 1 : 0;
    first_edge_.push_back(edges);
    edges += view.workflow().predecessors(task).size();
    choices_[task] = cheapest(task, 0);
  }
  flows_.edges.resize(edges);
  update_work();
}

WindowFlow::Width WindowFlow::cheapest(TaskId task, double flow) const {
  const TaskTime& time = view_.time(task);
  const Count fewest = windows_.fewest[task];
  const Count most = view_.bounded(task, view_.processors());
  Width best{.cost = std::numeric_limits<double>::infinity()};
  const auto offer = [&](Count procs, double length) {
    const double cost = (procs + flow) * length;
    if (cost < best.cost) best = {procs, length, cost};
  };
  if (time.kind() == TimeKind::amdahl) {
    // (m + f) (a + b / m) is least at m = sqrt(f b / a).
    const double share = time.alpha();
    const double wanted = share > 0 ? std::sqrt(flow * (1 - share) / share) : double(most);
    const auto low = static_cast<Count>(std::clamp<double>(std::floor(wanted), fewest, most));
    offer(low, unrounded(time, low));
    if (low < most) offer(low + 1, unrounded(time, low + 1));
    return best;
  }
  for (Count procs = fewest; procs != 0 && procs <= most; procs = time.next_allowed(procs)) {
    offer(procs, static_cast<double>(time.duration(procs)));
  }
  return best;
}

// The path that exceeds its window most with the cheapest widths; it may begin and end anywhere.
void WindowFlow::find_path() {
  const Workflow& workflow = view_.workflow();
  TaskId last = kNone;
  excess_ = 0;
  std::vector<TaskId> from(view_.size(), kNone);
  for (const TaskId task : workflow.topological_order()) {
    if (!is_inside_[task]) continue;
    double reach = static_cast<double>(windows_.ready[task]);
    for (const TaskId before : workflow.predecessors(task)) {
      if (is_inside_[before] && reach_[before] > reach) {
        reach = reach_[before];
        from[task] = before;
      }
    }
    reach_[task] = reach + choices_[task].length;
    const double excess = reach_[task] - static_cast<double>(windows_.due[task]);
    if (excess > excess_) {
      excess_ = excess;
      last = task;
    }
  }
  path_.clear();
  for (TaskId task = last; task != kNone; task = from[task]) path_.push_back(task);
  std::ranges::reverse(path_);
}

// How much the path exceeds its window with this much more flow through it.
double WindowFlow::excess_with(double more) const {
  double excess = static_cast<double>(windows_.ready[path_.front()] - windows_.due[path_.back()]);
  for (const TaskId task : path_) {
    excess += cheapest(task, static_cast<double>(through_[task]) / kUnit + more).length;
  }
  return excess;
}

// Half of the flow that makes the path just fit, since others share its tasks; but never zero,
// since widths are whole numbers and a little may decide between two.
std::int64_t WindowFlow::best_step() const {
  double low = 0;
  double high = 1;
  while (excess_with(high) > 0 && high < 1e6) {
    low = high;
    high *= 2;
  }
  for (int i = 0; i < 12; ++i) {
    const double middle = (low + high) / 2;
    (excess_with(middle) > 0 ? low : high) = middle;
  }
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(high / 2 * kUnit));
}

void WindowFlow::add_to_path(std::int64_t flow) {
  flows_.begin[path_.front()] += flow;
  flows_.end[path_.back()] += flow;
  for (std::size_t i = 0; i < path_.size(); ++i) {
    const TaskId task = path_[i];
    through_[task] += flow;
    choices_[task] = cheapest(task, static_cast<double>(through_[task]) / kUnit);
    if (i == 0) continue;
    const auto before = view_.workflow().predecessors(task);
    const auto edge = std::ranges::find(before, path_[i - 1]) - before.begin();
    flows_.edges[first_edge_[task] + static_cast<std::size_t>(edge)] += flow;
  }
}

void WindowFlow::push(int rounds) {
  for (int round = 0; round < rounds; ++round) {
    find_path();
    if (path_.empty()) break;
    add_to_path(best_step());
  }
  update_work();
}

void WindowFlow::update_work() {
  work_ = 0;
  for (TaskId task = 0; task < view_.size(); ++task) {
    if (!is_inside_[task]) continue;
    work_ += choices_[task].cost;
    work_ -=
        static_cast<double>(flows_.end[task]) / kUnit * static_cast<double>(windows_.due[task]);
    work_ +=
        static_cast<double>(flows_.begin[task]) / kUnit * static_cast<double>(windows_.ready[task]);
  }
}

// In units of flow.
Area WindowFlow::least_cost(TaskId task) const {
  constexpr Count kManyWidths = 2000;
  constexpr double kSafely = 1 - 1e-9;  // far more than the rounding of a few products
  const TaskTime& time = view_.time(task);
  const Count fewest = windows_.fewest[task];
  const Count most = view_.bounded(task, view_.processors());
  if (time.kind() == TimeKind::amdahl && most - fewest > kManyWidths) {
    return static_cast<Area>(std::floor(choices_[task].cost * kUnit * kSafely));
  }
  const auto cost = [&](Count procs) {
    return (Area{procs} * kUnit + through_[task]) * time.duration(procs);
  };
  Area least = cost(fewest);
  for (Count procs = fewest; procs != 0 && procs <= most; procs = time.next_allowed(procs)) {
    least = std::min(least, cost(procs));
  }
  return least;
}

Area WindowFlow::whole_work() const {
  Area work = 0;
  for (TaskId task = 0; task < view_.size(); ++task) {
    if (!is_inside_[task]) continue;
    work += least_cost(task) + Area{flows_.begin[task]} * windows_.ready[task] -
            Area{flows_.end[task]} * windows_.due[task];
  }
  return work > 0 ? (work + kUnit - 1) / kUnit : 0;
}

std::vector<Count> WindowFlow::widths() const {
  std::vector<Count> widths;
  for (const Width& choice : choices_) widths.push_back(choice.procs);
  return widths;
}

Heads heads_of(const ClusterView& view, const Calendar& calendar) {
  const Workflow& workflow = view.workflow();
  Heads heads{std::vector<Time>(view.size()), std::vector<Time>(view.size(), kForever)};
  for (const TaskId task : workflow.topological_order()) {
    Time ready = view.release(task);
    for (const TaskId before : workflow.predecessors(task)) {
      ready = std::max(ready, heads.ends[before]);
    }
    heads.ready[task] = ready;
    if (ready >= kForever) continue;
    const auto slot = earliest_completion(calendar, view.time(task), view.processors(), ready);
    if (slot) heads.ends[task] = slot->end;
  }
  return heads;
}

TimeWindows windows_by(const ClusterView& view, const Calendar& calendar, const Heads& heads,
                       Time end) {
  const Workflow& workflow = view.workflow();
  TimeWindows windows{.ready = heads.ready,
                      .due = std::vector<Time>(view.size(), end),
                      .fewest = std::vector<Count>(view.size())};
  const auto order = workflow.topological_order();
  for (auto place = order.rbegin(); place != order.rend(); ++place) {
    const TaskId task = *place;
    const Interval window{heads.ready[task], windows.due[task]};
    if (heads.ends[task] > window.end) return windows;
    const auto latest = latest_start(calendar, view.time(task), view.processors(), window);
    if (!latest) return windows;
    for (const TaskId before : workflow.predecessors(task)) {
      windows.due[before] = std::min(windows.due[before], latest->start);
    }
    const auto thrifty = fewest_processors(calendar, view.time(task), view.processors(), window);
    windows.fewest[task] = thrifty->procs;
  }
  windows.is_possible = true;
  return windows;
}

}  // namespace dovetail::planning
