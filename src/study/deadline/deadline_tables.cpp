// Turns sums per scenario into the tables of the deadline study.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "core/mapped.hpp"
#include "study/deadline/deadline_study.hpp"
#include "study/published.hpp"

namespace dovetail::study {
namespace {

bool is_real(const ReservationSpec& spec) { return spec.method == gen::ReservationMethod::real; }

PlainTable plain_table(const ScenarioSet& set, const StudyHead& head,
                       std::span<const DeadlineScenario> scenarios) {
  constexpr std::size_t kPhiColumns = std::size(kPhis);
  PlainTable table{.title = set.title};
  for (std::size_t column = 0; column < table.columns.size(); ++column) {
    const bool by_phi = column < kPhiColumns;
    ComparisonTableMaker maker(by_phi ? fmt::format("phi {:g}", kPhis[column]) : "real",
                               kPlainNames.size());
    for (const DeadlineScenario& scenario : scenarios) {
      if (!set.has(head, scenario)) continue;
      const bool belongs =
          by_phi ? scenario.reservations.phi == kPhis[column] : is_real(scenario.reservations);
      if (belongs) maker.add(scenario.sums.plain);
    }
    table.columns[column] = std::move(maker).finish();
  }
  return table;
}

HybridTable hybrid_table(const ScenarioSet& set, const StudyHead& head,
                         std::span<const DeadlineScenario> scenarios) {
  ComparisonTableMaker maker(set.title, kHybridNames.size());
  BindCounts binds;
  for (const DeadlineScenario& scenario : scenarios) {
    if (!set.has(head, scenario) || !is_real(scenario.reservations)) continue;
    maker.add(scenario.sums.hybrid);
    binds.add(scenario.sums.binds);
  }
  return {std::move(maker).finish(), binds};
}

std::size_t plain_position(std::string_view algorithm) {
  return static_cast<std::size_t>(std::ranges::find(kPlainNames, algorithm) - kPlainNames.begin());
}

template <typename Cell>
double mean_over_phi(Cell cell) {
  double sum = 0;
  for (std::size_t column = 0; column < std::size(kPhis); ++column) sum += cell(column);
  return sum / static_cast<double>(std::size(kPhis));
}

double mean_percent(const PlainTable& table, std::string_view algorithm,
                    Degradation ComparisonRow::*metric) {
  const std::size_t row = plain_position(algorithm);
  return mean_over_phi(
      [&](std::size_t column) { return (table.columns[column].rows[row].*metric).percent; });
}

// Mean over the columns of phi and the conservative algorithms, in percentage points.
double distance(const PlainTable& table, Degradation ComparisonRow::*metric,
                std::array<double, 4> published::PublishedDeadlines::*theirs) {
  double sum = 0;
  for (const std::string_view name : kConservativeNames) {
    const std::size_t row = plain_position(name);
    sum += mean_over_phi([&](std::size_t column) {
      return std::abs((table.columns[column].rows[row].*metric).percent -
                      (published::kDeadlineRows[row].*theirs)[column]);
    });
  }
  return sum / static_cast<double>(kConservativeNames.size());
}

Finding within(std::string claim, std::initializer_list<double> values, double least,
               double greatest) {
  Finding finding{std::move(claim), {}, true};
  for (double value : values) {
    finding.found += fmt::format("{}{:.2f}", finding.found.empty() ? "" : ", ", value);
    finding.agrees = finding.agrees && value >= least && value <= greatest;
  }
  return finding;
}

std::vector<Finding> plain_findings(const PlainTable& table) {
  const auto tightest = [&](std::string_view name) {
    return mean_percent(table, name, &ComparisonRow::time);
  };
  const auto cpu = [&](std::string_view name) {
    return mean_percent(table, name, &ComparisonRow::cpu);
  };
  constexpr double kAny = std::numeric_limits<double>::infinity();
  return {
      within("tightest: DL_BD_ALL 130 to 240 % above the best", {tightest("DL_BD_ALL")}, 130, 240),
      within("tightest: DL_BD_CPA, DL_BD_CPAR at most 12 %",
             {tightest("DL_BD_CPA"), tightest("DL_BD_CPAR")}, 0, 12),
      within("CPU-hours: DL_RC_CPAR at most 1 % above the best", {cpu("DL_RC_CPAR")}, 0, 1),
      within("CPU-hours: DL_RC_CPA at most 20 %", {cpu("DL_RC_CPA")}, 0, 20),
      within("CPU-hours: DL_BD_ALL, DL_BD_CPA, DL_BD_CPAR at least 40 %",
             {cpu("DL_BD_ALL"), cpu("DL_BD_CPA"), cpu("DL_BD_CPAR")}, 40, kAny)};
}

// The order of Table 7, with a point of slack where the hybrid meets the aggressive algorithm.
Finding hybrid_finding(const HybridTable& table) {
  const auto percent = [&](std::size_t row) { return table.table.rows[row].time.percent; };
  const double aggressive = percent(0);
  const double conservative = percent(1);
  const double lambda = percent(2);
  const double bounded = percent(3);
  return {
      "tightest, method real: RCBD-lambda <= RC-lambda <= DL_BD_CPA + 1, DL_BD_CPA < DL_RC_CPAR",
      fmt::format("{:.2f}, {:.2f}, {:.2f}, {:.2f}", bounded, lambda, aggressive, conservative),
      bounded <= lambda && lambda <= aggressive + 1 && aggressive < conservative};
}

}  // namespace

std::vector<PlainTable> plain_tables(const StudyHead& head,
                                     std::span<const DeadlineScenario> scenarios) {
  return mapped(scenario_sets(head),
                [&](const ScenarioSet& set) { return plain_table(set, head, scenarios); });
}

std::vector<HybridTable> hybrid_tables(const StudyHead& head,
                                       std::span<const DeadlineScenario> scenarios) {
  return mapped(scenario_sets(head),
                [&](const ScenarioSet& set) { return hybrid_table(set, head, scenarios); });
}

ReadingTable reading_table(DeadlineReading reading, const StudyHead& head,
                           std::span<const DeadlineScenario> scenarios) {
  const ScenarioSet all{.title = std::string(to_string(reading))};
  PlainTable table = plain_table(all, head, scenarios);
  const double tightest =
      distance(table, &ComparisonRow::time, &published::PublishedDeadlines::tightest_percent);
  const double cpu =
      distance(table, &ComparisonRow::cpu, &published::PublishedDeadlines::cpu_percent);
  return {reading, std::move(table), tightest, cpu};
}

std::vector<Finding> findings(const DeadlineStudyResult& result) {
  const std::vector<ScenarioSet> sets = scenario_sets(result);
  if (!sets.back().default_application) return {};
  std::vector<Finding> found = plain_findings(result.plain.back());
  found.push_back(hybrid_finding(result.hybrid.back()));
  return found;
}

}  // namespace dovetail::study
