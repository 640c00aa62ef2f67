// Where a strategy submits its jobs: the desk of a real batch system.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "batch/job_book.hpp"
#include "batch/live_queue.hpp"
#include "batch/node_plan.hpp"
#include "batch/system.hpp"
#include "queue/strategies/strategy.hpp"

namespace dovetail::batch {

// A signal or a control message is waiting: the rest is decided after it is heard.
class Interrupted : public std::exception {
 public:
  const char* what() const noexcept override { return "interrupted"; }
};

class LiveDesk final : public queue::Desk {
 public:
  // All must outlive it. While `is_asked` says that a signal or a control message is waiting,
  // submit() throws Interrupted.
  LiveDesk(JobBook& book, const run::RunFolder& folder, const JobRunOptions& options,
           const UserLimits& limits, BatchSystem& system, std::function<bool()> is_asked)
      : book_(book),
        folder_(folder),
        options_(options),
        limits_(limits),
        system_(system),
        is_asked_(std::move(is_asked)) {
    if (options.picture) picture_ = *options.picture;
  }

  Time now() const override { return book_.wall_now(); }
  // Of a picture that is a few seconds old at most.
  const queue::WaitEstimator& queue() override { return live_queue(); }
  std::vector<queue::LivePilot> live() const override;
  std::size_t live_count() const override { return book_.pilots().live().size(); }
  queue::TaskStage state(TaskId task) const override { return book_.state_of(task); }
  std::optional<Duration> recent_wait(Duration request) const override;
  std::optional<double> recent_use() const override;

  // Throws InputError when the job would break a limit of the partition, NotNow when its nodes are
  // out of use, TooManyJobs when the user has as many as allowed, and Refused. When the system does
  // not answer, the job is written down, and the next poll looks for it.
  void submit(const queue::PilotDraft& draft) override;
  // From here on the job does nothing; the next poll takes it out of the queue.
  void cancel(queue::PilotId pilot) override { cancel(pilot, "not needed any more"); }

  // A job that starts at its time. There is none when its nodes cannot be reserved.
  void submit(const PlannedJob& job);
  void cancel(queue::PilotId pilot, const std::string& why);

  // The cluster, as it was a few seconds ago at most.
  const ClusterPicture& picture();

  // Submits a job that is written down and not in the queue.
  void submit_script(std::uint32_t pilot);

  // The next question gets a new picture.
  void forget_queue() { picture_.at = 0; }

  // How long it takes to submit one planned job.
  Duration time_to_submit() const;

 private:
  const LiveQueue& live_queue();
  void require_no_interrupt() const;
  void require_room();
  void count_as_waiting(std::uint32_t pilot);
  Duration limit_for(const queue::PilotDraft& draft, const PartitionLimits& limits) const;
  std::string tasks_text(const std::vector<TaskId>& tasks) const;
  std::uint32_t draft(const JobDraft& draft);
  void reserve(std::uint32_t pilot, const PlannedJob& job);
  void say(const std::string& news) const;

  JobBook& book_;
  const run::RunFolder& folder_;
  const JobRunOptions& options_;
  const UserLimits& limits_;
  BatchSystem& system_;
  std::function<bool()> is_asked_;
  ClusterPicture picture_;
  std::unique_ptr<LiveQueue> queue_;
};

}  // namespace dovetail::batch
