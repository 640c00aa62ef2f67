#include "batch/job_watch.hpp"

#include <algorithm>

namespace dovetail::batch {

namespace {

// A job that is not in the queue may be on its way there, or the controller may not have found it
// again yet: it is gone when so many answers, so far apart, do not have it.
constexpr int kMissingAnswers = 3;
constexpr Duration kMissingTime = 6 * kSecond;

}  // namespace

std::vector<JobNews> JobWatch::compare(const std::vector<Job>& jobs) {
  std::map<std::string, const Job*> by_name;
  running_.clear();
  unwanted_.clear();
  for (const Job& job : jobs) {
    if (job.state == JobState::running) running_.insert(job.id);
    by_name[job.name] = &job;
    if (is_over(job.state)) continue;
    const auto owner = book_.pilots().owner(job.name);
    if (owner && !book_.pilots().at(*owner).is_live()) unwanted_.push_back(job.id);
  }
  std::erase_if(missing_, [&](const auto& one) { return !book_.pilots().at(one.first).is_live(); });
  std::vector<JobNews> news;
  for (const std::uint32_t pilot : book_.pilots().live()) {
    const auto found = by_name.find(book_.pilots().at(pilot).name);
    if (found == by_name.end()) {
      if (is_gone(pilot)) news.push_back({pilot, JobNews::What::gone});
      continue;
    }
    missing_.erase(pilot);
    const Job& job = *found->second;
    if (job.state == JobState::running) {
      news.push_back({pilot, JobNews::What::runs, job});
    } else if (!is_over(job.state)) {
      news.push_back({pilot, JobNews::What::waits, job});
    } else if (!is_someone_elses_end(pilot, job)) {
      news.push_back({pilot, JobNews::What::over, job});
    }
  }
  return news;
}

// A submission of a process before us, long ago, is not on its way any more: whoever is killed
// again and again must get on as well.
bool JobWatch::never_arrived(const PilotStatus& status) const {
  return status.job_id.empty() && status.tried + kMissingTime <= began_;
}

bool JobWatch::is_gone(std::uint32_t pilot) {
  if (never_arrived(book_.pilots().at(pilot))) return true;
  Missing& missing = missing_[pilot];
  if (missing.answers++ == 0) missing.since = book_.now();
  return missing.answers >= kMissingAnswers && book_.now() - missing.since >= kMissingTime;
}

// One that was thought to be lost may have come back, and has begun the work before this one.
bool JobWatch::is_someone_elses_end(std::uint32_t pilot, const Job& job) const {
  const std::string worker = read_report(folder_, book_.order(pilot)).job_id;
  return worker != job.id && running_.contains(worker);
}

bool JobWatch::expects_latecomers() const {
  return std::ranges::any_of(book_.pilots().all(), [](const PilotStatus& pilot) {
    return !pilot.is_live() && pilot.end == JobEnd::cancelled && pilot.job_id.empty() &&
           run::wall_now() - pilot.ended.value_or(0) < kMissingTime;
  });
}

}  // namespace dovetail::batch
