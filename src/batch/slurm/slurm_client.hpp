// Slurm as a batch system, by its commands: sbatch, squeue, scontrol, scancel, sinfo; sacct and
// sacctmgr for what accounting knows; srun inside a job.
//
//   Client client;
//   const std::string id = client.submit("pilot.sbatch");   // its #SBATCH lines say everything
//   for (const ClusterJob& job : client.jobs()) ...
//
// Every call has a time limit, since commands hang while the controller is away. Questions are
// asked again for a while, after growing pauses. Orders are not, as they may have been carried out:
// look for a job by its name before submitting it once more.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "batch/system.hpp"

namespace dovetail::batch::slurm {

inline constexpr std::string_view kTitle = "Slurm";

class Client final : public BatchSystem {
 public:
  explicit Client(CallOptions options = {}, CommandRunner runner = run_command);

  std::string_view title() const override { return kTitle; }

  std::vector<ClusterJob> jobs() override;
  std::vector<ClusterNode> nodes();
  std::vector<Partition> partitions();
  std::vector<ReservedNodes> reservations();
  ClusterPicture picture() override;

  // From accounting, or else the log of completed jobs; `since` is a year ago if not given. Not all
  // fields are known.
  std::optional<ClusterJob> past_job(const std::string& name, WallTime since = 0) override;

  // None where accounting is missing, does not answer or is not enforced. Follows SBATCH_ACCOUNT
  // and SBATCH_QOS, as sbatch does.
  UserLimits limits(const std::string& partition,
                    const std::vector<Partition>& partitions) override;

  std::string submit(const std::string& script_file) override;

  // In one call for each few hundred.
  void cancel(const std::vector<std::string>& ids) override;

  // Needs node names: without them Slurm may silently reserve fewer nodes. Reads back what Slurm
  // has made, and deletes it when it is something else. Rounds the length up to whole minutes.
  void reserve(const ReservationRequest& request) override;
  bool release(const std::string& reservation) override;

  // How many commands were run, and how long one takes on average.
  std::size_t calls() const { return calls_; }
  Duration mean_call() const override;

  std::string directives(const JobRequest& request) const override;
  std::string explain(const ClusterJob& job) const override;
  std::vector<std::string> submit_command(const std::string& script_file) const override;
  std::vector<std::string> reserve_command(const ReservationRequest& request) const override;
  std::vector<std::string> release_command(const std::string& reservation) const override;

  bool is_around_us() const override;
  // From SLURM_JOB_ID, SLURM_JOB_NODELIST and SLURM_JOB_END_TIME, which not every version sets.
  JobAllocation allocation() const override;
  // Steps may overlap, since the pilot starts one at a time on a node: none waits until Slurm has
  // cleaned up after the one before.
  std::vector<std::string> step(const StepRequest& request) const override;
  // SIGTERM to srun would have tasks killed at once.
  std::vector<std::string> stop_steps(const std::string& job_id) const override;
  StepTrouble trouble_of(std::string_view last_words) const override;
  // Slurm reads a list of hosts only with an arbitrary distribution.
  Environment confined(const TaskHosts& hosts, const std::string& hosts_file) const override;
  bool is_on_own_machine() const override;

 private:
  // Runs it again while the controller does not answer, for as long as there is patience.
  std::string ask(const std::vector<std::string>& arguments);
  // Runs it once and answers what it prints. Throws Refused or Unreachable.
  std::string tell(const std::vector<std::string>& arguments, const std::string& input = {});
  // The same, and nothing instead of throwing.
  std::optional<std::string> try_tell(const std::vector<std::string>& arguments,
                                      const std::string& input = {});
  CommandResult call(const std::vector<std::string>& arguments, double seconds,
                     const std::string& input = {});

  CallOptions options_;
  CommandRunner runner_;
  std::size_t calls_ = 0;
  Duration time_in_calls_ = 0;
};

}  // namespace dovetail::batch::slurm
