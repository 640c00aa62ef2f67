// What tasks without a time are thought to take: from the history, else an assumption that is said.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <queue>

#include "dovetail/planner.hpp"
#include "run/history/predictor.hpp"
#include "support/file_checks.hpp"
#include "support/measured_tasks.hpp"

namespace dovetail::run {
namespace {

using testing::Dice;
using testing::Law;
using testing::measured;
using testing::relative;
using testing::TemporaryFolder;

class TimeEstimates : public ::testing::Test {
 protected:
  UntimedTask moldable(const std::string& id) const {
    return {.workflow = "w", .id = id, .kind = "k", .is_moldable = true, .processors = {1, 8}};
  }
  UntimedTask fixed(const std::string& id) const {
    return {.workflow = "w", .id = id, .kind = "k", .processors = {1, 1}};
  }
  TemporaryFolder folder_;
  PerformanceHistory history_{folder_.file("history.sqlite")};
};

TEST_F(TimeEstimates, SaysWhatItAssumesOfATaskNeverSeen) {
  Estimator estimator(&history_, "m");
  const TimeSpec first = estimator(moldable("k_1"));
  EXPECT_EQ(first.kind, TimeKind::amdahl);
  EXPECT_EQ(first.seconds, kAssumedSeconds);
  EXPECT_EQ(first.alpha, kAssumedAlpha);
  EXPECT_EQ(first.processors.max, 8);
  const TimeSpec second = estimator(fixed("k_2"));
  EXPECT_EQ(second.kind, TimeKind::fixed);
  EXPECT_EQ(second.seconds, kAssumedSeconds);
  ASSERT_EQ(estimator.estimates().size(), 2U);
  ASSERT_NE(estimator.find("w", "k_2"), nullptr);
  EXPECT_TRUE(estimator.find("w", "k_2")->was_assumed);
  EXPECT_EQ(estimator.find("w", "k_3"), nullptr);
  EXPECT_EQ(estimator.notes(),
            std::vector<std::string>{
                "without a time and never measured on m, 60 s assumed, on one processor and with "
                "alpha 0.1 if moldable: \"k_1\" and \"k_2\"; a run measures them"});
}

TEST_F(TimeEstimates, NamesOnlyTheFirstOfManyAssumptions) {
  Estimator estimator(nullptr, "m");
  for (int i = 0; i < 100; ++i) estimator(fixed("k_" + std::to_string(i)));
  ASSERT_EQ(estimator.notes().size(), 1U);
  EXPECT_NE(estimator.notes()[0].find("\"k_4\" and 95 more"), std::string::npos)
      << estimator.notes()[0];
}

TEST_F(TimeEstimates, UsesWhatWasMeasuredOnThisMachine) {
  history_.add(std::vector{measured(1, 1, 7, 7)});
  Estimator here(&history_, "m");
  EXPECT_NEAR(here(fixed("k_1")).seconds, 7, 1e-9);
  EXPECT_FALSE(here.find("w", "k_1")->was_assumed);
  EXPECT_EQ(here.notes(), std::vector<std::string>{
                              "1 task without a time: estimated from what was measured on m"});
  Estimator elsewhere(&history_, "n");
  EXPECT_EQ(elsewhere(fixed("k_1")).seconds, kAssumedSeconds);
}

TEST_F(TimeEstimates, SaysWhereAlphaIsAssumed) {
  history_.add(std::vector{measured(1, 1, 7, 7)});
  Estimator estimator(&history_, "m");
  estimator(moldable("k_1"));
  ASSERT_EQ(estimator.notes().size(), 2U);
  EXPECT_EQ(estimator.notes()[1],
            "measured on one number of processors only, alpha 0.1 assumed: \"k_1\"");
}

TEST_F(TimeEstimates, ATaskIsMoreThanItsKindWhereTasksDiffer) {
  std::vector<Measurement> all;
  for (int task = 1; task <= 10; ++task) {
    all.push_back(measured(1, 1, task, task, "k_" + std::to_string(task)));
  }
  history_.add(all);
  Estimator estimator(&history_, "m");
  EXPECT_NEAR(estimator(fixed("k_9")).seconds, 9, 1e-9);
  EXPECT_NEAR(estimator(fixed("k_77")).seconds, 5.5, 1e-9) << "a new one is like its kind";
}

TEST_F(TimeEstimates, OneSlowAttemptIsNotATaskOfItsOwn) {
  std::vector<Measurement> all;
  for (int task = 1; task <= 20; ++task) {
    all.push_back(measured(1, 1, task == 3 ? 100 : 10, 10, "k_" + std::to_string(task)));
  }
  history_.add(all);
  EXPECT_NEAR(Estimator(&history_, "m")(fixed("k_3")).seconds, 10, 1e-9);
  history_.add(std::vector{measured(2, 1, 100, 100, "k_3")});
  EXPECT_NEAR(Estimator(&history_, "m")(fixed("k_3")).seconds, 100, 1e-9) << "twice it is";
}

TEST_F(TimeEstimates, ABrokenHistoryIsSaidAndKnowsNothing) {
  history_.add(std::vector{measured(1, 1, 7, 7)});
  const std::string file = folder_.file("history.sqlite");
  std::ofstream(file, std::ios::binary | std::ios::trunc) << std::string(20'000, 'x');
  Estimator estimator(&history_, "m");
  EXPECT_EQ(estimator(fixed("k_1")).seconds, kAssumedSeconds);
  ASSERT_EQ(estimator.notes().size(), 2U);
  EXPECT_TRUE(estimator.notes()[0].starts_with("no measured times: " + file))
      << estimator.notes()[0];
}

// Runs the plan's tasks in the order of their starts, each as soon as what it needs is done and its
// processors are free, as long as it really takes; answers when the last one ends.
double execute(const Problem& problem, const Plan& plan, Count processors,
               const std::function<double(const Placement&)>& real_seconds) {
  const Workflow& workflow = problem.workflows()[0];
  std::vector<Placement> order = plan.placements;
  std::ranges::stable_sort(order, {}, &Placement::start);
  using Running = std::pair<double, Count>;  // until when, on how many
  std::priority_queue<Running, std::vector<Running>, std::greater<>> running;
  std::vector<double> ends(workflow.size(), 0);
  double now = 0;
  Count free = processors;
  for (const Placement& placed : order) {
    for (const TaskId before : workflow.predecessors(placed.task)) {
      now = std::max(now, ends[before]);
    }
    while (!running.empty() && (running.top().first <= now || free < placed.procs)) {
      now = std::max(now, running.top().first);
      free += running.top().second;
      running.pop();
    }
    free -= placed.procs;
    ends[placed.task] = now + real_seconds(placed);
    running.emplace(ends[placed.task], placed.procs);
  }
  return std::ranges::max(ends);
}

// The promise of the whole: three runs of a workflow without times, and the fourth plan is right.
TEST_F(TimeEstimates, AfterThreeRunsTheNextPlanIsWithinTwentyPerCent) {
  constexpr Count kProcessors = 8;
  int guesses = 0;  // far off, on a number of processors from which nothing was known
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Dice dice(seed);
    PerformanceHistory history(folder_.file("seed" + std::to_string(seed)));
    std::string text = "name: w\ntasks:\n";
    std::map<std::string, Law> laws;
    const bool is_counted = dice.chance(0.5);  // whether the CPU time is all seen
    for (int i = 0; i < 12; ++i) {
      const std::string id = (i < 6 ? "wide_" : "deep_") + std::to_string(i);
      laws[id] = {.seconds = std::exp(dice.real(0, 5)), .alpha = dice.real(0, 0.5)};
      text += "  - {id: " + id + ", run: x, processors: {min: 1, max: 8}";
      if (i >= 6) text += ", after: [wide_" + std::to_string(dice.between(0, 5)) + "]";
      text += "}\n";
    }
    for (int run = 1; run <= 4; ++run) {
      Estimator estimator(&history, "m");
      const Workflow workflow =
          parse_workflow(text, "w.yaml", {.missing_time = std::ref(estimator)});
      EXPECT_EQ(estimator.find("w", "deep_7")->was_assumed, run == 1);
      const Problem problem({workflow}, Platform::empty(kProcessors, "local"));
      auto plans = plan_all(problem);
      const Plan& plan = plans[best_plan(plans)];
      std::vector<Measurement> found;
      const double makespan = execute(problem, plan, kProcessors, [&](const Placement& placed) {
        const std::string id(workflow.id(placed.task));
        const double seconds = laws[id].at(placed.procs) * dice.real(0.97, 1.03);
        found.push_back(measured(run, placed.procs, seconds,
                                 is_counted ? laws[id].seconds : 0.01 * seconds, id));
        found.back().kind = workflow.kind(placed.task);
        found.back().estimate = to_seconds(placed.end - placed.start);
        return seconds;
      });
      history.add(found);
      if (run < 4) continue;
      for (const Measurement& m : found) {
        const bool is_close = relative(m.estimate, m.seconds) < 0.2;
        guesses += is_close ? 0 : 1;
        const AlphaBasis alpha = estimator.find("w", m.task)->prediction.alpha;
        EXPECT_TRUE(is_close || alpha == AlphaBasis::assumed) << m.task;
      }
      const auto last = std::ranges::max(plan.placements, {}, &Placement::end);
      EXPECT_LT(relative(to_seconds(last.end - plan.now), makespan), 0.2);
    }
  }
  EXPECT_LE(guesses, 40 * 12 / 50);
}

}  // namespace
}  // namespace dovetail::run
