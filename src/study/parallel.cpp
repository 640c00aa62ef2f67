#include "study/parallel.hpp"

#include <algorithm>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace dovetail::study {

void parallel_for(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& work,
                  const Progress& progress) {
  if (threads == 0) threads = std::max(1U, std::thread::hardware_concurrency());
  std::mutex mutex;  // guards the next three
  std::size_t next = 0;
  std::size_t done = 0;
  std::exception_ptr first_error;
  const auto serve = [&] {
    std::unique_lock lock(mutex);
    while (next < count && !first_error) {
      const std::size_t item = next++;
      lock.unlock();
      std::exception_ptr error;
      try {
        work(item);
      } catch (...) {
        error = std::current_exception();
      }
      lock.lock();
      if (error && !first_error) first_error = error;
      ++done;
      if (!first_error && progress) progress(done, count);
    }
  };
  {
    std::vector<std::jthread> helpers;
    for (std::size_t i = 1; i < std::min<std::size_t>(threads, count); ++i) {
      helpers.emplace_back(serve);
    }
    serve();
  }
  if (first_error) std::rethrow_exception(first_error);
}

}  // namespace dovetail::study
