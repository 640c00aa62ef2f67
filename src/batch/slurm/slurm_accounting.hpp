// What Slurm's accounting knows: jobs of the past (sacct), and how many jobs a user may have
// (sacctmgr, scontrol; see user_limits.hpp for what the limits mean). All functions are pure.
//
// Names of jobs may hold an end of line or a separator, so a line that makes no sense is left out
// here, and what accounting does not tell is not known.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "batch/job_records.hpp"
#include "batch/user_limits.hpp"

namespace dovetail::batch::slurm {

// For sacct --parsable2 --noheader --allocations --format=kPastJobFormat, also with --completion.
// In the order in which they are printed.
extern const char* const kPastJobFormat;
std::vector<ClusterJob> parse_past_jobs(std::string_view text);

// The last run of the job, when it is over: nothing if accounting believes that it waits or runs,
// since it may be lost.
std::optional<ClusterJob> find_past_job(const std::vector<ClusterJob>& jobs, std::string_view name);

// From scontrol show config.
struct AccountingSettings {
  std::string cluster = {};
  bool has_database = false;
  bool keeps_limits = false;  // else limits are written down, and Slurm ignores them
};
AccountingSettings parse_accounting_settings(std::string_view text);

// How many jobs may wait or run at once; nothing: any number.
using JobCap = std::optional<Count>;

// A user in an account, on one partition or on all.
struct Association {
  std::string default_account = {};  // of the user
  std::string cluster = {};
  std::string account = {};
  std::string partition = {};  // empty: those that have no association of their own
  std::string default_qos = {};
  std::vector<std::string> qos = {};  // what it may ask for
  JobCap cap = {};                    // with what the accounts above say
};

// For sacctmgr --noheader --parsable2 show user NAME withassoc format=kAssociationFormat. Lines
// with another number of fields are passed over: the answers to both questions may be in one text.
extern const char* const kAssociationFormat;
std::vector<Association> parse_associations(std::string_view text);

struct Qos {
  std::string name = {};
  bool is_above_partition = false;  // what it says counts more than what the partition's QOS says
  JobCap user = {};                 // for each user
  JobCap account = {};              // for each account
  JobCap group = {};                // for all together
};

// For sacctmgr --noheader --parsable2 show qos format=kQosFormat.
extern const char* const kQosFormat;
std::vector<Qos> parse_qos(std::string_view text);

// How a job is submitted. Account and QOS are empty where it names none and gets the user's
// defaults.
struct JobTerms {
  std::string user;
  std::string account = {};
  std::string qos = {};
  std::string partition = {};
  std::string partition_qos = {};  // the QOS that the partition has, if any
};

// `associations` are those of the user on this cluster. Of limits of the same kind Slurm keeps the
// first that is set: the partition's QOS, the job's QOS, the association. Limits on all users of an
// account together are not known here.
UserLimits limits_for(const JobTerms& terms, const std::vector<Association>& associations,
                      const std::vector<Qos>& all_qos);

}  // namespace dovetail::batch::slurm
