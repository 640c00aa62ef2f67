#include "batch/job_tracker.hpp"

#include <cctype>

#include "batch/user_limits.hpp"
#include "run/token.hpp"

namespace dovetail::batch {

namespace {

// A job that is not in the queue may be on its way there, or the system may still be recovering
// from a crash. The job is gone when this many answers, over the arrival time, do not have it.
constexpr int kMissingAnswers = 3;

JobNews::What news_of(JobState state) {
  if (state == JobState::running) return JobNews::What::runs;
  return is_over(state) ? JobNews::What::over : JobNews::What::waits;
}

}  // namespace

std::string job_token(const std::string& label) {
  constexpr std::size_t kMostLetters = 24;
  std::string token = label.substr(0, kMostLetters);
  for (char& c : token) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return token + "-" + run::random_token() + run::random_token();
}

std::vector<JobNews> JobTracker::compare(const std::vector<ExpectedJob>& expected,
                                         const std::vector<ClusterJob>& answer) {
  std::map<std::string_view, const ClusterJob*> by_name;
  for (const ClusterJob& job : answer) {
    if (is_own(job)) by_name[job.name] = &job;
  }
  std::map<std::uint32_t, Missing> missing;
  std::vector<JobNews> news;
  for (const ExpectedJob& one : expected) {
    const auto found = by_name.find(one.name);
    if (found != by_name.end()) {
      news.push_back({one.number, news_of(found->second->state), *found->second});
      continue;
    }
    Missing& now = missing[one.number] = missing_[one.number];
    if (is_gone(one, now)) news.push_back({one.number, JobNews::What::gone});
  }
  missing_ = std::move(missing);
  return news;
}

// A submission of an earlier process is not on its way any more. There is no waiting for it, so
// that a process that is killed again and again gets on as well.
bool JobTracker::is_gone(const ExpectedJob& job, Missing& missing) const {
  if (!job.is_certain && job.tried + kArrivalTime <= began_) return true;
  if (missing.answers++ == 0) missing.since = clock_.steady();
  return missing.answers >= kMissingAnswers && clock_.steady() - missing.since >= kArrivalTime;
}

}  // namespace dovetail::batch
