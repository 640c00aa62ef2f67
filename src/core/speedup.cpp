#include "dovetail/speedup.hpp"

#include <algorithm>
#include <cassert>

namespace dovetail {

TimeSpec TimeSpec::fixed(double seconds, Count processors) {
  return {.kind = TimeKind::fixed, .seconds = seconds, .processors = {processors, processors}};
}

TimeSpec TimeSpec::amdahl(double seconds, double alpha, ProcessorRange processors) {
  return {.kind = TimeKind::amdahl, .seconds = seconds, .alpha = alpha, .processors = processors};
}

TimeSpec TimeSpec::table(std::vector<std::pair<Count, double>> measured,
                         ProcessorRange processors) {
  return {.kind = TimeKind::table, .processors = processors, .measured = std::move(measured)};
}

TimeSpec TimeSpec::per_resource(std::vector<std::pair<std::string, double>> on_resource,
                                Count processors) {
  return {.kind = TimeKind::per_resource,
          .processors = {processors, processors},
          .on_resource = std::move(on_resource)};
}

namespace {

// Rounds milliseconds as the models demand. The cast truncates; adding the comparison makes it a
// ceiling without a call into the mathematics library, in the planners' innermost loop.
Duration round_up(double milliseconds) {
  const double guarded = milliseconds - 1e-6;
  const auto whole = static_cast<Duration>(guarded);
  return std::max<Duration>(1, whole + (guarded > static_cast<double>(whole) ? 1 : 0));
}

// Points are sorted by key.
std::span<const TimePoint>::iterator find_key(std::span<const TimePoint> points, std::int32_t key) {
  const auto at = std::ranges::lower_bound(points, key, {}, &TimePoint::key);
  return at != points.end() && at->key == key ? at : points.end();
}

}  // namespace

Duration run_time(double seconds) { return round_up(std::min(seconds, kMaxSeconds) * 1000.0); }

TaskTime::TaskTime(TimeKind kind, double seconds, double alpha, Count min, Count max,
                   std::span<const TimePoint> points)
    : kind_(kind),
      min_(min),
      max_(max),
      seconds_(seconds),
      alpha_(alpha),
      lists_counts_(kind == TimeKind::table),
      points_(points) {}

Count TaskTime::floor_allowed(Count procs) const {
  if (procs < min_) return 0;
  if (!lists_counts_) return std::min(procs, max_);
  return std::prev(std::ranges::upper_bound(points_, procs, {}, &TimePoint::key))->key;
}

Count TaskTime::next_allowed(Count procs) const {
  if (procs >= max_) return 0;
  if (procs < min_) return min_;
  if (!lists_counts_) return procs + 1;
  return std::ranges::upper_bound(points_, procs, {}, &TimePoint::key)->key;
}

Duration TaskTime::duration(Count procs) const {
  double milliseconds = 0;
  switch (kind_) {
    case TimeKind::fixed:
      milliseconds = seconds_ * 1000.0;
      break;
    case TimeKind::amdahl:
      milliseconds = seconds_ * 1000.0 * (alpha_ + (1.0 - alpha_) / procs);
      break;
    case TimeKind::table: {
      const auto point = find_key(points_, procs);
      assert(point != points_.end() && "procs must be allowed");
      milliseconds = point->seconds * 1000.0;
      break;
    }
    case TimeKind::per_resource:
      assert(false && "per-resource times need on_resource");
  }
  return round_up(speed_ == 1.0 ? milliseconds : milliseconds / speed_);
}

Count TaskTime::fewest_within(Duration length, Count low, Count high) const {
  if (duration(high) > length) return 0;
  while (low < high) {
    const Count middle = floor_allowed(low + (high - low) / 2);
    if (duration(middle) <= length) {
      high = middle;
    } else {
      low = next_allowed(middle);
    }
  }
  return high;
}

TaskTime TaskTime::only(std::span<const TimePoint> counts) const {
  TaskTime fewer = *this;
  fewer.min_ = counts.front().key;
  fewer.max_ = counts.back().key;
  fewer.lists_counts_ = true;
  fewer.points_ = counts;
  return fewer;
}

bool TaskTime::runs_on(std::int32_t resource) const {
  return find_key(points_, resource) != points_.end();
}

TaskTime TaskTime::at_speed(double speed) const {
  TaskTime scaled = *this;
  scaled.speed_ = speed;
  return scaled;
}

TaskTime TaskTime::on_resource(std::int32_t resource) const {
  const auto point = find_key(points_, resource);
  assert(point != points_.end() && "the task must run on the resource");
  return {TimeKind::fixed, point->seconds, 0, min_, max_, {}};
}

}  // namespace dovetail
