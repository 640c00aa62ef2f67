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

namespace dovetail::slurm {

class SlurmDesk final : public Desk {
 public:
  // All must outlive it.
  SlurmDesk(JobBook& book, const exec::RunFolder& folder, const SlurmRunOptions& options,
            Client& client)
      : book_(book), folder_(folder), options_(options), client_(client) {}

  Time now() const override { return exec::wall_now(); }
  // As it was when last asked, if that is not long ago.
  const WaitEstimator& queue() override { return live_queue(); }
  std::vector<LivePilot> live() const override;
  std::size_t live_count() const override { return book_.pilots().live().size(); }
  dovetail::TaskState state(TaskId task) const override { return book_.state_of(task); }
  std::optional<Duration> recent_wait(Duration request) const override;
  std::optional<double> recent_use() const override;

  // Throws InputError when it would break a limit of the partition, and Refused. When Slurm does
  // not answer, the job is written down, and whoever polls sees to it later.
  void submit(const PilotDraft& draft) override;
  void cancel(PilotId pilot) override;

  // Of a job that is written down and not in the queue.
  void submit_script(std::uint32_t pilot);

  // Nothing that was known of the queue counts any more.
  void forget_queue() { queue_.reset(); }

 private:
  const LiveQueue& live_queue();

  JobBook& book_;
  const exec::RunFolder& folder_;
  const SlurmRunOptions& options_;
  Client& client_;
  ClusterPicture picture_;
  std::unique_ptr<LiveQueue> queue_;
};

}  // namespace dovetail::slurm
