// The batch queue and the strategies against a plain reading of their specification, on random
// logs and workflows: every start, every estimate, every job of a workflow.
#include <gtest/gtest.h>

#include <algorithm>

#include "queue/sim/workflow_run.hpp"
#include "queue/strategies/strategy.hpp"
#include "support/library_queue.hpp"

namespace dovetail {

using namespace queue;

namespace {

using testing::Dice;
using testing::library_jobs;
using testing::library_rules;

std::string described(const plain::Rules& rules) {
  return "nodes " + std::to_string(rules.nodes) + " policy " +
         std::to_string(static_cast<int>(rules.policy)) + " compress " +
         std::to_string(static_cast<int>(rules.compress)) + " contiguous " +
         std::to_string(rules.contiguous) + " cap " + std::to_string(rules.running_cap) +
         " reservations " + std::to_string(rules.reservations.size());
}

void expect_same_starts(const std::vector<plain::Job>& log, const plain::Rules& rules) {
  const auto expected = plain::replay(log, rules);
  JobList jobs(library_jobs(log));
  const auto ours = replay_all(jobs, library_rules(rules));
  ASSERT_EQ(ours.size(), expected.size());
  for (std::size_t i = 0; i < ours.size(); ++i) {
    ASSERT_EQ(ours[i].start, kSecond * expected[i].start) << "job " << i;
    ASSERT_EQ(ours[i].end, kSecond * expected[i].end) << "job " << i;
  }
}

TEST(QueueOracle, StartsAreThoseOfThePlainQueue) {
  for (unsigned seed = 1; seed <= 3000; ++seed) {
    Dice dice(seed);
    const plain::Rules rules = testing::random_rules(dice);
    const auto log = testing::random_log(dice, 40, rules.nodes);
    SCOPED_TRACE("seed " + std::to_string(seed) + " " + described(rules));
    expect_same_starts(log, rules);
    if (HasFailure()) return;
  }
}

// Many jobs wait here, so that what compression leaves out would show.
TEST(QueueOracle, StartsOfCrowdedQueuesAreThoseOfThePlainQueue) {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    Dice dice(seed);
    plain::Rules rules = testing::random_rules(dice);
    rules.nodes = dice(8, 40);
    if (seed % 3 != 0) {
      rules.policy = plain::Policy::conservative;
      rules.compress = plain::Compress::arrival;
      rules.contiguous = false;
      rules.running_cap = 0;
    }
    auto log = testing::random_log(dice, 300, rules.nodes);
    for (plain::Job& job : log) job.submit /= dice(1, 2) + static_cast<int>(seed % 4);
    std::ranges::stable_sort(log, {}, &plain::Job::submit);
    SCOPED_TRACE("seed " + std::to_string(seed) + " " + described(rules));
    expect_same_starts(log, rules);
    if (HasFailure()) return;
  }
}

TEST(QueueOracle, EstimatesAreThoseOfThePlainQueue) {
  for (unsigned seed = 1; seed <= 1000; ++seed) {
    Dice dice(seed);
    const plain::Rules rules = testing::random_rules(dice);
    const auto log = testing::random_log(dice, 25, rules.nodes);
    std::vector<plain::Question> questions;
    for (int i = 0; i < 12; ++i) {
      const plain::Job& job = log[static_cast<std::size_t>(2 * i)];
      questions.push_back({job.submit, dice(1, rules.nodes), dice(1, 80)});
    }
    plain::replay(log, rules, questions);
    Background background(library_rules(rules), library_jobs(log));
    for (const plain::Question& question : questions) {
      const Time now = kSecond * question.at;
      background.run_through(now);
      const OutlookEstimator queue(background.machine().outlook(), now);
      ASSERT_EQ(queue.wait(question.nodes, kSecond * question.length), kSecond * question.wait)
          << "seed " << seed << " at " << question.at << " " << described(rules);
    }
  }
}

Workflow library_workflow(const std::vector<plain::Task>& tasks) {
  WorkflowBuilder builder("random");
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    builder.add_task({.id = "t" + std::to_string(i),
                      .time = TimeSpec::fixed(static_cast<double>(tasks[i].time))});
  }
  for (TaskId task = 0; task < tasks.size(); ++task) {
    for (const int parent : tasks[task].parents) {
      builder.add_edge(static_cast<TaskId>(parent), task);
    }
  }
  return std::move(builder).build();
}

StrategyOptions library_options(const plain::QueueOptions& options) {
  StrategyOptions ours;
  ours.cap = options.cap;
  if (options.request_rule == plain::RequestRule::authors) ours.requests = RequestRule::authors;
  if (options.zhang_rule == plain::Published::code) ours.zhang = ZhangRule::code;
  if (options.glume_rule == plain::Published::code) ours.glume = GlumeRule::code;
  if (options.leeway_rule == plain::LeewayRule::code) ours.leeway = LeewayRule::code;
  if (options.pick == plain::Pick::longest) ours.pick = Pick::longest;
  return ours;
}

void expect_same_run(const plain::WorkflowRun& expected, const WorkflowResult& ours) {
  ASSERT_EQ(ours.jobs.size(), expected.jobs.size());
  for (std::size_t i = 0; i < ours.jobs.size(); ++i) {
    SCOPED_TRACE("job " + std::to_string(i));
    const PilotRecord& job = ours.jobs[i];
    const plain::WorkflowJob& other = expected.jobs[i];
    ASSERT_EQ(job.submit, kSecond * other.submit);
    ASSERT_EQ(job.nodes, other.nodes);
    ASSERT_EQ(job.request, kSecond * other.request);
    ASSERT_EQ(static_cast<int>(job.first_level), other.first_level);
    ASSERT_EQ(static_cast<int>(job.last_level), other.last_level);
    ASSERT_EQ(job.tasks.size(), other.tasks.size());
    ASSERT_EQ(job.start.value_or(-kSecond), kSecond * other.start);
    ASSERT_EQ(job.end, kSecond * other.end);
    ASSERT_EQ(static_cast<int>(job.outcome), static_cast<int>(other.outcome));
  }
  ASSERT_EQ(ours.makespan, kSecond * expected.makespan);
  for (std::size_t task = 0; task < ours.tasks.size(); ++task) {
    ASSERT_EQ(ours.tasks[task].begin, kSecond * expected.task_start[task]) << "task " << task;
    ASSERT_EQ(ours.tasks[task].end, kSecond * expected.task_end[task]) << "task " << task;
  }
}

TEST(QueueOracle, StrategiesCutAsThePlainOnesDo) {
  for (unsigned seed = 1; seed <= 1500; ++seed) {
    Dice dice(seed);
    plain::Rules rules = testing::random_rules(dice);
    if (seed % 2 == 0) rules.policy = plain::Policy::conservative;
    const auto log = testing::random_log(dice, 40, rules.nodes);
    const auto tasks = testing::random_flow(dice);
    plain::QueueOptions options = testing::random_options(dice);
    options.user = 100;
    const plain::Seconds at = dice(0, 300);
    const Cluster cluster{.name = "c", .processors = rules.nodes};
    const LeveledTasks leveled(library_workflow(tasks), cluster);
    Background background(library_rules(rules), library_jobs(log));
    background.run_through(kSecond * at);
    for (const std::string_view name :
         {"ONEJOBPERTASK", "ONEJOB", "LEVELBYLEVEL", "ZHANG", "GLUME"}) {
      SCOPED_TRACE("seed " + std::to_string(seed) + " " + std::string(name) + " " +
                   described(rules));
      const auto expected = plain::run_workflow(name, tasks, log, rules, at, options);
      RunTimes run_times(leveled, library_options(options).pick);
      const auto ours = run_workflow(background, *find_strategy(name), run_times,
                                     library_options(options), options.user);
      expect_same_run(expected, ours);
      if (HasFailure()) return;
    }
  }
}

}  // namespace
}  // namespace dovetail
