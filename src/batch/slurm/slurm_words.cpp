#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "batch/slurm/slurm_text.hpp"
#include "io/text.hpp"

// Limits, dates, fields and counts as Slurm writes them.
namespace dovetail::batch::slurm {

namespace {

// Whole numbers between the separators; nothing when there is anything else.
std::optional<std::vector<std::int64_t>> numbers_between(std::string_view text, char separator) {
  std::vector<std::int64_t> numbers;
  for (;;) {
    const std::size_t end = text.find(separator);
    const std::optional<std::int64_t> number = whole_number(text.substr(0, end));
    constexpr std::int64_t kMost = std::numeric_limits<std::uint32_t>::max();
    if (!number || *number > kMost) return {};
    numbers.push_back(*number);
    if (end == text.npos) return numbers;
    text.remove_prefix(end + 1);
  }
}

}  // namespace

std::optional<Duration> parse_limit(std::string_view text) {
  const std::string upper = io::upper_case(without_spaces(text));
  if (upper == "UNLIMITED" || upper == "INFINITE") return kForever;
  std::string_view clock = upper;
  std::int64_t days = 0;
  const bool has_days = clock.find('-') != clock.npos;
  if (has_days) {
    const auto before = numbers_between(take_until(clock, '-'), ':');
    if (!before || before->size() != 1) return {};
    days = before->front();
  }
  const auto parts = numbers_between(clock, ':');
  if (!parts || parts->size() > 3) return {};
  // After days the first part is hours; else it is minutes, and hours only of three parts.
  const std::size_t skipped = has_days || parts->size() == 3 ? 0 : 1;
  constexpr std::array kUnits{kHour, kMinute, kSecond};
  Duration length = days * kDay;
  for (std::size_t part = 0; part < parts->size(); ++part) {
    if (part + skipped >= kUnits.size()) return {};
    length += (*parts)[part] * kUnits[part + skipped];
  }
  return length;
}

Duration whole_minutes(Duration length) {
  return std::max<Duration>(1, (length + kMinute - 1) / kMinute);
}

std::string format_limit(Duration length) {
  constexpr Duration kMost = std::numeric_limits<std::int32_t>::max() * kMinute;
  if (length > kMost) return "UNLIMITED";
  const std::int64_t minutes = whole_minutes(length);
  const std::int64_t days = minutes / (24 * 60);
  return fmt::format("{}{:02}:{:02}:00", days > 0 ? fmt::format("{}-", days) : "",
                     minutes / 60 % 24, minutes % 60);
}

std::optional<WallTime> parse_moment(std::string_view text) {
  text = without_spaces(text);
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / 4 / kSecond;
  if (const std::optional<std::int64_t> seconds = whole_number(text)) {
    if (*seconds > kMost) return {};
    return *seconds * kSecond;
  }
  struct tm local {};
  const std::string copy(text);
  const char* end = strptime(copy.c_str(), "%Y-%m-%dT%H:%M:%S", &local);
  if (end == nullptr || *end != '\0') return {};
  local.tm_isdst = -1;
  return static_cast<WallTime>(mktime(&local)) * kSecond;
}

std::string format_moment(WallTime moment) {
  const time_t seconds = moment / kSecond;
  struct tm local {};
  localtime_r(&seconds, &local);
  std::array<char, 32> text;
  return {text.data(), strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &local)};
}

std::string_view take_until(std::string_view& text, char separator) {
  const std::size_t end = std::min(text.find(separator), text.size());
  const std::string_view taken = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return taken;
}

std::string_view without_spaces(std::string_view text) {
  const auto is_space = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_whole = error == std::errc() && end == text.data() + text.size();
  return is_whole && !text.starts_with('-') ? std::optional(value) : std::nullopt;
}

std::optional<Count> parse_count(std::string_view text) {
  text = text.substr(0, text.find('-'));
  if (text.ends_with('+')) text.remove_suffix(1);
  double unit = 1;
  for (const char letter : {'K', 'M'}) {
    unit *= 1024;
    if (!text.ends_with(letter)) continue;
    const std::optional<double> value = io::parse_number(text.substr(0, text.size() - 1));
    if (!value || *value < 0 || *value * unit > kMaxProcessors) return {};
    return static_cast<Count>(*value * unit);
  }
  const std::optional<std::int64_t> value = whole_number(text);
  if (!value || *value > kMaxProcessors) return {};
  return static_cast<Count>(*value);
}

std::string value_or_nothing(std::string_view text) {
  const bool is_nothing = text == "(null)" || text == "N/A" || text == "n/a" || text == "None";
  return is_nothing ? "" : std::string(text);
}

std::vector<std::string> split_list(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::string_view word = take_until(text, ',');
    if (!word.empty()) words.emplace_back(word);
  }
  return words;
}

}  // namespace dovetail::batch::slurm
