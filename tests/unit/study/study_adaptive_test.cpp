#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "dovetail/error.hpp"
#include "dovetail/planner.hpp"
#include "study/adaptive/adaptive_study.hpp"
#include "support/study_checks.hpp"

namespace dovetail::study {
namespace {

using testing::line_count;

// 125 random graphs and 25 of BLAST, on one pool each.
AdaptiveStudyOptions small_options() {
  AdaptiveStudyOptions options;
  options.applications = {AdaptiveApplication::random, AdaptiveApplication::blast};
  options.sizes = {20, 200};
  options.graphs = 1;
  options.models = 1;
  return options;
}

Duration end_of(const Problem& problem, std::string_view planner) {
  const Plan made = plan(*find_planner(planner), problem);
  Time end = 0;
  for (const Placement& placement : made.placements) end = std::max(end, placement.end);
  return end;
}

// The study's shortcuts (arrays, joins as far as they matter) against the planners of the table.
TEST(AdaptiveCases, EndAsThePlannersOfTheTableDo) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    Random random(seed);
    const gen::PoolFlow flow =
        gen::heft_graph({.tasks = 30, .out_degree = 0.2}, {.ccr = 5}, random);
    const gen::PoolSpec pool{.resources = 4, .interval_seconds = 150, .share = 0.3};
    const Makespans ends = run_cases(flow, {&pool, 1}, true)[0];
    const Platform platform = gen::to_platform(pool, 20'000'000);
    const Problem problem({gen::to_workflow(flow, platform.clusters().size(), "flow")}, platform);
    EXPECT_EQ(ends[AdaptiveStrategy::heft], end_of(problem, "HEFT")) << "seed " << seed;
    EXPECT_EQ(ends[AdaptiveStrategy::aheft], end_of(problem, "AHEFT")) << "seed " << seed;
    EXPECT_EQ(ends[AdaptiveStrategy::aheft_paper], end_of(problem, "AHEFT_PAPER"))
        << "seed " << seed;
    EXPECT_EQ(ends[AdaptiveStrategy::min_min], end_of(problem, "MINMIN")) << "seed " << seed;
    EXPECT_GE(ends[AdaptiveStrategy::min_min_sum], ends[AdaptiveStrategy::heft_best]);
  }
}

TEST(AdaptiveCases, LeaveOutMinMinUnlessAsked) {
  Random random(1);
  const gen::PoolFlow flow = gen::blast_for_pool(10, {}, random);
  const gen::PoolSpec pool;
  const Makespans ends = run_cases(flow, {&pool, 1}, false)[0];
  EXPECT_GT(ends[AdaptiveStrategy::aheft], 0);
  EXPECT_EQ(ends[AdaptiveStrategy::min_min], 0);
}

TEST(AdaptiveTables, HaveTheTypesAndPoolsOfThePaper) {
  EXPECT_EQ(adaptive_types(AdaptiveApplication::random).size(), 625U);
  EXPECT_EQ(adaptive_types(AdaptiveApplication::blast).size(), 125U);
  EXPECT_EQ(adaptive_pools(AdaptiveApplication::random).size(), 80U);
  EXPECT_EQ(adaptive_pools(AdaptiveApplication::wien2k).back().resources, 100U);
  EXPECT_TRUE(axis_values(AdaptiveApplication::blast, AdaptiveAxis::out_degree).empty());
}

AdaptiveCase made_up(std::uint32_t graph, double ccr, Duration heft, Duration aheft) {
  AdaptiveCase one{.graph = graph, .type = {.size = 20, .ccr = ccr}, .pool = {}, .ends = {}};
  one.ends[AdaptiveStrategy::heft] = heft;
  one.ends[AdaptiveStrategy::aheft] = aheft;
  return one;
}

TEST(AdaptiveTables, GainIsThatOfTheSums) {
  const std::vector<AdaptiveCase> cases = {
      made_up(0, 0.1, 100'000, 90'000), made_up(0, 0.1, 300'000, 300'000),
      made_up(1, 0.1, 600'000, 310'000), made_up(2, 10, 100'000, 50'000)};
  const AdaptiveTable table = adaptive_table(cases, AdaptiveApplication::random, AdaptiveAxis::ccr);
  ASSERT_EQ(table.cells.size(), 5U);
  const AdaptiveCell& first = table.cells[0];
  EXPECT_EQ(first.graphs, 2U);
  EXPECT_EQ(first.cases, 3U);
  EXPECT_DOUBLE_EQ(*first.mean[AdaptiveStrategy::heft], 1000.0 / 3);
  EXPECT_FALSE(first.gain[AdaptiveStrategy::heft]);
  EXPECT_FALSE(first.gain[AdaptiveStrategy::min_min]);
  EXPECT_NEAR(first.gain[AdaptiveStrategy::aheft]->percent, 30, 1e-9);
  // Graphs of 400 -> 390 and 600 -> 310: 110 off the line of 0.7, either way.
  EXPECT_NEAR(*first.gain[AdaptiveStrategy::aheft]->error, 22, 1e-9);
  EXPECT_EQ(table.cells[1].cases, 0U);
  EXPECT_FALSE(table.cells[1].mean[AdaptiveStrategy::heft]);
  EXPECT_NEAR(table.cells[4].gain[AdaptiveStrategy::aheft]->percent, 50, 1e-9);
  EXPECT_FALSE(table.cells[4].gain[AdaptiveStrategy::aheft]->error);
  EXPECT_EQ(adaptive_total(cases, AdaptiveApplication::random).cases, 4U);
  EXPECT_EQ(adaptive_total(cases, AdaptiveApplication::blast).cases, 0U);
}

TEST(AdaptiveStudy, IsTheSameOnAnyNumberOfThreads) {
  AdaptiveStudyOptions options = small_options();
  options.threads = 1;
  const AdaptiveStudyResult one = run_adaptive_study(options);
  options.threads = 3;
  const AdaptiveStudyResult three = run_adaptive_study(options);
  EXPECT_EQ(format_table(one), format_table(three));
  EXPECT_EQ(to_json(one), to_json(three));
  EXPECT_EQ(to_csv(one), to_csv(three));
  options.seed = 2;
  EXPECT_NE(to_csv(one), to_csv(run_adaptive_study(options)));
}

TEST(AdaptiveStudy, FewPoolsAreOfAllKinds) {
  const AdaptiveStudyResult result = run_adaptive_study(small_options());
  ASSERT_EQ(result.cases.size(), 150U);
  for (const AdaptiveTable& table : result.tables) {
    if (table.axis == AdaptiveAxis::size) continue;
    const bool is_random = table.application == AdaptiveApplication::random;
    const double even = (is_random ? 125.0 : 25.0) / static_cast<double>(table.cells.size());
    for (const AdaptiveCell& cell : table.cells) {
      EXPECT_NEAR(static_cast<double>(cell.cases), even, 2.5)
          << to_string(table.application) << " " << to_string(table.axis) << " " << cell.value;
    }
  }
}

TEST(AdaptiveStudy, NobodyWhoPlansAgainLoses) {
  const AdaptiveStudyResult result = run_adaptive_study(small_options());
  for (const AdaptiveCase& one : result.cases) {
    const Makespans& ends = one.ends;
    EXPECT_LE(ends[AdaptiveStrategy::aheft], ends[AdaptiveStrategy::heft_best]);
    EXPECT_LE(ends[AdaptiveStrategy::heft_best], ends[AdaptiveStrategy::heft]);
    EXPECT_LE(ends[AdaptiveStrategy::aheft_paper], ends[AdaptiveStrategy::heft]);
    EXPECT_LE(ends[AdaptiveStrategy::aheft_inflight], ends[AdaptiveStrategy::heft]);
  }
}

TEST(AdaptiveStudy, ReportsStandBesideThePublishedNumbers) {
  const AdaptiveStudyResult result = run_adaptive_study(small_options());
  const std::string text = format_table(result);
  EXPECT_NE(text.find("random graphs      125 cases: 125 graphs, each on 1 of 80 pools"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("Table 3, random graphs by CCR"), std::string::npos);
  EXPECT_NE(text.find("12352.0"), std::string::npos);
  EXPECT_NE(text.find("Figure 8(d): mean makespan in seconds by resources at the start (R)"),
            std::string::npos);
  EXPECT_EQ(text.find("WIEN2K"), std::string::npos);

  const auto json = nlohmann::json::parse(to_json(result));
  EXPECT_EQ(json["study"], "adaptive");
  EXPECT_EQ(json["applications"][0]["strategies"].size(), 7U);
  EXPECT_EQ(json["applications"][1]["strategies"].size(), 5U);
  EXPECT_EQ(json["tables"].size(), 7U + 6U);
  EXPECT_EQ(json["tables"][1]["published_as"], "Table 3");
  EXPECT_EQ(json["tables"][1]["cells"][4]["published_gain_percent"], 7.7);

  const std::string csv = to_csv(result);
  EXPECT_EQ(csv.substr(0, csv.find('\n')),
            "application,size,ccr,out_degree,beta,resources,interval,share,strategy,cases,"
            "mean_makespan_s,gain_percent");
  EXPECT_EQ(line_count(csv), 1 + 125 * 7U + 25 * 5U);
}

TEST(AdaptiveStudy, RefusesASizeOfNothing) {
  AdaptiveStudyOptions options = small_options();
  options.graphs = 0;
  EXPECT_THROW(run_adaptive_study(options), InputError);
  options = small_options();
  options.models = 81;
  EXPECT_THROW(run_adaptive_study(options), InputError);
  options = small_options();
  options.sizes = {21};
  EXPECT_THROW(run_adaptive_study(options), InputError);
  options = small_options();
  options.mean_seconds = 0;
  EXPECT_THROW(run_adaptive_study(options), InputError);
}

}  // namespace
}  // namespace dovetail::study
