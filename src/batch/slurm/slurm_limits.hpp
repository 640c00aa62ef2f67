// How many jobs Slurm lets a user have at once, by the associations and QOS of its accounting.
//
// Of limits of the same kind Slurm keeps the first that is set: the partition's QOS, the job's QOS,
// the association. Limits on all users of an account together are not known here. All functions are
// pure.
#pragma once

#include <string>
#include <vector>

#include "batch/slurm/slurm_accounting.hpp"
#include "batch/user_limits.hpp"

namespace dovetail::batch::slurm {

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

}  // namespace dovetail::batch::slurm
