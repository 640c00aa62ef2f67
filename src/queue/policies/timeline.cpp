#include "queue/policies/timeline.hpp"

#include <algorithm>
#include <cassert>

namespace dovetail::queue {

Timeline::Timeline(Count nodes, std::span<const Reservation> reservations) {
  points_ = {{.time = 0, .free = nodes}, {.time = kForever, .before = kPresent}};
  PointId near = kPresent;  // they often come in order of time
  for (const Reservation& taken : reservations) {
    const Time start = std::max<Time>(taken.start, 0);
    if (taken.end <= start) continue;
    near = take({.nodes = taken.procs, .length = std::min(taken.end, kForever) - start},
                {start, locate(start, near)})
               .first;
  }
}

Timeline::PointId Timeline::make(Time time, Count free, PointId before) {
  PointId point = static_cast<PointId>(points_.size());
  if (unused_.empty()) {
    points_.emplace_back();
  } else {
    point = unused_.back();
    unused_.pop_back();
  }
  const PointId after = points_[before].after;
  points_[point] = {time, before, after, free, 1};
  points_[before].after = point;
  points_[after].before = point;
  return point;
}

void Timeline::unlink(PointId point) {
  const ChangePoint& node = points_[point];
  points_[node.before].after = node.after;
  points_[node.after].before = node.before;
}

// A caller that still knows the number finds the way back from it to the present.
void Timeline::discard(PointId point) {
  unlink(point);
  points_[point] = {.time = kForever, .before = kPresent};
  unused_.push_back(point);
}

// One job less begins or ends here. Without any, nothing changes here.
void Timeline::leave(PointId point) {
  if (--points_[point].users == 0 && point != kEnd) discard(point);
}

Timeline::PointId Timeline::locate(Time t, PointId near) const {
  if (t >= kForever) return kEnd;
  while (points_[near].time > t) near = points_[near].before;
  while (points_[points_[near].after].time <= t) near = points_[near].after;
  return near;
}

// The point at that time for one more job. The present belongs to no job.
Timeline::PointId Timeline::join(Time time, PointId near) {
  const PointId at = locate(time, near);
  if (points_[at].time != time || at == kPresent) return make(time, points_[at].free, at);
  ++points_[at].users;
  return at;
}

std::optional<Timeline::LineTime> Timeline::earliest(const Ask& ask, PointId from, Time ready,
                                                     Time limit) const {
  LineTime start{ready, from};
  const ChangePoint* points = points_.data();
  for (PointId at = from; points[at].time < limit; at = points[at].after) {
    const Time next = points[points[at].after].time;
    if (points[at].free < ask.nodes) {
      start = {next, points[at].after};
    } else if (next - start.time >= ask.length) {
      break;
    }
  }
  if (start.time + ask.length > limit) return std::nullopt;
  return start;
}

Timeline::LinePlace Timeline::take(const Ask& ask, const LineTime& start) {
  const PointId first = join(start.time, start.at);
  const PointId last = join(start.time + ask.length, first);
  for (PointId at = first; at != last; at = points_[at].after) {
    points_[at].free -= ask.nodes;
    assert(points_[at].free >= 0);
  }
  return {start.time, first, last};
}

Timeline::Rise Timeline::release(const Ask& ask, const LinePlace& place) {
  for (PointId at = place.first; at != place.last; at = points_[at].after) {
    points_[at].free += ask.nodes;
  }
  const PointId before = points_[place.first].before;
  leave(place.first);
  leave(place.last);
  return {{place.start, place.start + ask.length}, locate(place.start, before)};
}

Timeline::Rise Timeline::release_rest(const Ask& ask, const LinePlace& place) {
  for (PointId at = kPresent; at != place.last; at = points_[at].after) {
    points_[at].free += ask.nodes;
  }
  leave(place.last);
  const Time now = points_[kPresent].time;
  return {{now, place.start + ask.length}, locate(now, kPresent)};
}

Timeline::LineTime Timeline::leftmost(const LinePlace& place, Count nodes) const {
  LineTime left{place.start, place.first};
  const ChangePoint* points = points_.data();
  while (left.at != kPresent && points[points[left.at].before].free >= nodes) {
    left.at = points[left.at].before;
    left.time = points[left.at].time;
  }
  return left;
}

Timeline::Rise Timeline::slide(LinePlace& place, const Ask& ask) {
  const LineTime left = leftmost(place, ask.nodes);
  const Time old = place.start;
  if (left.time == old) return {};
  const PointId first = join(left.time, left.at);
  for (PointId at = first; at != place.first; at = points_[at].after) points_[at].free -= ask.nodes;
  leave(place.first);
  place.start = left.time;
  place.first = first;

  const Time end = left.time + ask.length;
  place.last = end_earlier(place.last, end, ask.nodes);
  const Interval window{std::max(end, old), old + ask.length};
  return {window, locate(window.begin, place.last)};
}

// A job's end moves to the left; its nodes come free in between. Most often no other point lies
// there, and the job's own moves.
Timeline::PointId Timeline::end_earlier(PointId last, Time end, Count nodes) {
  PointId at = points_[last].before;
  for (; points_[at].time > end; at = points_[at].before) points_[at].free += nodes;
  if (points_[at].time == end) {
    points_[at].free += nodes;
    ++points_[at].users;
    leave(last);
    return at;
  }
  if (last != kEnd && points_[last].users == 1 && points_[last].before == at) {
    points_[last].time = end;
    return last;
  }
  leave(last);
  return make(end, points_[at].free + nodes, at);
}

Timeline::Rise Timeline::jump(LinePlace& place, const Ask& ask, const LineTime& start) {
  const LinePlace old = place;
  place = take(ask, start);
  return release(ask, old);
}

void Timeline::forget_until(Time end) {
  ChangePoint& present = points_[kPresent];
  while (points_[present.after].time < end) {
    const PointId past = present.after;
    present.free = points_[past].free;
    discard(past);
  }
}

void Timeline::advance(Time now) {
  points_[kPresent].time = now;
  forget_until(now);
}

void Timeline::forget_due() { forget_until(points_[kPresent].time + 1); }

Calendar Timeline::calendar() const {
  std::vector<Step> steps;
  for (PointId at = kPresent; at != kEnd; at = points_[at].after) {
    const Time next = points_[points_[at].after].time;
    if (points_[at].time < next) steps.push_back({points_[at].time, next, points_[at].free});
  }
  return Calendar(steps);
}

}  // namespace dovetail::queue
