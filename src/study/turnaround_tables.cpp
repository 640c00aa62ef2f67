#include "study/turnaround_tables.hpp"

#include <algorithm>
#include <limits>

#include "planners/turnaround.hpp"

namespace dovetail {
namespace {

constexpr auto kCpar = static_cast<std::size_t>(BottomLevel::cpar);
constexpr std::size_t kBounds = kBoundNames.size();
constexpr std::size_t kLevels = kBottomLevelNames.size();

// Makes a table from scenarios that are added one by one.
class BoundTableMaker {
 public:
  explicit BoundTableMaker(std::string title) { table_.title = std::move(title); }

  void add(const ScenarioSums& sums) {
    ++table_.scenarios;
    table_.instances += sums.instances;
    add_metric(sums.turnaround, sums.turnaround_excess, sums.turnaround_best, sums.instances,
               &BoundRow::turnaround);
    add_metric(sums.cpu, sums.cpu_excess, sums.cpu_best, sums.instances, &BoundRow::cpu);
  }

  BoundTable finish() && {
    const auto scenarios = static_cast<double>(table_.scenarios);
    const auto instances = static_cast<double>(table_.instances);
    for (BoundRow& row : table_.rows) {
      for (Degradation* metric : {&row.turnaround, &row.cpu}) {
        metric->percent *= 100 / scenarios;
        metric->instance_wins_percent *= 100 / instances;
      }
    }
    return std::move(table_);
  }

 private:
  void add_metric(const std::array<std::int64_t, kAlgorithms>& values,
                  const std::array<double, 4>& excess, const std::array<std::size_t, 4>& best,
                  std::size_t instances, Degradation BoundRow::*metric) {
    const auto first = values.begin() + algorithm_number(kCpar, 0);
    const std::int64_t least = *std::min_element(first, first + kBounds);
    for (std::size_t bound = 0; bound < kBounds; ++bound) {
      Degradation& row = table_.rows[bound].*metric;
      row.percent += excess[bound] / static_cast<double>(instances);
      row.scenario_wins += values[algorithm_number(kCpar, bound)] == least;
      row.instance_wins_percent += static_cast<double>(best[bound]);
    }
  }

  BoundTable table_;
};

template <typename Belongs>
void append_table(std::vector<BoundTable>& tables, const TurnaroundStudyResult& result,
                  std::string title, Belongs belongs) {
  BoundTableMaker maker(std::move(title));
  for (const Scenario& scenario : result.scenarios) {
    if (belongs(scenario)) maker.add(scenario.sums);
  }
  BoundTable table = std::move(maker).finish();
  if (table.scenarios > 0) tables.push_back(std::move(table));
}

class BottomLevelTableMaker {
 public:
  explicit BottomLevelTableMaker(std::string title) {
    table_.title = std::move(title);
    table_.least_gain = std::numeric_limits<double>::max();
    table_.greatest_gain = std::numeric_limits<double>::lowest();
  }

  // One case: a scenario and a bound.
  void add(const ScenarioSums& sums, std::size_t bound) {
    ++cases_;
    std::array<std::int64_t, kLevels> values{};
    for (std::size_t level = 0; level < kLevels; ++level) {
      values[level] = sums.turnaround[algorithm_number(level, bound)];
    }
    const auto one = static_cast<double>(values[static_cast<std::size_t>(BottomLevel::one)]);
    const std::int64_t least = *std::min_element(values.begin(), values.end());
    const auto winners = static_cast<double>(std::count(values.begin(), values.end(), least));
    for (std::size_t level = 0; level < kLevels; ++level) {
      if (values[level] == least) table_.best_percent[level] += 1 / winners;
      if (level == static_cast<std::size_t>(BottomLevel::one)) continue;
      const double gain = 100 * (one - static_cast<double>(values[level])) / one;
      table_.least_gain = std::min(table_.least_gain, gain);
      table_.greatest_gain = std::max(table_.greatest_gain, gain);
    }
  }

  BottomLevelTable finish() && {
    for (double& percent : table_.best_percent) percent *= 100.0 / static_cast<double>(cases_);
    return std::move(table_);
  }

 private:
  BottomLevelTable table_;
  std::size_t cases_ = 0;
};

}  // namespace

std::vector<BoundTable> bound_tables(const TurnaroundStudyResult& result) {
  std::vector<BoundTable> tables;
  for (std::size_t log = 0; log < result.logs.size() && result.logs.size() > 1; ++log) {
    append_table(tables, result, result.logs[log].name,
                 [log](const Scenario& scenario) { return scenario.log == log; });
  }
  append_table(tables, result, "all", [](const Scenario&) { return true; });
  tables.back().whole = true;
  append_table(tables, result, "default application", [&](const Scenario& scenario) {
    return result.applications[scenario.application].is_default;
  });
  return tables;
}

std::vector<BottomLevelTable> bottom_level_tables(const TurnaroundStudyResult& result) {
  std::vector<BottomLevelTable> tables;
  BottomLevelTableMaker all("all bounds");
  for (std::size_t bound = 0; bound < kBounds; ++bound) {
    BottomLevelTableMaker one{std::string(kBoundNames[bound])};
    for (const Scenario& scenario : result.scenarios) {
      one.add(scenario.sums, bound);
      all.add(scenario.sums, bound);
    }
    tables.push_back(std::move(one).finish());
  }
  tables.push_back(std::move(all).finish());
  return tables;
}

}  // namespace dovetail
