// What the batch system's answers say about the jobs of a run: which have started, ended or
// vanished, and which are in the queue although the run does not want them any more.
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

  // By an answer about all jobs of the cluster. What the caller does about one piece of news may
  // make others old: look whether the job is still live.
  std::vector<JobNews> compare(const std::vector<ClusterJob>& jobs);

  // Whether jobs were missing in the last answer: ask again soon.
  bool misses_some() const { return tracker_.misses_some(); }

  // Ids, by the last answer, of jobs that are over for us and not for the system. They are found by
  // name, since a system that has crashed may give an id again.
  const std::vector<std::string>& unwanted() const { return unwanted_; }

  // Whether jobs that were cancelled before the system ever showed them to us may still turn up.
  bool expects_latecomers() const;

 private:
  bool is_of_another_submission(std::uint32_t pilot, const ClusterJob& job) const;

  const JobBook& book_;
  const run::RunFolder& folder_;
  JobTracker tracker_;
  std::set<std::string> running_;  // ids of this user's jobs
  std::vector<std::string> unwanted_;
};

// Gives back the nodes that are reserved for jobs that are over. It may take up to `patience`, as
// nodes are not free at once when a job is ended; what is left then ends by itself. Throws
// Unreachable.
void release_reservations(JobBook& book, BatchSystem& system, const JobRunOptions& options,
                          Duration patience);

}  // namespace dovetail::batch
