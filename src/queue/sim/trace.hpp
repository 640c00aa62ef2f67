// From a log in the Standard Workload Format to the jobs that a replay submits.
//
//   Trace trace = read_trace("KTH-SP2.swf.gz", {.requests = Requests::real});
//   for (const Job& job : trace.jobs) submit(job);
//
// Which lines count, and how their fields are read, is decided here and nowhere else; docs/queue.md
// has the rules.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/formats/swf.hpp"
#include "queue/policies/job.hpp"

namespace dovetail::queue {

enum class NeverRan { drop, request };  // jobs that left the queue before they ran
enum class Overrun { raise, kill };     // run longer than requested: raise the request, or cut
enum class Requests { real, accurate };

struct TraceRules {
  Requests requests = Requests::real;
  NeverRan never_ran = NeverRan::drop;
  Overrun overrun = Overrun::raise;
  Count nodes = 0;                // of the machine; 0: as the log says
  Count processors_per_node = 1;  // 0: as the header says, unless `nodes` is given
  double stretch = 1;             // submit times are multiplied by this
  Time from = 0;                  // only jobs submitted at or after this ...
  Time until = kForever;          // ... and before this, counted from the first job of the log
  std::size_t limit = 0;          // at most this number of them; 0: all
};

// Whether jobs of the log may be left out by when they were submitted.
inline bool selects_part(const TraceRules& rules) {
  return rules.from > 0 || rules.until < kForever || rules.limit > 0;
}

// Lines that were left out, by reason.
struct Dropped {
  std::size_t fields = 0;  // fewer than 11
  std::size_t partial = 0;
  std::size_t submit = 0;  // negative, or beyond kMaxSeconds
  std::size_t never_ran = 0;
  std::size_t procs = 0;
  std::size_t time = 0;
  std::size_t large = 0;

  std::size_t total() const { return fields + partial + submit + never_ran + procs + time + large; }
  friend bool operator==(const Dropped&, const Dropped&) = default;
};

// The job of a line, or nothing and one more of what was dropped. Times count from the log's start.
std::optional<Job> job_of_line(const io::SwfJob& line, const TraceRules& rules, Count nodes,
                               Dropped& dropped);

// One job after the other, in order of submission, the first at 0.
class JobSource {
 public:
  virtual ~JobSource() = default;
  // The next job, which stays the next until pop(); null at the end.
  virtual const Job* peek() = 0;
  virtual void pop() = 0;
};

struct TraceInfo {
  std::string name;
  Count nodes = 0;
  Count processors_per_node = 1;
  std::size_t jobs = 0;
  Dropped dropped;
  std::optional<std::int64_t> unix_start;  // of time 0
  io::SwfHeader header;                    // empty for JSON
};

// A log that is read as it is replayed, in memory only as far as needed. (Logs that are not sorted
// by submit time are kept as a whole.) SWF, or JSON of the form {"nodes": N, "jobs": [{"id",
// "submit", "run", "req", "nodes"}]}, by its content.
class TraceFile {
 public:
  // Reads the log once to learn its size and order; "-" is standard input. Throws InputError.
  TraceFile(const std::string& path, const TraceRules& rules);
  // The text itself.
  TraceFile(std::string text, const std::string& file, const TraceRules& rules);

  const TraceInfo& info() const { return info_; }
  std::unique_ptr<JobSource> jobs() const;

  // The lines of the log that jobs() is made from, one for each job and in the same order. What
  // JSON does not say is -1.
  std::vector<io::SwfJob> lines() const;

 private:
  void scan_swf();
  void learn_machine(const io::SwfHeader& header);
  void keep_all();
  // The jobs of all lines that count, selected or not, in the order of the file.
  void for_each_kept(const std::function<void(const Job&, const io::SwfJob&)>& use) const;
  void take_json(std::string_view text);

  std::string file_;
  TraceRules rules_;
  std::function<io::SwfReader()> open_;
  TraceInfo info_;
  Time first_submit_ = 0;
  std::shared_ptr<const std::vector<Job>> all_;  // where the log cannot be read job by job
};

struct Trace {
  TraceInfo info;
  std::vector<Job> jobs;
};

// A whole log at once.
Trace read_trace(const std::string& path, const TraceRules& rules);
Trace all_of(const TraceFile& file);

// Jobs that are in memory already, in order of submission. A copy goes its own way.
class JobList final : public JobSource {
 public:
  explicit JobList(std::shared_ptr<const std::vector<Job>> jobs) : jobs_(std::move(jobs)) {}
  const Job* peek() override { return next_ < jobs_->size() ? &(*jobs_)[next_] : nullptr; }
  void pop() override { ++next_; }

 private:
  std::shared_ptr<const std::vector<Job>> jobs_;
  std::size_t next_ = 0;
};

}  // namespace dovetail::queue
