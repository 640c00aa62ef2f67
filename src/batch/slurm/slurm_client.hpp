// Asks and tells Slurm by its commands: sbatch, squeue, scontrol, scancel, sinfo, and for what is
// past or counted in accounting sacct and sacctmgr.
//
//   Client client;
//   const std::string id = client.submit("pilot.sbatch");   // its #SBATCH lines say everything
//   for (const Job& job : client.jobs()) ...
//
// Every call has a time limit, since commands hang while the controller is away. Questions are
// asked again, after growing pauses, for a while; what changes something is not, as it may have
// been done: who submits must look for the job by its name before submitting once more.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "batch/batch_errors.hpp"
#include "batch/job_records.hpp"
#include "batch/slurm/user_limits.hpp"
#include "batch/timed_command.hpp"

namespace dovetail::batch {

struct ClientOptions {
  double call_seconds = 10;  // for one call
  double patience = 60;      // for a question, all calls and pauses together
  double first_pause = 0.5;  // seconds before a question is asked again; then twice as long, ...
};

struct ReservationRequest {
  std::string name;
  WallTime start = 0;  // whole seconds
  Duration length = 0;
  std::vector<std::string> node_names = {};
  std::string user = {};
};

// Who we are for Slurm.
std::string own_user();

// The command that makes it.
std::vector<std::string> reservation_command(const ReservationRequest& request);

class Client {
 public:
  explicit Client(ClientOptions options = {}, CommandRunner runner = run_command);

  // "22.05.8". Throws ExecutionError with one line to act on when Slurm is not installed here.
  std::string version();

  std::vector<Job> jobs();
  std::vector<Node> nodes();
  std::vector<Partition> partitions();
  std::vector<ReservedNodes> reservations();
  ClusterPicture picture();

  // What accounting, or else the log of completed jobs, remembers of a job that is over and that
  // squeue has forgotten. `since` is a moment before its end, a year ago if not given. Nothing when
  // the job is not known there, and when there is no such thing or it does not answer. Not all
  // fields are known.
  std::optional<Job> past_job(const std::string& name, WallTime since = 0);

  // How many jobs this user may have in the partition, or in the default one. None where accounting
  // is not there, does not answer or is not heeded. Takes SBATCH_ACCOUNT and SBATCH_QOS into
  // account, as sbatch does. Throws Unreachable when the controller does not answer.
  UserLimits user_limits(const std::string& partition = {});

  // Answers the job's id. Throws TooManyJobs, Refused or Unreachable.
  std::string submit(const std::string& script_file);

  // When Slurm thinks that such a job would start (sbatch --test-only); submits nothing.
  WallTime test_start(const std::string& script_file);

  // Jobs that are over or unknown are no error. In one call for each few hundred.
  void cancel(const std::vector<std::string>& ids);

  // Needs node names: without them Slurm may reserve fewer nodes than it is asked for, and say
  // nothing. What it has made is read back; when that is not what was asked for it is deleted
  // again, and Refused is thrown; NoRights when this user may reserve nothing. The length is
  // rounded up to whole minutes.
  void create_reservation(const ReservationRequest& request);

  // Whether it is gone now, or was before; false while a job, waiting or running, is inside.
  bool delete_reservation(const std::string& name);

  // How many commands were run, and how long one takes on average.
  std::size_t calls() const { return calls_; }
  Duration mean_call() const;

 private:
  // Runs it again while the controller does not answer, for as long as there is patience.
  std::string ask(const std::vector<std::string>& arguments);
  // Runs it once and answers what it prints. Throws Refused or Unreachable.
  std::string tell(const std::vector<std::string>& arguments);
  // The same, and nothing instead of throwing.
  std::optional<std::string> try_tell(const std::vector<std::string>& arguments);
  CommandResult call(const std::vector<std::string>& arguments, double seconds);

  ClientOptions options_;
  CommandRunner runner_;
  std::size_t calls_ = 0;
  Duration time_in_calls_ = 0;
};

}  // namespace dovetail::batch
