// The place of one task: processors, start and end.
#pragma once

#include "dovetail/time.hpp"

namespace dovetail::planning {

struct Slot {
  Count procs = 0;
  Time start = 0;
  Time end = 0;
  friend bool operator==(const Slot&, const Slot&) = default;
};

}  // namespace dovetail::planning
