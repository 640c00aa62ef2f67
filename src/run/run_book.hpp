// What became of the tasks of a run, written into its journal before anything comes of it: begun
// or continued, kept, lost, ended, tried again, asked for again. What executes the tasks adds the
// rest: processes here (task_book.hpp), jobs of a batch system (batch/job_book.hpp).
//
//   RunBook book(folder, problem, started_in);   // reads the journal
//   book.note("cancelled");
//   book.sync();                              // only now it has happened
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "dovetail/problem.hpp"
#include "run/backend.hpp"
#include "run/clock.hpp"
#include "run/journal_file.hpp"
#include "run/revision.hpp"
#include "run/run_folder.hpp"
#include "run/run_options.hpp"
#include "run/run_state.hpp"

namespace dovetail::run {

enum class RunOutcome { done, failed, interrupted, cancelled };

struct RunEnd {
  RunOutcome outcome = RunOutcome::done;
  RunState state;
};

// Writes down that the run is done, if it is: the last thing that happens to it, after its caller
// has told its end. Until then it is unfinished, and the same run is continued instead of begun
// anew. Needs the lock on the run. Throws ExecutionError.
void write_done(const RunFolder& folder, RunEnd& end);

class RunBook {
 public:
  // Reads the journal, and shows each entry to `visit`. `started_in`: the folder in which the run
  // was started. All references must outlive it. Needs the lock on the run.
  RunBook(const RunFolder& folder, const Problem& problem, const std::string& started_in,
          ClockSource clock = {}, const EntryVisitor& visit = {});
  RunBook(const RunBook&) = delete;
  RunBook& operator=(const RunBook&) = delete;

  const RunState& state() const { return state_; }
  Time now() const { return clock_.now(); }
  WallTime wall_now() const { return clock_.wall(); }
  bool has_failed() const { return state_.count(TaskState::failed) > 0; }
  bool is_done() const { return state_.count(TaskState::done) == problem_.task_count(); }

  // Anything that happens to the run as a whole.
  void note(const std::string& what) { write(note_entry(stamp(), what)); }

  // An attempt has ended. It has failed, too, when one of its outputs is missing.
  void write_end(std::uint32_t task, const AttemptEnd& end);

  // Nothing is known of its end.
  void write_lost(std::uint32_t task);

  // What is not on disk must not happen.
  void sync() { journal_.sync(); }

  // The end of the work for now: writes down how far the run came, and answers it. That it is done
  // is written by write_done().
  RunOutcome close(bool is_cancelled, bool is_interrupted);

  RunState take_state() && { return std::move(state_); }

 protected:
  void write(const Json& entry);
  Stamp stamp() const { return clock_.stamp(); }
  const TaskStatus& status(std::uint32_t task) const { return state_.tasks()[task]; }
  const Revision& revision() const { return revision_; }

  // What the back end is told about an attempt: the one that the status says has started.
  StepCommand command_of(std::uint32_t task, const TaskStatus& status) const;

  // Writes that the run begins, with what need not be run, or that it is continued. True when it
  // is new.
  bool open(const std::vector<KeptTask>& kept);

  // All tasks, each behind those that it comes after.
  std::vector<std::uint32_t> tasks_in_order() const;

  // It is done without being run.
  void keep(std::uint32_t task, const std::string& inputs, const std::string& definition);

  // It has to be run again although it is done or had failed for good.
  void ask_again(std::uint32_t task, const std::string& why);

  // Whether a task that has failed may be tried once more, and that it is, not before a moment.
  bool may_retry(std::uint32_t task) const;
  void retry(std::uint32_t task, Time not_before);

  // Once or twice in a row any task may be lost; then it is the task's own doing.
  bool is_lost_too_often(std::uint32_t task) const { return status(task).losses >= kMostLosses; }

  const RunFolder& folder_;
  const Problem& problem_;

 private:
  static constexpr std::uint32_t kMostLosses = 2;

  JournalWriter journal_;
  RunState state_;
  RunClock clock_;
  Revision revision_;
};

}  // namespace dovetail::run
