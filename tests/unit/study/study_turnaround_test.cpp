#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "dovetail/check.hpp"
#include "dovetail/error.hpp"
#include "dovetail/metrics.hpp"
#include "dovetail/planner.hpp"
#include "study/parallel.hpp"
#include "study/turnaround/turnaround_study.hpp"
#include "support/fingerprint.hpp"
#include "support/study_checks.hpp"
#include "support/test_data.hpp"

namespace dovetail::study {
namespace {

using testing::kDefaultApplication;
using testing::line_count;

TurnaroundStudyOptions small_options() { return testing::small_study<TurnaroundStudyOptions>(); }

TEST(ParallelFor, CallsEveryItemOnceOnAnyNumberOfThreads) {
  for (unsigned threads : {0U, 1U, 2U, 7U}) {
    std::vector<std::atomic<int>> calls(100);
    std::size_t last = 0;
    parallel_for(
        calls.size(), threads, [&](std::size_t i) { ++calls[i]; },
        [&](std::size_t done, std::size_t total) {
          EXPECT_EQ(done, last + 1);
          EXPECT_EQ(total, 100U);
          last = done;
        });
    EXPECT_EQ(last, 100U);
    for (const auto& count : calls) EXPECT_EQ(count, 1);
  }
}

TEST(ParallelFor, ThrowsWhatTheWorkThrows) {
  const auto work = [](std::size_t i) {
    if (i == 5) throw std::runtime_error("five");
  };
  EXPECT_THROW(parallel_for(20, 3, work), std::runtime_error);
  EXPECT_NO_THROW(parallel_for(5, 3, work));
  EXPECT_NO_THROW(parallel_for(0, 3, work));
}

TEST(Campaign, HasTheFortyApplicationsOfThePaper) {
  const std::vector<ApplicationSpec> specs = application_specs();
  EXPECT_EQ(specs.size(), 40U);
  EXPECT_EQ(std::count_if(specs.begin(), specs.end(),
                          [](const ApplicationSpec& spec) { return spec.is_default; }),
            6);
  for (const ApplicationSpec& spec : specs) {
    // Only the named parameter differs from the defaults.
    const gen::LayeredDagSpec standard;
    const int changed =
        (spec.dag.tasks != standard.tasks) + (spec.dag.width != standard.width) +
        (spec.dag.density != standard.density) + (spec.dag.regularity != standard.regularity) +
        (spec.dag.jump != standard.jump) + (spec.dag.times.alpha_max != standard.times.alpha_max);
    EXPECT_EQ(changed, spec.is_default ? 0 : 1) << spec.parameter << ' ' << spec.value;
  }
  EXPECT_EQ(reservation_specs().size(), 9U);
}

TEST(Campaign, ASmallerOneIsPartOfALargerOne) {
  const gen::ReservationLog log = study_synthetic_log(3);
  const auto small = study_platforms(3, log, 4, {1, 1, 1}, 1);
  const auto large = study_platforms(3, log, 4, {1, 2, 2}, 1);
  ASSERT_EQ(small.size(), 9U);
  ASSERT_EQ(large.size(), 36U);
  for (std::size_t spec = 0; spec < small.size(); ++spec) {
    EXPECT_EQ(testing::fingerprint(small[spec].clusters()[0]),
              testing::fingerprint(large[4 * spec].clusters()[0]));
    EXPECT_NE(testing::fingerprint(large[4 * spec].clusters()[0]),
              testing::fingerprint(large[4 * spec + 1].clusters()[0]));
  }
}

TEST(TurnaroundStudy, GivesTheSameNumbersOnAnyNumberOfThreads) {
  TurnaroundStudyOptions options = small_options();
  options.threads = 1;
  const TurnaroundStudyResult one = run_turnaround_study(options);
  options.threads = 5;
  const TurnaroundStudyResult five = run_turnaround_study(options);
  EXPECT_EQ(to_csv(one), to_csv(five));
  EXPECT_EQ(to_json(one), to_json(five));
  options.seed = 2;
  EXPECT_NE(to_csv(run_turnaround_study(options)), to_csv(one));
}

TEST(TurnaroundStudy, SumsWhatThePlannersAnswer) {
  TurnaroundStudyOptions options = small_options();
  options.start_times = 1;
  const TurnaroundStudyResult result = run_turnaround_study(options);
  const auto platforms =
      study_platforms(options.seed, study_synthetic_log(options.seed), 4, {1, 1, 1}, 1);
  const Workflow workflow = study_workflow(options.seed, application_specs()[kDefaultApplication],
                                           kDefaultApplication, 0);
  for (std::size_t spec = 0; spec < platforms.size(); ++spec) {
    const Scenario& scenario = result.scenarios[platforms.size() + spec];
    ASSERT_EQ(scenario.sums.instances, 1U);
    const Problem problem({workflow}, platforms[spec]);
    for (std::size_t level = 0; level < 4; ++level) {
      for (std::size_t bound = 0; bound < 4; ++bound) {
        const std::string name =
            std::string(kBottomLevelNames[level]) + "_" + std::string(kBoundNames[bound]);
        const PlannerInfo* planner = find_planner(name);
        ASSERT_NE(planner, nullptr) << name;
        const Plan made = plan(*planner, problem);
        EXPECT_EQ(check(problem, made), std::vector<std::string>()) << name;
        const std::size_t algorithm = algorithm_number(level, bound);
        EXPECT_EQ(scenario.sums.turnaround[algorithm], makespan(made)) << name;
        EXPECT_EQ(scenario.sums.cpu[algorithm], static_cast<std::int64_t>(consumed(made))) << name;
      }
    }
  }
}

// Two scenarios with BL_CPAR values made by hand.
TurnaroundStudyResult made_by_hand() {
  TurnaroundStudyResult result;
  result.logs = {{"a", 1, 0.5}, {"b", 1, 0.5}};
  result.applications = {application_specs()[0]};
  for (std::size_t log = 0; log < 2; ++log) {
    Scenario scenario{0, log, {}, {}};
    scenario.sums.instances = 2;
    scenario.sums.turnaround.fill(200);
    scenario.sums.cpu.fill(100);
    for (std::size_t level = 0; level < 4; ++level) {
      scenario.sums.turnaround[algorithm_number(level, 3)] = log == 0 ? 100 : 200;
    }
    auto& [time, cpu] = scenario.sums.bounds;
    time.instances = time.complete = cpu.instances = cpu.complete = 2;
    time.total = {200, 200, 200, log == 0 ? 100 : 200};
    time.excess = {2.0, 2.0, 0.5, 0.0};
    time.best = {0, 0, 1, 2};
    cpu.total.fill(100);
    result.scenarios.push_back(scenario);
  }
  return result;
}

TEST(TurnaroundTables, AverageOverInstancesThenScenarios) {
  const std::vector<BoundTable> tables = bound_tables(made_by_hand());
  ASSERT_EQ(tables.size(), 3U);
  EXPECT_EQ(tables[0].title, "a");
  EXPECT_EQ(tables[1].title, "b");
  const BoundTable& all = tables[2];
  EXPECT_TRUE(all.whole);
  EXPECT_EQ(all.scenarios, 2U);
  EXPECT_EQ(all.instances, 4U);
  EXPECT_DOUBLE_EQ(all.rows[0].time.percent, 100);
  EXPECT_DOUBLE_EQ(all.rows[2].time.percent, 25);
  EXPECT_DOUBLE_EQ(all.rows[2].time.instance_wins_percent, 50);
}

TEST(TurnaroundTables, TiesCountForAll) {
  const BoundTable all = bound_tables(made_by_hand())[2];
  EXPECT_EQ(all.rows[3].time.scenario_wins, 2U);
  EXPECT_EQ(all.rows[0].time.scenario_wins, 1U);
  EXPECT_EQ(all.rows[0].cpu.scenario_wins, 2U);
}

TEST(TurnaroundTables, BottomLevelsShareTiesAndCompareWithOne) {
  TurnaroundStudyResult result = made_by_hand();
  result.scenarios.resize(1);
  auto& turnaround = result.scenarios[0].sums.turnaround;
  turnaround[algorithm_number(0, 0)] = 200;  // BL_1
  turnaround[algorithm_number(1, 0)] = 220;
  turnaround[algorithm_number(2, 0)] = 180;
  turnaround[algorithm_number(3, 0)] = 180;
  const BottomLevelTable table = bottom_level_tables(result)[0];
  EXPECT_DOUBLE_EQ(table.least_gain, -10);
  EXPECT_DOUBLE_EQ(table.greatest_gain, 10);
  EXPECT_EQ(table.best_percent, (std::array<double, 4>{0, 0, 50, 50}));
}

TEST(TurnaroundStudy, ReportsInThreeForms) {
  TurnaroundStudyOptions options = small_options();
  options.applications = {kDefaultApplication};
  options.timing = true;
  const TurnaroundStudyResult result = run_turnaround_study(options);

  const std::string text = format_table(result);
  EXPECT_NE(text.find("published"), std::string::npos);
  EXPECT_NE(text.find("33.75"), std::string::npos);
  EXPECT_NE(text.find("Milliseconds a plan by density"), std::string::npos);

  const auto json = nlohmann::json::parse(to_json(result));
  EXPECT_EQ(json["scenarios"], 9);
  EXPECT_EQ(json["bounds"][0]["rows"][3]["algorithm"], "BD_CPAR");
  EXPECT_EQ(json["timing"][0]["values"], (std::vector<double>{10, 25, 50, 75, 100}));

  const std::string csv = to_csv(result);
  EXPECT_EQ(line_count(csv), 1U + 9 * 16);
  EXPECT_NE(csv.find("synthetic,128,0.2,expo,tasks,50,BL_CPA_BD_HALF,2,"), std::string::npos);
}

TEST(TurnaroundStudy, TellsItsProgress) {
  TurnaroundStudyOptions options = small_options();
  std::vector<std::size_t> seen;
  options.progress = [&](std::size_t done, std::size_t total) {
    seen.push_back(done);
    EXPECT_EQ(total, 2U);
  };
  run_turnaround_study(options);
  EXPECT_EQ(seen, (std::vector<std::size_t>{1, 2}));
}

TEST(TurnaroundStudy, RefusesWhatItCannotRun) {
  TurnaroundStudyOptions options = small_options();
  options.applications = {40};
  EXPECT_THROW(run_turnaround_study(options), InputError);
  options = small_options();
  options.taggings = 0;
  EXPECT_THROW(run_turnaround_study(options), InputError);
  options = small_options();
  options.synthetic = false;
  options.data_dir = "nowhere";
  EXPECT_THROW(run_turnaround_study(options), InputError);
  options.logs = {"CTC"};
  try {
    run_turnaround_study(options);
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "log \"CTC\" is unknown; the study has CTC-SP2 OSC-Clust SDSC-BLUE SDSC-DS");
  }
}

TEST(TurnaroundStudy, RealLogsGiveTheKnownOrder) {
  if (!testing::archive_dir()) GTEST_SKIP() << testing::kNoArchive;
  TurnaroundStudyOptions options;
  options.data_dir = testing::archive_dir()->string();
  options.timing = false;
  options.applications = {kDefaultApplication};
  options.workflows = 2;
  options.start_times = 5;
  options.taggings = 1;
  const TurnaroundStudyResult result = run_turnaround_study(options);
  const BoundTable& all = *std::find_if(result.bounds.begin(), result.bounds.end(),
                                        [](const BoundTable& table) { return table.whole; });
  EXPECT_EQ(all.instances, 360U);
  EXPECT_GT(all.rows[0].time.percent, all.rows[1].time.percent);
  EXPECT_GT(all.rows[1].time.percent, 10);
  EXPECT_LT(all.rows[2].time.percent, 5);
  EXPECT_LT(all.rows[3].time.percent, 5);
  EXPECT_GE(all.rows[3].cpu.instance_wins_percent, 95);
}

}  // namespace
}  // namespace dovetail::study
