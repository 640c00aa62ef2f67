// What a cluster starts next, and what the journal of a daemon means.
#include <gtest/gtest.h>

#include "federation/daemon/month_entry.hpp"
#include "federation/daemon/month_groups.hpp"

namespace dovetail::federation {
namespace {

planning::MonthProblem problem_of(Count processors, Count scenarios) {
  return {.scenarios = scenarios,
          .months = 8,
          .processors = processors,
          .sizes = {{2, 4000}, {3, 3000}, {4, 2000}},
          .post = 500};
}

ReadyScenario scenario(Count number, Count done, Count runs_on = 0) {
  return {.request = {"r", "c"},
          .scenario = number,
          .done = done,
          .months = 8,
          .runs = runs_on > 0,
          .processors = runs_on};
}

MonthStarts starts_of(const MonthLoad& load, const planning::MonthProblem& problem,
                      const planning::Grouping& grouping, const MonthRules& rules) {
  return MonthGroups(problem, grouping).start(load, rules);
}

TEST(MonthGroups, TheLeastAdvancedScenarioGoesToTheFastestGroup) {
  const MonthLoad load{.scenarios = {scenario(1, 3), scenario(2, 2), scenario(3, 2)}};
  const auto starts =
      starts_of(load, problem_of(7, 3), {{3, 4}, 0}, {.processors = 7, .posts_at_once = 4});
  ASSERT_EQ(starts.mains.size(), 2U);
  EXPECT_EQ(starts.mains[0].scenario, 1U);
  EXPECT_EQ(starts.mains[0].processors, 4);
  EXPECT_EQ(starts.mains[1].scenario, 2U);
  EXPECT_EQ(starts.mains[1].processors, 3);
}

TEST(MonthGroups, AMonthOnASizeThatNoGroupHasKeepsItsProcessors) {
  const MonthLoad load{.scenarios = {scenario(1, 0, 3), scenario(2, 0), scenario(3, 0)}};
  const auto starts =
      starts_of(load, problem_of(8, 3), {{4, 4}, 0}, {.processors = 8, .posts_at_once = 4});
  ASSERT_EQ(starts.mains.size(), 1U) << "3 of 8 are taken, so there is room for one group of 4";
  EXPECT_EQ(starts.mains[0].scenario, 1U);
}

TEST(MonthGroups, AFastGroupWaitsForWhoLagsBehindOnASlowOne) {
  const MonthLoad load{.scenarios = {scenario(1, 5), scenario(2, 1, 2)}};
  const planning::Grouping groups{{4, 2}, 0};
  const MonthRules rules{.processors = 6, .posts_at_once = 4};
  EXPECT_TRUE(starts_of(load, problem_of(6, 2), groups, rules).mains.empty());
  const MonthLoad near{.scenarios = {scenario(1, 2), scenario(2, 1, 2)}};
  EXPECT_EQ(starts_of(near, problem_of(6, 2), groups, rules).mains.size(), 1U);
}

TEST(MonthGroups, PostTasksAreThrottled) {
  MonthLoad load{.scenarios = {scenario(1, 2, 4)}, .waiting_posts = 9};
  const planning::Grouping groups{{4}, 2};
  const MonthRules rules{.processors = 20, .posts_at_once = 4};
  EXPECT_EQ(starts_of(load, problem_of(20, 1), groups, rules).posts, 2U)
      << "months are left: only what no group has";
  load.scenarios[0].done = 7;
  EXPECT_EQ(starts_of(load, problem_of(20, 1), groups, rules).posts, 4U)
      << "the last month runs: any processor, but few at once";
  load.running_posts = 3;
  EXPECT_EQ(starts_of(load, problem_of(20, 1), groups, rules).posts, 1U);
}

TEST(MonthGroups, WhileTheDiskIsShortNoMonthStarts) {
  MonthLoad load{.scenarios = {scenario(1, 2, 4), scenario(2, 2)}, .waiting_posts = 3};
  const planning::Grouping groups{{4, 4}, 1};
  const MonthRules rules{.processors = 9, .posts_at_once = 4, .flushes = true};
  const auto waits = starts_of(load, problem_of(9, 2), groups, rules);
  EXPECT_TRUE(waits.mains.empty());
  EXPECT_EQ(waits.posts, 0U) << "a month still runs";
  load.scenarios[0] = scenario(1, 3);
  const auto flush = starts_of(load, problem_of(9, 2), groups, rules);
  EXPECT_TRUE(flush.mains.empty());
  EXPECT_EQ(flush.posts, 3U);
}

class MonthJournal : public ::testing::Test {
 protected:
  MonthJournal() {
    MonthRequest request{.id = "r", .experiment = "e", .client = "c", .service = "s", .months = 2};
    request.parameters = Json::object();
    state_.apply(request_entry(request, {{.number = 1, .first = 1, .done = 0}}));
  }

  MonthStep start(StepKind kind, Count month) {
    MonthStep step{.number = state_.next_number(),
                   .kind = kind,
                   .request = {"r", "c"},
                   .scenario = 1,
                   .month = month};
    state_.apply(start_entry(step));
    return step;
  }

  void end(const MonthStep& step, Outcome outcome) {
    Json entry = end_entry(step, outcome, 1, "why");
    entry["has_post"] = step.kind == StepKind::main && outcome == Outcome::done;
    state_.apply(entry);
  }

  const MonthRequest& request() const { return *state_.find({"r", "c"}); }
  const Scenario& scenario() const { return request().scenarios.front(); }

  MonthState state_;
};

TEST_F(MonthJournal, ARequestIsOverWhenItsMonthsAndPostTasksAreDone) {
  for (const Count month : {1, 2}) end(start(StepKind::main, month), Outcome::done);
  EXPECT_EQ(scenario().state, Scenario::State::done);
  EXPECT_FALSE(request().is_over());
  EXPECT_EQ(scenario().posts_left, 2);
  for (const Count month : {1, 2}) end(start(StepKind::post, month), Outcome::done);
  EXPECT_TRUE(request().is_over());
  EXPECT_EQ(state_.archived(), 2);
  EXPECT_EQ(state_.next_number(), 5U);
}

TEST_F(MonthJournal, WhatFailedIsDoneAgainAndTheVersionGrows) {
  const auto version = request().version;
  end(start(StepKind::main, 1), Outcome::failed);
  EXPECT_EQ(scenario().failures, 1);
  EXPECT_EQ(scenario().done, 0);
  end(start(StepKind::main, 1), Outcome::done);
  EXPECT_EQ(scenario().failures, 0);
  end(start(StepKind::post, 1), Outcome::lost);
  EXPECT_EQ(state_.posts().size(), 1U);
  EXPECT_GT(request().version, version + 5);
}

TEST_F(MonthJournal, ACancelledScenarioIsOverWhenNothingOfItRuns) {
  end(start(StepKind::main, 1), Outcome::done);
  const MonthStep running = start(StepKind::main, 2);
  state_.apply(cancel_entry({"r", "c"}, {}, "by c"));
  EXPECT_EQ(scenario().state, Scenario::State::active);
  EXPECT_TRUE(state_.posts().empty());
  end(running, Outcome::stopped);
  EXPECT_EQ(scenario().state, Scenario::State::cancelled);
  EXPECT_TRUE(request().is_over());
  EXPECT_EQ(scenario().done, 1);
}

TEST_F(MonthJournal, AnotherClientsRequestOfTheSameIdIsAnotherOne) {
  MonthRequest other{.id = "r", .experiment = "e", .client = "a", .service = "s", .months = 5};
  state_.apply(request_entry(other, {{.number = 1}}));
  const MonthStep mine = start(StepKind::main, 1);
  EXPECT_EQ(state_.find({"r", "a"})->version, 1U) << "nothing has happened to it";
  state_.apply(cancel_entry({"r", "a"}, {}, "by a"));
  EXPECT_TRUE(state_.find({"r", "a"})->is_over());
  EXPECT_FALSE(scenario().is_cancelled);
  Json end_of_other = end_entry(mine, Outcome::done, 1, "");
  end_of_other["client"] = "a";
  EXPECT_THROW(MonthState(state_).apply(end_of_other), Refusal);
  end(mine, Outcome::done);
  EXPECT_EQ(scenario().done, 1);
  EXPECT_EQ(state_.find({"r", "a"})->scenarios[0].done, 0);
  EXPECT_EQ(state_.active_scenarios("s", {{"r", "a"}}), 1);
  EXPECT_EQ(state_.active_scenarios("s", {{"r", "c"}}), 0);
  EXPECT_EQ(state_.find({"r", ""}), nullptr) << "only old entries may name no client";
}

TEST_F(MonthJournal, WhatIsGivenUpHasFailed) {
  end(start(StepKind::main, 1), Outcome::given_up);
  EXPECT_EQ(scenario().state, Scenario::State::failed);
  EXPECT_EQ(scenario().why, "why");
  EXPECT_TRUE(request().is_over());
}

// The entries of a state, without when they were written.
std::string meaning_of(const MonthState& state) {
  std::string all;
  for (Json entry : state.entries()) {
    entry.erase("time");
    if (entry.contains("running")) {
      for (Json& step : entry["running"]) step.erase("time");
    }
    all += entry.dump() + "\n";
  }
  return all;
}

TEST_F(MonthJournal, AShortJournalMeansTheSameAsTheLongOne) {
  const auto expect_same = [&] {
    MonthState copy;
    for (const Json& entry : state_.entries()) copy.apply(entry);
    EXPECT_EQ(meaning_of(copy), meaning_of(state_));
    EXPECT_EQ(copy.next_number(), state_.next_number());
    EXPECT_EQ(copy.archived(), state_.archived());
    EXPECT_EQ(copy.posts().size(), state_.posts().size());
    EXPECT_EQ(copy.running().size(), state_.running().size());
    EXPECT_EQ(copy.find({"r", "c"})->version, request().version);
    EXPECT_EQ(copy.find({"r", "c"})->is_over(), request().is_over());
    state_ = copy;  // and it goes on the same way
  };
  expect_same();
  end(start(StepKind::main, 1), Outcome::failed);
  expect_same();
  end(start(StepKind::main, 1), Outcome::done);
  expect_same();
  const MonthStep main = start(StepKind::main, 2);
  const MonthStep post = start(StepKind::post, 1);
  expect_same();
  EXPECT_EQ(state_.running().size(), 2U);
  end(post, Outcome::lost);
  expect_same();
  EXPECT_EQ(state_.posts().size(), 1U);
  end(main, Outcome::done);
  for (const Count month : {1, 2}) end(start(StepKind::post, month), Outcome::done);
  expect_same();
  EXPECT_TRUE(request().is_over());
  EXPECT_EQ(scenario().done, 2);
}

}  // namespace
}  // namespace dovetail::federation
