#include "cli/deadline_option.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "dovetail/error.hpp"
#include "io/text.hpp"

namespace dovetail::cli {

namespace {

enum class GivenKind { clock, duration, date };

// A time as the user wrote it.
struct GivenTime {
  double seconds;
  GivenKind kind;
};

// "2026-11-15" and whatever follows.
bool looks_like_date(const std::string& text) {
  return text.size() >= 10 && text[4] == '-' && text[7] == '-' &&
         std::all_of(text.begin(), text.begin() + 4,
                     [](unsigned char c) { return std::isdigit(c) != 0; });
}

// "12:30".
bool looks_like_time_of_day(const std::string& text) {
  return text.find(':') != std::string::npos && text.find(':') == text.rfind(':') &&
         text.find_first_not_of("0123456789:") == std::string::npos;
}

GivenTime parse_given_time(const std::string& option, const std::string& text) {
  if (const auto date = parse_date(text)) return {*date, GivenKind::date};
  if (parse_date(text + "Z")) {
    throw InputError(
        fmt::format("{}: the zone is missing: write {}Z or {}+01:00", option, text, text));
  }
  if (const std::string morning = text + "T08:00:00Z"; parse_date(morning)) {
    throw InputError(option + ": a date needs a time and a zone, such as " + morning);
  }
  if (looks_like_date(text)) {
    throw InputError(option + ": there is no such date: " + io::quote(text));
  }
  if (const auto seconds = io::parse_number(text);
      seconds && *seconds >= -kMaxSeconds && *seconds <= kMaxSeconds) {
    return {*seconds, GivenKind::clock};
  }
  if (const auto seconds = parse_duration(text)) return {*seconds, GivenKind::duration};
  throw InputError(
      fmt::format("{}: expected seconds, a duration such as 1h30m, or a date with its zone such as "
                  "2026-11-15T08:00:00Z, found {}",
                  option, io::quote(text)));
}

bool has_times(const Platform& platform) {
  const auto clusters = platform.clusters();
  return std::any_of(clusters.begin(), clusters.end(),
                     [](const Cluster& cluster) { return !cluster.reservations.empty(); });
}

// How to write a time from now when the user gave a plain number; else empty.
std::string clock_hint(const Platform& platform, const GivenTime& moment, const std::string& text) {
  if (moment.kind != GivenKind::clock || moment.seconds < 0 || platform.now() == 0) return {};
  return fmt::format(
      "a plain number is a moment on the cluster's clock, where now is {}; for a time from now "
      "write {}s",
      format_seconds(platform.now()), text);
}

[[noreturn]] void refuse_past(const Platform& platform, const GivenTime& moment, Time deadline,
                              const std::string& text) {
  const std::string about_clock = clock_hint(platform, moment, text);
  const std::string hint = about_clock.empty() ? "give a later one" : about_clock;
  const Duration ago = platform.now() - deadline;
  throw InputError(fmt::format("--deadline: {} is {}; {}", io::quote(text),
                               ago == 0 ? "now" : format_duration(ago) + " in the past", hint));
}

// The next length that format_duration shows without rounding.
Duration rounded_up(Duration length) {
  Duration unit = 1;
  if (length >= 10'000) unit = 1000;
  if (length >= 3'600'000) unit = 60'000;
  return (length + unit - 1) / unit * unit;
}

}  // namespace

Platform apply_now_option(const Platform& platform, const std::string& text,
                          const std::string& file) {
  const GivenTime now = parse_given_time("--now", text);
  const bool is_date = now.kind == GivenKind::date;
  if (platform.wall_clock() && !is_date) {
    throw InputError("--now: expected a date such as 2026-11-15T08:00:00Z, since the times of " +
                     file + " are dates, found " + io::quote(text));
  }
  const Time moment = time_ceil(now.seconds);
  if (!is_date || platform.wall_clock()) return platform.at(moment);
  if (has_times(platform)) {
    throw InputError("--now: a date needs a cluster file whose own times are dates");
  }
  const auto clusters = platform.clusters();
  return Platform(moment, {clusters.begin(), clusters.end()}, true);
}

Time parse_time_option(const Platform& platform, const std::string& option,
                       const std::string& text) {
  if (looks_like_time_of_day(text)) {
    throw InputError(
        fmt::format("{}: {} could be a time of day or minutes and seconds; write a date such as "
                    "2026-11-15T{}:00Z, or 5h30m",
                    option, io::quote(text), text));
  }
  const GivenTime moment = parse_given_time(option, text);
  if (moment.kind == GivenKind::date && !platform.wall_clock()) {
    throw InputError(
        option +
        ": a date needs a clock with dates: give the cluster file a date as its now, or use --now "
        "with a date");
  }
  const Time from = moment.kind == GivenKind::duration ? platform.now() : 0;
  return from + time_floor(moment.seconds);
}

Time parse_deadline_option(const Platform& platform, const std::string& text) {
  const Time deadline = parse_time_option(platform, "--deadline", text);
  if (deadline <= platform.now()) {
    refuse_past(platform, parse_given_time("--deadline", text), deadline, text);
  }
  return deadline;
}

std::string before_now_text(const Platform& platform, const std::string& option,
                            const std::string& text) {
  const std::string hint = clock_hint(platform, parse_given_time(option, text), text);
  return "that is before now" + (hint.empty() ? "" : "; " + hint);
}

std::string deadline_text(Duration length) {
  std::string text = format_duration(rounded_up(length));
  text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
  return text;
}

std::string moment_text(const Platform& platform, Time time) {
  if (platform.wall_clock()) return format_date(time);
  return format_duration(time - platform.now()) + " from now";
}

}  // namespace dovetail::cli
