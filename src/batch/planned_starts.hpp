// A job for each task at the time of a plan, instead of a strategy that cuts workflows into jobs:
// runs moldable tasks on as many nodes as the plan says, around what others have reserved.
//
// A plan stays as it is for as long as it can. When a task was cut short or has to be tried again,
// or its job comes late, it and what needs it are planned again around the queue of that moment.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "batch/desk.hpp"
#include "batch/job_book.hpp"
#include "batch/node_plan.hpp"
#include "dovetail/problem.hpp"
#include "queue/strategies/strategy.hpp"

namespace dovetail::batch {

class PlannedStarts final : public queue::Strategy {
 public:
  // All must outlive it; the desk is the one that it is called with. Needs options.reserve.
  PlannedStarts(const Problem& problem, const JobRunOptions& options, JobBook& book, LiveDesk& desk)
      : problem_(problem), options_(options), book_(book), desk_(desk) {}

  void begin(queue::Desk& /*desk*/) override { plan("start"); }
  void started(queue::Desk& /*desk*/, queue::PilotId pilot) override {
    plan(after(pilot, "has started late"));
  }
  void ended(queue::Desk& /*desk*/, queue::PilotId pilot,
             queue::PilotOutcome /*outcome*/) override {
    plan(after(pilot, "has left work to do"));
  }

  // The job waits in the queue now; `expected_start` is the system's own estimate, if it has one.
  void waits(queue::PilotId pilot, std::optional<WallTime> expected_start);

 private:
  const Workflow& workflow() const { return problem_.workflows().front(); }
  static std::string after(queue::PilotId pilot, const char* what) {
    return "job " + std::to_string(pilot) + " " + what;
  }
  void plan(const std::string& reason);
  void cancel_overtaken();
  bool is_overtaken(TaskId task, WallTime planned) const;
  void read_jobs();
  std::vector<PlannedJob> jobs_for(const std::vector<TaskId>& tasks);
  std::vector<LaterNeed> own_needs() const;
  WallTime expected_end(queue::PilotId pilot) const;
  std::optional<WallTime> deadline() const;
  void submit(const std::vector<PlannedJob>& jobs);
  void write_down(const std::string& reason, const std::vector<PlannedJob>& jobs) const;

  const Problem& problem_;
  const JobRunOptions& options_;
  JobBook& book_;
  LiveDesk& desk_;
  std::vector<std::optional<queue::PilotId>> job_of_;  // by task: the live one
  std::vector<char> moves_;                            // by task: it is to be planned again
  std::map<queue::PilotId, WallTime> late_;  // when jobs that are late are expected to start
};

// The plan that would be made now, before anything is submitted; nothing when there is none by the
// deadline. Throws as plan_jobs.
std::optional<std::vector<PlannedJob>> plan_jobs_now(const Problem& problem,
                                                     const JobRunOptions& options,
                                                     const ClusterPicture& picture);

}  // namespace dovetail::batch
