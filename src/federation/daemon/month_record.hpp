// The journal of a daemon and what it means: one writer, many readers. Readers wait for no disk:
// the state changes in memory alone, after the entry is on disk.
//
//   MonthRecord record(folder.journal());
//   record.write(entry);                                  // the writer
//   record.read([](const MonthState& state) { ... });     // any thread, quickly
//
// The journal is made short while the daemon runs: it stays within twice of what is to be
// remembered, and some more.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>

#include "federation/daemon/month_state.hpp"
#include "run/journal_file.hpp"

namespace dovetail::federation {

// How much is remembered of what is over, for each client: then the oldest requests are forgotten.
struct MemoryOfRequests {
  std::int64_t requests = 1000;
  std::int64_t bytes = 8'000'000;
};

class MonthRecord {
 public:
  // Throws InputError, with file and line, for a damaged journal, and ExecutionError when it cannot
  // be read or written.
  explicit MonthRecord(std::string journal, MemoryOfRequests memory = {});

  // For the writer, which is one thread at a time.
  const MonthState& state() const { return state_; }

  // True for readers when it is on disk. Throws ExecutionError when it cannot be written; then it
  // never happened. One thread at a time.
  void write(const Json& entry);

  // What the question says about the state of this moment.
  template <typename Question>
  auto read(const Question& question) const {
    const std::lock_guard lock(mutex_);
    return question(state_);
  }

  // Returns when the question is answered by true, or at that time. It is asked anew with every
  // announcement.
  template <typename Question>
  void wait(std::chrono::steady_clock::time_point until, const Question& question) const {
    std::unique_lock lock(mutex_);
    changed_.wait_until(lock, until, [&] { return question(state_); });
  }

  // Wakes those that wait.
  void announce();

  // Makes the journal short when it has become long. Like write(); pointers into the state are not
  // valid any more.
  void tidy();

 private:
  std::string path_;
  MemoryOfRequests memory_;
  mutable std::mutex mutex_;  // held by readers, and by the writer while it changes the state
  mutable std::condition_variable changed_;
  MonthState state_;
  std::optional<run::JournalWriter> journal_;
  std::uintmax_t shorten_at_ = 0;  // bytes
};

}  // namespace dovetail::federation
