// Follows jobs from their submission to their end, by what the batch system answers about all its
// jobs. When the answer to a submission was lost, the job is found by its name, or it is gone when
// several answers do not have it. Any user can give a job our name, so a job counts as ours only
// if its user is ours, too.
//
//   for (const JobNews& news : tracker.compare(expected, system.jobs())) ...
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "batch/job_records.hpp"
#include "run/clock.hpp"

namespace dovetail::batch {

// Between two questions to the system while a job is missing.
inline constexpr Duration kLookAgain = 2 * kSecond;

// How long a submission may take to show up in answers.
inline constexpr Duration kArrivalTime = 6 * kSecond;

// Part of the names of jobs, unlike that of any other run or daemon on any machine: letters of the
// label and a random number.
std::string job_token(const std::string& label);

// A job that was submitted, or may have been.
struct ExpectedJob {
  std::uint32_t number = 0;
  std::string name;
  bool is_certain = false;  // the system has named its id; else it may never have arrived
  WallTime tried = 0;       // when it was submitted; 0: long ago
};

struct JobNews {
  enum class What {
    waits,  // `job` has the reason
    runs,
    over,
    gone,  // neither in the queue nor on its way there
  };
  std::uint32_t number = 0;
  What what = What::waits;
  ClusterJob job = {};  // not when it is gone
};

class JobTracker {
 public:
  explicit JobTracker(run::ClockSource clock = {})
      : clock_(std::move(clock)), began_(clock_.wall()) {}

  // What an answer about all jobs of the cluster says about the expected ones, in their order.
  // Nothing about a job that has not been missing for long.
  std::vector<JobNews> compare(const std::vector<ExpectedJob>& expected,
                               const std::vector<ClusterJob>& answer);

  // Whether jobs were missing in the last answer: ask again soon.
  bool misses_some() const { return !missing_.empty(); }

 private:
  struct Missing {
    int answers = 0;
    Time since = 0;
  };

  bool is_gone(const ExpectedJob& job, Missing& missing) const;

  run::ClockSource clock_;
  WallTime began_;
  std::map<std::uint32_t, Missing> missing_;  // by number
};

}  // namespace dovetail::batch
