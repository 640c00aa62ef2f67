#include "planners/search/lower_bound.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "planners/list/earliest_slot.hpp"

namespace dovetail::planning {

namespace {

constexpr int kRounds = 200;
constexpr int kWidthRounds = 100;
constexpr int kCuts = 6;
constexpr Duration kResolution = 2000;

// For very many tasks, where the work matters more than the paths.
constexpr int kFewRounds = 10;
constexpr Duration kCoarse = 100;

// Far more than the rounding errors of a sum of that many numbers.
constexpr double kSafety = 1e-9;

constexpr TaskId kNone = std::numeric_limits<TaskId>::max();

// A task's durations are rounded up to whole milliseconds, with a guard of 1e-6.
double unrounded(const TaskTime& time, double procs) {
  const double seconds = time.seconds() / time.speed();
  return 1000 * seconds * (time.alpha() + (1 - time.alpha()) / procs) - 1e-6;
}

}  // namespace

// The least work of a plan that ends in time: a bound by flows.
//
// Tasks that follow each other must fit between the earliest start of the first and the latest end
// of the last. Making them short makes them wide, and wide tasks consume more. With a weight g on
// each path, and f the sum of the weights on the paths through a task,
//
//   work = sum m T(m) >= sum over tasks of min over m of (m + f) T(m)  -  sum over paths g window
//
// for any weights. They are chosen to make the right side large, by pushing flow onto the path that
// violates its window most with the currently cheapest widths. The final widths are also a good
// allocation to start a search from.
class LowerBound::WindowFlow {
 public:
  // Flows are whole multiples of 1/kUnit of a processor, so that inflow equals outflow exactly.
  static constexpr std::int64_t kUnit = Certificate::kUnit;

  // For all tasks, or for those whose windows lie within `span`. The view and windows, which must
  // be possible, must outlive it.
  WindowFlow(const ClusterView& view, const TimeWindows& windows,
             Interval span = {-kForever, kForever})
      : view_(view),
        windows_(windows),
        is_inside_(view.size()),
        begin_(view.size()),
        end_(view.size()),
        through_(view.size()),
        choices_(view.size()),
        reach_(view.size()) {
    std::size_t edges = 0;
    for (TaskId task = 0; task < view.size(); ++task) {
      const bool is_inside = windows.ready[task] >= span.begin && windows.due[task] <= span.end;
      is_inside_[task] = is_inside ? 1 : 0;
      first_edge_.push_back(edges);
      edges += view.workflow().predecessors(task).size();
      choices_[task] = cheapest(task, 0);
    }
    edges_.resize(edges);
  }

  // Pushes flow along `rounds` paths, or fewer when nothing is gained any more.
  void push(int rounds) {
    for (int round = 0; round < rounds; ++round) {
      find_path();
      if (path_.empty()) break;
      add_to_path(best_step());
    }
  }

  // The least total consumption of the tasks, in processor-milliseconds.
  double work() const {
    double work = 0;
    for (TaskId task = 0; task < view_.size(); ++task) {
      if (!is_inside_[task]) continue;
      work += choices_[task].cost;
      work -= static_cast<double>(end_[task]) / kUnit * static_cast<double>(windows_.due[task]);
      work += static_cast<double>(begin_[task]) / kUnit * static_cast<double>(windows_.ready[task]);
    }
    return work;
  }

  // The same in whole processor-milliseconds, as plans consume them: exact where no task has very
  // many widths. Looks at each width.
  Area whole_work() const {
    Area work = 0;
    for (TaskId task = 0; task < view_.size(); ++task) {
      if (!is_inside_[task]) continue;
      work += least_cost(task) + Area{begin_[task]} * windows_.ready[task] -
              Area{end_[task]} * windows_.due[task];
    }
    return work > 0 ? (work + kUnit - 1) / kUnit : 0;
  }

  // The cheapest widths under the flow, by task; for tasks outside the span, their fewest.
  std::vector<Count> widths() const {
    std::vector<Count> widths;
    for (const Width& choice : choices_) widths.push_back(choice.procs);
    return widths;
  }

  // The flow as a proof about plans that end by `end`.
  Certificate certificate(Time end, Interval span) const {
    return {.end = end,
            .span = span,
            .ready = windows_.ready,
            .due = windows_.due,
            .begin_flow = begin_,
            .end_flow = end_,
            .edge_flow = edges_};
  }

 private:
  struct Width {
    Count procs = 0;
    double length = 0;  // milliseconds, not rounded up
    double cost = 0;    // (m + f) T(m)
  };

  Width cheapest(TaskId task, double flow) const {
    const TaskTime& time = view_.time(task);
    const Count fewest = windows_.fewest[task];
    const Count most = view_.bounded(task, view_.processors());
    Width best{.cost = std::numeric_limits<double>::infinity()};
    const auto offer = [&](Count procs, double length) {
      const double cost = (procs + flow) * length;
      if (cost < best.cost) best = {procs, length, cost};
    };
    if (time.kind() == TimeKind::amdahl && !time.lists_counts()) {
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
  void find_path() {
    const Workflow& workflow = view_.workflow();
    TaskId last = kNone;
    double most = 0;
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
      if (excess > most) {
        most = excess;
        last = task;
      }
    }
    path_.clear();
    for (TaskId task = last; task != kNone; task = from[task]) path_.push_back(task);
    std::ranges::reverse(path_);
  }

  // How much the path exceeds its window with this much more flow through it.
  double excess_with(double more) const {
    double excess = static_cast<double>(windows_.ready[path_.front()] - windows_.due[path_.back()]);
    for (const TaskId task : path_) {
      excess += cheapest(task, static_cast<double>(through_[task]) / kUnit + more).length;
    }
    return excess;
  }

  // Half of the flow that makes the path just fit, since others share its tasks; but never zero,
  // since widths are whole numbers and a little may decide between two.
  std::int64_t best_step() const {
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

  void add_to_path(std::int64_t flow) {
    begin_[path_.front()] += flow;
    end_[path_.back()] += flow;
    for (std::size_t i = 0; i < path_.size(); ++i) {
      const TaskId task = path_[i];
      through_[task] += flow;
      choices_[task] = cheapest(task, static_cast<double>(through_[task]) / kUnit);
      if (i == 0) continue;
      const auto before = view_.workflow().predecessors(task);
      const auto edge = std::ranges::find(before, path_[i - 1]) - before.begin();
      edges_[first_edge_[task] + static_cast<std::size_t>(edge)] += flow;
    }
  }

  // In units of flow.
  Area least_cost(TaskId task) const {
    constexpr Count kManyWidths = 2000;
    constexpr double kSafely = 1 - 1e-9;  // far more than the rounding of a few products
    const TaskTime& time = view_.time(task);
    const Count fewest = windows_.fewest[task];
    const Count most = view_.bounded(task, view_.processors());
    if (time.kind() == TimeKind::amdahl && !time.lists_counts() && most - fewest > kManyWidths) {
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

  const ClusterView& view_;
  const TimeWindows& windows_;
  std::vector<char> is_inside_;
  std::vector<std::size_t> first_edge_;    // by task, of those that lead to it
  std::vector<std::int64_t> begin_, end_;  // by task: flows of paths that begin or end there
  std::vector<std::int64_t> edges_;        // by edge: task by task, in the order of predecessors()
  std::vector<std::int64_t> through_;      // by task
  std::vector<Width> choices_;             // by task
  std::vector<double> reach_;              // scratch: the longest way to the end of each task
  std::vector<TaskId> path_;               // from its first task to its last
};

LowerBound::LowerBound(const ClusterView& view, const Calendar& calendar, Time now)
    : view_(view), calendar_(calendar), now_(now), heads_(find_heads()) {
  path_end_ = *std::ranges::max_element(heads_.ends);
}

// The most that tasks within the window can consume.
double LowerBound::room(Interval window) const {
  double area = 0;
  for (const Step& step : calendar_.steps(window)) {
    area += static_cast<double>(step.end - step.begin) * step.free;
  }
  return budget_ ? std::min(area, static_cast<double>(*budget_)) : area;
}

LowerBound::Heads LowerBound::find_heads() const {
  const Workflow& workflow = view_.workflow();
  Heads heads{std::vector<Time>(view_.size()), std::vector<Time>(view_.size(), kForever)};
  for (const TaskId task : workflow.topological_order()) {
    Time ready = view_.release(task);
    for (const TaskId before : workflow.predecessors(task)) {
      ready = std::max(ready, heads.ends[before]);
    }
    heads.ready[task] = ready;
    if (ready >= kForever) continue;
    const auto slot = earliest_completion(calendar_, view_.time(task), view_.processors(), ready);
    if (slot) heads.ends[task] = slot->end;
  }
  return heads;
}

LowerBound::TimeWindows LowerBound::windows_by(Time end) const {
  const Workflow& workflow = view_.workflow();
  TimeWindows windows{.ready = heads_.ready,
                      .due = std::vector<Time>(view_.size(), end),
                      .fewest = std::vector<Count>(view_.size())};
  const auto order = workflow.topological_order();
  for (auto place = order.rbegin(); place != order.rend(); ++place) {
    const TaskId task = *place;
    const Interval window{heads_.ready[task], windows.due[task]};
    if (heads_.ends[task] > window.end) return windows;
    const auto latest = latest_start(calendar_, view_.time(task), view_.processors(), window);
    if (!latest) return windows;
    for (const TaskId before : workflow.predecessors(task)) {
      windows.due[before] = std::min(windows.due[before], latest->start);
    }
    const auto thrifty = fewest_processors(calendar_, view_.time(task), view_.processors(), window);
    windows.fewest[task] = thrifty->procs;
  }
  windows.is_possible = true;
  return windows;
}

std::optional<Certificate> LowerBound::prove_impossible(Time end, const TimeWindows& windows,
                                                        Interval span) const {
  WindowFlow flow(view_, windows, span);
  flow.push(has_few_tasks() ? kRounds : kFewRounds);
  if (flow.work() <= room(span) * (1 + kSafety)) return std::nullopt;
  Certificate proof = flow.certificate(end, span);
  proof.budget = budget_;
  return proof;
}

std::optional<Certificate> LowerBound::prove_impossible(Time end) const {
  const TimeWindows windows = windows_by(end);
  if (!windows.is_possible) return Certificate{.end = end, .budget = budget_, .span = {now_, end}};
  const Time first = *std::ranges::min_element(windows.ready);
  if (auto proof = prove_impossible(end, windows, {first, end})) return proof;
  for (int cut = 1; cut <= (has_few_tasks() ? kCuts : 0); ++cut) {
    const Time middle = first + (end - first) * cut / (kCuts + 1);
    if (auto proof = prove_impossible(end, windows, {middle, end})) return proof;
    if (auto proof = prove_impossible(end, windows, {first, middle})) return proof;
  }
  return std::nullopt;
}

Certificate LowerBound::on_end() const { return *prove_impossible(path_end_ - 1); }

Certificate LowerBound::on_end(Time known, Certificate so_far,
                               const std::function<bool()>& is_over) const {
  const Duration step =
      std::max<Duration>(1, (known - now_) / (has_few_tasks() ? kResolution : kCoarse));
  // The plan itself ends at `known`, so the latest end that can be impossible is a millisecond
  // earlier.
  for (Time high = known; high - so_far.end > step && !is_over();) {
    const Time middle = so_far.end + (high - so_far.end) / 2;
    if (auto proof = prove_impossible(middle)) {
      so_far = std::move(*proof);
    } else {
      high = middle;
    }
  }
  return so_far;
}

Certificate LowerBound::on_work(Time end) const {
  const TimeWindows windows = windows_by(end);
  WindowFlow flow(view_, windows);
  flow.push(has_few_tasks() ? 2 * kRounds : kFewRounds);
  Certificate proof = flow.certificate(end, {now_, end});
  proof.work = has_few_tasks() ? flow.whole_work()
                               : static_cast<Area>(std::floor(flow.work() * (1 - kSafety)));
  return proof;
}

std::optional<std::vector<Count>> LowerBound::widths_for(Time end) const {
  const TimeWindows windows = windows_by(end);
  if (!windows.is_possible) return std::nullopt;
  WindowFlow flow(view_, windows);
  flow.push(kWidthRounds);
  return flow.widths();
}

}  // namespace dovetail::planning
