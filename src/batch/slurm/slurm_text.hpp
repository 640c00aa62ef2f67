// Reads what Slurm's commands print. All functions are pure; texts may come from any version.
//
// Dates are asked for as seconds since 1970 (SLURM_TIME_FORMAT=%s) where a command knows that, and
// are understood in Slurm's own notation, which is local time, as well. A line that makes no sense
// is an ExecutionError that names the command and the line.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "batch/job_records.hpp"

namespace dovetail::batch::slurm {

// For squeue --noheader --states=all --array --format=job_format(mark); the name, which may hold
// anything, comes last. An end of line in it becomes a space. Every job begins with the mark: one
// that nobody can guess keeps people from writing jobs into the names of theirs.
std::string job_format(std::string_view mark = "job");
std::vector<ClusterJob> parse_jobs(std::string_view text, std::string_view mark = "job");

// For sinfo --noheader --Node --format=kNodeFormat; a node in several partitions has several lines.
extern const char* const kNodeFormat;
std::vector<ClusterNode> parse_nodes(std::string_view text);

// For scontrol --oneliner show partition, and show reservation.
std::vector<Partition> parse_partitions(std::string_view text);
std::vector<ReservedNodes> parse_reservations(std::string_view text);

// For sbatch --parsable: "123" or "123;cluster".
std::optional<std::string> parse_job_id(std::string_view text);

// Whether Slurm says that its controller is not there, or too busy to do it now.
bool says_away(std::string_view text);

// "PENDING", "COMPLETING", "OUT_OF_MEMORY", "CANCELLED by 0", ...
JobState parse_state(std::string_view word);

// "n[1-3,7],login" -> n1 n2 n3 n7 login. Nothing when it is no such list.
std::optional<std::vector<std::string>> parse_node_list(std::string_view text);
// The shortest text for nodes, as Slurm reads it.
std::string format_node_list(std::vector<std::string> names);

// What a job with that reason waits for: "Resources", "Dependency", "JobHeldUser", ...
WaitsFor parse_reason(std::string_view reason);

// "1-12:00:00", "10:00" (minutes:seconds), "90" (minutes), "UNLIMITED".
std::optional<Duration> parse_limit(std::string_view text);
// Whole minutes, up, as --time takes them: "1-12:00:00".
std::string format_limit(Duration length);

// As reservations are asked for: at least one, up.
Duration whole_minutes(Duration length);

// "2026-11-15T19:04:59" in local time, or seconds since 1970; nothing for "N/A" and "Unknown".
std::optional<WallTime> parse_moment(std::string_view text);
// "2026-11-15T19:04:59" in local time, as Slurm takes it; what is less than a second is left out.
std::string format_moment(WallTime moment);

}  // namespace dovetail::batch::slurm
