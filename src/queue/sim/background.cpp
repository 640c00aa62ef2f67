#include "queue/sim/background.hpp"

#include <algorithm>
#include <numeric>

namespace dovetail::queue {

void RecentWaits::add(Time start, Duration request, Duration wait) {
  while (!starts_.empty() && starts_.front().start < start - kDay) starts_.pop_front();
  starts_.push_back({start, request, wait});
}

std::optional<Duration> RecentWaits::median(Time now, Duration request) const {
  std::vector<Duration> waits;
  for (const StartedJob& job : starts_) {
    const bool is_alike = job.request <= 2 * request && request <= 2 * job.request;
    if (job.start >= now - kDay && is_alike) waits.push_back(job.wait);
  }
  if (waits.empty()) return std::nullopt;
  const auto middle = waits.begin() + static_cast<std::ptrdiff_t>(waits.size() / 2);
  std::ranges::nth_element(waits, middle);
  return *middle;
}

void RecentUse::set(Time now, Count busy) {
  if (!begin_) begin_ = last_ = now;
  last_ = std::max(last_, now - kDay);
  while (last_ < now) {
    const Time hour = last_ / kHour;
    const Time end = std::min(now, (hour + 1) * kHour);
    double& used = used_[static_cast<std::size_t>(hour) % kHours];
    if (last_ % kHour == 0) used = 0;
    used += static_cast<double>(busy_) * static_cast<double>(end - last_);
    last_ = end;
  }
  busy_ = busy;
}

std::optional<double> RecentUse::mean(Time now) const {
  RecentUse told = *this;
  told.set(now, 0);
  if (!begin_ || now <= *begin_) return std::nullopt;
  // The present hour has taken the place of the same hour of yesterday.
  const Duration covered = std::min(now - *begin_, kDay - kHour + (now - 1) % kHour + 1);
  return std::accumulate(told.used_.begin(), told.used_.end(), 0.0) / static_cast<double>(covered);
}

Time Background::next() {
  const Job* job = jobs_.peek();
  return job == nullptr ? machine_.next() : std::min(job->submit, machine_.next());
}

std::span<const JobSlot> Background::pass() {
  const auto started = machine_.pass();
  for (const JobSlot slot : started) {
    const Job& job = machine_.job(slot);
    if (job.ask.nodes == 1) {
      recent_.add(machine_.now(), job.ask.length, machine_.now() - job.submit);
    }
  }
  use_.set(machine_.now(), machine_.busy() - machine_.busy_open_ended());
  return started;
}

std::vector<Background> forks_at(Background background, std::span<const Time> moments) {
  std::vector<Background> forks;
  forks.reserve(moments.size());
  for (const Time moment : moments) {
    background.run_through(moment);
    forks.push_back(background);
  }
  return forks;
}

void Background::run_through(Time now) {
  for (Time time = next(); time <= now; time = next()) {
    open(time);
    arrive();
    pass();
  }
  machine_.open(now);
}

}  // namespace dovetail::queue
