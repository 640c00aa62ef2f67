#include "planners/search/scratch_calendar.hpp"

#include <algorithm>
#include <cstring>

namespace dovetail::planning {

ScratchCalendar::ScratchCalendar(const Calendar& calendar, Time origin, std::size_t changes) {
  for (const Step& step : calendar.steps({origin, kForever})) {
    first_times_.push_back(step.begin);
    first_free_.push_back(step.free);
  }
  first_times_.push_back(kForever);
  times_.resize(first_times_.size() + 2 * changes);
  free_.resize(times_.size());
  reset();
}

void ScratchCalendar::reset() {
  steps_ = first_free_.size();
  std::memcpy(times_.data(), first_times_.data(), first_times_.size() * sizeof(Time));
  std::memcpy(free_.data(), first_free_.data(), steps_ * sizeof(Count));
}

std::size_t ScratchCalendar::place_of(Time moment) const {
  const auto begin = times_.begin();
  const auto end = begin + static_cast<std::ptrdiff_t>(steps_);
  return static_cast<std::size_t>(std::upper_bound(begin + 1, end, moment) - begin) - 1;
}

std::optional<ScratchCalendar::ScratchPlace> ScratchCalendar::latest_fit(Count procs,
                                                                         Duration length,
                                                                         Time ready,
                                                                         Time deadline) const {
  for (Time end = deadline; end - length >= ready;) {
    // Starts at the last step that overlaps the slot ending here and goes back to its first.
    std::size_t k = place_of(end - 1);
    while (free_[k] >= procs && times_[k] > end - length) --k;
    if (free_[k] >= procs) return ScratchPlace{end - length, k};
    end = times_[k];
  }
  return std::nullopt;
}

void ScratchCalendar::split(std::size_t step, Time at) {
  const std::size_t behind = steps_ - step;
  std::memmove(&times_[step + 2], &times_[step + 1], behind * sizeof(Time));
  std::memmove(&free_[step + 1], &free_[step], behind * sizeof(Count));
  times_[step + 1] = at;
  ++steps_;
}

void ScratchCalendar::change(std::size_t step, Time begin, Time end, Count by) {
  if (times_[step] != begin) split(step++, begin);
  while (times_[step + 1] <= end) {
    free_[step++] += by;
    if (times_[step] == end) return;
  }
  split(step, end);
  free_[step] += by;
}

}  // namespace dovetail::planning
