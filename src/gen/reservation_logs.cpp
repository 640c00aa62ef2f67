#include "gen/reservation_logs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>
#include <vector>

#include "dovetail/calendar.hpp"
#include "dovetail/error.hpp"
#include "io/formats/swf.hpp"

namespace dovetail::gen {
namespace {

constexpr ArchiveLog kLogs[] = {
    {"CTC-SP2", "CTC-SP2-1996-3.1-cln.swf.gz", 430},
    {"OSC-Clust", "OSC-Clust-2000-3.1-cln.swf.gz", 57},
    {"SDSC-BLUE", "SDSC-BLUE-2000-4.2-cln.swf.gz", 1152},
    {"SDSC-DS", "SDSC-DS-2004-2.1-cln.swf.gz", 224, 3},
};

void check_times(const io::SwfJob& job, const std::string& path) {
  for (const double seconds : {job.submit, job.wait, job.run}) {
    if (std::abs(seconds) <= kMaxSeconds) continue;
    throw InputError(fmt::format("{}: job {}: a time of {} s; at most {} s can be used", path,
                                 job.number, seconds, kMaxSeconds));
  }
}

// A job that never ran has an empty interval, and the log drops it.
BatchJob as_it_ran(const io::SwfJob& job) {
  const Time submit = time_floor(job.submit);
  const Time start = submit + std::max<Duration>(0, time_floor(job.wait));
  const Duration run = std::max<Duration>(0, time_ceil(job.run));
  const std::int64_t procs =
      job.allocated_processors > 0 ? job.allocated_processors : job.requested_processors;
  return {submit, start, start + run,
          static_cast<Count>(std::clamp<std::int64_t>(procs, 0, kMaxProcessors))};
}

Count stated_processors(const io::SwfHeader& header, const std::string& path) {
  const auto stated = header.max_procs();
  if (!stated || *stated < 1 || *stated > kMaxProcessors) {
    throw InputError(path +
                     ": the header does not say how many processors the machine has; give "
                     "--processors");
  }
  return static_cast<Count>(*stated);
}

}  // namespace

std::span<const ArchiveLog> archive_logs() { return kLogs; }

std::string archive_log_path(std::string_view file, const std::string& data_dir) {
  namespace fs = std::filesystem;
  const fs::path folder(data_dir);
  for (const fs::path& place : {folder / "swf" / file, folder / file}) {
    if (fs::exists(place)) return place.string();
  }
  throw InputError(fmt::format(
      "{}: no such log in {} or {}; get it from the Parallel Workloads Archive, set DOVETAIL_DATA "
      "to the folder that has it, or use a synthetic log",
      file, (folder / "swf").string(), folder.string()));
}

ReservationLog read_archive_log(const ArchiveLog& log, const std::string& data_dir) {
  return read_reservation_log(archive_log_path(log.file, data_dir), std::string(log.name),
                              log.processors, log.partition);
}

ReservationLog read_reservation_log(const std::string& path, std::string name, Count processors,
                                    std::optional<int> partition) {
  const io::SwfLog log = io::read_swf(path);
  if (processors == 0) processors = stated_processors(log.header, path);
  std::vector<BatchJob> jobs;
  for (const io::SwfJob& job : log.jobs) {
    if (partition && job.partition != *partition) continue;
    check_times(job, path);
    jobs.push_back(as_it_ran(job));
  }
  if (jobs.empty()) {
    throw InputError(path +
                     (partition ? ": no job of partition " + std::to_string(*partition)
                                : std::string(": no job")) +
                     " in this log");
  }
  return {std::move(name), processors, std::move(jobs)};
}

std::vector<BatchJob> first_come_first_served(std::span<const LublinJob> jobs, Count processors) {
  std::vector<BatchJob> log;
  log.reserve(jobs.size());
  Calendar calendar(processors);
  Time last_start = 0;
  for (const LublinJob& job : jobs) {
    const Time ready = std::max(job.submit, last_start);
    const Time start = calendar.earliest_fit(job.procs, job.run, ready).value();
    calendar.reserve({start, start + job.run}, job.procs);
    calendar.forget_before(start);
    log.push_back({job.submit, start, start + job.run, job.procs});
    last_start = start;
  }
  return log;
}

ReservationLog synthetic_log(const LublinSpec& spec, Random& random) {
  return {"synthetic", spec.processors,
          first_come_first_served(lublin_log(spec, random), spec.processors)};
}

}  // namespace dovetail::gen
