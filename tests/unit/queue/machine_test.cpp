#include "queue/sim/machine.hpp"

#include <gtest/gtest.h>

namespace dovetail::queue {
namespace {

Job job_of(std::int64_t id, Time submit, Duration run, Duration request, Count nodes) {
  return {id, submit, run, {.nodes = nodes, .length = request}};
}

Machine machine_of(Count nodes) { return Machine({.room = {.nodes = nodes}}); }

TEST(Machine, JobEndsAfterItsRun) {
  Machine machine = machine_of(4);
  machine.open(0);
  machine.submit(job_of(5, 0, 30, 50, 3));
  ASSERT_EQ(machine.pass().size(), 1U);
  EXPECT_EQ(machine.busy(), 3);
  EXPECT_EQ(machine.next(), 30);
  const auto ended = machine.open(30);
  ASSERT_EQ(ended.size(), 1U);
  EXPECT_EQ(ended[0], (JobRecord{5, 0, 0, 0, 30, {.nodes = 3, .length = 50}, false}));
  EXPECT_EQ(machine.busy(), 0);
}

TEST(Machine, JobIsKilledWhenItsRequestIsUsedUp) {
  Machine machine = machine_of(4);
  machine.open(0);
  machine.submit(job_of(1, 0, 80, 50, 1));
  machine.submit(job_of(2, 0, 50, 50, 1));
  Job cut = job_of(3, 0, 50, 50, 1);
  cut.cut = true;
  machine.submit(cut);
  machine.pass();
  const auto ended = machine.open(50);
  ASSERT_EQ(ended.size(), 3U);
  EXPECT_TRUE(ended[0].killed);
  EXPECT_FALSE(ended[1].killed) << "a job that finishes exactly at its limit has finished";
  EXPECT_TRUE(ended[2].killed) << "its run was cut when the log was read";
}

TEST(Machine, JobsThatEndTogetherAreToldInOrderOfArrival) {
  Machine machine = machine_of(4);
  machine.open(0);
  for (std::int64_t id = 1; id <= 4; ++id) machine.submit(job_of(id, 0, 10, 10, 1));
  machine.pass();
  std::vector<std::int64_t> ids;
  for (const JobRecord& job : machine.open(10)) ids.push_back(job.id);
  EXPECT_EQ(ids, (std::vector<std::int64_t>{1, 2, 3, 4}));
}

TEST(Machine, WaitingJobStartsAtTheInstantAnotherEnds) {
  Machine machine = machine_of(4);
  machine.open(0);
  machine.submit(job_of(1, 0, 10, 20, 4));
  const JobSlot second = machine.submit(job_of(2, 0, 5, 5, 1));
  machine.pass();
  EXPECT_EQ(machine.waiting(), 1U);
  EXPECT_FALSE(machine.is_running(second));
  machine.open(10);
  const auto started = machine.pass();
  ASSERT_EQ(started.size(), 1U);
  EXPECT_EQ(started[0], second);
  EXPECT_EQ(machine.start_of(second), 10);
  EXPECT_EQ(machine.waiting(), 0U);
}

TEST(Machine, OpenEndedJobStaysUntilItIsEnded) {
  Machine machine = machine_of(4);
  machine.open(0);
  const JobSlot own = machine.submit_open_ended({.nodes = 4, .length = 100});
  machine.pass();
  const JobSlot other = machine.submit(job_of(2, 0, 5, 5, 4));
  machine.pass();
  EXPECT_EQ(machine.outlook().earliest_start({.nodes = 1, .length = 1}, 0), 105);
  machine.open(40);
  machine.end(own);
  ASSERT_EQ(machine.pass().size(), 1U);
  EXPECT_EQ(machine.start_of(other), 40);
}

TEST(Machine, WaitingJobCanBeTakenOut) {
  Machine machine = machine_of(4);
  machine.open(0);
  machine.submit(job_of(1, 0, 10, 10, 4));
  machine.pass();
  const JobSlot waiting = machine.submit_open_ended({.nodes = 4, .length = 100});
  machine.pass();
  EXPECT_EQ(machine.waiting(), 1U);
  machine.end(waiting);
  EXPECT_EQ(machine.waiting(), 0U);
  EXPECT_EQ(machine.busy(), 4);
  machine.open(10);
  EXPECT_TRUE(machine.pass().empty());
  EXPECT_EQ(machine.next(), kForever);
}

TEST(Machine, CopyGoesItsOwnWay) {
  Machine machine = machine_of(4);
  machine.open(0);
  machine.submit(job_of(1, 0, 10, 20, 4));
  machine.pass();
  Machine fork = machine;
  fork.open(5);
  fork.submit(job_of(2, 5, 10, 10, 4));
  fork.pass();
  EXPECT_EQ(fork.waiting(), 1U);
  EXPECT_EQ(machine.waiting(), 0U);
  EXPECT_EQ(machine.now(), 0);
  EXPECT_EQ(machine.open(10).size(), 1U);
  EXPECT_EQ(fork.busy(), 4);
}

TEST(Machine, SlotsAreUsedAgain) {
  Machine machine = machine_of(1);
  JobSlot largest = 0;
  for (Time t = 0; t < 100; t += 10) {
    machine.open(t);
    largest = std::max(largest, machine.submit(job_of(t, t, 10, 10, 1)));
    machine.pass();
  }
  EXPECT_EQ(largest, 0U);
}

}  // namespace
}  // namespace dovetail::queue
