// Writes what happens to the jobs and tasks of a run on a batch system into the run's journal, in
// one order, whether it is seen here or read later in what the jobs wrote down.
//
//   JobBook book(folder, problem, options, system);
//   book.take_over(kept);
//   const auto pilot = book.draft({.tasks = tasks, .nodes = 4, ...});   // then submit its script
//   book.hear(pilot, read_report(folder, book.order(pilot)));
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "batch/job_run_options.hpp"
#include "batch/pilot/pilot_file.hpp"
#include "batch/pilot_state.hpp"
#include "batch/system.hpp"
#include "dovetail/problem.hpp"
#include "planners/list/slot.hpp"
#include "queue/strategies/node_share.hpp"
#include "queue/strategies/strategy.hpp"
#include "run/run_book.hpp"

namespace dovetail::batch {

// A job that is to be submitted.
struct JobDraft {
  std::vector<TaskId> tasks;
  Count nodes = 1;
  NodeType node = {};  // each of them, as far as the job can count on it
  Duration limit = 0;
  Duration expected_wait = 0;
  // When its one task is to start, on all the nodes; nothing: as soon as there are nodes, which the
  // tasks share.
  std::optional<WallTime> planned = {};
  std::optional<WallTime> until = {};  // the nodes are reserved from then to that moment
};

class JobBook : public run::RunBook {
 public:
  // Reads the journal. All must outlive it. Needs a problem with one workflow.
  JobBook(const run::RunFolder& folder, const Problem& problem, const JobRunOptions& options,
          const BatchSystem& system)
      : JobBook(folder, problem, options, system, PilotStates()) {}

  const PilotStates& pilots() const { return pilots_; }

  // Goes on from the journal: what is done stays done unless something has changed, and what failed
  // is tried again. Live jobs stay as they are.
  void take_over(const std::vector<run::KeptTask>& kept);

  // When tasks are to run from now on, by the run's clock. Tasks without processors keep their
  // slots.
  void plan(const std::string& reason, const std::vector<planning::Slot>& slots);

  // A new job with these tasks, ready to be submitted: its files are there, its name is written
  // down.
  std::uint32_t draft(const JobDraft& draft);

  // The same job under another name, when the system has lost it.
  void draft_again(std::uint32_t pilot);

  void submitted(std::uint32_t pilot, const std::string& job_id);
  void started(std::uint32_t pilot, WallTime when);
  void released(std::uint32_t pilot);

  // Takes in what has happened in the job since its last report.
  void hear(std::uint32_t pilot, const PilotReport& report);

  // The job has ended. Tasks that it left running are lost; those that it did not get to are open
  // again. A job without open tasks is done, whatever `end` says.
  void over(std::uint32_t pilot, JobEnd end, const std::string& why,
            std::optional<WallTime> when = {});

  // The job is not wanted any more. If it has not begun, it never will, wherever it is; what it did
  // until now counts.
  void cancel(std::uint32_t pilot, const std::string& why);

  // Read from its file once.
  const PilotOrder& order(std::uint32_t pilot) const;

  // held: in a job that waits or runs, or blocked.
  queue::TaskStage state_of(TaskId task) const;

  // The task failed, or needs one that did.
  bool is_blocked(TaskId task) const { return blocked_[task] != 0; }
  bool has_open_tasks() const;

  std::string task_name(TaskId task) const { return "task " + problem_.task_name(task); }

 private:
  // `pilots` takes up the jobs while the journal is read.
  JobBook(const run::RunFolder& folder, const Problem& problem, const JobRunOptions& options,
          const BatchSystem& system, PilotStates&& pilots);

  void write_job(const Json& entry);
  void take_over_task(std::uint32_t task);
  void set_done_mark(std::uint32_t task) const;
  queue::TaskShare share_of(TaskRef ref, const PilotOrder& order) const;
  PilotTask pilot_task(std::uint32_t task, std::uint32_t attempt, const PilotOrder& order) const;
  void write_files(std::uint32_t pilot, const NodeType& node, std::optional<WallTime> until) const;
  void start(const PilotReport::BegunTask& start, Count processors);
  void end(const PilotReport::EndedTask& end);
  void lose(std::uint32_t task);
  Stamp stamp_of(WallTime time) const;
  void update_blocked();

  const JobRunOptions& options_;
  const BatchSystem& system_;
  PilotStates pilots_;
  mutable std::map<std::uint32_t, PilotOrder> orders_;  // by pilot, as far as they were asked for
  std::vector<char> blocked_;                           // by task
  std::vector<char> held_;                              // by task: in a live job
};

}  // namespace dovetail::batch
