#include "gen/reservations.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <queue>
#include <utility>

#include "dovetail/error.hpp"
#include "gen/task_times.hpp"

namespace dovetail::gen {
namespace {

// How many times to try a copy per missing reservation before the day counts as full.
constexpr std::int64_t kTriesPerCopy = 20;

// The processors that jobs hold at the start of the newest one. Jobs are added in order of start,
// so a job that fits at its start fits for its whole time.
class Occupancy {
 public:
  explicit Occupancy(Count processors) : free_(processors) {}

  bool take(const BatchJob& job) {
    while (!ends_.empty() && ends_.top().first <= job.start) {
      free_ += ends_.top().second;
      ends_.pop();
    }
    if (job.procs > free_) return false;
    free_ -= job.procs;
    ends_.emplace(job.end, job.procs);
    return true;
  }

 private:
  using End = std::pair<Time, Count>;
  Count free_;
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
};

// Collects the reservations from the given time on.
class ReservationBuilder {
 public:
  ReservationBuilder(Count processors, Time moment, Time horizon)
      : moment_(moment), horizon_(horizon), calendar_(processors, moment) {}

  // Returns false and changes nothing when the job does not fit. Cuts it off at the horizon.
  bool add(const BatchJob& job) {
    const Time end = std::min(job.end, horizon_);
    const Interval future{std::max(job.start, moment_), end};
    if (future.begin >= future.end || !calendar_.fits(future, job.procs)) return false;
    calendar_.reserve(future, job.procs);
    reservations_.push_back({job.start - moment_, end - moment_, job.procs});
    return true;
  }

  // By start; equal starts in the order of adding.
  std::vector<Reservation> take() && {
    std::stable_sort(reservations_.begin(), reservations_.end(),
                     [](const Reservation& a, const Reservation& b) { return a.start < b.start; });
    return std::move(reservations_);
  }

 private:
  Time moment_;
  Time horizon_;
  Calendar calendar_;
  std::vector<Reservation> reservations_;
};

// The input of thinning.
struct Thinning {
  const ReservationLog& log;
  const Tagging& tagging;
  Tagging::const_iterator future;  // the first tagged job that starts after the moment
  Time moment;
  ReservationMethod method;

  const BatchJob& job(std::uint32_t position) const { return log.jobs()[position]; }
};

// Adds the jobs that run at the given time to the schedule, and returns the mean free processors
// before it.
double add_past(const Thinning& thinning, ReservationBuilder& schedule) {
  const ReservationLog& log = thinning.log;
  Occupancy occupancy(log.processors());
  double held = 0;
  for (auto it = thinning.tagging.begin(); it != thinning.future; ++it) {
    const BatchJob& job = thinning.job(*it);
    if (!occupancy.take(job)) continue;
    const Time end = std::min(job.end, thinning.moment);
    held += static_cast<double>(end - job.start) * job.procs;
    if (job.end > thinning.moment) schedule.add(job);
  }
  const Duration past = thinning.moment - log.span().begin;
  return past > 0 ? log.processors() - held / static_cast<double>(past) : log.processors();
}

void add_submitted(const Thinning& thinning, ReservationBuilder& schedule) {
  for (auto it = thinning.future; it != thinning.tagging.end(); ++it) {
    const BatchJob& job = thinning.job(*it);
    if (job.submit <= thinning.moment) schedule.add(job);
  }
}

// Keeps a random choice of `count` jobs, in their old order.
void keep_some(Tagging& jobs, std::size_t count, Random& random) {
  while (jobs.size() > count) {
    jobs.erase(jobs.begin() + static_cast<std::ptrdiff_t>(random.below(jobs.size())));
  }
}

// The job moved into the day that begins at `day_begin`, at its own time of day.
BatchJob moved_to(const BatchJob& job, Time day_begin) {
  const Duration from_begin = ((job.start - day_begin) % kDay + kDay) % kDay;
  const Time start = day_begin + from_begin;
  return {job.submit, start, start + (job.end - job.start), job.procs};
}

void add_copies(const Thinning& thinning, Time day_begin, std::int64_t missing,
                ReservationBuilder& schedule, Random& random) {
  for (std::int64_t tries = kTriesPerCopy * missing; missing > 0 && tries > 0; --tries) {
    const std::uint32_t position = thinning.tagging[random.below(thinning.tagging.size())];
    if (schedule.add(moved_to(thinning.job(position), day_begin))) --missing;
  }
}

// Days count from the given time. The log's own jobs are added first, on all days, so that a copy
// never displaces a real job.
void add_decaying(const Thinning& thinning, ReservationBuilder& schedule, Random& random) {
  if (thinning.tagging.empty()) return;
  const Interval span = thinning.log.span();
  const double per_day = static_cast<double>(thinning.tagging.size()) * static_cast<double>(kDay) /
                         static_cast<double>(span.end - span.begin);
  std::int64_t missing[kReservationDays] = {};
  auto next = thinning.future;
  for (int day = 0; day < kReservationDays; ++day) {
    const Time day_end = thinning.moment + (day + 1) * kDay;
    Tagging today;
    for (; next != thinning.tagging.end() && thinning.job(*next).start < day_end; ++next) {
      today.push_back(*next);
    }
    missing[day] = reservations_on_day(thinning.method, per_day, day);
    keep_some(today, static_cast<std::size_t>(missing[day]), random);
    for (std::uint32_t position : today) missing[day] -= schedule.add(thinning.job(position));
  }
  for (int day = 0; day < kReservationDays; ++day) {
    add_copies(thinning, thinning.moment + day * kDay, missing[day], schedule, random);
  }
}

}  // namespace

ReservationLog::ReservationLog(std::string name, Count processors, std::vector<BatchJob> jobs)
    : name_(std::move(name)), processors_(processors), jobs_(std::move(jobs)) {
  check_range("processors", processors_, 1, kMaxProcessors);
  std::erase_if(jobs_, [](const BatchJob& job) { return job.end <= job.start || job.procs <= 0; });
  if (jobs_.empty()) throw InputError(name_ + ": no job in this log ran");
  std::stable_sort(jobs_.begin(), jobs_.end(),
                   [](const BatchJob& a, const BatchJob& b) { return a.start < b.start; });
  span_ = {jobs_.front().submit, jobs_.front().end};
  for (BatchJob& job : jobs_) {
    job.procs = std::min(job.procs, processors_);
    span_ = {std::min(span_.begin, job.submit), std::max(span_.end, job.end)};
  }
}

double ReservationLog::utilisation() const {
  double held = 0;
  for (const BatchJob& job : jobs_) held += static_cast<double>(job.end - job.start) * job.procs;
  return held / (static_cast<double>(span_.end - span_.begin) * processors_);
}

std::string_view to_string(ReservationMethod method) {
  constexpr std::string_view kNames[] = {"linear", "expo", "real"};
  return kNames[static_cast<std::size_t>(method)];
}

std::int64_t reservations_on_day(ReservationMethod method, double per_day, int day) {
  // The decay constant is our choice: a third is left after two days, 3 % on the seventh day.
  constexpr double kDecayDays = 2;
  const double middle = day + 0.5;
  const double share = method == ReservationMethod::linear ? 1 - middle / kReservationDays
                                                           : std::exp(-middle / kDecayDays);
  return std::llround(per_day * share);
}

Tagging tag_jobs(const ReservationLog& log, double phi, Random& random) {
  check_range("phi", phi, 0, 1);
  Tagging tagging;
  tagging.reserve(static_cast<std::size_t>(phi * 1.1 * static_cast<double>(log.jobs().size())));
  for (std::uint32_t position = 0; position < log.jobs().size(); ++position) {
    if (random.chance(phi)) tagging.push_back(position);
  }
  return tagging;
}

Time draw_moment(const ReservationLog& log, Random& random) {
  const auto [begin, end] = log.span();
  const auto length = static_cast<double>(end - begin);
  const double moment = static_cast<double>(begin) + random.uniform(0.10, 0.95) * length;
  return 1000 * static_cast<Time>(std::floor(moment / 1000));
}

Cluster reservation_schedule(const ReservationLog& log, const Tagging& tagging, Time moment,
                             ReservationMethod method, Random& random) {
  const auto future = std::partition_point(
      tagging.begin(), tagging.end(),
      [&](std::uint32_t position) { return log.jobs()[position].start <= moment; });
  const Thinning thinning{log, tagging, future, moment, method};
  const bool decays = method != ReservationMethod::real;
  ReservationBuilder schedule(log.processors(), moment,
                              decays ? moment + kReservationDays * kDay : kForever);
  const double free = add_past(thinning, schedule);
  if (decays) {
    add_decaying(thinning, schedule, random);
  } else {
    add_submitted(thinning, schedule);
  }
  return {.name = log.name(),
          .processors = log.processors(),
          .free_on_average = free,
          .reservations = std::move(schedule).take()};
}

}  // namespace dovetail::gen
