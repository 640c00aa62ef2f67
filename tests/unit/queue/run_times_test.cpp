// How long a set of tasks takes on n nodes.
#include "queue/strategies/run_times.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "support/task_rows.hpp"

namespace dovetail::queue {
namespace {

using testing::Row;
using testing::tasks_of;

TaskSet all_of(const LeveledTasks& tasks) {
  std::vector<TaskId> all(tasks.size());
  for (TaskId task = 0; task < tasks.size(); ++task) all[task] = task;
  return make_set(tasks, all);
}

Duration seconds(int count) { return count * kSecond; }

TEST(RunTimes, TheShortestReadyTaskGoesFirst) {
  // Short ones first leave the long one alone at the end.
  const LeveledTasks tasks = tasks_of({{60}, {10}, {20}, {30}});
  RunTimes run_times(tasks, Pick::shortest);
  EXPECT_EQ(run_times.run(all_of(tasks), 1), seconds(120));
  EXPECT_EQ(run_times.run(all_of(tasks), 2), seconds(80));
  EXPECT_EQ(run_times.run(all_of(tasks), 4), seconds(60));
}

TEST(RunTimes, TheLongestGoesFirstWhenAskedFor) {
  const LeveledTasks tasks = tasks_of({{60}, {10}, {20}, {30}});
  RunTimes run_times(tasks, Pick::longest);
  EXPECT_EQ(run_times.run(all_of(tasks), 2), seconds(60));
}

TEST(RunTimes, EqualTasksGoInFileOrder) {
  // Three equal tasks on two nodes: a long child can begin after 10 when its parent is among the
  // first two, else after 20.
  const LeveledTasks early = tasks_of({{10}, {10}, {10}, {50, {1}}});
  const LeveledTasks late = tasks_of({{10}, {10}, {10}, {50, {2}}});
  EXPECT_EQ(RunTimes(early, Pick::shortest).run(all_of(early), 2), seconds(60));
  EXPECT_EQ(RunTimes(late, Pick::shortest).run(all_of(late), 2), seconds(70));
  const auto ranks = [](Pick pick) {
    const JobTasks tasks({10, 10, 10, 50}, pick, [](TaskId) { return std::vector<TaskId>(); });
    return std::vector{tasks.rank(0), tasks.rank(1), tasks.rank(2), tasks.rank(3)};
  };
  EXPECT_EQ(ranks(Pick::shortest), (std::vector<std::uint32_t>{0, 1, 2, 3}));
  EXPECT_EQ(ranks(Pick::longest), (std::vector<std::uint32_t>{1, 2, 3, 0}));
}

TEST(RunTimes, MoreNodesMayTakeLonger) {
  // On two nodes the long t5 starts at 2, beside t2; on three t3, t4 and t7, all shorter, are ready
  // by then and go first, so that t5 starts at 6 and t6, which needs it, at 15 instead of 12.
  const LeveledTasks tasks =
      tasks_of({{2}, {2}, {2}, {4, {2}}, {4, {2}}, {9, {1}}, {7, {4, 5}}, {5, {2}}});
  RunTimes run_times(tasks, Pick::shortest);
  EXPECT_EQ(run_times.run(all_of(tasks), 1), seconds(35));
  EXPECT_EQ(run_times.run(all_of(tasks), 2), seconds(19));
  EXPECT_EQ(run_times.run(all_of(tasks), 3), seconds(22));
}

TEST(RunTimes, TasksOutsideTheSetCountAsDone) {
  const LeveledTasks tasks = tasks_of({{100}, {10, {0}}, {20, {0}}, {5, {1, 2}}});
  RunTimes run_times(tasks, Pick::shortest);
  EXPECT_EQ(run_times.run(make_set(tasks, {1, 2}), 2), seconds(20));
  EXPECT_EQ(run_times.run(make_set(tasks, {3}), 7), seconds(5));
  EXPECT_EQ(run_times.run(make_set(tasks, {1, 3}), 2), seconds(15));
}

TEST(RunTimes, TimesAreWholeSecondsAtLeastOne) {
  WorkflowBuilder builder("test");
  builder.add_task({.id = "a", .time = TimeSpec::fixed(0)});
  builder.add_task({.id = "b", .time = TimeSpec::fixed(1.2)});
  const LeveledTasks tasks(std::move(builder).build(), Cluster{.name = "c", .processors = 1});
  EXPECT_EQ(RunTimes(tasks, Pick::shortest).run(all_of(tasks), 1), seconds(3));
}

// A list schedule read off the definition, second by second.
Duration slow_run(const std::vector<Row>& rows, const std::vector<TaskId>& set, Count nodes,
                  Pick pick) {
  const auto is_in = [&](TaskId task) { return std::ranges::find(set, task) != set.end(); };
  std::vector<int> left(rows.size());  // seconds of work
  std::vector<char> started(rows.size());
  for (const TaskId task : set) left[task] = rows[task].seconds;
  for (int now = 0;; ++now) {
    Count busy = 0;
    bool is_done = true;
    for (const TaskId task : set) {
      busy += started[task] != 0 && left[task] > 0 ? 1 : 0;
      is_done = is_done && left[task] == 0;
    }
    if (is_done) return seconds(now);
    for (; busy < nodes; ++busy) {
      int best = -1;
      for (const TaskId task : set) {
        const bool is_ready = std::ranges::all_of(
            rows[task].parents, [&](TaskId p) { return !is_in(p) || left[p] == 0; });
        if (started[task] != 0 || !is_ready) continue;
        const int gain =
            best < 0 ? 1 : rows[static_cast<std::size_t>(best)].seconds - rows[task].seconds;
        if (best < 0 || (pick == Pick::shortest ? gain > 0 : gain < 0)) {
          best = static_cast<int>(task);
        }
      }
      if (best < 0) break;
      started[static_cast<std::size_t>(best)] = 1;
    }
    for (const TaskId task : set) left[task] -= started[task] != 0 && left[task] > 0 ? 1 : 0;
  }
}

TEST(RunTimes, AreThoseOfAListScheduleByDefinition) {
  for (unsigned seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    const auto up_to = [&](unsigned most) { return static_cast<int>(random() % (most + 1)); };
    std::vector<Row> rows;
    for (int i = 0, size = 1 + up_to(14); i < size; ++i) {
      rows.push_back({1 + up_to(12)});
      for (TaskId parent = 0; parent < static_cast<TaskId>(i); ++parent) {
        if (up_to(4) == 0) rows.back().parents.push_back(parent);
      }
    }
    const LeveledTasks tasks = tasks_of(rows);
    const Pick pick = seed % 2 == 0 ? Pick::shortest : Pick::longest;
    RunTimes run_times(tasks, pick);
    for (int question = 0; question < 20; ++question) {
      std::vector<TaskId> some;
      const bool by_level = question % 2 == 0;
      const auto level = static_cast<std::uint32_t>(up_to(tasks.level_count() - 1));
      for (TaskId task = 0; task < tasks.size(); ++task) {
        if (by_level ? tasks.level(task) >= level : up_to(2) > 0) some.push_back(task);
      }
      if (some.empty()) continue;
      const Count nodes = 1 + up_to(5);
      // The second answer may come from memory.
      const Duration expected = slow_run(rows, some, nodes, pick);
      ASSERT_EQ(run_times.run(make_set(tasks, some), nodes), expected);
      ASSERT_EQ(run_times.run(make_set(tasks, some), nodes), expected);
      ASSERT_LE(shortest_run(make_set(tasks, some), nodes), expected);
    }
  }
}

}  // namespace
}  // namespace dovetail::queue
