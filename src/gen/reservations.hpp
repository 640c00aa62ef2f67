// Reservation schedules made from batch logs by the method of Aida and Casanova (2009): some jobs
// of a log become advance reservations, the rest is dropped, and after a time T the reservations
// are thinned out, since users reserve little far ahead.
//
//   Random random(1);
//   Tagging tagging = tag_jobs(log, 0.2, random);
//   Time now = draw_moment(log, random);
//   Cluster cluster = reservation_schedule(log, tagging, now, ReservationMethod::expo, random);
//
// A log is immutable; any number of threads may make schedules from it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/random.hpp"
#include "dovetail/platform.hpp"
#include "dovetail/time.hpp"

namespace dovetail::gen {

// A job as it ran.
struct BatchJob {
  Time submit = 0;
  Time start = 0;
  Time end = 0;
  Count procs = 0;
  friend bool operator==(const BatchJob&, const BatchJob&) = default;
};

class ReservationLog {
 public:
  // Cuts sizes to the processors and drops jobs without time or processors. Throws InputError when
  // no job is left.
  ReservationLog(std::string name, Count processors, std::vector<BatchJob> jobs);

  const std::string& name() const { return name_; }
  Count processors() const { return processors_; }

  // By start, then in the order given.
  std::span<const BatchJob> jobs() const { return jobs_; }

  // From the first submission to the last end.
  Interval span() const { return span_; }

  // Share of processors x span that the jobs hold.
  double utilisation() const;

 private:
  std::string name_;
  Count processors_;
  std::vector<BatchJob> jobs_;
  Interval span_;
};

// How the reservations after T are thinned.
// linear: from the log's daily average to none within seven days.
// expo: the same, falling by a factor e every two days.
// real: those that were submitted by T.
enum class ReservationMethod { linear, expo, real };

inline constexpr ReservationMethod kReservationMethods[] = {
    ReservationMethod::linear, ReservationMethod::expo, ReservationMethod::real};

std::string_view to_string(ReservationMethod method);

// After these days nothing is left by the linear and expo methods.
inline constexpr int kReservationDays = 7;

// The number of reservations that begin on day 0..6 after T when the log has `per_day` on average.
// Needs linear or expo.
std::int64_t reservations_on_day(ReservationMethod method, double per_day, int day);

// Positions in ReservationLog::jobs() of the jobs that count as reservations, in order.
using Tagging = std::vector<std::uint32_t>;

// Tags each job with probability phi. Throws InputError unless phi is in [0, 1].
Tagging tag_jobs(const ReservationLog& log, double phi, Random& random);

// A whole second, uniform in 10 to 95 % of the log's span.
Time draw_moment(const ReservationLog& log, Random& random);

// The reservations at and after `moment`, as a cluster for planners. Times are shifted so that the
// moment is 0, and free_on_average is what the tagged jobs left free before it. Reservations never
// overbook: a tagged job that does not fit beside those already kept is dropped.
Cluster reservation_schedule(const ReservationLog& log, const Tagging& tagging, Time moment,
                             ReservationMethod method, Random& random);

}  // namespace dovetail::gen
