#include "planners/list/allocate.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "dovetail/metrics.hpp"
#include "dovetail/workflow.hpp"
#include "planners/list/critical_path.hpp"

namespace dovetail::planning {

namespace {

// Follows a critical path while it stays the same, so that growing its tasks costs little.
//
// CPA needs the best task of the path in every step. On a short path, scanning all tasks is
// fastest. But on a chain of thousands of tasks the path never changes, and scanning every task for
// every processor given would take hours. This class keeps the tasks in a heap by gain, and for
// each place of the path the margin by which it beats the next best continuation.
//
//   SteadyPath path(tasks, margins, better);
//   TaskId best = path.best();
//   grow(best);
//   if (!path.shortened(by)) find_the_path_anew();
class SteadyPath {
 public:
  // Whether the first task should grow rather than the second: a strict order.
  using Better = std::function<bool(TaskId, TaskId)>;

  // margins[i] is how much the rest of the path from place i on may lose before another path might
  // be longer; one for each task.
  SteadyPath(const std::vector<TaskId>& tasks, std::vector<Duration> margins, Better better)
      : better_(std::move(better)), margins_(std::move(margins)) {
    heap_.reserve(tasks.size());
    for (std::size_t place = 0; place < tasks.size(); ++place)
      heap_.push_back({tasks[place], place});
    std::make_heap(heap_.begin(), heap_.end(),
                   [this](const QueuedTask& a, const QueuedTask& b) { return worse(a, b); });
    for (std::size_t begin = 0; begin < margins_.size(); begin += kBlock) {
      const auto first = margins_.begin() + static_cast<std::ptrdiff_t>(begin);
      const auto last =
          margins_.begin() + static_cast<std::ptrdiff_t>(std::min(begin + kBlock, margins_.size()));
      least_.push_back(*std::min_element(first, last));
    }
    lost_.assign(least_.size(), 0);
  }

  TaskId best() const { return heap_.front().task; }

  // Call after best() has grown and become shorter. False when the path may have changed; then this
  // object must not be used any more.
  bool shortened(Duration by) {
    const auto order = [this](const QueuedTask& a, const QueuedTask& b) { return worse(a, b); };
    // pop_heap compares only the other entries, so the changed gain of the front does no harm.
    std::pop_heap(heap_.begin(), heap_.end(), order);
    const std::size_t place = heap_.back().place;
    std::push_heap(heap_.begin(), heap_.end(), order);
    return lower_margins(place, by);
  }

 private:
  struct QueuedTask {
    TaskId task;
    std::size_t place;
  };

  static constexpr std::size_t kBlock = 64;

  bool worse(const QueuedTask& a, const QueuedTask& b) const { return better_(b.task, a.task); }

  bool lower_margins(std::size_t last, Duration by) {
    const std::size_t last_block = last / kBlock;
    Duration least = kForever;
    for (std::size_t block = 0; block < last_block; ++block) {
      lost_[block] += by;
      least_[block] -= by;
      least = std::min(least, least_[block]);
    }
    const std::size_t begin = last_block * kBlock;
    const std::size_t end = std::min(begin + kBlock, margins_.size());
    for (std::size_t i = begin; i <= last; ++i) margins_[i] -= by;
    least_[last_block] = *std::min_element(margins_.begin() + static_cast<std::ptrdiff_t>(begin),
                                           margins_.begin() + static_cast<std::ptrdiff_t>(end)) -
                         lost_[last_block];
    return std::min(least, least_[last_block]) > 0;
  }

  Better better_;
  std::vector<QueuedTask> heap_;  // the best at the front
  // A step changes the margins of all places up to one; blocks make that cheap.
  std::vector<Duration> margins_;  // not counting the loss of their whole block
  std::vector<Duration> lost_;     // loss of each whole block
  std::vector<Duration> least_;    // smallest margin of each block, all losses counted
};

__extension__ typedef unsigned __int128 Wide;

// Whether `path`, the length of the critical path, exceeds area / divisor. The divisor is
// min(q, sqrt(V q)) for the improved rule and q for the classic one.
class StopRule {
 public:
  StopRule(CpaStop stop, std::size_t tasks, Count procs)
      : tasks_(tasks),
        procs_(static_cast<Wide>(procs)),
        compare_squares_(stop == CpaStop::improved && tasks < static_cast<std::size_t>(procs)),
        divisor_(compare_squares_ ? std::sqrt(static_cast<double>(tasks) * procs) : procs) {}

  bool path_dominates(Duration path, Area area) const {
    const double left = static_cast<double>(path) * divisor_;
    const auto right = static_cast<double>(area);
    constexpr double kTooClose = 1e-14;  // a few roundings; whole numbers decide nearer cases
    if (std::abs(left - right) > kTooClose * right) return left > right;
    return exactly_dominates(static_cast<Wide>(path), static_cast<Wide>(area));
  }

 private:
  bool exactly_dominates(Wide path, Wide area) const {
    if (!compare_squares_) return path * procs_ > area;
    Wide left = 0;
    Wide right = 0;
    if (!__builtin_mul_overflow(path * path, tasks_ * procs_, &left) &&
        !__builtin_mul_overflow(area, area, &right)) {
      return left > right;
    }
    // Beyond 128 bits, where durations are centuries, long double is as good as it gets.
    return static_cast<long double>(path) * std::sqrt(static_cast<long double>(tasks_ * procs_)) >
           static_cast<long double>(area);
  }

  Wide tasks_;
  Wide procs_;
  bool compare_squares_;
  double divisor_;
};

// What a task gains from its next processors, T(a)/a - T(b)/b with b the next allowed count.
struct Gain {
  double value = -std::numeric_limits<double>::infinity();  // rounded; see exactly_better
  double error = 0;                                         // bound on the error of `value`
  Count next = 0;                                           // b; 0: there is none
  Duration next_duration = 0;
};

// A fraction with a positive denominator.
struct Fraction {
  Area numerator;
  Area denominator;
};

// Keeps the sum over the tasks of every level within a limit; without a limit all may grow.
class LevelLimit {
 public:
  LevelLimit() = default;
  LevelLimit(const Workflow& workflow, Count limit) : limit_(limit), level_of_(workflow.levels()) {
    for (TaskId task = 0; task < workflow.size(); ++task) {
      if (level_of_[task] >= levels_.size()) levels_.resize(level_of_[task] + 1);
      levels_[level_of_[task]].tasks.push_back(task);
    }
  }

  bool is_set() const { return !levels_.empty(); }

  bool allows(TaskId task, Count more) const {
    return !is_set() || levels_[level_of_[task]].held + more <= limit_;
  }

  void add(TaskId task, Count more) {
    if (is_set()) levels_[level_of_[task]].held += more;
  }

  // The tasks on the same level, including the task itself. Needs a limit.
  const std::vector<TaskId>& level_mates(TaskId task) const {
    return levels_[level_of_[task]].tasks;
  }

 private:
  struct LevelHold {
    std::int64_t held = 0;
    std::vector<TaskId> tasks = {};
  };

  Count limit_ = 0;
  std::vector<std::uint32_t> level_of_ = {};
  std::vector<LevelHold> levels_ = {};
};

class Allocator {
 public:
  // Tasks grow up to `most`, and within the limit.
  Allocator(const ClusterView& view, Count procs, Count most, LevelLimit limit = {})
      : view_(view),
        procs_(procs),
        most_(most),
        limit_(std::move(limit)),
        path_(view.workflow(), first_durations()) {
    for (TaskId task = 0; task < view.size(); ++task) limit_.add(task, allocation_[task]);
    gains_.reserve(view.size());
    for (TaskId task = 0; task < view.size(); ++task) {
      area_ += Area{allocation_[task]} * path_.duration(task);
      gains_.push_back(gain_of(task));
    }
  }

  std::vector<Count> run(CpaStop stop) && {
    const StopRule rule(stop, view_.size(), procs_);
    // The number of consecutive steps without a change after which the path counts as steady.
    std::size_t patience = 16;
    std::size_t same = 0;
    for (;;) {
      same = path_.find() ? same + 1 : 0;
      if (!rule.path_dominates(path_.length(), area_)) break;
      if (same > patience) {
        const std::size_t steps = run_steady(rule);
        if (steps == 0) break;
        if (steps < patience) patience *= 2;  // the set-up did not pay off
        same = 0;
        continue;
      }
      const TaskId best = best_on_path();
      if (!gains_at_all(best)) break;
      grow(best);
    }
    return std::move(allocation_);
  }

 private:
  // Grows tasks as long as the path stays the same. Returns the number of steps; 0 means that
  // nothing is left to do.
  std::size_t run_steady(const StopRule& rule) {
    SteadyPath steady(path_.tasks(), path_.margins(),
                      [this](TaskId a, TaskId b) { return is_better(a, b); });
    Duration length = path_.length();
    std::size_t steps = 0;
    for (bool same = true; same && rule.path_dominates(length, area_); ++steps) {
      const TaskId best = steady.best();
      if (!gains_at_all(best)) break;
      const Duration by = path_.duration(best) - gains_[best].next_duration;
      grow_area(best);
      path_.set_duration(best, gains_[best].next_duration);
      renew_gains(best);
      length -= by;
      same = steady.shortened(by);
    }
    path_.changed();
    return steps;
  }

  std::vector<Duration> first_durations() {
    std::vector<Duration> durations;
    for (TaskId task = 0; task < view_.size(); ++task) {
      allocation_.push_back(view_.time(task).min_procs());
      durations.push_back(view_.time(task).duration(allocation_.back()));
    }
    return durations;
  }

  // In the inner loop: a call instead makes CPA several per cent slower.
  [[gnu::always_inline]] Gain gain_of(TaskId task) const {
    const Count now = allocation_[task];
    const Count next = view_.time(task).next_allowed(now);
    if (next == 0 || next > most_ || !limit_.allows(task, next - now)) return {};
    const Duration next_duration = view_.time(task).duration(next);
    const double share = static_cast<double>(path_.duration(task)) / now;
    return {.value = share - static_cast<double>(next_duration) / next,
            .error = 1e-15 * share,  // three roundings of numbers no larger than `share`
            .next = next,
            .next_duration = next_duration};
  }

  Fraction exact_gain(TaskId task) const {
    const Gain& gain = gains_[task];
    if (gain.next == 0) return {-1, 1};
    const Count now = allocation_[task];
    return {Area{path_.duration(task)} * gain.next - Area{gain.next_duration} * now,
            Area{now} * gain.next};
  }

  TaskId best_on_path() const {
    TaskId best = path_.first();
    for (TaskId task = path_.next(best); task != CriticalPath::kEnd; task = path_.next(task)) {
      if (is_better(task, best)) best = task;
    }
    return best;
  }

  bool is_better(TaskId a, TaskId b) const {
    const double difference = gains_[a].value - gains_[b].value;
    const double doubt = gains_[a].error + gains_[b].error;
    if (difference > doubt) return true;
    return !(difference < -doubt) && exactly_better(a, b);
  }

  // Whether a should grow rather than b: more gain, or the same and a lower number. Used when the
  // floating-point gains are too close to decide.
  bool exactly_better(TaskId a, TaskId b) const {
    const Fraction left = exact_gain(a);
    const Fraction right = exact_gain(b);
    const Area crossed = left.numerator * right.denominator - right.numerator * left.denominator;
    return crossed > 0 || (crossed == 0 && a < b);
  }

  bool gains_at_all(TaskId task) const {
    return gains_[task].value > gains_[task].error || exact_gain(task).numerator > 0;
  }

  void grow(TaskId task) {
    grow_area(task);
    path_.shorten(task, gains_[task].next_duration);
    renew_gains(task);
  }

  // Call after the task has grown. A level has at most one task on any path, so the gains of the
  // other tasks of a steady path stay valid.
  void renew_gains(TaskId task) {
    if (!limit_.is_set()) {
      gains_[task] = gain_of(task);
      return;
    }
    for (const TaskId mate : limit_.level_mates(task)) gains_[mate] = gain_of(mate);
  }

  void grow_area(TaskId task) {
    const Gain& gain = gains_[task];
    area_ += Area{gain.next} * gain.next_duration - Area{allocation_[task]} * path_.duration(task);
    limit_.add(task, gain.next - allocation_[task]);
    allocation_[task] = gain.next;
  }

  const ClusterView& view_;
  Count procs_;
  Count most_;
  LevelLimit limit_;
  std::vector<Count> allocation_;
  CriticalPath path_;
  std::vector<Gain> gains_;
  Area area_ = 0;
};

}  // namespace

std::vector<Count> cpa_allocation(const ClusterView& view, Count procs, CpaStop stop) {
  return Allocator(view, procs, procs).run(stop);
}

std::vector<Count> cpa_allocation_within(const ClusterView& view, Count procs, Count limit,
                                         CpaStop stop) {
  return Allocator(view, procs, limit, LevelLimit(view.workflow(), limit)).run(stop);
}

}  // namespace dovetail::planning
