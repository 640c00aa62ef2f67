// The common parts of the studies' reports: the head, lines of tables, tables of degradations, run
// times, their JSON.
#pragma once

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "study/degradation.hpp"
#include "study/published.hpp"
#include "study/study.hpp"
#include "study/timing.hpp"

namespace dovetail::study::report {

using Text = std::back_insert_iterator<std::string>;
using Json = nlohmann::ordered_json;

// 0 when the whole is 0.
inline double per_cent(std::size_t part, std::size_t whole) {
  return whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
}

// "quick" or "paper".
std::string_view name_of(StudyScale scale);

// Title, scale, seed, size and logs.
void write_head(Text out, std::string_view title, const StudyHead& head, std::size_t scenarios);

// A name of `name` columns, then a cell of `cell` columns for every item, each after a space.
struct LineWidths {
  int name;
  int cell;
};
template <typename Items, typename ToText>
std::string line(LineWidths widths, std::string_view name, const Items& items, ToText to_text) {
  std::string text = fmt::format("{:<{}}", name, widths.name);
  for (const auto& item : items) text += fmt::format(" {:>{}}", to_text(item), widths.cell);
  return text;
}
template <typename Items, typename ToText>
void write_line(Text out, LineWidths widths, std::string_view name, const Items& items,
                ToText to_text) {
  fmt::format_to(out, "{}\n", line(widths, name, items, to_text));
}

// A table with one line per algorithm and for both metrics: per cent above the best, scenarios won,
// instances won, and the published numbers if any.
struct ComparisonText {
  std::string title;  // "all: 1440 scenarios, 72000 instances"
  std::array<std::string_view, 2> metrics;
  std::span<const std::string_view> algorithms;
  std::span<const published::PublishedComparison> published = {};
};
void write_comparison(Text out, const ComparisonText& text, const ComparisonTable& table);

// The published times are below ours.
void write_timing(Text out, const TimingTable& table);

// "study", "scale", "seed" and the size; studies add their tables.
Json head_json(std::string_view study, const StudyHead& head, std::size_t scenarios);
Json to_json(const TimingTable& table);

// `time` names the first metric. Whether to say how often an algorithm has no answer.
Json to_json(const ComparisonTable& table, std::span<const std::string_view> algorithms,
             std::string_view time, bool with_unanswered);

// Null without a value.
inline Json nullable(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

template <typename Items, typename ToJson>
Json list(const Items& items, ToJson to_json_of) {
  Json array = Json::array();
  for (const auto& item : items) array.push_back(to_json_of(item));
  return array;
}

// The fields of a scenario that every CSV begins with, and their names.
inline constexpr std::string_view kCsvScenarioFields = "log,processors,phi,method,parameter,value";
std::string csv_scenario(const StudyHead& head, std::size_t application, std::size_t log,
                         const ReservationSpec& reservations);

}  // namespace dovetail::study::report
