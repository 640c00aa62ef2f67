#include "planners/allocate.hpp"

#include <cmath>

#include "dovetail/metrics.hpp"
#include "planners/critical_path.hpp"

namespace dovetail {

namespace {

__extension__ typedef unsigned __int128 Wide;

// Whether `path`, the length of the critical path, exceeds area / divisor, without rounding. The
// divisor is min(q, sqrt(V q)) for the improved rule and q for the classic one.
class StopRule {
 public:
  StopRule(CpaStop stop, std::size_t tasks, Count procs)
      : procs_(static_cast<Wide>(procs)),
        tasks_(tasks),
        compare_squares_(stop == CpaStop::improved && tasks < static_cast<std::size_t>(procs)) {}

  bool path_dominates(Duration path, Area area) const {
    const Wide length = static_cast<Wide>(path);
    const Wide work = static_cast<Wide>(area);
    if (!compare_squares_) return length * procs_ > work;
    Wide left = 0;
    Wide right = 0;
    if (!__builtin_mul_overflow(length * length, tasks_ * procs_, &left) &&
        !__builtin_mul_overflow(work, work, &right)) {
      return left > right;
    }
    // Beyond 128 bits (durations of centuries) the rounding of long double no longer matters.
    const auto factor = static_cast<long double>(tasks_ * procs_);
    return static_cast<long double>(path) * std::sqrt(factor) > static_cast<long double>(area);
  }

 private:
  Wide procs_;
  Wide tasks_;
  bool compare_squares_;
};

// What a task gains from its next processors: T(a)/a - T(b)/b, kept as an exact fraction.
struct Gain {
  Area numerator = 0;  // at most 0: nothing to gain
  Area denominator = 1;
  double value = 0;  // the fraction, to within a few units in the last place
  Count next = 0;    // the count to grow to
  Duration next_duration = 0;
};

bool greater(const Gain& a, const Gain& b) {
  constexpr double kTooClose = 1e-12;  // far above the error of `value`
  if (std::abs(a.value - b.value) > kTooClose * (std::abs(a.value) + std::abs(b.value))) {
    return a.value > b.value;
  }
  return a.numerator * b.denominator > b.numerator * a.denominator;
}

class Allocator {
 public:
  Allocator(const ClusterView& view, Count procs)
      : view_(view), procs_(procs), path_(view.workflow(), first_durations()) {
    gains_.reserve(view.size());
    for (TaskId task = 0; task < view.size(); ++task) {
      area_ += Area{allocation_[task]} * path_.duration(task);
      gains_.push_back(gain_of(task));
    }
  }

  std::vector<Count> run(CpaStop stop) && {
    const StopRule rule(stop, view_.size(), procs_);
    for (;;) {
      const auto path = path_.find();
      if (!rule.path_dominates(path_.length(), area_)) break;
      TaskId best = path.front();
      for (TaskId task : path) {
        // The path is not in the order of numbers: equal gains need the explicit comparison.
        if (greater(gains_[task], gains_[best]) ||
            (task < best && !greater(gains_[best], gains_[task]))) {
          best = task;
        }
      }
      if (gains_[best].numerator <= 0) break;
      grow(best);
    }
    return std::move(allocation_);
  }

 private:
  std::vector<Duration> first_durations() {
    std::vector<Duration> durations;
    for (TaskId task = 0; task < view_.size(); ++task) {
      allocation_.push_back(view_.time(task).min_procs());
      durations.push_back(view_.time(task).duration(allocation_.back()));
    }
    return durations;
  }

  Gain gain_of(TaskId task) const {
    const Count now = allocation_[task];
    const Count next = view_.time(task).next_allowed(now);
    if (next == 0 || next > procs_) return {};
    Gain gain{.next = next, .next_duration = view_.time(task).duration(next)};
    gain.numerator = Area{path_.duration(task)} * next - Area{gain.next_duration} * now;
    gain.denominator = Area{now} * next;
    gain.value = static_cast<double>(gain.numerator) / static_cast<double>(gain.denominator);
    return gain;
  }

  void grow(TaskId task) {
    const Gain gain = gains_[task];
    area_ += Area{gain.next} * gain.next_duration - Area{allocation_[task]} * path_.duration(task);
    allocation_[task] = gain.next;
    path_.shorten(task, gain.next_duration);
    gains_[task] = gain_of(task);
  }

  const ClusterView& view_;
  Count procs_;
  std::vector<Count> allocation_;
  CriticalPath path_;
  std::vector<Gain> gains_;
  Area area_ = 0;
};

}  // namespace

std::vector<Count> cpa_allocation(const ClusterView& view, Count procs, CpaStop stop) {
  return Allocator(view, procs).run(stop);
}

}  // namespace dovetail
