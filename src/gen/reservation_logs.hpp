// Logs to make reservation schedules from: files of the Parallel Workloads Archive, including the
// four that Aida and Casanova used, and a synthetic one for when no real one is available.
//
//   for (const ArchiveLog& log : archive_logs()) use(read_archive_log(log, data_dir));
//   Random random(1);
//   use(synthetic_log({.processors = 128, .jobs = 20'000}, random));
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gen/lublin.hpp"
#include "gen/reservations.hpp"

namespace dovetail::gen {

struct ArchiveLog {
  std::string_view name;
  std::string_view file;
  Count processors = 0;
  std::optional<int> partition = {};  // keep only the jobs of this partition
};

// CTC-SP2 (430 processors), OSC-Clust (57), SDSC-BLUE (1152), SDSC-DS partition 3 (224). Every log
// is taken as written: one allocated processor is one processor of the machine, even for OSC's jobs
// on its 57 nodes. From the first submission to the last end the utilisation is 66, 40, 77 and 65
// %.
std::span<const ArchiveLog> archive_logs();

// The path of the file, in the folder swf of `data_dir` or in `data_dir` itself. Throws InputError,
// naming both places, when it is in neither.
std::string archive_log_path(std::string_view file, const std::string& data_dir);

// Throws InputError when archive_log_path does not find the file.
ReservationLog read_archive_log(const ArchiveLog& log, const std::string& data_dir);

// Reads any SWF file as the jobs ran: start = submit + wait, on the allocated processors (the
// requested ones if those are unknown). Jobs that never ran are left out. 0 processors means the
// number in the log's header.
ReservationLog read_reservation_log(const std::string& path, std::string name, Count processors,
                                    std::optional<int> partition = {});

// Runs the jobs, sorted by submission, on an otherwise idle machine: each as early as its
// processors are free, but never before one submitted earlier. This is simple, but gives realistic
// waits. Needs every job to fit the machine.
std::vector<BatchJob> first_come_first_served(std::span<const LublinJob> jobs, Count processors);

// Jobs of the Lublin-Feitelson model, run in this way.
ReservationLog synthetic_log(const LublinSpec& spec, Random& random);

}  // namespace dovetail::gen
