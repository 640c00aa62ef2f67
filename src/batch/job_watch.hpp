// What the batch system's answers say about the jobs of a run: which have started, ended or
// vanished, and which are in the queue although they are not wanted.
//
//   for (const JobNews& news : watch.compare(system.jobs())) ...
//   system.cancel(watch.unwanted());
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "batch/job_book.hpp"
#include "batch/job_tracker.hpp"

namespace dovetail::batch {

class JobWatch {
 public:
  // Both must outlive it.
  JobWatch(const JobBook& book, const run::RunFolder& folder, const run::ClockSource& clock)
      : book_(book), folder_(folder), tracker_(clock) {}

  // By an answer about all jobs of the cluster. What happens while the news are read may make some
  // of them old: look whether the job is still live.
  std::vector<JobNews> compare(const std::vector<Job>& jobs);

  // Whether some were missing in the last answer: ask again soon.
  bool misses_some() const { return tracker_.misses_some(); }

  // Ids, by the last answer, of jobs that are over for us and not for the system. Names tell, since
  // ids may be given again to others when the system has crashed.
  const std::vector<std::string>& unwanted() const { return unwanted_; }

  // Whether jobs that were cancelled before the system ever showed them to us may still turn up.
  bool expects_latecomers() const;

 private:
  bool is_someone_elses_end(std::uint32_t pilot, const Job& job) const;

  const JobBook& book_;
  const run::RunFolder& folder_;
  JobTracker tracker_;
  std::set<std::string> running_;  // ids of jobs of everybody
  std::vector<std::string> unwanted_;
};

}  // namespace dovetail::batch
