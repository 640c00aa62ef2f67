#include "planners/list/steady_path.hpp"

#include <algorithm>
#include <utility>

namespace dovetail {

SteadyPath::SteadyPath(const std::vector<TaskId>& tasks, std::vector<Duration> margins,
                       Better better)
    : better_(std::move(better)), margins_(std::move(margins)) {
  heap_.reserve(tasks.size());
  for (std::size_t place = 0; place < tasks.size(); ++place) heap_.push_back({tasks[place], place});
  std::make_heap(heap_.begin(), heap_.end(),
                 [this](const QueuedTask& a, const QueuedTask& b) { return worse(a, b); });
  for (std::size_t begin = 0; begin < margins_.size(); begin += kBlock) {
    const auto first = margins_.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto last =
        margins_.begin() + static_cast<std::ptrdiff_t>(std::min(begin + kBlock, margins_.size()));
    least_.push_back(*std::min_element(first, last));
  }
  lost_.assign(least_.size(), 0);
}

bool SteadyPath::shortened(Duration by) {
  const auto order = [this](const QueuedTask& a, const QueuedTask& b) { return worse(a, b); };
  // pop_heap compares only the other entries, so the changed gain of the front does no harm.
  std::pop_heap(heap_.begin(), heap_.end(), order);
  const std::size_t place = heap_.back().place;
  std::push_heap(heap_.begin(), heap_.end(), order);
  return lower_margins(place, by);
}

bool SteadyPath::lower_margins(std::size_t last, Duration by) {
  const std::size_t last_block = last / kBlock;
  Duration least = kForever;
  for (std::size_t block = 0; block < last_block; ++block) {
    lost_[block] += by;
    least_[block] -= by;
    least = std::min(least, least_[block]);
  }
  const std::size_t begin = last_block * kBlock;
  const std::size_t end = std::min(begin + kBlock, margins_.size());
  for (std::size_t i = begin; i <= last; ++i) margins_[i] -= by;
  least_[last_block] = *std::min_element(margins_.begin() + static_cast<std::ptrdiff_t>(begin),
                                         margins_.begin() + static_cast<std::ptrdiff_t>(end)) -
                       lost_[last_block];
  return std::min(least, least_[last_block]) > 0;
}

}  // namespace dovetail
