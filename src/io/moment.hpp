// Reads times in Dovetail's own files: seconds of either sign, a duration of either sign, or, on a
// wall clock, a date. Cluster files and events share this form.
//
//   const Clock clock{.wall = is_date(now)};
//   double seconds = read_moment(record, record.need("start"), clock);
//
// The caller rounds, since the direction depends on what the time is for.
#pragma once

#include <string_view>

#include "io/schema.hpp"

namespace dovetail::io {

// The clock of the times in a file.
struct Clock {
  bool wall = false;                 // the platform's now is a date; times count from 1970
  std::string_view now = "\"now\"";  // the name of the field that decides this, for messages
};

// Whether the field is a date with its zone.
bool is_date(Value field);

// Seconds on the clock. Throws InputError for anything else, and for a duration on a wall clock,
// which has no starting point.
double read_moment(const Record& record, Value field, const Clock& clock);

}  // namespace dovetail::io
