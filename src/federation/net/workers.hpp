// Threads that do pieces of work as they come.
//
//   Workers workers(64);
//   workers.add([] { answer(); });
//
// A thread starts when there is work for it and none is idle. Safe to share between threads.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace dovetail::federation {

class Workers {
 public:
  explicit Workers(std::size_t most) : most_(most) {}
  // Waits for the work that is being done, and drops the rest.
  ~Workers() { stop(); }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  // The work must not throw. It is done at once if fewer than `most` pieces are under way. Throws
  // std::system_error when it cannot be done because no thread can be started.
  void add(std::function<void()> work);

  // What the destructor does; nothing is done from then on.
  void stop();

 private:
  void work();

  const std::size_t most_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> waiting_;
  std::size_t idle_ = 0;
  bool is_over_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace dovetail::federation
