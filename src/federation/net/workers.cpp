#include "federation/net/workers.hpp"

#include <system_error>
#include <utility>

namespace dovetail::federation {

void Workers::add(std::function<void()> work) {
  const std::lock_guard lock(mutex_);
  if (is_over_) return;
  if (waiting_.size() >= idle_ && threads_.size() < most_) {
    try {
      threads_.emplace_back([this] { this->work(); });
    } catch (const std::system_error&) {
      if (threads_.empty()) throw;
    }
  }
  waiting_.push_back(std::move(work));
  changed_.notify_one();
}

void Workers::stop() {
  std::vector<std::thread> threads;
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
    waiting_.clear();
    threads.swap(threads_);
  }
  changed_.notify_all();
  for (std::thread& thread : threads) thread.join();
}

void Workers::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    ++idle_;
    changed_.wait(lock, [&] { return is_over_ || !waiting_.empty(); });
    --idle_;
    if (is_over_) return;
    {
      const auto next = std::move(waiting_.front());
      waiting_.pop_front();
      lock.unlock();
      next();
    }
    lock.lock();
  }
}

}  // namespace dovetail::federation
