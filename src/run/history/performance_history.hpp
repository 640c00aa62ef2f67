// The measured times of tasks: an SQLite file that runs add to and plans read.
//
//   PerformanceHistory history(PerformanceHistory::default_path());
//   history.add(measurements);
//   auto known = history.of("demo", "solve", machine_name());   // newest first
//
// Several processes may use one file at the same time. One object belongs to one thread. If the
// file cannot be used, an ExecutionError says what to do; a run continues without it.
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
  std::int64_t peak_kib = 0;     // of its largest process
  std::int64_t peak_memory = 0;  // bytes, of all its processes at a time; 0: not measured
  WallTime time = 0;             // when it ended
  double estimate = 0;           // seconds, of the plan; 0: none
  bool was_assumed = false;      // the estimate was assumed: no measurement, no time in the file
  friend bool operator==(const Measurement&, const Measurement&) = default;
};

// The machine under whose name times are stored, since they say nothing about other machines:
// $DOVETAIL_MACHINE (for hosts that share their times or change their names), else the host's name.
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

  // Adding a measurement of a task deletes older ones beyond this number.
  static constexpr std::size_t kKeptPerTask = 100;
  static constexpr std::size_t kDefaultLimit = 1000;

  // history.sqlite in the state folder.
  static std::string default_path();

  // The file need not exist: the first add() creates it. Throws ExecutionError when the file is
  // not a history.
  explicit PerformanceHistory(std::string path);
  ~PerformanceHistory();
  PerformanceHistory(PerformanceHistory&&) noexcept;
  PerformanceHistory& operator=(PerformanceHistory&&) noexcept;

  const std::string& path() const { return path_; }

  // Adds all or none. The same end of the same task counts once, so adding it again is harmless.
  void add(std::span<const Measurement> measurements);

  // The measurements of all tasks of a kind, and of one task, newest first.
  std::vector<Measurement> of(const std::string& workflow, const std::string& kind,
                              const std::string& machine, std::size_t limit = kDefaultLimit) const;
  std::vector<Measurement> of_task(const std::string& workflow, const std::string& task,
                                   const std::string& machine,
                                   std::size_t limit = kKeptPerTask) const;

  // All kinds with measurements, by name.
  std::vector<Kind> kinds() const;

 private:
  struct Closer {
    void operator()(sqlite3* database) const;
  };
  using Database = std::unique_ptr<sqlite3, Closer>;

  // The newest measurements whose `column` has that value.
  std::vector<Measurement> newest(const char* column, const std::string& value,
                                  const std::string& workflow, const std::string& machine,
                                  std::size_t limit) const;

  // Whether the table has a column for it: earlier versions did not make one.
  bool has_memory(sqlite3* database) const;

  // Opens the file; null if it does not exist or is still empty.
  sqlite3* for_reading() const;
  sqlite3* for_writing();
  Database open(int flags) const;

  std::string path_;
  mutable Database database_;
  mutable bool is_made_ = false;     // it has tables of our version
  mutable bool has_memory_ = false;  // which have a column for the memory of all processes
};

}  // namespace dovetail::run
