// What a replay gave, for programs and pictures: JSON, a log in SWF, the machine over time.
//
//   ReplayReport report{trace.info(), rules, queue, metrics.summary()};
//   write_file("replay.json", format_replay(report, jobs));
//
// Pure. docs/queue.md describes the fields.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "draw/machine_picture.hpp"
#include "queue/sim/machine_history.hpp"
#include "queue/sim/replay_metrics.hpp"

namespace dovetail::queue {

struct ReplayReport {
  TraceInfo log;
  TraceRules trace;
  QueueRules queue;
  ReplaySummary summary;
};

// A reason for which lines are left out.
struct DropReason {
  std::string_view key;    // "never_ran"
  std::string_view words;  // "never ran", after a number
  std::size_t lines = 0;
};

// All reasons, also those that no line had.
std::vector<DropReason> drop_reasons(const Dropped& dropped);

// A JSON document. The records are in order of arrival; with a history it has the machine over
// time.
std::string format_replay(const ReplayReport& report, std::span<const JobRecord> jobs,
                          const History* history = nullptr);

// The log as it would have been: `lines` are those of the trace, one for each record. Submit time,
// wait, run time and requested time are the replay's, everything else is as it was. Replayed by the
// same rules it gives the same.
io::SwfLog replayed_log(const ReplayReport& report, std::vector<io::SwfJob> lines,
                        std::span<const JobRecord> jobs);

// Draws the jobs too if there are few.
draw::MachinePicture picture_of(const ReplayReport& report, const History& history,
                                std::span<const JobRecord> jobs);

// The most jobs that a picture draws one by one.
inline constexpr std::size_t kMostDrawnJobs = 300;

}  // namespace dovetail::queue
