#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "dovetail/error.hpp"
#include "study/anytime/anytime_study.hpp"
#include "support/study_checks.hpp"

namespace dovetail::study {
namespace {

using testing::line_count;

// Searches by trials, which are the same every time.
AnytimeStudyOptions small_options() {
  AnytimeStudyOptions options;
  options.synthetic = true;
  options.schedules = 2;
  options.tasks = {10, 25};
  options.trials = {1, 200};
  return options;
}

TEST(AnytimeStudy, IsTheSameOnAnyNumberOfThreads) {
  AnytimeStudyOptions options = small_options();
  options.threads = 1;
  const AnytimeStudyResult one = run_anytime_study(options);
  options.threads = 3;
  const AnytimeStudyResult three = run_anytime_study(options);
  EXPECT_EQ(format_table(one), format_table(three));
  EXPECT_EQ(to_json(one), to_json(three));
  EXPECT_EQ(to_csv(one), to_csv(three));
  options.seed = 2;
  EXPECT_NE(to_csv(one), to_csv(run_anytime_study(options)));
}

TEST(AnytimeStudy, AsksEveryQuestionOfEveryCase) {
  const AnytimeStudyResult result = run_anytime_study(small_options());
  EXPECT_EQ(result.cases.size(), 2U * 2);
  EXPECT_EQ(line_count(to_csv(result)), 1 + result.cases.size() * kAnytimeQuestions.size() * 2);
  EXPECT_EQ(count_failures(result.cases).total(), 0U);
  for (const AnytimeCase& one : result.cases) {
    EXPECT_LE(one.best16, one.cpar);
    EXPECT_LE(one.critical_path, one.calendar_path);
    for (const AnytimeQuestion question : kAnytimeQuestions) {
      const AnytimeAnswer* little = one.find(question, 0);
      const AnytimeAnswer* more = one.find(question, 1);
      ASSERT_TRUE(little != nullptr && more != nullptr) << to_string(question);
      EXPECT_GE(more->gap, 0);
    }
    EXPECT_LE(one.find(AnytimeQuestion::any_hours, 1)->turnaround, one.best16);
    EXPECT_LE(one.find(AnytimeQuestion::cpar_hours, 1)->area, one.cpar_area);
    EXPECT_LE(one.find(AnytimeQuestion::cpar_end, 1)->turnaround, one.cpar);
    EXPECT_LE(one.find(AnytimeQuestion::loose_deadline, 1)->turnaround, *one.tightest * 3 / 2);
  }
}

TEST(AnytimeStudy, TellsItsTablesInJson) {
  const AnytimeStudyResult result = run_anytime_study(small_options());
  const auto json = nlohmann::json::parse(to_json(result));
  EXPECT_EQ(json["study"], "anytime");
  EXPECT_EQ(json["instances"], 4);
  EXPECT_EQ(json["limits"][1]["trials"], 200);
  ASSERT_EQ(json["parts"].size(), 3U);  // 10 tasks, 25 tasks, all
  EXPECT_EQ(json["parts"][2]["part"], "all");
  EXPECT_EQ(json["parts"][2]["metrics"].size(), 18U);
  const auto& gap = json["parts"][2]["metrics"]["gap"][1];
  EXPECT_EQ(gap["instances"], 4);
  EXPECT_GE(gap["greatest"], gap["median"]);
  EXPECT_EQ(json["failures"]["searches"], 4 * 5 * 2);
  EXPECT_EQ(json["failures"]["invalid_plans"], 0);
  EXPECT_EQ(json["failures"]["refuted_certificates"], 0);
  EXPECT_EQ(json["promises"][0]["kept"], true);
  EXPECT_FALSE(json["promises"][1].contains("kept"));  // it is about milliseconds
  EXPECT_TRUE(json.contains("shapes_note"));
}

TEST(AnytimeStudy, KeepsTimeLimits) {
  AnytimeStudyOptions options = small_options();
  options.trials = {};
  options.milliseconds = {2};
  options.tasks = {25};
  const AnytimeStudyResult result = run_anytime_study(options);
  EXPECT_EQ(count_failures(result.cases).total(), 0U);
  // A search looks at the clock now and then, and ends what it has begun.
  EXPECT_LT(time_of(result.cases, {}, AnytimeQuestion::any_hours, 0).mean_ms, 200);
  EXPECT_NE(format_table(result).find("2 ms"), std::string::npos);
}

TEST(AnytimeStudy, DrawsTheFrontierThatItWasAskedFor) {
  AnytimeStudyOptions options = small_options();
  options.tasks = {10};
  options.schedules = 1;
  options.frontier = true;
  const AnytimeStudyResult result = run_anytime_study(options);
  ASSERT_TRUE(result.frontier);
  const AnytimeFrontier& frontier = *result.frontier;
  ASSERT_FALSE(frontier.ours.empty());
  for (std::size_t i = 1; i < frontier.ours.size(); ++i) {
    EXPECT_LT(frontier.ours[i - 1].turnaround, frontier.ours[i].turnaround);
    EXPECT_GT(frontier.ours[i - 1].area, frontier.ours[i].area);
  }
  // No plan lies below the bound.
  for (const AnytimePoint& bound : frontier.bound) {
    for (const auto* points : {&frontier.ours, &frontier.forward, &frontier.backward}) {
      for (const AnytimePoint& point : *points) {
        if (point.turnaround <= bound.turnaround) {
          EXPECT_GE(point.area, bound.area);
        }
      }
    }
  }
  EXPECT_EQ(anytime_figures(result).size(), 3U);
}

TEST(AnytimeStudy, NothingToRunIsAnError) {
  AnytimeStudyOptions options = small_options();
  options.schedules = 0;
  EXPECT_THROW(run_anytime_study(options), InputError);
  options = small_options();
  options.tasks = {601};
  EXPECT_THROW(run_anytime_study(options), InputError);
  options = small_options();
  options.trials = {0};
  EXPECT_THROW(run_anytime_study(options), InputError);
}

TEST(AnytimeTables, SummariseWhatThereIs) {
  const auto with_gap = [](double gap) {
    AnytimeCase one{.tasks = 50};
    one.answers.push_back({.has_plan = true, .gap = gap});
    return one;
  };
  std::vector<AnytimeCase> cases = {with_gap(0.01), with_gap(0.04), with_gap(0.02), with_gap(0.01)};
  cases.push_back({.tasks = 50});  // no answer
  const AnytimeSummary summary = summarise(cases, {}, AnytimeMetric::gap, 0);
  EXPECT_EQ(summary.count, 4U);
  EXPECT_DOUBLE_EQ(summary.mean, 0.02);
  EXPECT_DOUBLE_EQ(summary.median, 0.015);
  EXPECT_DOUBLE_EQ(summary.greatest, 0.04);
  EXPECT_NEAR(summary.deviation, 0.012247, 1e-6);
  EXPECT_EQ(summarise(cases, {.shapes = true}, AnytimeMetric::gap, 0).count, 0U);
}

TEST(AnytimeTables, PromisesAreComparedAtTheirOwnLimits) {
  AnytimeCase one{.tasks = 50, .best16 = 100, .cpar = 100, .cpar_area = 1000};
  one.answers.push_back({.limit = 1,
                         .has_plan = true,
                         .is_valid = true,
                         .is_proven = true,
                         .turnaround = 93,
                         .area = 2000,
                         .least_turnaround = 90});
  const std::vector<AnytimeCase> cases = {one};
  const std::vector<AnytimeLimit> limits = {{.milliseconds = 1, .trials = {}},
                                            {.milliseconds = 10, .trials = {}}};
  std::size_t judged = 0;
  for (const AnytimePromise& promise : anytime_promises(cases, limits)) {
    if (promise.ours.empty()) continue;
    ++judged;
    EXPECT_TRUE(promise.is_kept) << promise.what;
  }
  EXPECT_EQ(judged, 3U);  // failures, -7 % at 10 ms, better on all
}

}  // namespace
}  // namespace dovetail::study
