// What a run's journal says so far: how far every task is.
//
//   RunState state(task_count);
//   read_journal(folder.journal(), [&](const Json& entry) { state.apply(entry); });
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "exec/attempt_file.hpp"
#include "exec/journal.hpp"

namespace dovetail::exec {

enum class TaskState : std::uint8_t { waiting, running, done, failed };

struct TaskStatus {
  TaskState state = TaskState::waiting;
  std::uint32_t attempt = 0;  // the last one; 0: none yet
  std::int32_t processors = 0;
  WallTime started = 0;
  AttemptEnd end = {};  // of the last attempt that ended
};

// Entries that a run writes. `now` is by the machine's clock.
Json start_entry(WallTime now, std::uint32_t task, std::uint32_t attempt, std::int32_t processors);
Json end_entry(WallTime now, std::uint32_t task, std::uint32_t attempt, const AttemptEnd& end);

// Nothing is known of the attempt's end: its supervisor is gone.
Json lost_entry(WallTime now, std::uint32_t task, std::uint32_t attempt);

// Anything else: {"what": ..., ...}.
Json note_entry(WallTime now, const std::string& what);

class RunState {
 public:
  explicit RunState(std::size_t tasks) : tasks_(tasks), counts_{tasks, 0, 0, 0} {}

  // Entries that it does not know change nothing.
  void apply(const Json& entry);

  const std::vector<TaskStatus>& tasks() const { return tasks_; }
  std::size_t count(TaskState state) const { return counts_[static_cast<std::size_t>(state)]; }

  WallTime began = 0;  // the first entry
  WallTime last = 0;   // the last one

 private:
  void set(TaskStatus& status, TaskState state);

  std::vector<TaskStatus> tasks_;
  std::array<std::size_t, 4> counts_;  // by state
};

}  // namespace dovetail::exec
