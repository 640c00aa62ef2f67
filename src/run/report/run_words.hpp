// The facts of a run in words, the same in its report, its summary and its pictures.
//
//   for (const SummaryRow& row : summary_rows(facts)) ...   // "turn-around", "1m40s", "1m52s", ...
//
// Plain text, not escaped. All functions are pure.
#pragma once

#include <string>
#include <vector>

#include "run/report/run_facts.hpp"

namespace dovetail::run {

struct SummaryRow {
  std::string what;
  std::string planned;
  std::string real;
  std::string note = {};
};

// Planned against real: turn-around, processor time, use, waits.
std::vector<SummaryRow> summary_rows(const RunFacts& facts);

// "real", or "so far" while the run goes on.
std::string real_heading(const RunFacts& facts);

// What else there is to say, in short sentences without a full stop; empty when all went by the
// plan.
std::vector<std::string> summary_notes(const RunFacts& facts);

// "all 12 tasks done", "7 of 10 tasks done, 1 failed, 2 running".
std::string progress_text(const RunFacts& facts);

// "+12 %" by which the real time is longer than planned; empty when nothing was planned.
std::string error_text(const PlannedAndReal<Duration>& time);

// "waiting", "done", "kept", "failed", ...
std::string state_text(const TaskFacts& task);

// "4", "4 -> 2" when it ran on another number than planned.
std::string processors_text(const TaskFacts& task);

// "61.3 CPU-hours", "42.0 CPU-seconds" where hours would all be nothing.
std::string cpu_text(double cpu_seconds);

}  // namespace dovetail::run
