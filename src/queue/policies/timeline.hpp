// A plan of jobs by node count, kept as a list of change points in which every job knows its own
// two.
//
// Compressing a plan shifts thousands of jobs a little to the left. In the calendar every shift
// costs searches; here it is a walk over the few points in between. Questions from the front are
// linear, so this is for plans that are moved far more often than asked; calendar() answers the
// calendar of the moment for the others. docs/decisions/0002-timeline.md has the measurements.
//
//   Timeline plan(128);
//   Timeline::LinePlace place = plan.take(ask, *plan.earliest(ask, Timeline::kPresent, now));
//   plan.slide(place, ask);
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "dovetail/calendar.hpp"
#include "dovetail/platform.hpp"
#include "queue/policies/job.hpp"

namespace dovetail::queue {

class Timeline {
 public:
  // A change point, by number. Jobs that begin or end at the same moment share one; the number of
  // one that is no longer in use may be given to another.
  using PointId = std::uint32_t;
  static constexpr PointId kPresent = 0;  // where the list begins
  static constexpr PointId kEnd = 1;      // at kForever

  // Where a job stands.
  struct LinePlace {
    Time start = 0;
    PointId first = kPresent;  // its nodes are taken
    PointId last = kPresent;   // and come free
  };

  // A moment, and the last point at or before it.
  struct LineTime {
    Time time = 0;
    PointId at = kPresent;
  };

  // Where nodes have come free.
  struct Rise {
    Interval window;
    PointId at = kPresent;  // the last point at or before the window
  };

  explicit Timeline(Count nodes, std::span<const Reservation> reservations = {});

  Time time(PointId point) const { return points_[point].time; }
  Count free(PointId point) const { return points_[point].free; }  // up to the next point
  PointId before(PointId point) const { return points_[point].before; }
  PointId after(PointId point) const { return points_[point].after; }

  // The last point at or before t, looked for from a point near it.
  PointId locate(Time t, PointId near) const;

  // The earliest start at or after `ready` that ends by `limit`, looked for from the point `from`,
  // the last at or before `ready`.
  std::optional<LineTime> earliest(const Ask& ask, PointId from, Time ready,
                                   Time limit = kForever) const;

  // Needs the nodes to be free there.
  LinePlace take(const Ask& ask, const LineTime& start);

  // A job gives back its place; one that runs, what is left of it: that needs the present to be
  // now, and its end to be later.
  Rise release(const Ask& ask, const LinePlace& place);
  Rise release_rest(const Ask& ask, const LinePlace& place);

  // Whether nodes enough are free right before the job.
  bool can_slide(const LinePlace& place, Count nodes) const {
    return points_[points_[place.first].before].free >= nodes;
  }

  // How far the job can slide to the left.
  LineTime leftmost(const LinePlace& place, Count nodes) const;

  // Slides the job as far as it can; an empty window when it cannot.
  Rise slide(LinePlace& place, const Ask& ask);

  // Moves the job to a place that does not touch its present one.
  Rise jump(LinePlace& place, const Ask& ask, const LineTime& start);

  // The present is now. Points before it are forgotten; those at it too, once the jobs that are due
  // have started. A job that has started has no first point any more.
  void advance(Time now);
  void forget_due();

  Calendar calendar() const;

 private:
  struct ChangePoint {
    Time time = 0;
    PointId before = kEnd;
    PointId after = kEnd;
    Count free = 0;
    std::uint32_t users = 0;  // jobs that begin or end here
  };

  PointId make(Time time, Count free, PointId before);
  void unlink(PointId point);
  void discard(PointId point);
  void leave(PointId point);
  PointId join(Time time, PointId near);
  PointId end_earlier(PointId last, Time end, Count nodes);
  void forget_until(Time end);

  std::vector<ChangePoint> points_;
  std::vector<PointId> unused_;
};

}  // namespace dovetail::queue
