#include "planners/fair/free_area.hpp"

#include <algorithm>

namespace dovetail {

FreeArea::FreeArea(const Calendar& calendar, Time from) {
  Area before = 0;
  for (const Step& step : calendar.steps({from, kForever})) {
    pieces_.push_back({step, before});
    before += Area{step.free} * (step.end - step.begin);
  }
}

Area FreeArea::until(Time t) const {
  const auto next = std::ranges::partition_point(
      pieces_, [t](const Piece& piece) { return piece.step.begin < t; });
  if (next == pieces_.begin()) return 0;
  const Piece& piece = *std::prev(next);
  return piece.before + Area{piece.step.free} * (std::min(t, piece.step.end) - piece.step.begin);
}

std::optional<Time> FreeArea::first_with(Area area) const {
  if (area <= 0) return pieces_.front().step.begin;
  const auto next = std::ranges::partition_point(
      pieces_, [area](const Piece& piece) { return piece.before < area; });
  const Piece& piece = *std::prev(next);
  if (piece.step.free == 0) return std::nullopt;  // the last one, and the cluster has left
  const Area missing = area - piece.before;
  const auto needed = static_cast<Duration>((missing + piece.step.free - 1) / piece.step.free);
  if (needed > piece.step.end - piece.step.begin) return std::nullopt;
  return piece.step.begin + needed;
}

}  // namespace dovetail
