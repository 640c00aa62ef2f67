// What a run's journal says so far: how far every task is, the plan in force and how it came about.
//
//   const RunState state = read_run_state(folder.journal(), task_count);
//
// Times are by the run's own clock (clock.hpp).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dovetail/plan.hpp"
#include "planners/list/slot.hpp"
#include "run/journal_file.hpp"
#include "run/local/attempt_file.hpp"

namespace dovetail::run {

enum class TaskState : std::uint8_t { waiting, running, done, failed };

struct TaskStatus {
  TaskState state = TaskState::waiting;
  bool was_kept = false;       // done without being run, as nothing had changed
  bool has_succeeded = false;  // the last attempt did, even if it has to be run again
  std::uint32_t attempt = 0;   // the last one; 0: none yet
  std::uint32_t failures = 0;  // since it was last asked for
  std::uint32_t losses = 0;    // in a row
  Count processors = 0;
  Time started = 0;
  Time not_before = 0;          // of the next attempt, after a failure
  std::vector<int> cores = {};  // to which it is pinned
  std::vector<int> gpus = {};   // the numbers of those that it has
  std::string inputs = {};      // digest of what it read, where it says what that is
  std::string definition = {};  // digest of what it was when it was started (freshness.hpp)
  std::string again = {};       // why it had to be run once more after it was done
  std::string missing = {};     // of its outputs, after an attempt that ended well otherwise
  AttemptEnd end = {};          // of the last attempt that ended
};

// An attempt that is over.
struct PastAttempt {
  std::uint32_t task = 0;
  std::uint32_t attempt = 0;
  Count processors = 0;
  Time started = 0;
  Time ended = 0;
  WallTime time = 0;   // of the end, by the machine's clock
  double seconds = 0;  // as its supervisor measured it; 0: not known
  double cpu_seconds = 0;
  std::int64_t peak_kib = 0;
  std::int64_t peak_memory = 0;  // bytes
  bool succeeded = false;
};

// Entries that a run writes.
Json start_entry(const Stamp& now, std::uint32_t task, std::uint32_t attempt, Count processors);

// `missing`: the output that should be there and is not; then it is a failure in any case.
Json end_entry(const Stamp& now, std::uint32_t task, std::uint32_t attempt, const AttemptEnd& end,
               const std::string& missing = {});

// Nothing is known of the attempt's end: its supervisor is gone.
Json lost_entry(const Stamp& now, std::uint32_t task, std::uint32_t attempt);

// It failed and is tried again, not before `at`.
Json retry_entry(const Stamp& now, std::uint32_t task, Time at);

// It has to be run again although it is done or had failed for good.
Json again_entry(const Stamp& now, std::uint32_t task, const std::string& why);

// It is done, and need not be run: nothing has changed since an attempt of this or another run.
Json kept_entry(const Stamp& now, std::uint32_t task, const std::string& inputs,
                const std::string& definition);

// How a plan was judged; with its slots, by task, when it is in force from now on. Tasks without
// processors are not in it.
Json plan_entry(const Stamp& now, const Evaluation& decision, const std::string& algorithm,
                std::span<const planning::Slot> slots);

// How many processors may be used from now on.
Json resources_entry(const Stamp& now, Count processors);

// Anything else: {"what": ..., ...}.
Json note_entry(const Stamp& now, const std::string& what);

class RunState {
 public:
  explicit RunState(std::size_t tasks) : tasks_(tasks), counts_{tasks, 0, 0, 0} {}

  // Entries that it does not know change nothing.
  void apply(const Json& entry);

  const std::vector<TaskStatus>& tasks() const { return tasks_; }
  std::size_t count(TaskState state) const { return counts_[static_cast<std::size_t>(state)]; }

  // In the order in which they ended.
  const std::vector<PastAttempt>& attempts() const { return attempts_; }

  // By task; empty before there is a plan. The one in force is that by which each task was last to
  // run.
  const std::vector<planning::Slot>& first_plan() const { return first_plan_; }
  const std::vector<planning::Slot>& plan() const { return plan_; }
  const std::string& algorithm() const { return algorithm_; }
  const std::vector<Evaluation>& decisions() const { return decisions_; }

  // Since the last change; nothing when it never changed.
  std::optional<Count> processors() const { return processors_; }

  bool has_begun() const { return last_.time != 0; }
  Stamp began() const { return began_; }
  Stamp last() const { return last_; }

  // Whether jobs of a batch system have run tasks of it.
  bool has_jobs() const { return has_jobs_; }

  // Nothing more is started by the process that works on it.
  bool is_stopping() const { return is_stopping_; }

  // How the last process that worked on it left it: "done", "failed", "interrupted", "cancelled".
  const std::string& outcome() const { return outcome_; }

 private:
  void apply_to_task(const std::string& what, const Json& entry, std::uint32_t task);
  void start(TaskStatus& status, const Json& entry);
  void end(std::uint32_t task, const Json& entry);
  void remember(std::uint32_t task, bool succeeded, double seconds);
  void take_plan(const Json& entry);
  void set(TaskStatus& status, TaskState state);

  std::vector<TaskStatus> tasks_;
  std::array<std::size_t, 4> counts_;  // by state
  std::vector<PastAttempt> attempts_;
  std::vector<planning::Slot> first_plan_;
  std::vector<planning::Slot> plan_;
  std::string algorithm_;
  std::vector<Evaluation> decisions_;
  std::optional<Count> processors_;
  Stamp began_;
  Stamp last_;
  bool has_jobs_ = false;
  bool is_stopping_ = false;
  std::string outcome_;
};

// Calls `visit`, if there is one, for every entry on the way. Throws as read_journal does.
RunState read_run_state(const std::string& journal, std::size_t tasks,
                        const EntryVisitor& visit = {});

}  // namespace dovetail::run
