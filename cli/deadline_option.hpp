// Moments on the command line: --now and --deadline.
#pragma once

#include <string>

#include "dovetail/platform.hpp"

namespace dovetail::cli {

// The platform planned at the moment that --now names: seconds on the platform's clock (also
// negative), a duration, or a date. Throws InputError when the text is none of them, or when a date
// meets a clock without dates. `file` names the platform in messages.
Platform apply_now_option(const Platform& platform, const std::string& text,
                          const std::string& file);

// The moment that an option names: seconds on the platform's clock, a duration from now, or a date.
// Throws InputError when it is none of them.
Time parse_time_option(const Platform& platform, const std::string& option,
                       const std::string& text);

// The moment that --deadline names: seconds on the platform's clock, a duration from now, or a
// date. Throws InputError when it is none of them or not after now.
Time parse_deadline_option(const Platform& platform, const std::string& text);

// "that is before now", and for a plain number how to write a time from now. `text` is one that
// parse_time_option takes for this option.
std::string before_now_text(const Platform& platform, const std::string& option,
                            const std::string& text);

// A duration as people write it, rounded up to what is shown, so that --deadline takes it:
// "9h53m", "1d11h".
std::string deadline_text(Duration length);

// "2026-11-15 08:00:00Z" where times are dates, else "4h from now".
std::string moment_text(const Platform& platform, Time time);

}  // namespace dovetail::cli
