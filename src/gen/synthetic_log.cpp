#include "gen/synthetic_log.hpp"

#include <algorithm>

#include "dovetail/calendar.hpp"

namespace dovetail::gen {

std::vector<BatchJob> first_come_first_served(std::span<const LublinJob> jobs, Count processors) {
  std::vector<BatchJob> log;
  log.reserve(jobs.size());
  Calendar calendar(processors);
  Time last_start = 0;
  for (const LublinJob& job : jobs) {
    const Time ready = std::max(job.submit, last_start);
    const Time start = calendar.earliest_fit(job.procs, job.run, ready).value();
    calendar.reserve({start, start + job.run}, job.procs);
    calendar.forget_before(start);
    log.push_back({job.submit, start, start + job.run, job.procs});
    last_start = start;
  }
  return log;
}

ReservationLog synthetic_log(const LublinSpec& spec, Random& random) {
  return {"synthetic", spec.processors,
          first_come_first_served(lublin_log(spec, random), spec.processors)};
}

}  // namespace dovetail::gen
