// Moments in our own files: seconds of either sign, a duration of either sign, or, on a wall clock,
// a date. Cluster files and events are written in the same way.
//
//   const Clock clock{.wall = is_date(now)};
//   double seconds = read_moment(record, record.need("start"), clock);
//
// The caller rounds: which way depends on what the moment is for.
#pragma once

#include <string_view>

#include "io/schema.hpp"

namespace dovetail::io {

// On which clock a file's moments are.
struct Clock {
  bool wall = false;                 // the platform's now is a date, and moments count from 1970
  std::string_view now = "\"now\"";  // how messages call the field that decides this
};

// Whether the field is a date with its zone.
bool is_date(Value field);

// Seconds on the clock. Throws InputError for anything else, and for a duration on a wall clock,
// since it is not said from when.
double read_moment(const Record& record, Value field, const Clock& clock);

}  // namespace dovetail::io
