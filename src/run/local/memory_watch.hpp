// How much memory the processes below this one use together. Short tasks are never looked at, long
// ones at most once a second and for at most a hundredth of a processor: the peak between two looks is
// missed. Where nothing can be seen the peak stays 0.
//
//   MemoryWatch memory;
//   if (elapsed >= memory.next_look()) memory.look(elapsed);
//   memory.peak();   // bytes
//
// Memory that several processes share counts once.
#pragma once

#include <cstdint>

namespace dovetail::run {

class MemoryWatch {
 public:
  // When to look again, in seconds after the task began.
  double next_look() const { return next_look_; }

  void look(double elapsed);

  // In bytes: of the last look, and the most of any.
  std::int64_t current() const { return current_; }
  std::int64_t peak() const { return peak_; }

 private:
  double next_look_ = 0.1;
  std::int64_t current_ = 0;
  std::int64_t peak_ = 0;
};

// What the processes below that one use now, in bytes: what they share counts once if that may
// decide whether it is more than `known`; else it may count several times, in a sum that is no more
// than that.
std::int64_t memory_below(std::int64_t process, std::int64_t known);

}  // namespace dovetail::run
