// How many jobs a user may have in a batch system at once.
//
//   const UserLimits limits = system.limits("main", picture.partitions);
//   if (jobs_left(limits, picture.jobs) == 0) ...   // one more would be refused
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "batch/job_records.hpp"

namespace dovetail::batch {

// The user of this process, as batch systems name it.
std::string own_user();

// Whether the job is of that user. Jobs of others are neither adopted nor cancelled, whatever their
// names.
bool is_own(const ClusterJob& job);

// Which jobs count together; an empty field: all.
struct JobScope {
  std::string user = {};
  std::string account = {};
  std::string qos = {};
  std::string partition = {};
};

struct JobLimit {
  Count most = 0;
  JobScope scope = {};
};

// Each of them holds. None: any number of jobs.
struct UserLimits {
  std::vector<JobLimit> submitted = {};  // jobs that wait or run

  // The smallest; nothing when there is none.
  std::optional<Count> max_submit() const;
};

// How many more jobs the system takes now, given those that it has; nothing: any number.
std::optional<Count> jobs_left(const UserLimits& limits, const std::vector<ClusterJob>& jobs);

}  // namespace dovetail::batch
