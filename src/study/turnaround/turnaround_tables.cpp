#include "study/turnaround/turnaround_tables.hpp"

#include <algorithm>
#include <limits>

#include "planners/list/turnaround.hpp"

namespace dovetail {
namespace {

constexpr std::size_t kBounds = kBoundNames.size();
constexpr std::size_t kLevels = kBottomLevelNames.size();

// Makes a table from scenarios that are added one by one.
class BoundTableMaker {
 public:
  explicit BoundTableMaker(std::string title) { table_.title = std::move(title); }

  void add(const ScenarioSums& sums) {
    ++table_.scenarios;
    table_.instances += sums.instances;
    turnaround_.add(view(sums, sums.turnaround, sums.turnaround_excess, sums.turnaround_best));
    cpu_.add(view(sums, sums.cpu, sums.cpu_excess, sums.cpu_best));
  }

  BoundTable finish() && {
    const auto turnaround = turnaround_.finish();
    const auto cpu = cpu_.finish();
    for (std::size_t bound = 0; bound < kBounds; ++bound) {
      table_.rows[bound] = {turnaround[bound], cpu[bound]};
    }
    return std::move(table_);
  }

 private:
  // Every planner of the family finds a plan.
  static ComparedView view(const ScenarioSums& sums,
                           const std::array<std::int64_t, kAlgorithms>& values,
                           const std::array<double, kBounds>& excess,
                           const std::array<std::size_t, kBounds>& best) {
    static constexpr std::array<std::size_t, kBounds> kNone = {};
    return {sums.instances, sums.instances, bounds_of(values), excess, best, kNone};
  }

  BoundTable table_;
  DegradationMean turnaround_{kBounds};
  DegradationMean cpu_{kBounds};
};

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
  for (const ScenarioSet& set : scenario_sets(result)) {
    BoundTableMaker maker(set.title);
    for (const Scenario& scenario : result.scenarios) {
      if (set.has(result, scenario)) maker.add(scenario.sums);
    }
    tables.push_back(std::move(maker).finish());
    tables.back().whole = set.whole();
  }
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
