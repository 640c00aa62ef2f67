// Runs whose tasks start at planned times, on a real Slurm. Slurm counts in minutes, and so do
// these tests; most of the time they sleep.
#include <gtest/gtest.h>
#include <signal.h>

#include <cstdlib>
#include <random>
#include <set>

#include "support/system/slurm_run.hpp"

namespace dovetail {
namespace {

class SlurmPlanned : public testing::SlurmRunTest {
 protected:
  static std::vector<std::string> command(const std::string& flow, const std::string& how) {
    return {"run", flow + ".yaml", "-c", "slurm", "--reserve", how};
  }

  // The second task is over two nodes, and says where its processes were.
  void write_flow(const std::string& after) const {
    write(
        "flow.yaml",
        "name: flow\ntasks:\n"
        "  - {id: first, time: 2, run: 'sleep 1; echo first | tee first >> ran', outputs: first}\n"
        "  - {id: wide, time: 5, processors: 4, outputs: wide" +
            after + ", run: 'srun sh -c \"echo \\$SLURMD_NODENAME\" > wide; echo wide >> ran'}\n");
  }
  void write_chain() const { write_flow(", after: first, inputs: first"); }

  // Each job of a finished run has started when it was to, which also tells that it waited for
  // nothing else.
  void expect_on_time(const std::string& run_id) const {
    for (const batch::PilotStatus& job : jobs_of(run_id)) {
      ASSERT_TRUE(job.planned && job.started) << job.name << "\n" << printed();
      EXPECT_GE(*job.started, *job.planned) << job.name;
      EXPECT_LT(*job.started - *job.planned, 20 * kSecond) << job.name;
    }
  }

  void expect_nothing_left() {
    EXPECT_EQ(jobs_left(), "");
    EXPECT_EQ(reservations(), "");
  }
};

TEST_F(SlurmPlanned, TasksStartInTheirReservationsAroundThoseOfOthers) {
  // No node is free for longer than two and a half minutes.
  for (const char* nodes : {"n[1-4]", "n[5-8]"}) {
    cluster_->run({"scontrol", "create", "reservation",
                   "ReservationName=r" + std::string(1, nodes[2]), "StartTime=now+150",
                   "Duration=1", "Nodes=" + std::string(nodes), "Users=root"});
  }
  write_flow("");
  ASSERT_EQ(run(command("flow", "slurm")), 0) << printed();
  expect_on_time("flow-1");
  ASSERT_EQ(jobs_of().size(), 2U);
  std::multiset<std::string> nodes;
  std::istringstream result(testing::text_of(file("wide")));
  for (std::string line; std::getline(result, line);) nodes.insert(line);
  EXPECT_EQ(nodes.size(), 4U) << "as many processes as processors";
  EXPECT_EQ(std::set<std::string>(nodes.begin(), nodes.end()).size(), 2U);
  EXPECT_EQ(state_of("flow-1", 2).tasks()[1].processors, 4);
  EXPECT_EQ(jobs_left(), "");
  EXPECT_EQ(reservations().find("dovetail"), std::string::npos) << reservations();
}

TEST_F(SlurmPlanned, WithoutTheRightToReserveTasksAskNotToBeStartedBefore) {
  write_chain();
  const pid_t process = begin_run(command("flow", "begin"));
  wait_until_printed("job 1:");
  EXPECT_EQ(reservations(), "");
  ASSERT_EQ(wait_for(process), 0) << printed();
  expect_on_time("flow-1");
  expect_nothing_left();
}

TEST_F(SlurmPlanned, ATaskThatIsTriedAgainIsPlannedAgainWithWhatNeedsIt) {
  write("flow.yaml",
        "name: flow\ntasks:\n"
        "  - {id: a, time: 1, run: 'echo a >> ran; test $(grep -c a ran) -gt 1', retries: 1}\n"
        "  - {id: b, time: 1, after: a, run: 'echo b >> ran'}\n"
        "  - {id: c, time: 1, run: 'echo c >> ran'}\n");
  ASSERT_EQ(run(command("flow", "slurm")), 0) << printed();
  EXPECT_EQ(times_run(), (std::map<std::string, int>{{"a", 2}, {"b", 1}, {"c", 1}})) << printed();
  const auto jobs = jobs_of();
  ASSERT_EQ(jobs.size(), 5U) << printed();  // a, b, c, a again, b again
  EXPECT_EQ(std::ranges::count(jobs, batch::JobEnd::cancelled, &batch::PilotStatus::end), 1);
  expect_nothing_left();
}

TEST_F(SlurmPlanned, SurvivesKillsAndForgetsNoReservation) {
  std::mt19937 random(5);
  write_chain();
  std::vector<std::string> line = command("flow", "slurm");
  int kills = 0;
  for (int round = 0; round < 10; ++round, ++kills) {
    const pid_t process = begin_run(line);
    usleep(150'000 + random() % 3'000'000);
    ASSERT_EQ(waitpid(process, nullptr, WNOHANG), 0) << printed();
    kill(process, SIGKILL);
    wait_for(process);
    if (std::filesystem::exists(state_ + "/runs/flow-1/run.json")) line = {"resume", "flow-1"};
  }
  EXPECT_EQ(run(line), 0) << printed();
  EXPECT_EQ(times_run(), (std::map<std::string, int>{{"first", 1}, {"wide", 1}})) << printed();
  expect_nothing_left();
}

TEST_F(SlurmPlanned, CancelRemovesJobsAndReservations) {
  write("flow.yaml",
        "name: flow\ntasks:\n  - {id: a, time: 30, run: 'echo a >> ran; sleep 30'}\n"
        "  - {id: b, time: 1, after: a, run: 'true'}\n");
  for (const bool is_worked_on : {true, false}) {
    SCOPED_TRACE(is_worked_on);
    std::filesystem::remove(file("ran"));
    const std::string id = is_worked_on ? "flow-1" : "flow-2";
    std::vector<std::string> line = command("flow", "slurm");
    line.push_back("--new");
    const pid_t process = begin_run(line);
    wait_for_tasks(1);
    EXPECT_NE(reservations(), "");
    if (!is_worked_on) {
      kill(process, SIGKILL);
      wait_for(process);
    }
    EXPECT_EQ(run({"cancel", id}), 0) << printed();
    if (is_worked_on) {
      EXPECT_EQ(wait_for(process), 1);
    }
    expect_nothing_left();
  }
}

TEST_F(SlurmPlanned, ADeadlineThatCannotBeMetIsToldBeforeAnythingIsDone) {
  write_chain();
  std::vector<std::string> line = command("flow", "slurm");
  line.insert(line.end(), {"--deadline", "3m"});
  EXPECT_EQ(run(line), 1);
  EXPECT_NE(printed().find("no plan found that ends by the deadline, 3m from now"),
            std::string::npos)
      << printed();
  expect_nothing_left();
  EXPECT_FALSE(std::filesystem::exists(state_ + "/runs"));
}

}  // namespace
}  // namespace dovetail
