// How much work fits into a calendar: its free processors, summed over time.
#pragma once

#include <optional>
#include <vector>

#include "dovetail/calendar.hpp"
#include "dovetail/metrics.hpp"

namespace dovetail {

class FreeArea {
 public:
  // Counts from `from` on.
  FreeArea(const Calendar& calendar, Time from);

  // Processor-milliseconds that are free until t.
  Area until(Time t) const;

  // The first whole millisecond by which this much is free; nothing when there never is.
  std::optional<Time> first_with(Area area) const;

 private:
  struct Piece {
    Step step;
    Area before = 0;  // what is free until it begins
  };
  std::vector<Piece> pieces_;
};

}  // namespace dovetail
