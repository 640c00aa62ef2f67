// Runs the deadline study: the tightest deadlines of every instance, then the plans for a loose
// one.
#include <algorithm>
#include <string>
#include <utility>

#include "dovetail/metrics.hpp"
#include "planners/list/tightest.hpp"
#include "study/deadline/deadline_study.hpp"

namespace dovetail::study {
namespace {

// The log behind the columns of phi in Table 6.
constexpr std::string_view kPublishedLog = "SDSC-BLUE";

// The algorithms that Tables 8 to 10 list.
constexpr std::array<std::string_view, 10> kTimedNames = {
    "BD_ALL",     "BD_CPA",    "BD_CPAR",    "DL_BD_ALL",         "DL_BD_CPA",
    "DL_BD_CPAR", "DL_RC_CPA", "DL_RC_CPAR", "DL_RC_CPAR-lambda", "DL_RCBD_CPAR-lambda"};

// 10, 50 and 100 tasks, width 0.9: the default and the cheap cases that differ most from it.
QuickScale quick_scale() {
  return {.size = {.workflows = 2, .start_times = 5, .taggings = 1}, .applications = {0, 2, 4, 17}};
}

// One instance: asks each planner for its tightest deadline at most once.
class Instance {
 public:
  Instance(const Problem& problem, const PlannerOptions& options) : context_(problem, options) {}

  DeadlineSums sums(bool with_hybrids) {
    DeadlineSums sums;
    sums.plain = compare(kPlainNames);
    if (with_hybrids) sums.hybrid = compare(kHybridNames);
    sums.binds = binds();
    return sums;
  }

 private:
  // From now to the tightest deadline, or kNoAnswer.
  std::int64_t tightest(std::string_view name) {
    const auto known = std::find_if(tightest_.begin(), tightest_.end(),
                                    [&](const auto& entry) { return entry.first == name; });
    if (known != tightest_.end()) return known->second;
    const Plan plan = planning::tightest_plan(*find_planner(name), context_);
    const std::int64_t span = plan.feasible ? *plan.deadline - plan.now : kNoAnswer;
    tightest_.emplace_back(name, span);
    return span;
  }

  std::int64_t cpu(std::string_view name, Time deadline) {
    const Plan plan = plan_by(*find_planner(name), context_, deadline);
    return plan.feasible ? static_cast<std::int64_t>(consumed(plan)) : kNoAnswer;
  }

  template <std::size_t N>
  ComparedMetrics<N> compare(const std::array<std::string_view, N>& names) {
    ComparedMetrics<N> sums;
    std::array<std::int64_t, N> values{};
    std::int64_t latest = 0;
    for (std::size_t i = 0; i < N; ++i) {
      values[i] = tightest(names[i]);
      if (values[i] != kNoAnswer) latest = std::max(latest, values[i]);
    }
    sums.time.add_instance(values);
    const Time loose = context_.problem().now() + latest + latest / 2;
    for (std::size_t i = 0; i < N; ++i) values[i] = cpu(names[i], loose);
    sums.cpu.add_instance(values);
    return sums;
  }

  BindCounts binds() {
    const std::int64_t aggressive = tightest("DL_BD_CPA");
    const std::int64_t conservative = tightest("DL_RC_CPAR");
    if (aggressive == kNoAnswer || conservative == kNoAnswer) return {};
    return {.instances = 1,
            .over_twice = conservative > 2 * aggressive ? 1U : 0U,
            .over_slightly = 50 * conservative > 51 * aggressive ? 1U : 0U};
  }

  PlanningContext context_;
  std::vector<std::pair<std::string_view, std::int64_t>> tightest_;
};

std::vector<DeadlineScenario> run_campaign(const Campaign& campaign, DeadlineReading reading,
                                           bool with_hybrids) {
  const PlannerOptions options = planner_options(reading);
  return campaign.run<DeadlineSums>(
      [&](const Workflow& workflow, const Platform& platform, const ReservationSpec& spec) {
        const Problem problem({workflow}, platform);
        return Instance(problem, options)
            .sums(with_hybrids && spec.method == gen::ReservationMethod::real);
      });
}

std::vector<ReadingTable> compare_readings(const DeadlineStudyOptions& options) {
  StudyOptions narrowed = options;
  if (narrowed.logs.empty()) narrowed.logs = {std::string(kPublishedLog)};
  const Campaign campaign(narrowed, quick_scale());
  std::vector<ReadingTable> tables;
  for (DeadlineReading reading : kDeadlineReadings) {
    const auto scenarios = run_campaign(campaign, reading, false);
    tables.push_back(reading_table(reading, campaign.head(), scenarios));
  }
  return tables;
}

}  // namespace

std::string_view to_string(DeadlineReading reading) {
  constexpr std::array<std::string_view, kDeadlineReadings.size()> kNames = {
      "front", "whole", "remaining", "bounded", "classic"};
  return kNames[static_cast<std::size_t>(reading)];
}

PlannerOptions planner_options(DeadlineReading reading) {
  switch (reading) {
    case DeadlineReading::whole:
      return {.guide = GuideReading::whole};
    case DeadlineReading::remaining:
      return {.guide = GuideReading::remaining};
    case DeadlineReading::bounded:
      return {.fallback = Fallback::share};
    case DeadlineReading::classic:
      return {.cpa_stop = CpaStop::classic};
    case DeadlineReading::front:
      break;
  }
  return {};
}

void BindCounts::add(const BindCounts& other) {
  instances += other.instances;
  over_twice += other.over_twice;
  over_slightly += other.over_slightly;
}

void DeadlineSums::add(const DeadlineSums& other) {
  plain.add(other.plain);
  hybrid.add(other.hybrid);
  binds.add(other.binds);
}

DeadlineStudyResult run_deadline_study(const DeadlineStudyOptions& options) {
  const Campaign campaign(options, quick_scale());
  DeadlineStudyResult result{campaign.head()};
  result.reading = options.reading;
  result.scenarios = run_campaign(campaign, options.reading, true);
  result.plain = plain_tables(result, result.scenarios);
  result.hybrid = hybrid_tables(result, result.scenarios);
  result.findings = findings(result);
  if (options.compare_readings) result.readings = compare_readings(options);
  if (options.timing) {
    result.timing = measure_run_times(campaign, kTimedNames, Goal::deadline);
    result.growth = measure_growth(options.seed, options.scale, kTimedNames);
  }
  return result;
}

}  // namespace dovetail::study
