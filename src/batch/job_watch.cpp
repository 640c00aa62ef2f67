#include "batch/job_watch.hpp"

#include <algorithm>

namespace dovetail::batch {

std::vector<JobNews> JobWatch::compare(const std::vector<Job>& jobs) {
  running_.clear();
  unwanted_.clear();
  for (const Job& job : jobs) {
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
    return one.what == JobNews::What::over && is_someone_elses_end(one.number, one.job);
  });
  return news;
}

// One that was thought to be lost may have come back, and has begun the work before this one.
bool JobWatch::is_someone_elses_end(std::uint32_t pilot, const Job& job) const {
  const std::string worker = read_report(folder_, book_.order(pilot)).job_id;
  return worker != job.id && running_.contains(worker);
}

bool JobWatch::expects_latecomers() const {
  return std::ranges::any_of(book_.pilots().all(), [&](const PilotStatus& pilot) {
    return !pilot.is_live() && pilot.end == JobEnd::cancelled && pilot.job_id.empty() &&
           book_.wall_now() - pilot.ended.value_or(0) < kArrivalTime;
  });
}

}  // namespace dovetail::batch
