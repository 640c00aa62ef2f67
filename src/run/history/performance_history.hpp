// What tasks really took: an SQLite file that every run adds to and every plan may ask.
//
//   PerformanceHistory history(PerformanceHistory::default_path());
//   history.add(measurements);
//   auto known = history.of("demo", "solve", machine_name());   // newest first
//
// Several processes may use one file at the same time. One object belongs to one thread. A file
// that cannot be used is an ExecutionError whose text says what to do; a run must go on without it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dovetail/time.hpp"
#include "run/clock.hpp"

struct sqlite3;

namespace dovetail::run {

// An attempt that succeeded.
struct Measurement {
  std::string workflow = {};
  std::string kind = {};  // Workflow::kind
  std::string task = {};
  std::string machine = {};
  std::string run = {};
  Count processors = 1;
  double seconds = 0;
  double cpu_seconds = 0;
  std::int64_t peak_kib = 0;  // of its largest process
  WallTime time = 0;          // when it ended
  double estimate = 0;        // seconds that the plan gave it; 0: none
  bool was_assumed = false;   // the estimate was a guess: never measured, and no time in the file
  friend bool operator==(const Measurement&, const Measurement&) = default;
};

// $DOVETAIL_MACHINE, for machines whose times are to be shared or whose names change; else the name
// of the host. Times of one machine say nothing about another.
std::string machine_name();

class PerformanceHistory {
 public:
  // Tasks of one kind, on one machine.
  struct Kind {
    std::string workflow = {};
    std::string kind = {};
    std::string machine = {};
    friend bool operator==(const Kind&, const Kind&) = default;
  };

  // Older ones are forgotten when a task is measured again, so that the file does not grow for
  // ever.
  static constexpr std::size_t kKeptPerTask = 100;
  static constexpr std::size_t kDefaultLimit = 1000;

  // history.sqlite in the state folder.
  static std::string default_path();

  // The file need not be there: then nothing is known, and the first add() makes it. Throws
  // ExecutionError when there is something at that place that is no history.
  explicit PerformanceHistory(std::string path);
  ~PerformanceHistory();
  PerformanceHistory(PerformanceHistory&&) noexcept;
  PerformanceHistory& operator=(PerformanceHistory&&) noexcept;

  const std::string& path() const { return path_; }

  // All of them or none. The same end of the same task counts once, however often it is added: who
  // does not know whether it was may add it again.
  void add(std::span<const Measurement> measurements);

  // Those of all tasks of a kind, newest first, and those of one task.
  std::vector<Measurement> of(const std::string& workflow, const std::string& kind,
                              const std::string& machine, std::size_t limit = kDefaultLimit) const;
  std::vector<Measurement> of_task(const std::string& workflow, const std::string& task,
                                   const std::string& machine,
                                   std::size_t limit = kKeptPerTask) const;

  // All that were measured, in the order of their names.
  std::vector<Kind> kinds() const;

 private:
  struct Closer {
    void operator()(sqlite3* database) const;
  };
  using Database = std::unique_ptr<sqlite3, Closer>;

  // Opens the file if it is there; null while nothing can have been added.
  sqlite3* for_reading() const;
  sqlite3* for_writing();
  Database open(int flags) const;

  std::string path_;
  mutable Database database_;
  mutable bool is_made_ = false;  // its tables are there, and of our version
};

}  // namespace dovetail::run
