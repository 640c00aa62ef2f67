// Ends calls that take too long as a whole. Time limits of single reads do not: who sends a byte
// now and then would keep us for ever.
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

  // While it is there: what goes over a socket ends at that time.
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
      run::Descriptor socket;  // a copy: its number is not given to others meanwhile
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
