// Reads what Slurm's commands print. All functions are pure; texts may come from any version.
//
// Dates are seconds since 1970 where a command can print them so (SLURM_TIME_FORMAT=%s), else local
// time in Slurm's own notation. A line that makes no sense is an ExecutionError that names the
// command and the line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "batch/job_records.hpp"

namespace dovetail::batch::slurm {

// For squeue --noheader --states=all --array --format=job_format(mark). The name, which may hold
// anything, comes last; an end of line in it becomes a space. Every job begins with the mark: if it
// cannot be guessed, the name of a job cannot pretend to be another job.
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

// Rounded up, at least one, as reservations have them.
Duration whole_minutes(Duration length);

// "2026-11-15T19:04:59" in local time, or seconds since 1970; nothing for "N/A" and "Unknown".
std::optional<WallTime> parse_moment(std::string_view text);
// "2026-11-15T19:04:59" in local time, as Slurm takes it, without the part of a second.
std::string format_moment(WallTime moment);

// --- lines, fields and words that all of Slurm's commands print alike

// Removes the text up to the separator, and the separator, from the front; answers the text.
std::string_view take_until(std::string_view& text, char separator);

std::string_view without_spaces(std::string_view text);

// Calls `read` with every line that is not empty, but for the headings of Slurm's clusters.
template <typename Read>
void for_each_line(std::string_view text, Read read) {
  while (!text.empty()) {
    std::string_view line = take_until(text, '\n');
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!without_spaces(line).empty() && !line.starts_with("CLUSTER: ")) read(line);
  }
}

// Digits alone.
std::optional<std::int64_t> whole_number(std::string_view text);

// "12", "2K" for 2048, "16+" for at least 16, "1-4" for 1 to 4: the least.
std::optional<Count> parse_count(std::string_view text);

// Empty for Slurm's words for nothing: "(null)", "N/A", "None".
std::string value_or_nothing(std::string_view text);

// "a,b" -> a b.
std::vector<std::string> split_list(std::string_view text);

}  // namespace dovetail::batch::slurm
