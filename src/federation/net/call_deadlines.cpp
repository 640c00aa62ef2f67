#include "federation/net/call_deadlines.hpp"

#include <fcntl.h>
#include <sys/socket.h>

#include <algorithm>

namespace dovetail::federation {

CallDeadlines::~CallDeadlines() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  changed_.notify_all();
  if (worker_.joinable()) worker_.join();
}

CallDeadlines::Watch::Watch(CallDeadlines& all, Clock::time_point until) : all_(all) {
  const std::lock_guard lock(all_.mutex_);
  entry_ = all_.entries_.insert(all_.entries_.end(), {.until = until, .socket = {}});
  if (!all_.worker_.joinable()) all_.worker_ = std::thread([&all] { all.work(); });
  all_.changed_.notify_all();
}

CallDeadlines::Watch::~Watch() {
  const std::lock_guard lock(all_.mutex_);
  all_.entries_.erase(entry_);
}

void CallDeadlines::Watch::set(int socket) {
  run::Descriptor copy(fcntl(socket, F_DUPFD_CLOEXEC, 0));
  const std::lock_guard lock(all_.mutex_);
  entry_->socket = std::move(copy);
  entry_->is_cut = false;
  all_.changed_.notify_all();
}

void CallDeadlines::work() {
  std::unique_lock lock(mutex_);
  while (!is_over_) {
    auto next = Clock::now() + std::chrono::minutes(1);
    for (Watch::Entry& entry : entries_) {
      if (entry.is_cut || !entry.socket.is_open()) continue;
      if (entry.until > Clock::now()) {
        next = std::min(next, entry.until);
        continue;
      }
      entry.is_cut = true;
      shutdown(entry.socket.get(), SHUT_RDWR);
    }
    changed_.wait_until(lock, next);
  }
}

}  // namespace dovetail::federation
