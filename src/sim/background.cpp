#include "sim/background.hpp"

#include <algorithm>

namespace dovetail {

namespace {

constexpr Duration kDay = 86'400 * kSecond;

}  // namespace

void RecentWaits::add(Time start, Duration request, Duration wait) {
  while (!starts_.empty() && starts_.front().start < start - kDay) starts_.pop_front();
  starts_.push_back({start, request, wait});
}

std::optional<Duration> RecentWaits::median(Time now, Duration request) const {
  std::vector<Duration> waits;
  for (const Start& job : starts_) {
    const bool is_alike = job.request <= 2 * request && request <= 2 * job.request;
    if (job.start >= now - kDay && is_alike) waits.push_back(job.wait);
  }
  if (waits.empty()) return std::nullopt;
  const auto middle = waits.begin() + static_cast<std::ptrdiff_t>(waits.size() / 2);
  std::ranges::nth_element(waits, middle);
  return *middle;
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

}  // namespace dovetail
