#include "io/formats/search_json.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "io/text.hpp"

namespace dovetail::io {

namespace {

// Up to this number, a double represents every whole number exactly.
constexpr double kMostExact = 9007199254740992.0;

// Rounds down to a whole number that a double represents exactly: a smaller area is a weaker claim,
// so the proof stays true.
std::string area_text(Area area) {
  Area unit = 1;
  while (area / unit > static_cast<Area>(kMostExact)) unit *= 2;
  return fmt::format("{:.0f}", static_cast<double>(area / unit * unit));
}

std::string times_of(const std::vector<Time>& times) { return json_list(times, format_seconds); }

std::string flows_of(const std::vector<std::int64_t>& flows) {
  return json_list(flows, [](std::int64_t flow) { return std::to_string(flow); });
}

std::string format_certificate(const Certificate& certificate) {
  std::string out = fmt::format("\n \"certificate\":{{\"end\":{},\"work\":{},\"budget\":{},",
                                format_seconds(certificate.end), area_text(certificate.work),
                                certificate.budget ? area_text(*certificate.budget) : "null");
  out += fmt::format("\"span\":[{},{}],", format_seconds(certificate.span.begin),
                     format_seconds(certificate.span.end));
  out += "\n  \"ready\":" + times_of(certificate.ready) + ",";
  out += "\n  \"due\":" + times_of(certificate.due) + ",";
  out += "\n  \"begin_flow\":" + flows_of(certificate.begin_flow) + ",";
  out += "\n  \"end_flow\":" + flows_of(certificate.end_flow) + ",";
  return out + "\n  \"edge_flow\":" + flows_of(certificate.edge_flow) + "},";
}

constexpr double kMaxTime = 9e12;

// A proof must not change by rounding, so its numbers are read exactly or refused.
[[noreturn]] void refuse(const Record& record, Value value, std::string_view list,
                         const char* expected) {
  record.fail(value, fmt::format("{}{}expected {}, found {}", list, list.empty() ? "" : ": ",
                                 expected, describe(value)));
}

// `list`: for messages, the key of the list that holds the value.
Time read_time(const Record& record, Value value, std::string_view list = {}) {
  const double seconds = record.number(value, -kMaxTime, kMaxTime);
  const Time time = milliseconds_down(seconds);
  if (time == milliseconds_up(seconds)) return time;
  refuse(record, value, list, "seconds with at most three decimals");
}

double read_whole(const Record& record, Value value, double low, double high,
                  std::string_view list = {}) {
  const double number = record.number(value, low, high);
  if (number == std::floor(number)) return number;
  refuse(record, value, list, "a whole number");
}

std::vector<Time> read_times(const Record& record, std::string_view key) {
  std::vector<Time> times;
  for (Value item : record.list(record.need(key))) times.push_back(read_time(record, item, key));
  return times;
}

std::vector<std::int64_t> read_flows(const Record& record, std::string_view key) {
  std::vector<std::int64_t> flows;
  for (Value item : record.list(record.need(key))) {
    const double flow = read_whole(record, item, -kMostExact, kMostExact, key);
    flows.push_back(static_cast<std::int64_t>(flow));
  }
  return flows;
}

Area read_area(const Record& record, Value value) {
  return static_cast<Area>(read_whole(record, value, 0, kMaxTime * 1000 * kMaxProcessors));
}

// Read as text, since a seed may have more digits than a double keeps.
std::uint64_t read_count(const Record& record, std::string_view key) {
  const Value value = record.need(key);
  const std::string_view text = record.text(value);
  std::uint64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error == std::errc{} && end == text.data() + text.size()) return count;
  refuse(record, value, {}, "a whole number from 0 to 2^64 - 1");
}

Certificate read_certificate(const Record& record) {
  Certificate certificate{.end = read_time(record, record.need("end")),
                          .work = read_area(record, record.need("work")),
                          .ready = read_times(record, "ready"),
                          .due = read_times(record, "due"),
                          .begin_flow = read_flows(record, "begin_flow"),
                          .end_flow = read_flows(record, "end_flow"),
                          .edge_flow = read_flows(record, "edge_flow")};
  if (const auto budget = record.find("budget")) certificate.budget = read_area(record, *budget);
  const auto span = read_times(record, "span");
  if (span.size() != 2) record.fail(record.need("span"), "expected a begin and an end");
  certificate.span = {span[0], span[1]};
  return certificate;
}

}  // namespace

std::string format_search(const PlanRecord& record) {
  if (!record.search) return {};
  std::string out =
      fmt::format("\n \"search\":{{\"seed\":{},\"trials\":{},\"truncated\":{}}},",
                  record.search->seed, record.search->trials, record.search->is_truncated);
  if (!record.search->certificate) return out;
  out += fmt::format("\"gap\":{},", number_text(record.gap.value_or(0)));
  return out + format_certificate(*record.search->certificate);
}

void read_search(const Record& top, PlanRecord& record) {
  record.gap = top.find_number("gap", 0, 1e18);
  if (const auto search = top.find("search")) {
    const Record how(*search, top);
    record.search = {.seed = read_count(how, "seed"),
                     .trials = read_count(how, "trials"),
                     .is_truncated = how.boolean(how.need("truncated"))};
  }
  if (const auto certificate = top.find("certificate")) {
    if (!record.search) record.search.emplace();
    record.search->certificate = read_certificate(Record(*certificate, top));
  }
}

}  // namespace dovetail::io
