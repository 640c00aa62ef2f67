// The jobs of a run, as its journal tells: what was submitted, under which name, and what became of
// it. Beside run/run_state.hpp, which reads the same journal for the tasks.
//
// The name is written down before the job is submitted: who finds a submission without an answer
// looks for that name in the queue, and knows whether the job is there.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "batch/job_records.hpp"
#include "run/clock.hpp"
#include "run/journal.hpp"

namespace dovetail::batch {

using run::Json;
using run::Stamp;

enum class PilotStage : std::uint8_t {
  drafted,  // and perhaps submitted: it may not be there
  waiting,  // the batch system has it
  running,
  over,
};

// How a job ended, as far as the tasks are concerned.
enum class JobEnd : std::uint8_t {
  done,        // nothing of its tasks is left to do, or what is left has failed
  unfinished,  // its time was over, a node crashed, somebody else cancelled it, ...
  cancelled,   // by us
  lost,        // it never began, and the batch system does not know it any more
};

struct PilotStatus {
  PilotStage stage = PilotStage::drafted;
  std::uint32_t tries = 0;  // how often it was submitted: a job that was lost is submitted again
  std::string name = {};    // of the last submission
  std::string job_id = {};
  std::vector<std::uint32_t> tasks = {};
  std::vector<std::uint32_t> attempts = {};  // beside the tasks: which one of each it will be
  Count nodes = 1;
  Duration request = 0;
  Duration estimated_wait = 0;
  std::optional<WallTime> planned = {};  // when it is to start; nothing: as soon as it can
  bool is_reserved = false;              // its nodes are, under the name of the job
  bool is_released = false;              // and not any more
  WallTime submitted = 0;                // the first time
  WallTime tried = 0;                    // the last time
  std::optional<WallTime> started = {};
  std::optional<WallTime> ended = {};
  JobEnd end = JobEnd::done;
  std::string why = {};  // in the batch system's words or ours

  bool is_live() const { return stage != PilotStage::over; }
};

Json submit_entry(const Stamp& now, std::uint32_t pilot, const PilotStatus& status);
Json submitted_entry(const Stamp& now, std::uint32_t pilot, const std::string& job_id);
Json job_start_entry(const Stamp& now, std::uint32_t pilot, WallTime started);
// `when` by the batch system; it may be long ago.
Json job_end_entry(const Stamp& now, std::uint32_t pilot, JobEnd end, const std::string& why,
                   std::optional<WallTime> when = {});
Json released_entry(const Stamp& now, std::uint32_t pilot);

// "dovetail-TOKEN-3.1": the third job of the run with that token, submitted for the first time.
std::string pilot_name(const std::string& token, std::uint32_t pilot, std::uint32_t tries);

// Pilots are numbered from 0 in order of their first submission.
class PilotStates {
 public:
  // Entries about anything else change nothing.
  void apply(const Json& entry);

  // What it refers to stays where it is.
  const std::deque<PilotStatus>& all() const { return pilots_; }
  const PilotStatus& at(std::uint32_t pilot) const { return pilots_.at(pilot); }
  std::uint32_t next() const { return static_cast<std::uint32_t>(pilots_.size()); }
  std::vector<std::uint32_t> live() const;
  // Whose name that is, or was before it was lost; nothing: of another run.
  std::optional<std::uint32_t> owner(std::string_view name) const;
  // Over, and its nodes may still be reserved.
  std::vector<std::uint32_t> to_release() const;

 private:
  std::deque<PilotStatus> pilots_;
};

// Throws as read_journal does.
PilotStates read_pilot_states(const std::string& journal);

}  // namespace dovetail::batch
