// The questions about one task against brute force: every allowed count, asked one by one.
#include "planners/list/earliest_slot.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "support/random_problem.hpp"

namespace dovetail::planning {

// GoogleTest shows a slot this way.
static void PrintTo(const planning::Slot& slot, std::ostream* out) {
  *out << slot.procs << " processors on [" << slot.start << ", " << slot.end << ')';
}

namespace {

using testing::Dice;
using testing::RandomProblemOptions;

// Calls `visit` with each allowed count up to the bound; the least is always allowed.
template <typename Visit>
void for_each_count(const TaskTime& time, Count bound, Visit visit) {
  for (Count procs = 1; procs <= std::max(bound, time.min_procs()); ++procs) {
    if (time.allows(procs)) visit(procs, time.duration(procs));
  }
}

std::optional<planning::Slot> brute_earliest(const Calendar& calendar, const TaskTime& time,
                                             Count bound, Time ready) {
  std::optional<planning::Slot> best;
  for_each_count(time, bound, [&](Count procs, Duration length) {
    const auto start = calendar.earliest_fit(procs, length, ready);
    if (start && (!best || *start + length < best->end)) best = {procs, *start, *start + length};
  });
  return best;
}

std::optional<planning::Slot> brute_latest(const Calendar& calendar, const TaskTime& time,
                                           Count bound, Interval window) {
  std::optional<planning::Slot> best;
  for_each_count(time, bound, [&](Count procs, Duration length) {
    const auto start = calendar.latest_fit(procs, length, window.begin, window.end);
    if (start && (!best || *start > best->start)) best = {procs, *start, *start + length};
  });
  return best;
}

std::optional<planning::Slot> brute_fewest(const Calendar& calendar, const TaskTime& time,
                                           Count bound, Interval window) {
  std::optional<planning::Slot> first;
  for_each_count(time, bound, [&](Count procs, Duration length) {
    if (first) return;
    const auto start = calendar.latest_fit(procs, length, window.begin, window.end);
    if (start) first = {procs, *start, *start + length};
  });
  return first;
}

struct Answers {
  int asked = 0;
  int none = 0;
  int differ = 0;  // the latest start needs more processors than the fewest
};

// Random questions about the tasks of a random problem, on its calendar.
void ask(const Problem& problem, Dice& dice, Answers& answers) {
  const Calendar& calendar = problem.platform().calendar(0);
  const Count processors = problem.platform().clusters()[0].processors;
  Time last = problem.now();
  for (const Step& step : calendar.steps()) last = std::max(last, step.begin);
  for (TaskId task = 0; task < problem.task_count(); ++task) {
    const TaskTime time = problem.time(0, task, 0);
    const Duration longest = time.duration(time.min_procs());
    for (int i = 0; i < 12; ++i) {
      const auto bound = static_cast<Count>(dice.between(1, processors));
      const Time begin = dice.between(problem.now(), last + 3);
      const Interval window{
          begin, begin + dice.between(-2, dice.chance(0.5) ? longest + 2 : 4 * longest + 10)};
      const auto latest = planning::latest_start(calendar, time, bound, window);
      const auto fewest = planning::fewest_processors(calendar, time, bound, window);
      ASSERT_EQ(latest, brute_latest(calendar, time, bound, window));
      ASSERT_EQ(fewest, brute_fewest(calendar, time, bound, window));
      ASSERT_EQ(planning::earliest_completion(calendar, time, bound, begin),
                brute_earliest(calendar, time, bound, begin));
      ++answers.asked;
      answers.none += !latest;
      answers.differ += latest != fewest;
    }
  }
}

Answers ask_all(std::uint64_t first, std::uint64_t last, const RandomProblemOptions& options) {
  Answers answers;
  for (std::uint64_t seed = first; seed <= last; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Dice dice(seed);
    ask(testing::random_problem(seed, options), dice, answers);
    if (::testing::Test::HasFatalFailure()) break;
  }
  return answers;
}

void expect_variety(const Answers& answers, int asked) {
  EXPECT_GT(answers.asked, asked);
  EXPECT_GT(answers.none, answers.asked / 50);
  EXPECT_GT(answers.differ, answers.asked / 50);
}

TEST(Place, MoldableTasksAsByBruteForce) {
  expect_variety(ask_all(1, 500, {.max_reservations = 30, .all_models = false}), 20'000);
}

TEST(Place, FixedMeasuredAndBoundedTasksAsByBruteForce) {
  expect_variety(ask_all(1001, 1500, {.max_processors = 30, .max_reservations = 30}), 20'000);
}

TEST(Place, TiesOfMillisecondTasksAsByBruteForce) {
  expect_variety(
      ask_all(2001, 2500, {.max_processors = 40, .max_reservations = 40, .tiny_times = true}),
      20'000);
}

TEST(Place, WideClustersWithManyReservationsAsByBruteForce) {
  expect_variety(ask_all(3001, 3060, {.max_processors = 1000, .max_reservations = 120}), 2'000);
}

TEST(Place, NothingFitsOnAClusterThatIsTaken) {
  Calendar calendar(4);
  calendar.reserve({0, kForever}, 4);
  const TaskTime time(TimeKind::amdahl, 10, 0.5, 1, 4, {});
  EXPECT_EQ(planning::latest_start(calendar, time, 4, {0, 100'000}), std::nullopt);
  EXPECT_EQ(planning::fewest_processors(calendar, time, 4, {0, 100'000}), std::nullopt);
}

TEST(Place, LatestStartTakesMoreProcessorsOnlyWhereTheyHelp) {
  Calendar calendar(4);
  calendar.reserve({0, 100'000}, 2);
  const TaskTime time(TimeKind::amdahl, 10, 0.0, 1, 4, {});
  EXPECT_EQ(planning::latest_start(calendar, time, 4, {0, 100'000}),
            (planning::Slot{2, 95'000, 100'000}));
  EXPECT_EQ(planning::latest_start(calendar, time, 1, {0, 100'000}),
            (planning::Slot{1, 90'000, 100'000}));
  EXPECT_EQ(planning::fewest_processors(calendar, time, 4, {0, 100'000}),
            (planning::Slot{1, 90'000, 100'000}));
  EXPECT_EQ(planning::fewest_processors(calendar, time, 4, {94'000, 100'000}),
            (planning::Slot{2, 95'000, 100'000}));
  EXPECT_EQ(planning::fewest_processors(calendar, time, 4, {96'000, 100'000}), std::nullopt);
}

}  // namespace
}  // namespace dovetail::planning
