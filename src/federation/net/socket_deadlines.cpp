#include "federation/net/socket_deadlines.hpp"

#include <fcntl.h>
#include <sys/socket.h>

#include <algorithm>

namespace dovetail::federation {

using Clock = std::chrono::steady_clock;

SocketDeadlines::~SocketDeadlines() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  changed_.notify_all();
  if (worker_.joinable()) worker_.join();
}

SocketDeadlines::Watch::Watch(SocketDeadlines& all) : all_(all) {
  const std::lock_guard lock(all_.mutex_);
  entry_ = all_.entries_.emplace(all_.entries_.end());
  if (!all_.worker_.joinable()) all_.worker_ = std::thread([&all] { all.work(); });
}

SocketDeadlines::Watch::~Watch() {
  const std::lock_guard lock(all_.mutex_);
  all_.entries_.erase(entry_);
}

void SocketDeadlines::Watch::set(int socket) {
  run::Descriptor copy(fcntl(socket, F_DUPFD_CLOEXEC, 0));
  if (!copy.is_open()) shutdown(socket, SHUT_RDWR);
  const std::lock_guard lock(all_.mutex_);
  entry_->socket = std::move(copy);
  entry_->is_cut = false;
  all_.changed_.notify_all();
}

void SocketDeadlines::Watch::allow(double seconds, std::function<void()> on_cut) {
  const std::chrono::duration<double> length(seconds);
  const std::lock_guard lock(all_.mutex_);
  entry_->until = Clock::now() + std::chrono::duration_cast<Clock::duration>(length);
  entry_->on_cut = std::move(on_cut);
  all_.changed_.notify_all();
}

void SocketDeadlines::cut_all() {
  const std::lock_guard lock(mutex_);
  for (Watch::Entry& entry : entries_) {
    entry.is_cut = true;
    shutdown(entry.socket.get(), SHUT_RDWR);
  }
}

void SocketDeadlines::work() {
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
      entry.on_cut();
    }
    changed_.wait_until(lock, next);
  }
}

}  // namespace dovetail::federation
