// The common parts of the studies' reports: the head, tables of degradations, run times, their
// JSON.
#pragma once

#include <array>
#include <cstddef>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "study/degradation.hpp"
#include "study/study.hpp"
#include "study/timing.hpp"

namespace dovetail::report {

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

// The published value beside a degradation; wins only where they were published.
struct Published {
  double percent = 0;
  std::optional<int> wins = {};
};

// A table of two metrics with one line per algorithm: per cent above the best, scenarios won,
// instances won, and the published numbers if any.
struct ComparisonLine {
  std::string_view algorithm;
  std::array<Degradation, 2> metrics;
  std::optional<std::array<Published, 2>> published = {};
};
struct ComparisonText {
  std::string title;  // "all: 1440 scenarios, 72000 instances"
  std::array<std::string_view, 2> metrics;
  std::vector<ComparisonLine> lines;
};
void write_comparison(Text out, const ComparisonText& table);

// The published times are below ours.
void write_timing(Text out, const TimingTable& table);

// "study", "scale", "seed" and the size; studies add their tables.
Json head_json(std::string_view study, const StudyHead& head, std::size_t scenarios);
Json to_json(const Degradation& metric);
Json to_json(const TimingTable& table);

template <typename Table, typename ToJson>
Json list(const std::vector<Table>& tables, ToJson to_json_of) {
  Json array = Json::array();
  for (const Table& table : tables) array.push_back(to_json_of(table));
  return array;
}

// The fields of a scenario that every CSV begins with, and their names.
inline constexpr std::string_view kCsvScenarioFields = "log,processors,phi,method,parameter,value";
std::string csv_scenario(const StudyHead& head, std::size_t application, std::size_t log,
                         const ReservationSpec& reservations);

}  // namespace dovetail::report
