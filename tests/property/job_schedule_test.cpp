// The estimate of a job, the simulated queue and the pilot of a real job start every task at the
// same moment, which is the one that the definition says.
#include "queue/strategies/job_schedule.hpp"

#include <gtest/gtest.h>

#include <map>
#include <numeric>

#include "batch/pilot/pilot_tasks.hpp"
#include "oracles/plain_jobs.hpp"
#include "queue/sim/workflow_run.hpp"
#include "support/random_queue.hpp"
#include "support/task_rows.hpp"

namespace dovetail {

using namespace queue;

namespace {

using batch::PilotOrder;
using batch::PilotTasks;
using plain::JobsOfTasks;
using testing::Dice;

JobsOfTasks random_jobs(Dice& dice, int jobs) {
  JobsOfTasks work{.nodes = {}, .picks_longest = dice(0, 1) == 1};
  for (int job = 0; job < jobs; ++job) work.nodes.push_back(dice(1, 5));
  const int longest = dice(1, 12);  // few lengths have many ties
  const int density = dice(2, 12);
  for (int i = 0, size = dice(1, 24); i < size; ++i) {
    // No job is empty.
    const int job = i < jobs ? i : dice(0, jobs - 1);
    work.tasks.push_back({.job = job, .seconds = dice(1, longest)});
    for (int parent = 0; parent < i; ++parent) {
      if (dice(0, density) == 0) work.tasks.back().parents.push_back(parent);
    }
  }
  work.nodes.resize(std::min(work.nodes.size(), work.tasks.size()));
  return work;
}

LeveledTasks leveled(const JobsOfTasks& work) {
  std::vector<testing::Row> rows;
  for (const auto& task : work.tasks) {
    rows.push_back({task.seconds, {task.parents.begin(), task.parents.end()}});
  }
  return testing::tasks_of(rows);
}

std::vector<TaskId> tasks_of_job(const JobsOfTasks& work, int job) {
  std::vector<TaskId> tasks;
  for (TaskId i = 0; i < work.tasks.size(); ++i) {
    if (work.tasks[i].job == job) tasks.push_back(i);
  }
  return tasks;
}

Pick pick_of(const JobsOfTasks& work) {
  return work.picks_longest ? Pick::longest : Pick::shortest;
}

// Submits everything at once.
class AllJobsAtOnce final : public Strategy {
 public:
  explicit AllJobsAtOnce(const JobsOfTasks& work) : work_(work) {}
  void begin(Desk& desk) override {
    for (int job = 0; job < static_cast<int>(work_.nodes.size()); ++job) {
      desk.submit(
          {tasks_of_job(work_, job), work_.nodes[static_cast<std::size_t>(job)], kSecond * 10'000});
    }
  }
  void ended(Desk&, PilotId, PilotOutcome outcome) override {
    EXPECT_EQ(outcome, PilotOutcome::done);
  }

 private:
  const JobsOfTasks& work_;
};

const JobsOfTasks* submitted_work = nullptr;  // StrategyInfo has a function without state

std::vector<int> simulated_starts(const JobsOfTasks& work) {
  const LeveledTasks tasks = leveled(work);
  RunTimes run_times(tasks, pick_of(work));
  const Count nodes = std::accumulate(work.nodes.begin(), work.nodes.end(), 0);
  Background background({.room = {.nodes = nodes}}, std::make_shared<std::vector<Job>>());
  background.run_through(0);
  submitted_work = &work;
  const StrategyInfo strategy{"ALL", "", "",
                              [](RunTimes&, const StrategyOptions&) -> std::unique_ptr<Strategy> {
                                return std::make_unique<AllJobsAtOnce>(*submitted_work);
                              }};
  std::vector<int> starts;
  for (const Interval& ran : run_workflow(background, strategy, run_times, {}).tasks) {
    starts.push_back(static_cast<int>(ran.begin / kSecond));
  }
  return starts;
}

PilotOrder order_of(const JobsOfTasks& work, int job) {
  PilotOrder order;
  order.picks_longest = work.picks_longest;
  for (const TaskId task : tasks_of_job(work, job)) {
    batch::PilotTask row;
    row.command.expected = work.tasks[task].seconds;
    row.command.task = task;
    row.after.assign(work.tasks[task].parents.begin(), work.tasks[task].parents.end());
    order.tasks.push_back(row);
  }
  return order;
}

// Pilots that all begin at 0, on a clock that goes from end to end; each sees at once what the
// others have done.
class FakePilots {
 public:
  explicit FakePilots(const JobsOfTasks& work) : work_(work) {
    for (int job = 0; job < static_cast<int>(work.nodes.size()); ++job) {
      orders_.push_back(order_of(work, job));
    }
    for (std::size_t job = 0; job < orders_.size(); ++job) {
      pilots_.emplace_back(orders_[job], work.nodes[job]);
    }
  }

  std::vector<int> run() {
    std::vector<int> starts(work_.tasks.size(), plain::kNotStarted);
    for (std::uint32_t task = 0; task < work_.tasks.size(); ++task) {
      if (work_.tasks[task].job >= 0) continue;
      starts[task] = 0;
      if (work_.tasks[task].seconds >= 0) ends_.emplace(work_.tasks[task].seconds, Step{task, 0});
    }
    for (int now = 0;; now = ends_.begin()->first) {
      for (; !ends_.empty() && ends_.begin()->first == now; ends_.erase(ends_.begin())) {
        end(ends_.begin()->second);
      }
      for (std::size_t job = 0; job < pilots_.size(); ++job) {
        while (const auto index = pilots_[job].start_next(work_.limit - now)) {
          const std::uint32_t task = orders_[job].tasks[*index].command.task;
          starts[task] = now;
          ends_.emplace(now + work_.tasks[task].seconds, Step{task, *index});
        }
      }
      if (ends_.empty()) return starts;
    }
  }

  std::vector<PilotTasks>& pilots() { return pilots_; }

 private:
  struct Step {
    std::uint32_t task;
    TaskId index;
  };

  void end(const Step& step) {
    const plain::TaskOfJob& task = work_.tasks[step.task];
    if (task.job >= 0) {
      PilotTasks& pilot = pilots_[static_cast<std::size_t>(task.job)];
      const auto node = task.loses_node ? PilotTasks::NodeFate::lost : PilotTasks::NodeFate::idle;
      task.fails ? pilot.fail(step.index, node) : pilot.succeed(step.index);
    }
    if (task.fails) return;
    for (PilotTasks& pilot : pilots_) pilot.found_done(step.task);
  }

  const JobsOfTasks& work_;
  std::vector<PilotOrder> orders_;
  std::vector<PilotTasks> pilots_;
  std::multimap<int, Step> ends_;
};

TEST(JobSchedule, EstimateSimulationAndPilotStartTasksAtTheSameMoments) {
  for (unsigned seed = 1; seed <= 3000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Dice dice(seed);
    const JobsOfTasks work = random_jobs(dice, 1);
    const std::vector<int> expected = plain::task_starts(work);
    const LeveledTasks tasks = leveled(work);
    RunTimes run_times(tasks, pick_of(work));
    std::vector<int> estimated;
    for (const Time start :
         run_times.starts(make_set(tasks, tasks_of_job(work, 0)), work.nodes[0])) {
      estimated.push_back(static_cast<int>(start / kSecond));
    }
    ASSERT_EQ(estimated, expected);
    ASSERT_EQ(simulated_starts(work), expected);
    FakePilots pilots(work);
    ASSERT_EQ(pilots.run(), expected);
    ASSERT_TRUE(pilots.pilots()[0].are_all_done());
  }
}

TEST(JobSchedule, SimulatedJobsAndPilotsThatWaitForEachOtherAgree) {
  for (unsigned seed = 1; seed <= 3000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Dice dice(seed);
    const JobsOfTasks work = random_jobs(dice, dice(2, 5));
    const std::vector<int> expected = plain::task_starts(work);
    ASSERT_EQ(simulated_starts(work), expected);
    ASSERT_EQ(FakePilots(work).run(), expected);
  }
}

// What only a real job knows: tasks that fail, nodes that are lost, tasks of other jobs that come
// late or never, and an end.
TEST(JobSchedule, PilotsGiveUpWhatCannotBeDone) {
  int unfinished = 0;
  for (unsigned seed = 1; seed <= 5000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Dice dice(seed);
    JobsOfTasks work = random_jobs(dice, 1);
    if (dice(0, 2) > 0) work.limit = dice(0, 60);
    for (plain::TaskOfJob& task : work.tasks) {
      if (dice(0, 9) == 0) task = {.job = -1, .seconds = dice(-1, 30)};
      task.fails = task.job >= 0 && dice(0, 9) == 0;
      task.loses_node = task.fails && dice(0, 1) == 0;
    }
    const std::vector<int> expected = plain::task_starts(work);
    FakePilots pilots(work);
    ASSERT_EQ(pilots.run(), expected);
    const bool are_all_done = std::ranges::all_of(tasks_of_job(work, 0), [&](TaskId task) {
      return expected[task] != plain::kNotStarted && !work.tasks[task].fails;
    });
    ASSERT_EQ(pilots.pilots()[0].are_all_done(), are_all_done);
    unfinished += are_all_done ? 0 : 1;
  }
  EXPECT_GT(unfinished, 1000) << "the cases are too easy";
}

TEST(JobSchedule, TasksOfAJobThatIsOverMayGoIntoAnother) {
  const std::vector<std::vector<TaskId>> next = {{1}, {2}, {}};
  const auto tasks = std::make_shared<JobTasks>(std::vector<Duration>{10, 10, 10}, Pick::shortest,
                                                [&](TaskId task) { return next[task]; });
  JobSchedule schedule(tasks);
  const std::vector<TaskId> all = {0, 1, 2};
  const JobId first = schedule.add_job(all);
  EXPECT_EQ(schedule.start_next(first), std::nullopt) << "it has no node yet";
  schedule.add_nodes(first, 2);
  EXPECT_EQ(schedule.start_next(first), TaskId{0});
  schedule.succeed(first, 0);
  EXPECT_EQ(schedule.start_next(first), TaskId{1});
  schedule.end_job(all);
  EXPECT_EQ(schedule.state(0), JobTaskState::done);
  EXPECT_EQ(schedule.state(1), JobTaskState::in_no_job);
  const JobId second = schedule.add_job(std::vector<TaskId>{1, 2});
  schedule.add_nodes(second, 1);
  EXPECT_EQ(schedule.start_next(second), TaskId{1});
  schedule.succeed(second, 1);
  EXPECT_EQ(schedule.start_next(second, 9), std::nullopt) << "it would take 10";
  EXPECT_FALSE(schedule.can_start_more(second, 9));
  EXPECT_FALSE(schedule.is_done(second));
}

}  // namespace
}  // namespace dovetail
