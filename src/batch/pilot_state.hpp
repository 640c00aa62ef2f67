// The jobs of a run, as its journal tells: what was submitted, under which name, what became of it,
// and how good the estimates of waits were. run/run_state.hpp reads the same journal for the tasks.
//
// The name is written down before the job is submitted: if the answer is lost, a look for that name
// in the queue says whether the job is there.
//
//   const PilotStates jobs = read_pilot_states(folder.journal());
//   for (const PilotStatus& job : jobs.all()) ... job.wait() ... job.estimated_wait
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "batch/job_records.hpp"
#include "run/clock.hpp"
#include "run/journal_file.hpp"

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
  unfinished,  // its time was over, a node crashed, it was cancelled by others, ...
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
  // From its submission to its start, and from there to its end; nothing as long as they are to
  // come.
  std::optional<Duration> wait() const;
  std::optional<Duration> ran() const;
  // "waits", "runs", or how it ended.
  std::string state_text() const;
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
  // The pilot that has that name, or had it before it was lost; nothing: a job of another run.
  std::optional<std::uint32_t> owner(std::string_view name) const;
  // Those that are over, and whose nodes may still be reserved.
  std::vector<std::uint32_t> to_release() const;
  // "it is in job 3, which waits", "it is in no job yet".
  std::string place_of(std::uint32_t task) const;

 private:
  std::deque<PilotStatus> pilots_;
};

// Throws as read_journal does.
PilotStates read_pilot_states(const std::string& journal);

// How good estimates were, over the jobs that have started. Errors count without their sign.
class WaitSummary {
 public:
  // A job that has not started changes nothing.
  void add(const PilotStatus& job);

  std::size_t jobs() const { return errors_.size(); }
  // 0 without jobs.
  Duration mean_expected() const { return expected_ / count(); }
  Duration mean_wait() const { return waited_ / count(); }
  Duration mean_error() const;
  Duration median_error() const;

 private:
  Duration count() const { return std::max<Duration>(1, static_cast<Duration>(jobs())); }

  Duration expected_ = 0;
  Duration waited_ = 0;
  std::vector<Duration> errors_;
};

}  // namespace dovetail::batch
