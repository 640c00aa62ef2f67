// Plans made cheaper within their time: valid wherever that is broken off.
#include "planners/search/shrink.hpp"

#include <gtest/gtest.h>

#include "dovetail/check.hpp"
#include "dovetail/metrics.hpp"
#include "dovetail/planner.hpp"
#include "planners/list/one_cluster.hpp"
#include "planners/search/search_clock.hpp"
#include "support/random_problem.hpp"

namespace dovetail {
namespace {

class Lab {
 public:
  explicit Lab(const Problem& problem)
      : problem_(problem), context_(problem), cluster_(context_.shared<planning::OneCluster>()) {}

  planning::DecodedPlan widest() {
    const Plan plan = plan_by(*find_planner("BL_CPA_BD_ALL"), context_, std::nullopt);
    return planning::measured(planning::slots_of(plan), problem_.now());
  }

  planning::DecodedPlan shrunk(planning::DecodedPlan plan, Time end,
                               const std::function<bool()>& is_over = {}) {
    planning::Shrinker(cluster_.view(), cluster_.calendar(), problem_.now())
        .shrink(plan, end, is_over);
    return plan;
  }

  std::vector<std::string> violations(const planning::DecodedPlan& plan) const {
    return check(problem_, cluster_.to_plan("test", plan.slots));
  }

 private:
  const Problem& problem_;
  PlanningContext context_;
  planning::OneCluster& cluster_;
};

TEST(Shrink, IsNeverDearerNorLaterThanAllowed) {
  int cheaper = 0;
  for (std::uint64_t seed = 1; seed <= 1'000; ++seed) {
    SCOPED_TRACE(seed);
    const Problem problem = testing::random_problem(seed, {.max_tasks = 30, .max_processors = 40});
    Lab lab(problem);
    const planning::DecodedPlan before = lab.widest();
    if (before.slots.empty()) continue;
    const Time end = before.end + (before.end - problem.now()) * static_cast<Time>(seed % 3) / 2;
    const planning::DecodedPlan after = lab.shrunk(before, end);
    EXPECT_EQ(lab.violations(after), std::vector<std::string>{});
    EXPECT_LE(after.end, end);
    EXPECT_TRUE(after.area <= before.area);
    EXPECT_TRUE(after.area == planning::measured(after.slots, problem.now()).area);
    cheaper += after.area < before.area ? 1 : 0;
  }
  EXPECT_GT(cheaper, 500);
}

TEST(Shrink, BrokenOffIsAPlanAsWell) {
  int between = 0;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE(seed);
    const Problem problem = testing::random_problem(seed, {.max_tasks = 600, .max_processors = 64});
    Lab lab(problem);
    const planning::DecodedPlan before = lab.widest();
    if (before.slots.empty()) continue;
    const Area whole = lab.shrunk(before, before.end).area;
    for (const int questions : {0, 1, 2, 5}) {
      int asked = 0;
      const planning::DecodedPlan after =
          lab.shrunk(before, before.end, [&] { return asked++ >= questions; });
      EXPECT_EQ(lab.violations(after), std::vector<std::string>{});
      EXPECT_LE(after.end, before.end);
      EXPECT_TRUE(whole <= after.area && after.area <= before.area);
      between += whole < after.area && after.area < before.area ? 1 : 0;
    }
  }
  EXPECT_GT(between, 10);
}

TEST(SearchClock, AheadIsAShareOfWhatIsLeft) {
  double now = 100;
  SearchLimits limits{.seconds = 10, .clock = [&] { return now; }};
  const planning::SearchClock clock(limits);
  EXPECT_DOUBLE_EQ(clock.ahead(0.5), 0.5);
  now = 106;
  EXPECT_DOUBLE_EQ(clock.ahead(0.5), 0.8);
  EXPECT_FALSE(clock.is_over(clock.ahead(0.5)));
  EXPECT_FALSE(clock.was_over());
  now = 111;
  EXPECT_DOUBLE_EQ(clock.ahead(0.5), 1);
  EXPECT_TRUE(clock.is_over(clock.ahead(0.5)));
  EXPECT_TRUE(clock.was_over());
  const SearchLimits endless;
  EXPECT_FALSE(planning::SearchClock(endless).is_over(planning::SearchClock(endless).ahead(0.1)));
}

}  // namespace
}  // namespace dovetail
