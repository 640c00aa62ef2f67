// Ends calls that take too long in total. Time limits of single reads are not enough: a peer that
// sends a byte now and then could hold us for ever. Safe to share between threads; starts one
// thread of its own at the first call.
#pragma once

#include <chrono>
#include <condition_variable>
#include <list>
#include <mutex>
#include <thread>

#include "run/local/descriptor.hpp"

namespace dovetail::federation {

// Safe to share between threads; one thread of its own, from the first call on.
class CallDeadlines {
 public:
  using Clock = std::chrono::steady_clock;

  CallDeadlines() = default;
  ~CallDeadlines();
  CallDeadlines(const CallDeadlines&) = delete;
  CallDeadlines& operator=(const CallDeadlines&) = delete;

  // While this object exists, communication over its socket ends at the given time.
  class Watch {
   public:
    Watch(CallDeadlines& all, Clock::time_point until);
    ~Watch();
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

    // The socket of the call, once there is one.
    void set(int socket);

   private:
    friend class CallDeadlines;
    struct Entry {
      Clock::time_point until;
      run::Descriptor socket;  // a duplicate, so that its number is not reused
      bool is_cut = false;
    };
    CallDeadlines& all_;
    std::list<Entry>::iterator entry_;
  };

 private:
  void work();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::list<Watch::Entry> entries_;
  bool is_over_ = false;
  std::thread worker_;
};

}  // namespace dovetail::federation
