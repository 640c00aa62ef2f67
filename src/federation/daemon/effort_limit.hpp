// What computes long waits for its turn: only a few at a time, so that others are answered.
//
//   const EffortLimit::Turn turn(limit);   // waits, or Refusal when many wait already
//
// Safe to use from several threads.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>

#include "federation/net/message.hpp"

namespace dovetail::federation {

class EffortLimit {
 public:
  EffortLimit(std::size_t at_once, std::size_t waiting) : at_once_(at_once), waiting_(waiting) {}

  class Turn {
   public:
    explicit Turn(EffortLimit& limit) : limit_(limit) { limit_.begin(); }
    ~Turn() { limit_.end(); }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    EffortLimit& limit_;
  };

 private:
  void begin() {
    std::unique_lock lock(mutex_);
    if (all_ >= at_once_ + waiting_) {
      throw Refusal(503, "too many such questions are being answered", "ask again in a while");
    }
    ++all_;
    is_free_.wait(lock, [&] { return computing_ < at_once_; });
    ++computing_;
  }

  void end() {
    const std::lock_guard lock(mutex_);
    --all_;
    --computing_;
    is_free_.notify_one();
  }

  const std::size_t at_once_;
  const std::size_t waiting_;
  std::mutex mutex_;
  std::condition_variable is_free_;
  std::size_t all_ = 0;
  std::size_t computing_ = 0;
};

}  // namespace dovetail::federation
