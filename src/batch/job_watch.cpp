#include "batch/job_watch.hpp"

#include <algorithm>

#include "batch/user_limits.hpp"

namespace dovetail::batch {

std::vector<JobNews> JobWatch::compare(const std::vector<ClusterJob>& jobs) {
  running_.clear();
  unwanted_.clear();
  for (const ClusterJob& job : jobs) {
    if (!is_own(job)) continue;
    if (job.state == JobState::running) running_.insert(job.id);
    if (is_over(job.state)) continue;
    const auto owner = book_.pilots().owner(job.name);
    if (owner && !book_.pilots().at(*owner).is_live()) unwanted_.push_back(job.id);
  }
  std::vector<ExpectedJob> expected;
  for (const std::uint32_t pilot : book_.pilots().live()) {
    const PilotStatus& status = book_.pilots().at(pilot);
    expected.push_back({pilot, status.name, !status.job_id.empty(), status.tried});
  }
  std::vector<JobNews> news = tracker_.compare(expected, jobs);
  std::erase_if(news, [&](const JobNews& one) {
    return one.what == JobNews::What::over && is_of_another_submission(one.number, one.job);
  });
  return news;
}

// An earlier submission that seemed to be lost may have come back and begun the work.
bool JobWatch::is_of_another_submission(std::uint32_t pilot, const ClusterJob& job) const {
  const std::string worker = read_report(folder_, book_.order(pilot)).job_id;
  return worker != job.id && running_.contains(worker);
}

bool JobWatch::expects_latecomers() const {
  return std::ranges::any_of(book_.pilots().all(), [&](const PilotStatus& pilot) {
    return !pilot.is_live() && pilot.end == JobEnd::cancelled && pilot.job_id.empty() &&
           book_.wall_now() - pilot.ended.value_or(0) < kArrivalTime;
  });
}

void release_reservations(JobBook& book, BatchSystem& system, const JobRunOptions& options,
                          Duration patience) {
  constexpr Duration kPause = 500;
  for (const Time until = book.now() + patience;; options.wait({}, kPause)) {
    for (const std::uint32_t pilot : book.pilots().to_release()) {
      try {
        if (system.release(book.pilots().at(pilot).name)) book.released(pilot);
      } catch (const Refused&) {
        // It ends by itself; the work goes on.
      }
    }
    if (book.pilots().to_release().empty() || book.now() >= until) return;
  }
}

}  // namespace dovetail::batch
