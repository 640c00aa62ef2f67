#include "queue/sim/machine_history.hpp"

#include <algorithm>

namespace dovetail::queue {

void History::state(Time now, std::size_t waiting, Count busy) {
  if (!has_begun_) {
    has_begun_ = true;
    begin_ = last_ = now;
  }
  while (now - begin_ > step_ * static_cast<Duration>(sums_.size())) widen();
  add({last_, now}, waiting_, busy_);
  last_ = now;
  waiting_ = waiting;
  busy_ = busy;
}

void History::add(Interval window, std::size_t waiting, Count busy) {
  if (waiting == 0 && busy == 0) return;
  for (Time at = window.begin; at < window.end;) {
    const Time number = (at - begin_) / step_;
    const Time end = std::min(window.end, begin_ + (number + 1) * step_);
    const auto length = static_cast<double>(end - at);
    Sum& sum = sums_[static_cast<std::size_t>(number)];
    sum.waiting += static_cast<double>(waiting) * length;
    sum.busy += busy * length;
    at = end;
  }
}

void History::widen() {
  const std::size_t half = sums_.size() / 2;
  for (std::size_t i = 0; i < half; ++i) {
    const Sum& first = sums_[2 * i];
    const Sum& second = sums_[2 * i + 1];
    sums_[i] = {first.waiting + second.waiting, first.busy + second.busy};
  }
  std::fill(sums_.begin() + static_cast<std::ptrdiff_t>(half), sums_.end(), Sum{});
  step_ *= 2;
}

std::vector<draw::MachineMoment> History::moments() const {
  std::vector<draw::MachineMoment> moments;
  for (Time at = begin_; at < last_; at += step_) {
    const Sum& sum = sums_[moments.size()];
    const auto length = static_cast<double>(std::min(last_ - at, step_));
    moments.push_back({at, sum.waiting / length, sum.busy / length});
  }
  return moments;
}

}  // namespace dovetail::queue
