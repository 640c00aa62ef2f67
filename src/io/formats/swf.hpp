// Logs of batch queues in the Standard Workload Format 2.2, plain or gzipped.
//
//   SwfLog log = read_swf("KTH-SP2.swf.gz");
//   for (const SwfJob& job : log.jobs) replay(job.submit, job.run);
//
// The jobs keep the order of the file, which real logs do not always sort by submit time. Unknown
// values are -1, as in the file. docs/formats.md lists the fields.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/gzip_source.hpp"

namespace dovetail::io {

// One line of a log. Times are seconds from the log's start, decimals allowed.
struct SwfJob {
  std::int64_t number = -1;
  double submit = -1;
  double wait = -1;  // as it happened
  double run = -1;
  std::int64_t allocated_processors = -1;
  double cpu_time = -1;     // average over the processors
  double used_memory = -1;  // KB per processor
  std::int64_t requested_processors = -1;
  double requested_time = -1;
  double requested_memory = -1;
  std::int64_t status = -1;  // 0 failed, 1 completed, 2-4 parts of a job, 5 cancelled
  std::int64_t user = -1;
  std::int64_t group = -1;
  std::int64_t executable = -1;
  std::int64_t queue = -1;
  std::int64_t partition = -1;
  std::int64_t preceding_job = -1;
  double think_time = -1;

  static constexpr std::size_t kFields = 18;
  std::size_t fields = kFields;  // of the line; missing ones are -1

  friend bool operator==(const SwfJob&, const SwfJob&) = default;
};

// The "; Key: value" lines, in order; a key may occur more than once.
class SwfHeader {
 public:
  void add(std::string key, std::string value);

  const std::vector<std::pair<std::string, std::string>>& entries() const { return entries_; }

  // The first value of a key.
  std::optional<std::string_view> find(std::string_view key) const;

  // The first whole number in the first value of a key: values may carry remarks.
  std::optional<std::int64_t> integer(std::string_view key) const;

  std::optional<std::int64_t> max_procs() const { return integer("MaxProcs"); }
  std::optional<std::int64_t> max_nodes() const { return integer("MaxNodes"); }
  std::optional<std::int64_t> unix_start_time() const { return integer("UnixStartTime"); }

 private:
  std::vector<std::pair<std::string, std::string>> entries_;
};

struct SwfLog {
  SwfHeader header;
  std::vector<SwfJob> jobs;
};

// Reads one job after the other, for logs too large to keep in memory.
//
//   SwfReader reader("KTH-SP2.swf.gz");
//   while (const auto job = reader.next()) use(*job);
class SwfReader {
 public:
  // "-" is standard input. Throws InputError when the file cannot be read.
  explicit SwfReader(const std::string& path);

  // Reads the text itself; messages call it `file`.
  SwfReader(std::string_view text, std::string file);

  // Throws InputError with file and line for a line with something other than numbers, or with more
  // than 18 of them.
  std::optional<SwfJob> next();

  // The header lines read so far.
  const SwfHeader& header() const { return header_; }

  // Throws InputError for the line that was read last unless it had all 18 fields.
  void require_all_fields(const SwfJob& job) const;

 private:
  [[noreturn]] void fail(const std::string& message) const;
  void add_header(std::string_view text);
  SwfJob job(std::string_view text) const;
  double number(const char*& at, const char* end) const;
  bool next_line(std::string_view& line);
  bool fill();

  std::string file_;
  std::size_t line_ = 0;
  SwfHeader header_ = {};
  std::unique_ptr<GzipSource> source_;  // null: the whole text is in the buffer
  std::string buffer_ = {};
  std::size_t begin_ = 0;  // of the next line
  std::size_t seen_ = 0;   // no line ends before this
};

// The whole log. Throws InputError with file and line for a line that does not have 18 numbers, and
// for a file that cannot be read; "-" is standard input.
SwfLog read_swf(const std::string& path);
SwfLog parse_swf(std::string_view text, const std::string& file);

// The text of a log. Reading it gives an equal log.
std::string format_swf(const SwfLog& log);

}  // namespace dovetail::io
