#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "dovetail/error.hpp"
#include "dovetail/metrics.hpp"
#include "dovetail/planner.hpp"
#include "planners/list/tightest.hpp"
#include "study/deadline/deadline_study.hpp"
#include "study/published.hpp"
#include "support/study_checks.hpp"
#include "support/test_data.hpp"

namespace dovetail::study {
namespace {

using testing::kDefaultApplication;
using testing::line_count;
constexpr std::size_t kSyntheticLog = 4;  // its number among the logs

DeadlineStudyOptions small_options() { return testing::small_study<DeadlineStudyOptions>(); }

TEST(ComparedSums, LeaveOutWhatHasNoAnswer) {
  ComparedSums<3> sums;
  sums.add_instance({100, 150, kNoAnswer});
  sums.add_instance({200, 100, 100});
  EXPECT_EQ(sums.instances, 2U);
  EXPECT_EQ(sums.complete, 1U);
  EXPECT_EQ(sums.total, (std::array<std::int64_t, 3>{200, 100, 100}));
  EXPECT_EQ(sums.excess, (std::array<double, 3>{1.0, 0.5, 0.0}));
  EXPECT_EQ(sums.best, (std::array<std::size_t, 3>{1, 1, 1}));
  EXPECT_EQ(sums.unanswered, (std::array<std::size_t, 3>{0, 0, 1}));
}

TEST(DegradationMean, AveragesEachAlgorithmOverWhatItAnswered) {
  ComparedSums<2> first;
  first.add_instance({100, 150});
  first.add_instance({100, kNoAnswer});
  ComparedSums<2> second;
  second.add_instance({100, kNoAnswer});
  DegradationMean mean(2);
  mean.add(first.view());
  mean.add(second.view());
  const std::vector<Degradation> rows = mean.finish();
  EXPECT_DOUBLE_EQ(rows[0].percent, 0);
  EXPECT_DOUBLE_EQ(rows[1].percent, 50);
  EXPECT_EQ(rows[1].unanswered, 2U);
  EXPECT_DOUBLE_EQ(rows[0].instance_wins_percent, 100);
  // Nobody wins the second scenario: no instance of it was answered by both.
  EXPECT_EQ(rows[0].scenario_wins, 1U);
  EXPECT_EQ(rows[1].scenario_wins, 0U);
}

TEST(DegradationMean, CopesWithInstancesThatNobodyAnswers) {
  ComparedSums<2> sums;
  sums.add_instance({kNoAnswer, kNoAnswer});
  DegradationMean mean(2);
  mean.add(sums.view());
  for (const Degradation& row : mean.finish()) {
    EXPECT_EQ(row.percent, 0);
    EXPECT_EQ(row.scenario_wins, 0U);
    EXPECT_EQ(row.instance_wins_percent, 0);
    EXPECT_EQ(row.unanswered, 1U);
  }
}

TEST(Growth, FitsTheExponentOfAPower) {
  const std::vector<double> sizes = {10, 20, 40, 80};
  std::vector<double> values;
  for (double size : sizes) values.push_back(3 * size * size * std::sqrt(size));
  EXPECT_NEAR(fitted_exponent(sizes, values), 2.5, 1e-9);
  EXPECT_NEAR(fitted_exponent(sizes, std::vector<double>(4, 7.0)), 0, 1e-9);
}

TEST(DeadlineStudy, GivesTheSameNumbersOnAnyNumberOfThreads) {
  DeadlineStudyOptions options = small_options();
  options.threads = 1;
  const DeadlineStudyResult one = run_deadline_study(options);
  options.threads = 5;
  const DeadlineStudyResult five = run_deadline_study(options);
  EXPECT_EQ(to_csv(one), to_csv(five));
  EXPECT_EQ(to_json(one), to_json(five));
  options.seed = 2;
  EXPECT_NE(to_csv(run_deadline_study(options)), to_csv(one));
}

// What the study should sum for one instance, from the planners themselves.
template <std::size_t N>
void expect_sums(const ComparedMetrics<N>& sums, const std::array<std::string_view, N>& names,
                 PlanningContext& context) {
  ASSERT_EQ(sums.time.instances, 1U);
  Duration latest = 0;
  for (std::size_t i = 0; i < N; ++i) {
    const Plan plan = planning::tightest_plan(*find_planner(names[i]), context);
    ASSERT_TRUE(plan.feasible) << names[i];
    EXPECT_EQ(sums.time.total[i], *plan.deadline) << names[i];
    latest = std::max(latest, *plan.deadline);
  }
  for (std::size_t i = 0; i < N; ++i) {
    const Plan plan = plan_by(*find_planner(names[i]), context, latest * 3 / 2);
    ASSERT_TRUE(plan.feasible) << names[i];
    EXPECT_EQ(sums.cpu.total[i], static_cast<std::int64_t>(consumed(plan))) << names[i];
  }
}

TEST(DeadlineStudy, SumsWhatThePlannersAnswer) {
  DeadlineStudyOptions options = small_options();
  options.applications = {kDefaultApplication};
  options.start_times = 1;
  const DeadlineStudyResult result = run_deadline_study(options);
  const auto platforms =
      study_platforms(options.seed, study_synthetic_log(options.seed), kSyntheticLog, {1, 1, 1}, 1);
  const Workflow workflow = study_workflow(options.seed, application_specs()[kDefaultApplication],
                                           kDefaultApplication, 0);
  ASSERT_EQ(result.scenarios.size(), platforms.size());
  for (std::size_t spec = 0; spec < platforms.size(); ++spec) {
    const DeadlineScenario& scenario = result.scenarios[spec];
    const Problem problem({workflow}, platforms[spec]);
    PlanningContext context(problem);
    expect_sums(scenario.sums.plain, kPlainNames, context);
    if (scenario.reservations.method == gen::ReservationMethod::real) {
      expect_sums(scenario.sums.hybrid, kHybridNames, context);
    } else {
      EXPECT_EQ(scenario.sums.hybrid.time.instances, 0U);
    }
    const auto& tightest = scenario.sums.plain.time.total;
    EXPECT_EQ(scenario.sums.binds.instances, 1U);
    EXPECT_EQ(scenario.sums.binds.over_twice, tightest[4] > 2 * tightest[1] ? 1U : 0U);
  }
}

TEST(DeadlineStudy, ReadsTheConservativeAlgorithmsAsAsked) {
  EXPECT_EQ(planner_options(DeadlineReading::front).guide, GuideReading::front);
  EXPECT_EQ(planner_options(DeadlineReading::whole).guide, GuideReading::whole);
  EXPECT_EQ(planner_options(DeadlineReading::remaining).guide, GuideReading::remaining);
  EXPECT_EQ(planner_options(DeadlineReading::bounded).fallback, Fallback::share);
  EXPECT_EQ(planner_options(DeadlineReading::classic).cpa_stop, CpaStop::classic);

  DeadlineStudyOptions options = small_options();
  options.applications = {kDefaultApplication};
  const std::string front = to_csv(run_deadline_study(options));
  for (DeadlineReading reading : {DeadlineReading::remaining, DeadlineReading::classic}) {
    options.reading = reading;
    EXPECT_NE(to_csv(run_deadline_study(options)), front) << to_string(reading);
  }
}

TEST(DeadlineStudy, ComparesAllReadings) {
  DeadlineStudyOptions options = small_options();
  options.applications = {0};
  options.start_times = 1;
  options.compare_readings = true;
  const DeadlineStudyResult result = run_deadline_study(options);
  ASSERT_EQ(result.readings.size(), kDeadlineReadings.size());
  // The first is the reading of the study itself.
  for (std::size_t column = 0; column < 4; ++column) {
    EXPECT_EQ(result.readings[0].table.columns[column].rows[4].time.percent,
              result.plain[0].columns[column].rows[4].time.percent);
  }
  EXPECT_NE(format_table(result).find("remaining"), std::string::npos);
}

// One scenario per phi with exactly the published degradations, as if from one instance each, and
// one of the method real.
std::vector<DeadlineScenario> published_scenarios() {
  std::vector<DeadlineScenario> scenarios;
  for (std::size_t column = 0; column < 3; ++column) {
    DeadlineScenario scenario{0, 0, {kPhis[column], gen::ReservationMethod::linear}, {}};
    for (const bool cpu : {false, true}) {
      auto& sums = cpu ? scenario.sums.plain.cpu : scenario.sums.plain.time;
      sums.instances = sums.complete = 1;
      for (std::size_t row = 0; row < kPlainNames.size(); ++row) {
        const published::PublishedDeadlines& theirs = published::kDeadlineRows[row];
        sums.excess[row] = (cpu ? theirs.cpu_percent : theirs.tightest_percent)[column] / 100;
        sums.total[row] = static_cast<std::int64_t>(1e6 * (1 + sums.excess[row]));
      }
    }
    scenarios.push_back(scenario);
  }
  return scenarios;
}

StudyHead one_log_head() {
  StudyHead head;
  head.logs = {{"a", 1, 0.5}};
  head.applications = {application_specs()[0]};
  return head;
}

TEST(DeadlineTables, PutScenariosIntoTheirColumns) {
  std::vector<DeadlineScenario> scenarios = published_scenarios();
  scenarios.push_back(scenarios[0]);
  scenarios.back().reservations.method = gen::ReservationMethod::real;
  scenarios.back().sums.plain.time.excess.fill(0.5);
  const std::vector<PlainTable> tables = plain_tables(one_log_head(), scenarios);
  ASSERT_EQ(tables.size(), 1U);
  const auto& columns = tables[0].columns;
  EXPECT_EQ(columns[0].title, "phi 0.1");
  EXPECT_EQ(columns[0].scenarios, 2U);  // linear and real
  EXPECT_NEAR(columns[0].rows[4].time.percent, (4.12 + 50) / 2, 1e-9);
  EXPECT_NEAR(columns[1].rows[4].time.percent, 4.27, 1e-9);
  EXPECT_NEAR(columns[2].rows[0].cpu.percent, 3769.20, 1e-9);
  EXPECT_EQ(columns[2].rows[1].time.scenario_wins, 1U);  // 6.26 is the least
  EXPECT_EQ(columns[2].rows[4].time.scenario_wins, 0U);
  EXPECT_EQ(columns[3].title, "real");
  EXPECT_EQ(columns[3].scenarios, 1U);
  EXPECT_NEAR(columns[3].rows[0].time.percent, 50, 1e-9);
}

TEST(DeadlineTables, MeasureTheDistanceToThePublishedRows) {
  std::vector<DeadlineScenario> scenarios = published_scenarios();
  ReadingTable table = reading_table(DeadlineReading::front, one_log_head(), scenarios);
  EXPECT_NEAR(table.tightest_distance, 0, 1e-9);
  EXPECT_NEAR(table.cpu_distance, 0, 1e-9);
  // One of six cells is 12 points off; an aggressive row does not count.
  scenarios[1].sums.plain.time.excess[3] += 0.12;
  scenarios[1].sums.plain.time.excess[0] += 5;
  table = reading_table(DeadlineReading::front, one_log_head(), scenarios);
  EXPECT_NEAR(table.tightest_distance, 2, 1e-9);
}

TEST(DeadlineTables, CountBindsOfTheMethodRealOnly) {
  std::vector<DeadlineScenario> scenarios = published_scenarios();
  scenarios[0].sums.binds = {10, 9, 9};
  scenarios[1].reservations.method = gen::ReservationMethod::real;
  scenarios[1].sums.binds = {10, 1, 3};
  scenarios[1].sums.hybrid.time.add_instance({110, 200, 104, 100});
  scenarios[1].sums.hybrid.cpu.add_instance({300, 100, 100, kNoAnswer});
  const HybridTable table = hybrid_tables(one_log_head(), scenarios)[0];
  EXPECT_EQ(table.binds.instances, 10U);
  EXPECT_EQ(table.binds.over_twice, 1U);
  EXPECT_EQ(table.binds.over_slightly, 3U);
  EXPECT_EQ(table.table.scenarios, 1U);
  EXPECT_NEAR(table.table.rows[1].time.percent, 100, 1e-9);
  EXPECT_EQ(table.table.rows[3].cpu.unanswered, 1U);
}

// A result of the default application with the published tables.
DeadlineStudyResult published_result() {
  DeadlineStudyResult result{one_log_head()};
  result.applications = {application_specs()[kDefaultApplication]};
  result.scenarios = published_scenarios();
  result.scenarios[0].reservations.method = gen::ReservationMethod::real;
  result.scenarios[0].sums.hybrid.time.add_instance({1110, 1551, 1047, 1026});
  result.scenarios[0].sums.hybrid.cpu.add_instance({2240, 1016, 1245, kNoAnswer});
  result.plain = plain_tables(result, result.scenarios);
  result.hybrid = hybrid_tables(result, result.scenarios);
  result.findings = findings(result);
  return result;
}

TEST(DeadlineTables, FindThatThePublishedTablesAreSound) {
  DeadlineStudyResult result = published_result();
  ASSERT_EQ(result.findings.size(), 6U);
  for (const Finding& finding : result.findings) {
    EXPECT_TRUE(finding.agrees) << finding.claim << ": " << finding.found;
  }
  std::swap(result.hybrid.back().table.rows[2], result.hybrid.back().table.rows[3]);
  result.plain.back().columns[0].rows[0].time.percent = 1000;
  const std::vector<Finding> broken = findings(result);
  EXPECT_FALSE(broken.front().agrees);
  EXPECT_FALSE(broken.back().agrees);
  EXPECT_TRUE(broken[1].agrees);
  result.applications = {application_specs()[0]};
  EXPECT_TRUE(findings(result).empty());
}

TEST(DeadlineStudy, TellsWhatWasMissed) {
  const std::string text = format_table(published_result());
  EXPECT_NE(text.find("DL_RCBD_CPAR-lambda, real: missed the loose deadline on 1 instance\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("without a tightest deadline"), std::string::npos);
}

TEST(DeadlineStudy, ReportsInThreeForms) {
  DeadlineStudyOptions options = small_options();
  options.applications = {kDefaultApplication};
  options.timing = true;
  const DeadlineStudyResult result = run_deadline_study(options);

  const std::string text = format_table(result);
  EXPECT_NE(text.find("3556.70"), std::string::npos);
  EXPECT_NE(text.find("Milliseconds a plan by density"), std::string::npos);
  EXPECT_NE(text.find("V^2 P' + V E P' + V R' P'"), std::string::npos);

  const auto json = nlohmann::json::parse(to_json(result));
  EXPECT_EQ(json["study"], "deadline");
  EXPECT_EQ(json["reading"], "front");
  EXPECT_EQ(json["plain"][0]["columns"][3]["rows"][4]["algorithm"], "DL_RC_CPAR");
  EXPECT_EQ(json["hybrid"][0]["scenarios"], 3);
  EXPECT_EQ(json["findings"].size(), 6U);
  EXPECT_EQ(json["timing"][0]["rows"][9]["published"][4], 1474.986);
  EXPECT_EQ(json["growth"][1]["parameter"], "reservations");
  EXPECT_EQ(json["growth"][1]["stated_exponent"], 1.0);
  EXPECT_GT(json["growth"][0]["stated_exponent"], 2.0);

  const std::string csv = to_csv(result);
  EXPECT_EQ(line_count(csv), 1U + 9 * 5 + 3 * 4);
  EXPECT_NE(csv.find("synthetic,128,0.2,real,tasks,50,7,DL_RC_CPAR-lambda,2,"), std::string::npos);
}

TEST(DeadlineStudy, RunsAFewApplicationsAtTheScaleQuick) {
  DeadlineStudyOptions options = small_options();
  options.applications = {};
  options.start_times = 1;
  const DeadlineStudyResult result = run_deadline_study(options);
  ASSERT_EQ(result.applications.size(), 4U);
  EXPECT_TRUE(result.applications[1].is_default);
  EXPECT_EQ(result.scenarios.size(), 36U);
}

TEST(DeadlineStudy, RefusesAnUnknownLog) {
  DeadlineStudyOptions options = small_options();
  options.synthetic = false;
  options.data_dir = "nowhere";
  options.logs = {"CTC"};
  EXPECT_THROW(run_deadline_study(options), InputError);
}

TEST(DeadlineStudy, RealLogsGiveTheKnownOrder) {
  if (!testing::archive_dir()) GTEST_SKIP() << testing::kNoArchive;
  DeadlineStudyOptions options;
  options.data_dir = testing::archive_dir()->string();
  options.timing = false;
  options.applications = {kDefaultApplication};
  options.workflows = 2;
  options.start_times = 10;
  options.taggings = 1;
  const DeadlineStudyResult result = run_deadline_study(options);
  ASSERT_EQ(result.findings.size(), 6U);
  for (const Finding& finding : result.findings) {
    EXPECT_TRUE(finding.agrees) << finding.claim << ": " << finding.found;
  }
}

}  // namespace
}  // namespace dovetail::study
