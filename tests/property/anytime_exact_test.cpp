// The search and its bounds against the optimum, found by trying everything on small problems.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "dovetail/certificate.hpp"
#include "dovetail/check.hpp"
#include "dovetail/metrics.hpp"
#include "planners/list/earliest_slot.hpp"
#include "planners/list/one_cluster.hpp"
#include "planners/search/anytime.hpp"
#include "planners/search/lower_bound.hpp"
#include "support/random_problem.hpp"

namespace dovetail {
namespace {

// Every plan without idle waiting is a list placement of some order with some widths; so the best
// one is among all of these.
struct Optimum {
  Time end = kForever;
  std::vector<std::pair<Time, Area>> plans = {};  // end and work of all
};

Optimum try_everything(const planning::ClusterView& view, const Calendar& calendar) {
  std::vector<TaskId> order(view.size());
  std::iota(order.begin(), order.end(), TaskId{0});
  std::vector<Count> widths(view.size());
  Optimum best;
  const auto is_topological = [&] {
    std::vector<std::size_t> place(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = i;
    for (const TaskId task : order) {
      for (const TaskId before : view.workflow().predecessors(task)) {
        if (place[before] > place[task]) return false;
      }
    }
    return true;
  };
  const auto place_all = [&](auto& self, TaskId task) -> void {
    if (task == view.size()) {
      const auto slots = planning::place_fixed(view, order, widths, calendar);
      if (!slots) return;
      Time end = 0;
      Area area = 0;
      for (std::size_t i = 0; i < slots->size(); ++i) {
        end = i == 0 ? (*slots)[i].end : std::max(end, (*slots)[i].end);
        area += Area{(*slots)[i].procs} * ((*slots)[i].end - (*slots)[i].start);
      }
      best.end = std::min(best.end, end);
      best.plans.emplace_back(end, area);
      return;
    }
    const TaskTime& time = view.time(task);
    for (Count procs = time.min_procs(); procs != 0 && procs <= view.processors();
         procs = time.next_allowed(procs)) {
      widths[task] = procs;
      self(self, task + 1);
    }
  };
  do {
    if (is_topological()) place_all(place_all, 0);
  } while (std::ranges::next_permutation(order).found);
  return best;
}

Plan search(const Problem& problem, const SearchLimits& limits, std::optional<Time> deadline = {}) {
  PlanningContext context(problem, {.search = limits});
  return planning::plan_anytime(context, deadline);
}

class AnytimeExact : public ::testing::TestWithParam<int> {};

testing::RandomProblemOptions small(int reservations) {
  return {.max_tasks = 4, .max_processors = 4, .max_reservations = reservations};
}

TEST_P(AnytimeExact, NoBoundIsAboveTheOptimumAndPlansComeCloseToIt) {
  int solved = 0;
  int optimal = 0;
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    SCOPED_TRACE(seed);
    const Problem problem = testing::random_problem(seed, small(GetParam()));
    PlanningContext context(problem);
    planning::OneCluster& cluster = context.shared<planning::OneCluster>();
    const Optimum optimum = try_everything(cluster.view(), cluster.calendar());
    const Plan found = search(problem, {.trials = 3'000, .cpu_factor = std::nullopt});
    ASSERT_EQ(found.feasible, optimum.end < kForever);
    if (!found.feasible) continue;
    ASSERT_TRUE(check(problem, found).empty());
    const Time end = problem.now() + makespan(found);
    ASSERT_GE(end, optimum.end);
    ++solved;
    optimal += end == optimum.end ? 1 : 0;
    // No plan ends by then, says the bound.
    ASSERT_LT(found.search->certificate->end, optimum.end);
    ASSERT_EQ(refute(problem, *found.search->certificate), "");

    const Time later = problem.now() + (optimum.end - problem.now()) * 23 / 20;
    const planning::LowerBound bound(cluster.view(), cluster.calendar(), cluster.now());
    const Certificate work = bound.on_work(later);
    if (work.work > 0) {
      ASSERT_EQ(refute(problem, work), "");
    }
    Area least = Area{kForever} * kMaxProcessors;
    for (const auto& [plan_end, area] : optimum.plans) {
      if (plan_end <= later) least = std::min(least, area);
    }
    ASSERT_LE(work.work, least);
    const Plan cheap = search(problem, {.trials = 3'000}, later);
    ASSERT_TRUE(cheap.feasible);
    ASSERT_TRUE(check(problem, cheap).empty());
    ASSERT_LE(problem.now() + makespan(cheap), later);
  }
  EXPECT_GT(optimal * 100, solved * 97) << optimal << " of " << solved;
}

INSTANTIATE_TEST_SUITE_P(Reservations, AnytimeExact, ::testing::Values(0, 6));

TEST(Certificate, IsRefusedWhenTamperedWith) {
  int with_flow = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    const Problem problem = testing::random_problem(seed, {.max_tasks = 8, .max_processors = 8});
    const Plan found = search(problem, {.trials = 500});
    if (!found.feasible) continue;
    const Certificate& right = *found.search->certificate;
    ASSERT_EQ(refute(problem, right), "");
    // A plan ends there, so that nothing can prove that none does.
    Certificate wrong = right;
    wrong.end = problem.now() + makespan(found);
    EXPECT_NE(refute(problem, wrong), "");
    if (right.ready.empty()) continue;
    ++with_flow;
    for (Time& due : wrong.due) due = std::max(due, wrong.end);
    EXPECT_NE(refute(problem, wrong), "");
    wrong = right;
    for (std::int64_t& flow : wrong.end_flow) flow = 2 * flow + 1;
    EXPECT_NE(refute(problem, wrong), "");
    wrong = right;
    wrong.ready.pop_back();
    EXPECT_NE(refute(problem, wrong), "");
    wrong = right;
    wrong.due.back() -= 1;
    EXPECT_NE(refute(problem, wrong), "");
  }
  EXPECT_GT(with_flow, 50);
}

TEST(Anytime, IsTheSameOnAnyNumberOfThreadsAndNeverWorseThanWhatIsPublished) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    const Problem problem = testing::random_problem(seed, {.max_tasks = 30, .max_processors = 32});
    std::vector<Plan> plans;
    for (const unsigned threads : {1U, 2U, 4U}) {
      plans.push_back(
          search(problem, {.trials = 60'000, .threads = threads, .cpu_factor = std::nullopt}));
      EXPECT_EQ(plans.front(), plans.back());
    }
    if (!plans.front().feasible) continue;
    EXPECT_TRUE(check(problem, plans.front()).empty());
    for (const PlannerInfo* planner : planners_for(Goal::turnaround, problem)) {
      if (!planner->name.starts_with("BL_")) continue;
      EXPECT_LE(makespan(plans.front()), makespan(plan(*planner, problem))) << planner->name;
    }
  }
}

}  // namespace
}  // namespace dovetail
