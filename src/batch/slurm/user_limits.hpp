// How many jobs a user may have in Slurm at once, by the associations and QOS of its accounting.
//
//   const UserLimits limits = client.user_limits("main");
//   if (jobs_left(limits, client.jobs()) == 0) ...   // Slurm would refuse one more
//
// Of limits of the same kind Slurm keeps the first that is set: the partition's QOS, the job's QOS,
// the association. Limits on all users of an account together are not known here. All functions are
// pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "batch/job_records.hpp"
#include "batch/slurm/slurm_accounting.hpp"

namespace dovetail::batch {

// Whose jobs count together; empty: of all.
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

// Each of them has to be kept. None: any number of jobs.
struct UserLimits {
  std::vector<JobLimit> submitted = {};  // jobs that wait or run
  std::vector<JobLimit> running = {};

  // The smallest; nothing when there is none.
  std::optional<Count> max_submit() const;
  std::optional<Count> max_jobs() const;
};

// How a job is submitted. Account and QOS are empty where it names none, so that it gets those that
// the user has by default.
struct JobTerms {
  std::string user;
  std::string account = {};
  std::string qos = {};
  std::string partition = {};
  std::string partition_qos = {};  // the QOS that the partition has, if any
};

// `associations` are those of the user on this cluster.
UserLimits limits_for(const JobTerms& terms, const std::vector<Association>& associations,
                      const std::vector<Qos>& all_qos);

// How many more such jobs Slurm takes now, by the jobs that are there; nothing: any number.
std::optional<Count> jobs_left(const UserLimits& limits, const std::vector<Job>& jobs);

}  // namespace dovetail::batch
