#include "study/parallel.hpp"

#include <algorithm>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace dovetail {
namespace {

// Distributes the items and counts the finished ones.
class WorkCounter {
 public:
  WorkCounter(std::size_t count, const Progress& progress) : count_(count), progress_(progress) {}

  void serve(const std::function<void(std::size_t)>& work) {
    std::unique_lock lock(mutex_);
    while (next_ < count_ && !error_) {
      const std::size_t item = next_++;
      lock.unlock();
      std::exception_ptr error;
      try {
        work(item);
      } catch (...) {
        error = std::current_exception();
      }
      lock.lock();
      if (error && !error_) error_ = error;
      ++done_;
      if (!error_ && progress_) progress_(done_, count_);
    }
  }

  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  const std::size_t count_;
  const Progress& progress_;
  std::mutex mutex_;  // guards everything below
  std::size_t next_ = 0;
  std::size_t done_ = 0;
  std::exception_ptr error_;
};

}  // namespace

void parallel_for(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& work,
                  const Progress& progress) {
  if (threads == 0) threads = std::max(1U, std::thread::hardware_concurrency());
  WorkCounter counter(count, progress);
  {
    std::vector<std::jthread> helpers;
    for (std::size_t i = 1; i < std::min<std::size_t>(threads, count); ++i) {
      helpers.emplace_back([&] { counter.serve(work); });
    }
    counter.serve(work);
  }
  counter.rethrow();
}

}  // namespace dovetail
