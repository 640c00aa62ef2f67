#include "io/schema.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "io/text.hpp"

namespace dovetail::io {

namespace {

// The whole number of milliseconds that the value stands for, if there is one.
std::optional<Time> whole_milliseconds(double seconds) {
  const double milliseconds = seconds * 1000.0;
  const double nearest = std::round(milliseconds);
  // Parsing and multiplying are each off by half a unit in the last place at most.
  const double noise = 4 * std::numeric_limits<double>::epsilon() * std::abs(nearest);
  if (std::abs(milliseconds - nearest) > noise) return std::nullopt;
  return static_cast<Time>(nearest);
}

// The number, if the value is an unquoted number.
std::optional<double> as_number(Value value) {
  if (value.kind() != ValueKind::plain) return std::nullopt;
  return parse_number(value.text());
}

std::optional<double> as_date(Value field) {
  return field.is_scalar() ? parse_date(field.text()) : std::nullopt;
}

// Whether the text looks like a date that lacks its zone or does not exist.
bool resembles_date(std::string_view text) {
  const auto digit = [&](std::size_t i) { return text[i] >= '0' && text[i] <= '9'; };
  return text.size() >= 10 && digit(0) && digit(3) && text[4] == '-' && digit(5) &&
         text[7] == '-' && digit(8);
}

double checked_date(const Record& record, Value field, double date, const FileClock& clock) {
  if (!clock.wall) {
    record.fail(field, fmt::format("a date needs {} to be a date too; give seconds", clock.now));
  }
  if (std::abs(date) > kMaxSeconds) record.fail(field, "the date is too far away");
  return date;
}

}  // namespace

Time milliseconds_up(double seconds) {
  const auto whole = whole_milliseconds(seconds);
  return whole ? *whole : time_ceil(seconds);
}

Time milliseconds_down(double seconds) {
  const auto whole = whole_milliseconds(seconds);
  return whole ? *whole : time_floor(seconds);
}

std::string describe(Value value) {
  if (value.kind() == ValueKind::sequence) return "a list";
  if (value.kind() == ValueKind::mapping) return "a mapping";
  if (value.is_null()) return "nothing";
  const std::string quoted = quote(value.text());
  const bool bare = value.kind() == ValueKind::plain && parse_number(value.text());
  return bare ? quoted.substr(1, quoted.size() - 2) : quoted;
}

Record::Record(Value mapping) : Record(mapping, {}, 0) {}

Record::Record(Value mapping, std::string_view kind, std::size_t number)
    : value_(mapping), kind_(kind), number_(number) {
  if (mapping.kind() != ValueKind::mapping) {
    fail_at(line(), "expected a mapping with named fields, found " + describe(mapping));
  }
}

Record::Record(Value mapping, const Record& parent) : value_(mapping), parent_(&parent) {
  if (mapping.kind() != ValueKind::mapping) {
    parent.fail(mapping, "expected a mapping with named fields, found " + describe(mapping));
  }
}

std::string Record::prefix() const {
  if (parent_ != nullptr) {
    const std::string_view key = value_.key();
    return parent_->prefix() + (key.empty() ? std::string() : std::string(key) + ": ");
  }
  if (kind_.empty()) return {};
  if (name_.empty()) return fmt::format("{} {}: ", kind_, number_ + 1);
  return fmt::format("{} {}: ", kind_, quote(name_));
}

void Record::name_by(std::string_view key) {
  const auto field = find(key);
  if (!field) return;
  name_ = text(*field);
  if (name_.empty()) fail(*field, "expected a name, found empty text");
}

void Record::fail_at(std::size_t line, const std::string& message) const {
  throw InputError(value_.file(), line, prefix() + message);
}

void Record::fail(Value field, const std::string& message) const {
  std::string name;
  if (!field.key().empty()) {
    // A key of Dovetail's own is a plain word; an unknown one may hold anything.
    name = quote(field.key());
    name = name.substr(1, name.size() - 2) + ": ";
  }
  fail_at(field.line(), name + message);
}

void Record::only(std::span<const std::string_view> known) const {
  for (Value item : value_.items()) {
    const std::string_view key = item.key();
    if (std::ranges::find(known, key) != known.end()) continue;
    std::string hint = did_you_mean(key, known);
    if (hint.empty()) hint = fmt::format("; known keys are {}", fmt::join(known, ", "));
    fail_at(item.line(), "unknown key " + quote(key) + hint);
  }
}

std::optional<Value> Record::find(std::string_view key) const {
  const auto found = value_.find(key);
  if (!found || found->is_null()) return std::nullopt;
  return found;
}

Value Record::need(std::string_view key) const {
  const auto found = find(key);
  if (!found) fail_at(line(), fmt::format("\"{}\" is missing", key));
  return *found;
}

std::string_view Record::text(Value field) const {
  if (!field.is_scalar() || field.is_null()) fail(field, "expected text, found " + describe(field));
  return field.text();
}

double Record::number(Value field, double low, double high) const {
  const auto number = as_number(field);
  if (!number) fail(field, "expected a number, found " + describe(field));
  if (!(*number >= low && *number <= high)) {
    fail(field,
         fmt::format("expected a number from {} to {}, found {}", low, high, describe(field)));
  }
  return *number;
}

Count Record::count(Value field, Count low, Count high) const {
  const auto number = as_number(field);
  if (!number || std::floor(*number) != *number || *number < low || *number > high) {
    fail(field, fmt::format("expected a whole number from {} to {}, found {}", low, high,
                            describe(field)));
  }
  return static_cast<Count>(*number);
}

bool Record::boolean(Value field) const {
  if (field.kind() == ValueKind::plain) {
    if (field.text() == "true") return true;
    if (field.text() == "false") return false;
  }
  fail(field, "expected true or false, found " + describe(field));
}

ItemRange Record::list(Value field) const {
  if (field.kind() != ValueKind::sequence) fail(field, "expected a list, found " + describe(field));
  return field.items();
}

std::optional<std::string> Record::find_text(std::string_view key) const {
  const auto field = find(key);
  return field ? std::optional(std::string(text(*field))) : std::nullopt;
}

std::optional<double> Record::find_number(std::string_view key, double low, double high) const {
  const auto field = find(key);
  return field ? std::optional(number(*field, low, high)) : std::nullopt;
}

std::optional<Count> Record::find_count(std::string_view key, Count low, Count high) const {
  const auto field = find(key);
  return field ? std::optional(count(*field, low, high)) : std::nullopt;
}

double Record::duration(Value field) const {
  const auto number = as_number(field);
  if (number && *number < 0) fail(field, "a time cannot be negative, found " + describe(field));
  std::optional<double> seconds;
  if (field.is_scalar()) seconds = number ? number : parse_duration(field.text());
  if (!seconds || !(*seconds <= kMaxSeconds)) {
    fail(field, fmt::format("expected seconds or a duration such as 90, 1m30s, 2h or 1-12:00:00, "
                            "at most {:.0f} days, found {}",
                            std::floor(kMaxSeconds / 86'400), describe(field)));
  }
  return *seconds;
}

Bytes Record::size(Value field) const {
  const auto bytes = field.is_scalar() ? parse_size(field.text()) : std::nullopt;
  if (!bytes || *bytes <= 0) {
    fail(field, fmt::format("expected a size such as 512M, 4G or 1.5T, or a number of bytes, above "
                            "0 and at most {}, found {}",
                            format_size(kMaxMemory), describe(field)));
  }
  return *bytes;
}

bool is_date(Value field) { return as_date(field).has_value(); }

double read_moment(const Record& record, Value field, const FileClock& clock) {
  if (const auto date = as_date(field)) return checked_date(record, field, *date, clock);
  if (!field.is_scalar()) return record.duration(field);
  const std::string_view text = field.text();
  if (resembles_date(text)) {
    record.fail(field,
                "expected a date with its zone, such as 2026-11-15T08:00:00Z or "
                "2026-11-15T08:00:00+01:00, found " +
                    describe(field));
  }
  if (clock.wall && !parse_number(text)) {
    record.fail(field,
                fmt::format("expected a date, since {} is one, or seconds since 1970, found {}",
                            clock.now, describe(field)));
  }
  if (!text.starts_with('-')) return record.duration(field);
  const auto before = parse_duration(text.substr(1));
  return before ? -*before : record.number(field, -kMaxSeconds, kMaxSeconds);
}

}  // namespace dovetail::io
