// The estimate of a job, the simulated queue and the pilot of a real job start every task at the
// same moment and on the same nodes, which are those that the definition says.
#include "queue/strategies/job_schedule.hpp"

#include <gtest/gtest.h>

#include <map>
#include <numeric>

#include "batch/pilot/pilot_tasks.hpp"
#include "oracles/plain_jobs.hpp"
#include "queue/sim/workflow_run.hpp"
#include "support/random_queue.hpp"

namespace dovetail {

using namespace queue;

namespace {

using batch::PilotOrder;
using batch::PilotTasks;
using plain::JobsOfTasks;
using testing::Dice;

using plain::PlaceOfTask;
using plain::TaskOfJob;

// What a task takes of its nodes, within what they have.
void add_demand(Dice& dice, const JobsOfTasks& work, TaskOfJob& task) {
  const int nodes = work.nodes[static_cast<std::size_t>(task.job)];
  if (nodes > 1 && dice(0, 6) == 0) task.nodes = dice(2, nodes);
  task.is_whole = task.nodes > 1 && dice(0, 1) == 0;
  task.cores = dice(0, 2) == 0 ? dice(1, work.cores) : dice(1, std::min(work.cores, 2));
  if (dice(0, 1) == 0) task.memory = dice(0, work.memory == 0 ? 9 : work.memory);
  if (dice(0, 2) == 0) task.gpus = dice(0, work.gpus);
}

JobsOfTasks random_jobs(Dice& dice, int jobs) {
  JobsOfTasks work{.nodes = {}, .picks_longest = dice(0, 1) == 1};
  for (int job = 0; job < jobs; ++job) work.nodes.push_back(dice(1, 5));
  const bool has_cores = dice(0, 3) > 0;
  if (has_cores) work.cores = dice(1, 8);
  if (has_cores && dice(0, 1) == 0) work.memory = dice(1, 20);
  if (has_cores && dice(0, 1) == 0) work.gpus = dice(1, 4);
  const int longest = dice(1, 12);  // few lengths have many ties
  const int density = dice(2, 12);
  for (int i = 0, size = dice(1, 24); i < size; ++i) {
    // No job is empty.
    const int job = i < jobs ? i : dice(0, jobs - 1);
    work.tasks.push_back({.job = job, .seconds = dice(1, longest)});
    if (has_cores) add_demand(dice, work, work.tasks.back());
    for (int parent = 0; parent < i; ++parent) {
      if (dice(0, density) == 0) work.tasks.back().parents.push_back(parent);
    }
  }
  work.nodes.resize(std::min(work.nodes.size(), work.tasks.size()));
  return work;
}

NodeType node_of(const JobsOfTasks& work) {
  return {.count = std::accumulate(work.nodes.begin(), work.nodes.end(), 0),
          .cores = work.cores,
          .memory = work.memory,
          .gpus = work.gpus};
}

// As a file would say it.
TaskSpec spec_of(const JobsOfTasks& work, const TaskOfJob& task, std::size_t number) {
  // More than a node has, and not more than its nodes have: whole ones.
  const int processors = (task.is_whole ? work.cores * (task.nodes - 1) : 0) +
                         task.cores * (task.is_whole ? 1 : task.nodes);
  const Count nodes = task.nodes > 1 && !task.is_whole ? task.nodes : 0;
  return {
      .id = "t" + std::to_string(number),
      .time = TimeSpec::fixed(task.seconds, processors),
      .needs = {.memory = task.memory, .gpus = task.gpus, .min_nodes = nodes, .max_nodes = nodes}};
}

LeveledTasks leveled(const JobsOfTasks& work) {
  WorkflowBuilder builder("test");
  for (const TaskOfJob& task : work.tasks) builder.add_task(spec_of(work, task, builder.size()));
  for (TaskId task = 0; task < work.tasks.size(); ++task) {
    for (const int parent : work.tasks[task].parents) {
      builder.add_edge(static_cast<TaskId>(parent), task);
    }
  }
  const NodeType node = node_of(work);
  return {std::move(builder).build(), Cluster{.name = "c",
                                              .processors = node.count * node.cores,
                                              .cores_per_node = node.cores,
                                              .node_types = {node}}};
}

std::vector<int> starts_of(const std::vector<PlaceOfTask>& places) {
  std::vector<int> starts;
  for (const PlaceOfTask& place : places) starts.push_back(place.start);
  return starts;
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

std::vector<PlaceOfTask> simulated_places(const JobsOfTasks& work) {
  const LeveledTasks tasks = leveled(work);
  RunTimes run_times(tasks, pick_of(work));
  Background background({.room = {.nodes = node_of(work).count}},
                        std::make_shared<std::vector<Job>>());
  background.run_through(0);
  submitted_work = &work;
  const StrategyInfo strategy{"ALL", "", "",
                              [](RunTimes&, const StrategyOptions&) -> std::unique_ptr<Strategy> {
                                return std::make_unique<AllJobsAtOnce>(*submitted_work);
                              }};
  const WorkflowResult result = run_workflow(background, strategy, run_times, {});
  std::vector<PlaceOfTask> places;
  for (TaskId task = 0; task < tasks.size(); ++task) {
    places.push_back({static_cast<int>(result.tasks[task].begin / kSecond)});
    if (tasks.is_plain()) continue;
    places.back().nodes.assign(result.task_nodes[task].begin(), result.task_nodes[task].end());
  }
  return places;
}

PilotOrder order_of(const JobsOfTasks& work, int job) {
  PilotOrder order;
  order.node = node_of(work);
  order.picks_longest = work.picks_longest;
  for (const TaskId task : tasks_of_job(work, job)) {
    batch::PilotTask row;
    row.command.expected = work.tasks[task].seconds;
    row.command.task = task;
    const TaskOfJob& takes = work.tasks[task];
    row.demand = {.nodes = takes.nodes,
                  .cores = takes.cores,
                  .memory = takes.memory,
                  .gpus = takes.gpus,
                  .is_whole = takes.is_whole};
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

  std::vector<PlaceOfTask> run() {
    std::vector<PlaceOfTask> places(work_.tasks.size());
    for (std::uint32_t task = 0; task < work_.tasks.size(); ++task) {
      if (work_.tasks[task].job >= 0) continue;
      places[task].start = 0;
      if (work_.tasks[task].seconds >= 0) ends_.emplace(work_.tasks[task].seconds, Step{task, 0});
    }
    for (int now = 0;; now = ends_.begin()->first) {
      for (; !ends_.empty() && ends_.begin()->first == now; ends_.erase(ends_.begin())) {
        end(ends_.begin()->second);
      }
      for (std::size_t job = 0; job < pilots_.size(); ++job) {
        while (const auto index = pilots_[job].start_next(work_.limit - now)) {
          const std::uint32_t task = orders_[job].tasks[*index].command.task;
          const auto nodes = pilots_[job].nodes_of(*index);
          places[task] = {now, {nodes.begin(), nodes.end()}};
          ends_.emplace(now + work_.tasks[task].seconds, Step{task, *index});
        }
      }
      if (ends_.empty()) return places;
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
      const auto on = pilot.nodes_of(step.index);
      const std::vector<NodeId> nodes(on.begin(), on.end());
      const auto lost = static_cast<std::size_t>(std::min(task.loses, task.nodes));
      task.fails ? pilot.fail(step.index, std::span(nodes).first(lost)) : pilot.succeed(step.index);
    }
    if (task.fails) return;
    for (PilotTasks& pilot : pilots_) pilot.found_done(step.task);
  }

  const JobsOfTasks& work_;
  std::vector<PilotOrder> orders_;
  std::vector<PilotTasks> pilots_;
  std::multimap<int, Step> ends_;
};

// Where each task has a node of its own, the simulation does not name the nodes.
void expect_places(const std::vector<PlaceOfTask>& simulated,
                   const std::vector<PlaceOfTask>& expected) {
  ASSERT_EQ(starts_of(simulated), starts_of(expected));
  if (simulated.front().nodes.empty()) return;
  ASSERT_EQ(simulated, expected);
}

TEST(JobSchedule, EstimateSimulationAndPilotStartTasksAtTheSameMoments) {
  int sharing = 0;
  for (unsigned seed = 1; seed <= 3000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Dice dice(seed);
    const JobsOfTasks work = random_jobs(dice, 1);
    const std::vector<PlaceOfTask> expected = plain::task_places(work);
    const LeveledTasks tasks = leveled(work);
    sharing += tasks.is_plain() ? 0 : 1;
    RunTimes run_times(tasks, pick_of(work));
    const TaskSet all = make_set(tasks, tasks_of_job(work, 0));
    std::vector<int> estimated;
    for (const Time start : run_times.starts(all, work.nodes[0])) {
      estimated.push_back(static_cast<int>(start / kSecond));
    }
    ASSERT_EQ(estimated, starts_of(expected));
    ASSERT_LE(shortest_run(all, work.nodes[0]), run_times.run(all, work.nodes[0]));
    expect_places(simulated_places(work), expected);
    FakePilots pilots(work);
    const std::vector<PlaceOfTask> piloted = pilots.run();
    ASSERT_EQ(piloted, expected);
    ASSERT_EQ(plain::find_overbooked(work, piloted), "");
    ASSERT_TRUE(pilots.pilots()[0].are_all_done());
  }
  EXPECT_GT(sharing, 1500) << "the cases are too easy";
}

TEST(JobSchedule, SimulatedJobsAndPilotsThatWaitForEachOtherAgree) {
  for (unsigned seed = 1; seed <= 3000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Dice dice(seed);
    const JobsOfTasks work = random_jobs(dice, dice(2, 5));
    const std::vector<PlaceOfTask> expected = plain::task_places(work);
    const std::vector<PlaceOfTask> simulated = simulated_places(work);
    expect_places(simulated, expected);
    if (!simulated.front().nodes.empty()) {
      ASSERT_EQ(plain::find_overbooked(work, simulated), "");
    }
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
    for (TaskOfJob& task : work.tasks) {
      if (dice(0, 9) == 0) task = {.job = -1, .seconds = dice(-1, 30)};
      task.fails = task.job >= 0 && dice(0, 9) == 0;
      if (task.fails) task.loses = dice(0, 2);
    }
    const std::vector<PlaceOfTask> expected = plain::task_places(work);
    FakePilots pilots(work);
    const std::vector<PlaceOfTask> piloted = pilots.run();
    ASSERT_EQ(piloted, expected);
    ASSERT_EQ(plain::find_overbooked(work, piloted), "");
    const bool are_all_done = std::ranges::all_of(tasks_of_job(work, 0), [&](TaskId task) {
      return expected[task].start != plain::kNotStarted && !work.tasks[task].fails;
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
