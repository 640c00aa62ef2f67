// Runs the turn-around study: all sixteen plans of every instance, then sums, then tables.
#include <algorithm>
#include <limits>
#include <utility>

#include "dovetail/metrics.hpp"
#include "planners/list/turnaround.hpp"
#include "study/turnaround/turnaround_study.hpp"

namespace dovetail::study {
namespace {

// All sixteen plans of one instance.
ScenarioSums plan_instance(const Workflow& workflow, const Platform& platform) {
  const Problem problem({workflow}, platform);
  PlanningContext context(problem);
  planning::OneCluster& cluster = context.shared<planning::OneCluster>();
  ScenarioSums sums{.instances = 1};
  std::array<std::int64_t, kBoundNames.size()> times{};
  std::array<std::int64_t, kBoundNames.size()> areas{};
  for (std::size_t level = 0; level < kBottomLevelNames.size(); ++level) {
    for (std::size_t bound = 0; bound < kBoundNames.size(); ++bound) {
      const Plan plan = planning::plan_turnaround(
          cluster, static_cast<planning::BottomLevel>(level), static_cast<planning::Bound>(bound));
      const std::size_t algorithm = algorithm_number(level, bound);
      sums.turnaround[algorithm] = times[bound] = makespan(plan);
      sums.cpu[algorithm] = areas[bound] = static_cast<std::int64_t>(consumed(plan));
    }
  }
  // The last level was BL_CPAR.
  sums.bounds.time.add_instance(times);
  sums.bounds.cpu.add_instance(areas);
  return sums;
}

constexpr std::size_t kBounds = kBoundNames.size();
constexpr std::size_t kLevels = kBottomLevelNames.size();

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
    const auto one =
        static_cast<double>(values[static_cast<std::size_t>(planning::BottomLevel::one)]);
    const std::int64_t least = *std::min_element(values.begin(), values.end());
    const auto winners = static_cast<double>(std::count(values.begin(), values.end(), least));
    for (std::size_t level = 0; level < kLevels; ++level) {
      if (values[level] == least) table_.best_percent[level] += 1 / winners;
      if (level == static_cast<std::size_t>(planning::BottomLevel::one)) continue;
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

void ScenarioSums::add(const ScenarioSums& other) {
  instances += other.instances;
  add_each(turnaround, other.turnaround);
  add_each(cpu, other.cpu);
  bounds.add(other.bounds);
}

std::vector<BoundTable> bound_tables(const TurnaroundStudyResult& result) {
  std::vector<BoundTable> tables;
  for (const ScenarioSet& set : scenario_sets(result)) {
    ComparisonTableMaker maker(set.title, kBounds);
    for (const Scenario& scenario : result.scenarios) {
      if (set.has(result, scenario)) maker.add(scenario.sums.bounds);
    }
    tables.push_back({std::move(maker).finish(), set.whole()});
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

TurnaroundStudyResult run_turnaround_study(const TurnaroundStudyOptions& options) {
  const Campaign campaign(options, {.size = {.workflows = 2, .start_times = 5, .taggings = 1}});
  TurnaroundStudyResult result{campaign.head()};
  result.scenarios = campaign.run<ScenarioSums>(
      [](const Workflow& workflow, const Platform& platform, const ReservationSpec&) {
        return plan_instance(workflow, platform);
      });
  result.bounds = bound_tables(result);
  result.bottom_levels = bottom_level_tables(result);
  if (options.timing) {
    result.timing = measure_run_times(campaign, kBoundNames, Goal::turnaround);
  }
  return result;
}

}  // namespace dovetail::study
