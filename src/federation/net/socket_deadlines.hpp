// Ends communication that takes too long in total. Time limits of single reads are not enough: a
// peer that sends a byte now and then could hold us for ever.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <list>
#include <mutex>
#include <thread>

#include "run/local/descriptor.hpp"

namespace dovetail::federation {

// Safe to share between threads; one thread of its own, from the first watch on.
class SocketDeadlines {
 public:
  SocketDeadlines() = default;
  ~SocketDeadlines();
  SocketDeadlines(const SocketDeadlines&) = delete;
  SocketDeadlines& operator=(const SocketDeadlines&) = delete;

  // Ends communication over all watched sockets now.
  void cut_all();

  // While this object exists, communication over its socket ends at its deadline.
  class Watch {
   public:
    explicit Watch(SocketDeadlines& all);
    ~Watch();
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

    // The socket, once there is one. It is closed to communication if it cannot be watched.
    void set(int socket);

    // Sets the deadline, counted from now. `on_cut` is called when it has passed; it must not use
    // the watch.
    void allow(
        double seconds, std::function<void()> on_cut = [] {});

   private:
    friend class SocketDeadlines;
    struct Entry {
      std::chrono::steady_clock::time_point until = std::chrono::steady_clock::time_point::max();
      run::Descriptor socket = {};  // a duplicate, so that its number is not reused
      std::function<void()> on_cut = {};
      bool is_cut = false;
    };
    SocketDeadlines& all_;
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
