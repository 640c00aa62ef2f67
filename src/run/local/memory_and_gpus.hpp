// Memory and GPUs of the machine that a run is on: what it may use of them, what a task takes, and
// what is free of them over time.
//
//   FreeRoom free(processors, {.memory = 8 * kGibibyte, .gpus = 2});
//   if (auto start = free.earliest_fit(4, {.memory = kGibibyte}, length, now)) ...
//   free.reserve({*start, *start + length}, 4, {.memory = kGibibyte});
#pragma once

#include <optional>
#include <string>

#include "dovetail/calendar.hpp"
#include "dovetail/nodes.hpp"
#include "dovetail/time.hpp"

namespace dovetail::run {

struct MemoryAndGpus {
  Bytes memory = 0;  // as a limit, 0: memory does not count
  Count gpus = 0;
  friend bool operator==(const MemoryAndGpus&, const MemoryAndGpus&) = default;
};

// What a task takes on that many processors of one machine.
MemoryAndGpus taken_by(const TaskNeeds& needs, Count processors);

// Rounded up to whole mebibytes, in which memory is leased.
inline Bytes leased_size(Bytes memory) { return (memory + kMebibyte - 1) / kMebibyte * kMebibyte; }

// For people: "640 KiB", "50.0 MiB", "1.5 GiB".
std::string memory_text(Bytes size);

// Free processors, memory and GPUs, asked together. What no one needs is not counted and costs
// nothing. A value.
class FreeRoom {
 public:
  // All of `limit` is free for ever. Memory and GPUs are counted only where `counts` says so.
  FreeRoom(Calendar processors, const MemoryAndGpus& limit, const MemoryAndGpus& counts);

  Count processors_at(Time time) const { return processors_.free_at(time); }

  // The smallest time from `ready` on at which all of it is free for that long; nothing when there
  // is none.
  std::optional<Time> earliest_fit(Count processors, const MemoryAndGpus& room, Duration length,
                                   Time ready) const;

  // Needs it to be free throughout.
  void reserve(Interval window, Count processors, const MemoryAndGpus& room);

  // Takes as much of it as is free.
  void take(Interval window, Count processors, const MemoryAndGpus& room);

 private:
  Count units(Bytes memory) const;

  Calendar processors_;
  // Of memory, in units that keep the count small. Nothing where it is not counted.
  std::optional<Calendar> memory_;
  std::optional<Calendar> gpus_;
  Bytes limit_ = 0;
  Bytes unit_ = kMebibyte;
};

}  // namespace dovetail::run
