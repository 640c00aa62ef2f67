// Where a strategy submits its jobs: the desk of a real batch system.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "queue/strategy.hpp"
#include "slurm/client.hpp"
#include "slurm/job_book.hpp"
#include "slurm/live_queue.hpp"
#include "slurm/node_plan.hpp"
#include "slurm/user_limits.hpp"

namespace dovetail::slurm {

class SlurmDesk final : public Desk {
 public:
  // All must outlive it.
  SlurmDesk(JobBook& book, const exec::RunFolder& folder, const SlurmRunOptions& options,
            const UserLimits& limits, Client& client)
      : book_(book), folder_(folder), options_(options), limits_(limits), client_(client) {}

  Time now() const override { return exec::wall_now(); }
  // As it was when last asked, if that is not long ago.
  const WaitEstimator& queue() override { return live_queue(); }
  std::vector<LivePilot> live() const override;
  std::size_t live_count() const override { return book_.pilots().live().size(); }
  dovetail::TaskState state(TaskId task) const override { return book_.state_of(task); }
  std::optional<Duration> recent_wait(Duration request) const override;
  std::optional<double> recent_use() const override;

  // Throws InputError when it would break a limit of the partition, TooManyJobs when the user has
  // as many as allowed, and Refused. When Slurm does not answer, the job is written down, and
  // whoever polls sees to it later.
  void submit(const PilotDraft& draft) override;
  void cancel(PilotId pilot) override { cancel(pilot, "not needed any more"); }

  // A job that starts at its time. When its nodes cannot be reserved there is no such job.
  void submit(const PlannedJob& job);
  void cancel(PilotId pilot, const std::string& why);

  // All of the cluster, as it was when last asked, if that is not long ago.
  const ClusterPicture& picture();

  // Of a job that is written down and not in the queue.
  void submit_script(std::uint32_t pilot);

  // Nothing that was known of the queue counts any more.
  void forget_queue() { queue_.reset(); }

 private:
  const LiveQueue& live_queue();
  void require_room();
  std::uint32_t draft(const JobDraft& draft);
  void reserve(std::uint32_t pilot, const PlannedJob& job);
  void say(const std::string& news) const;

  JobBook& book_;
  const exec::RunFolder& folder_;
  const SlurmRunOptions& options_;
  const UserLimits& limits_;
  Client& client_;
  ClusterPicture picture_;
  std::unique_ptr<LiveQueue> queue_;
};

}  // namespace dovetail::slurm
