// Reads what Slurm's accounting prints: sacct about jobs of the past, sacctmgr and scontrol about
// how many jobs a user may have. All functions are pure; see user_limits.hpp for what the limits
// mean.
//
// Others' job names may hold an end of line or a separator, so a line that makes no sense is left
// out here, and what accounting does not tell is not known.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "batch/job_records.hpp"

namespace dovetail::batch::slurm {

// For sacct --parsable2 --noheader --allocations --format=kPastJobFormat, also with --completion.
// In the order in which they are printed.
extern const char* const kPastJobFormat;
std::vector<Job> parse_past_jobs(std::string_view text);

// The last run of the job, when it is over: nothing of one that accounting believes to wait or to
// run, which may be lost.
std::optional<Job> find_past_job(const std::vector<Job>& jobs, std::string_view name);

// From scontrol show config.
struct AccountingSettings {
  std::string cluster = {};
  bool has_database = false;
  bool keeps_limits = false;  // else limits are written down, and nobody looks at them
};
AccountingSettings parse_accounting_settings(std::string_view text);

// How many jobs may be there at once; nothing: any number.
struct JobCaps {
  std::optional<Count> submitted = {};  // waiting or running
  std::optional<Count> running = {};
};

// A user in an account, on one partition or on all.
struct Association {
  std::string default_account = {};  // of the user
  std::string cluster = {};
  std::string account = {};
  std::string partition = {};  // empty: those that have no association of their own
  std::string default_qos = {};
  std::vector<std::string> qos = {};  // what it may ask for
  JobCaps each = {};                  // with what the accounts above say
};

// For sacctmgr --noheader --parsable2 show user NAME withassoc format=kAssociationFormat.
extern const char* const kAssociationFormat;
std::vector<Association> parse_associations(std::string_view text);

struct Qos {
  std::string name = {};
  bool is_above_partition = false;  // what it says counts more than what the partition's QOS says
  JobCaps user = {};                // for each user
  JobCaps account = {};             // for each account
  JobCaps group = {};               // for all together
};

// For sacctmgr --noheader --parsable2 show qos format=kQosFormat.
extern const char* const kQosFormat;
std::vector<Qos> parse_qos(std::string_view text);

}  // namespace dovetail::batch::slurm
