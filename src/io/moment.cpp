#include "io/moment.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "io/text.hpp"

namespace dovetail::io {

namespace {

std::optional<double> as_date(Value field) {
  return field.is_scalar() ? parse_date(field.text()) : std::nullopt;
}

// Whether the text looks like a date that lacks its zone or does not exist.
bool resembles_date(std::string_view text) {
  const auto digit = [&](std::size_t i) { return text[i] >= '0' && text[i] <= '9'; };
  return text.size() >= 10 && digit(0) && digit(3) && text[4] == '-' && digit(5) &&
         text[7] == '-' && digit(8);
}

double checked_date(const Record& record, Value field, double date, const Clock& clock) {
  if (!clock.wall) {
    record.fail(field, fmt::format("a date needs {} to be a date too; give seconds", clock.now));
  }
  if (std::abs(date) > kMaxSeconds) record.fail(field, "the date is too far away");
  return date;
}

}  // namespace

bool is_date(Value field) { return as_date(field).has_value(); }

double read_moment(const Record& record, Value field, const Clock& clock) {
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
