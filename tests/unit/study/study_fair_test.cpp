#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "dovetail/error.hpp"
#include "study/fair/fair_study.hpp"
#include "support/study_checks.hpp"

namespace dovetail::study {
namespace {

using testing::line_count;

FairStudyOptions small_options() {
  return {.timing = false, .sets = 1, .workflows = {2, 6}, .processors = {20, 47}};
}

TEST(FairStudy, IsTheSameOnAnyNumberOfThreads) {
  FairStudyOptions options = small_options();
  options.threads = 1;
  const FairStudyResult one = run_fair_study(options);
  options.threads = 3;
  const FairStudyResult three = run_fair_study(options);
  EXPECT_EQ(format_table(one), format_table(three));
  EXPECT_EQ(to_json(one), to_json(three));
  EXPECT_EQ(to_csv(one), to_csv(three));
  options.seed = 2;
  EXPECT_NE(to_csv(one), to_csv(run_fair_study(options)));
}

TEST(FairStudy, RunsEverySetOnEveryClusterByEveryAlgorithm) {
  const FairStudyResult result = run_fair_study(small_options());
  EXPECT_EQ(result.cases.size(), 3U * 2 * 2);
  EXPECT_EQ(line_count(to_csv(result)), 1 + 5 * result.cases.size());
  for (const FairCase& one : result.cases) {
    ASSERT_EQ(one.metrics.size(), 5U);
    EXPECT_TRUE(one.keeps_bound);
  }
  const auto json = nlohmann::json::parse(to_json(result));
  EXPECT_EQ(json["parts"].size(), 1U + 3 + 2);
  EXPECT_EQ(json["parts"][0]["algorithms"].size(), 5U);
  EXPECT_FALSE(json.contains("timings"));
}

// What the specification asks of a campaign, in the large.
TEST(FairStudy, HasTheShapeOfThePublishedOne) {
  FairStudyOptions options;
  options.timing = false;
  options.sets = 3;
  options.processors = {20, 47};
  const FairStudyResult result = run_fair_study(options);
  const auto above = [&](std::size_t algorithm, FairMetric metric) {
    return percent_above_mags(result.cases, {}, algorithm, metric);
  };
  EXPECT_GT(above(0, FairMetric::maximum_stretch), 400);  // SELFISH
  EXPECT_GT(above(0, FairMetric::average_stretch), 40);
  EXPECT_GT(above(1, FairMetric::makespan), 10);  // SELFISH_ORDER
  EXPECT_LT(above(1, FairMetric::makespan), 40);
  EXPECT_LT(above(1, FairMetric::maximum_stretch), 0);
  EXPECT_GT(above(1, FairMetric::maximum_stretch), -20);
  EXPECT_GT(above(2, FairMetric::maximum_stretch), 15);  // CRA_WORK_WEIGHT
  EXPECT_EQ(above(4, FairMetric::makespan), 0);          // MAGS
  EXPECT_EQ(slack_facts(result.cases, {}).beyond_bound, 0U);
}

TEST(FairStudy, NothingToRunIsAnError) {
  EXPECT_THROW(run_fair_study({.sets = 0}), InputError);
  EXPECT_THROW(run_fair_study({.workflows = {21}}), InputError);
  EXPECT_THROW(run_fair_study({.processors = {64}}), InputError);
}

TEST(FairTables, QuartilesAreInterpolated) {
  EXPECT_EQ(quartiles({4, 1, 3, 2}), (Quartiles{1, 1.75, 2.5, 3.25, 4}));
  EXPECT_EQ(quartiles({7}), (Quartiles{7, 7, 7, 7, 7}));
}

TEST(KernelGraphs, HaveThePopulationsAndShapesOfThePaper) {
  EXPECT_EQ(gen::population(gen::KernelClass::random), 1296U);
  for (const std::size_t number : {0, 1, 2}) {
    EXPECT_EQ(gen::kernel_graph(gen::KernelClass::fft, number, 1, "w").size(),
              (std::vector<std::size_t>{5, 15, 39}[number]));
  }
  const Workflow strassen = gen::kernel_graph(gen::KernelClass::strassen, 3, 1, "w");
  EXPECT_EQ(strassen.size(), 25U);
  EXPECT_EQ(strassen.edge_count(), 10U + 16U);
  EXPECT_EQ(strassen.levels()[*strassen.find("C22")], 4U);
  EXPECT_EQ(strassen.predecessors(*strassen.find("P6")).size(), 2U);
  std::vector<std::size_t> sizes(51, 0);
  for (std::size_t number = 0; number < 1296; ++number) {
    ++sizes[gen::kernel_graph(gen::KernelClass::random, number, 1, "w").size()];
  }
  EXPECT_EQ(sizes[10], 432U);
  EXPECT_EQ(sizes[20], 432U);
  EXPECT_EQ(sizes[50], 432U);
}

}  // namespace
}  // namespace dovetail::study
