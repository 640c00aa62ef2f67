#include "dovetail/time.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <vector>

namespace dovetail {

namespace {

constexpr double kGuard = 1e-6;  // milliseconds

std::string_view trim(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

bool starts_with_digit(std::string_view text) {
  return !text.empty() && text.front() >= '0' && text.front() <= '9';
}

// A number at the front of the text, which moves past it. Digits must come first: no sign.
std::optional<double> take_number(std::string_view& text) {
  if (!starts_with_digit(text)) return std::nullopt;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || !std::isfinite(value)) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

std::optional<int> take_digits(std::string_view& text, std::size_t count) {
  if (text.size() < count) return std::nullopt;
  int value = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (text[i] < '0' || text[i] > '9') return std::nullopt;
    value = value * 10 + (text[i] - '0');
  }
  text.remove_prefix(count);
  return value;
}

bool take_char(std::string_view& text, char wanted) {
  if (text.empty() || text.front() != wanted) return false;
  text.remove_prefix(1);
  return true;
}

std::optional<double> in_range(double seconds) {
  if (!(seconds >= 0 && seconds <= kMaxSeconds)) return std::nullopt;
  return seconds;
}

// As batch systems write it: [days-]hours[:minutes[:seconds]] or minutes:seconds or
// hours:minutes:seconds.
std::optional<double> parse_clock(std::string_view text) {
  double days = 0;
  const auto dash = text.find('-');
  if (dash != std::string_view::npos) {
    const auto parsed = take_number(text);
    if (!parsed || !take_char(text, '-')) return std::nullopt;
    days = *parsed;
  }
  std::vector<double> fields;
  do {
    const auto field = take_number(text);
    if (!field) return std::nullopt;
    fields.push_back(*field);
  } while (take_char(text, ':'));
  if (!text.empty() || fields.size() > 3) return std::nullopt;
  if (dash == std::string_view::npos && fields.size() == 2) fields.insert(fields.begin(), 0.0);
  fields.resize(3);
  return in_range(days * 86400 + fields[0] * 3600 + fields[1] * 60 + fields[2]);
}

struct Unit {
  std::string_view name;
  double seconds;
};
constexpr std::array<Unit, 6> kUnits = {
    {{"ms", 0.001}, {"w", 604800}, {"d", 86400}, {"h", 3600}, {"m", 60}, {"s", 1}}};

// "1d 4h", "1m30s": each unit smaller than the one before.
std::optional<double> parse_units(std::string_view text) {
  double total = 0;
  double previous_unit = kMaxSeconds;
  while (!text.empty()) {
    const auto number = take_number(text);
    if (!number) return std::nullopt;
    const auto found =
        std::ranges::find_if(kUnits, [&](const Unit& unit) { return text.starts_with(unit.name); });
    if (found == kUnits.end() || found->seconds >= previous_unit) return std::nullopt;
    text.remove_prefix(found->name.size());
    text = trim(text);
    total += *number * found->seconds;
    previous_unit = found->seconds;
  }
  return in_range(total);
}

// "Z", "+01:00" or "-0530" as minutes east of Greenwich.
std::optional<int> parse_offset(std::string_view text) {
  if (text == "Z" || text == "z") return 0;
  if (text.empty() || (text.front() != '+' && text.front() != '-')) return std::nullopt;
  const int sign = text.front() == '-' ? -1 : 1;
  text.remove_prefix(1);
  const auto hours = take_digits(text, 2);
  take_char(text, ':');
  const auto minutes = take_digits(text, 2);
  if (!hours || !minutes || !text.empty() || *hours > 23 || *minutes > 59) return std::nullopt;
  return sign * (*hours * 60 + *minutes);
}

// Units from days to seconds, the seconds with up to three decimals; exact.
std::string unit_text(Duration length) {
  constexpr std::array<std::pair<Duration, char>, 3> kLarge = {
      {{86'400'000, 'd'}, {3'600'000, 'h'}, {60'000, 'm'}}};
  std::string text;
  for (const auto& [size, letter] : kLarge) {
    if (length >= size) text += std::to_string(length / size) + letter;
    length %= size;
  }
  return length > 0 || text.empty() ? text + format_seconds(length) + "s" : text;
}

}  // namespace

Time time_floor(double seconds) { return static_cast<Time>(std::floor(1000.0 * seconds + kGuard)); }

Time time_ceil(double seconds) { return static_cast<Time>(std::ceil(1000.0 * seconds - kGuard)); }

std::optional<double> parse_duration(std::string_view text) {
  text = trim(text);
  if (!starts_with_digit(text)) return std::nullopt;
  std::string_view rest = text;
  const auto plain = take_number(rest);
  if (plain && rest.empty()) return in_range(*plain);
  if (text.find_first_of(":-") != std::string_view::npos) return parse_clock(text);
  return parse_units(text);
}

std::optional<double> parse_date(std::string_view text) {
  text = trim(text);
  const auto year = take_digits(text, 4);
  if (!year || !take_char(text, '-')) return std::nullopt;
  const auto month = take_digits(text, 2);
  if (!month || !take_char(text, '-')) return std::nullopt;
  const auto day = take_digits(text, 2);
  if (!day || !(take_char(text, 'T') || take_char(text, ' '))) return std::nullopt;
  const auto hour = take_digits(text, 2);
  if (!hour || !take_char(text, ':')) return std::nullopt;
  const auto minute = take_digits(text, 2);
  if (!minute) return std::nullopt;
  double second = 0;
  if (take_char(text, ':')) {
    const auto parsed = take_number(text);
    if (!parsed) return std::nullopt;
    second = *parsed;
  }
  const auto offset = parse_offset(text);
  if (!offset || *hour > 23 || *minute > 59 || second >= 60) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year{*year},
                                         std::chrono::month{static_cast<unsigned>(*month)},
                                         std::chrono::day{static_cast<unsigned>(*day)}};
  if (!date.ok()) return std::nullopt;
  const auto days = std::chrono::sys_days{date}.time_since_epoch().count();
  return static_cast<double>(days) * 86400.0 + *hour * 3600.0 + (*minute - *offset) * 60.0 + second;
}

std::string format_duration(Duration length) {
  if (length < 0) return "-" + format_duration(-length);
  if (length < 1000) return length == 0 ? "0s" : std::to_string(length) + "ms";
  if (length < 10'000) return format_seconds(length) + "s";
  const Duration seconds = (length + 500) / 1000;
  constexpr std::array<std::pair<Duration, char>, 4> units = {
      {{86400, 'd'}, {3600, 'h'}, {60, 'm'}, {1, 's'}}};
  std::size_t first = 0;
  while (seconds < units[first].first) ++first;
  if (first + 1 == units.size()) return std::to_string(seconds) + "s";
  // Two units; with days also the minutes, since an hour more or less is a long wait. The last unit
  // is rounded to the nearest, which may carry into the first.
  const Duration small = first == 0 ? 60 : units[first + 1].first;
  Duration rest = (seconds + small / 2) / small * small;
  if (first > 0 && rest >= units[first - 1].first) --first;
  std::string text;
  for (std::size_t i = first; rest > 0; ++i) {
    const Duration count = rest / units[i].first;
    rest %= units[i].first;
    // Minutes and seconds with two digits, as on a clock; hours after days as a separate word.
    if (i > first) text += units[i].second == 'h' ? " " : (count < 10 ? "0" : "");
    text += std::to_string(count) + units[i].second;
  }
  return text;
}

std::string exact_duration(Duration length) {
  const Duration wanted = std::clamp<Duration>(length, 0, time_floor(kMaxSeconds));
  // Seconds are read as a double. For lengths of many years its last bit is worth more than a
  // millisecond, so we ask for a little more until enough is read back.
  for (Duration asked = wanted;; ++asked) {
    std::string text = unit_text(asked);
    const auto seconds = parse_duration(text);
    if (!seconds || time_floor(*seconds) >= wanted) return text;
  }
}

std::string format_date(Time moment) {
  using namespace std::chrono;
  const sys_time<milliseconds> time{milliseconds{moment}};
  const auto day_start = floor<days>(time);
  const year_month_day date{day_start};
  const hh_mm_ss clock{floor<seconds>(time - day_start)};
  std::array<char, 64> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%04d-%02u-%02u %02d:%02d:%02dZ",
                static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                static_cast<unsigned>(date.day()), static_cast<int>(clock.hours().count()),
                static_cast<int>(clock.minutes().count()),
                static_cast<int>(clock.seconds().count()));
  return buffer.data();
}

std::string format_seconds(Time t) {
  const Time whole = t / 1000;
  const Time part = t < 0 ? -(t % 1000) : t % 1000;
  std::string text = (t < 0 && whole == 0 ? "-" : "") + std::to_string(whole);
  if (part == 0) return text;
  std::string decimals = std::to_string(1000 + part).substr(1);
  decimals.erase(decimals.find_last_not_of('0') + 1);
  return text + "." + decimals;
}

std::string format_clock(Time moment, bool wall_clock) {
  if (!wall_clock) return format_seconds(moment);
  std::string date = format_date(moment);
  const Time part = (moment % kSecond + kSecond) % kSecond;
  if (part != 0) date.insert(date.size() - 1, format_seconds(part).substr(1));
  return date;
}

}  // namespace dovetail
