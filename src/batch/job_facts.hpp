// What is shown of the jobs of a run: how long each was expected to wait, how long it did, how long
// it ran.
//
//   for (const JobFacts& job : job_facts(read_pilot_states(journal))) ...
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "batch/pilot_state.hpp"

namespace dovetail::batch {

struct JobFacts {
  std::uint32_t number = 0;
  std::string id = {};  // the batch system's; empty: not known
  std::size_t tasks = 0;
  Count nodes = 1;
  Duration request = 0;
  Duration expected_wait = 0;
  std::optional<Duration> wait = {};  // nothing: it has not started
  std::optional<Duration> ran = {};   // nothing: it has not ended, or never started
  std::string state = {};             // "waits", "runs", or how it ended

  // By how much the estimate was off.
  std::optional<Duration> error() const;
};

std::vector<JobFacts> job_facts(const PilotStates& pilots);

// "it is in job 3, which waits", "it is in no job yet".
std::string place_of(const PilotStates& pilots, std::uint32_t task);

// Of jobs that have started.
struct WaitSummary {
  std::size_t jobs = 0;
  Duration mean_expected = 0;
  Duration mean_wait = 0;
  Duration mean_error = 0;    // without regard to its sign
  Duration median_error = 0;  // the same
};
WaitSummary summarise_waits(std::span<const JobFacts> jobs);

}  // namespace dovetail::batch
