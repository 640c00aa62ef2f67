// Time as whole milliseconds, and its text forms.
//
// Everything inside the program is a 64-bit count of milliseconds; intervals are half-open.
// Seconds appear only in files and on the command line and are rounded here, at the edge:
//
//   Time start = time_floor(17.25);                  // 17250
//   auto length = parse_duration("1-12:00:00");      // 129600.0 seconds
//   std::string text = format_duration(5'400'000);   // "1h30m"
//
// All functions are pure and safe to call from any thread.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace dovetail {

using Time = std::int64_t;            // milliseconds
using Duration = std::int64_t;        // milliseconds
using Count = std::int32_t;           // processors
__extension__ typedef __int128 Area;  // processor-milliseconds

inline constexpr Duration kSecond = 1000;
inline constexpr Duration kMinute = 60 * kSecond;
inline constexpr Duration kHour = 60 * kMinute;
inline constexpr Duration kDay = 24 * kHour;

// Far beyond any real time, yet safe to add durations to.
inline constexpr Time kForever = std::numeric_limits<Time>::max() / 4;
inline constexpr Time kBeginning = -kForever;

// The longest single time that a file or an option may give, in seconds (over 300 years). A problem
// may take at most 8e12 seconds in total, so that every time of a plan is exact in milliseconds,
// even in files.
inline constexpr double kMaxSeconds = 1e10;

// The most processors a cluster may have.
inline constexpr Count kMaxProcessors = 10'000'000;

struct Interval {
  Time begin = 0;
  Time end = 0;  // not part of the interval
  friend bool operator==(const Interval&, const Interval&) = default;
};

// Seconds to milliseconds, rounded down or up, with a guard of 1e-6 ms against binary noise.
Time time_floor(double seconds);
Time time_ceil(double seconds);

inline double to_seconds(Time t) { return static_cast<double>(t) / 1000.0; }

// "90", "1.5", "1m30s", "2h", "1d 4h", "12:30" (minutes:seconds), "12:00:00", "1-12", "1-12:00:00".
// Returns seconds; nothing when the text is not a duration. Negative values are rejected.
std::optional<double> parse_duration(std::string_view text);

// "2026-11-15T08:00:00Z", with optional fraction and with Z or an offset such as +01:00. Returns
// seconds since 1970; nothing when the text is no date of this form. An offset is required: a date
// without one means different moments on different machines.
std::optional<double> parse_date(std::string_view text);

// "0s", "45s", "1m30s", "5h02m", "9d 3h", "9d 3h05m": for people, exact to the minute or better.
std::string format_duration(Duration length);

// "9h52m11.5s": a duration without spaces. parse_duration reads it back as the same length, or a
// few milliseconds longer where a double cannot distinguish them. Lengths beyond kMaxSeconds are
// cut to it.
std::string exact_duration(Duration length);

// "2026-11-15 08:00:00Z" for a moment counted from 1970.
std::string format_date(Time moment);

// Seconds with as many decimals as needed and no more: 8123500 -> "8123.5".
std::string format_seconds(Time t);

// A time on a platform's clock, exact to the millisecond: a date if the clock has dates
// ("2026-11-15 08:00:00.5Z"), else seconds.
std::string format_clock(Time moment, bool wall_clock);

}  // namespace dovetail
