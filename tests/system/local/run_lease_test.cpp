// Runs of the program at once on one machine: which cores their tasks have, and what a run that is
// killed gives back.
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>

#include <filesystem>

#include "run/local/machine_leases.hpp"
#include "support/system/real_run.hpp"
#include "support/task_runner.hpp"

namespace dovetail {
namespace {

class RunLeaseTest : public testing::RealRun {
 protected:
  void SetUp() override {
    cpu_set_t allowed;
    ASSERT_EQ(sched_getaffinity(0, sizeof allowed, &allowed), 0);
    for (int core = 0; core < CPU_SETSIZE; ++core) {
      if (CPU_ISSET(static_cast<std::size_t>(core), &allowed)) cores_.push_back(core);
    }
  }

  // One task, which says on which cores it may run, and goes on until there is a file `go`.
  void write_waiting_task(const std::string& name) const {
    write(name + ".yaml", "name: " + name +
                              "\ntasks:\n"
                              "  - id: wait\n    time: 1\n    run: |\n"
                              "      grep Cpus_allowed_list /proc/self/status | cut -f2 > " +
                              name + ".new\n      mv " + name + ".new " + name +
                              ".cores\n"
                              "      while [ ! -e go ]; do sleep 0.02; done\n");
  }

  std::string cores_of(const std::string& name) const {
    EXPECT_TRUE(
        testing::comes_true([&] { return std::filesystem::exists(file(name + ".cores")); }));
    return testing::text_of(file(name + ".cores"));
  }

  // How many cores tasks of this state folder hold now.
  std::size_t cores_held() const {
    run::MachineLeases leases(run::lease_file(state_));
    std::size_t held = 0;
    for (const int core : cores_) {
      if (!leases.begin().take_core(core)) ++held;
    }
    return held;
  }

  std::vector<int> cores_;
};

TEST_F(RunLeaseTest, TwoRunsAtOnceUseDifferentCores) {
  if (cores_.size() < 2) GTEST_SKIP() << "there is one core";
  for (const char* name : {"a", "b"}) write_waiting_task(name);
  const pid_t a = begin({"run", "a.yaml", "-j", "1"});
  const pid_t b = begin({"run", "b.yaml", "-j", "1"});
  const std::string first = cores_of("a");
  const std::string second = cores_of("b");
  EXPECT_EQ(cores_held(), 2U);
  write("go", "");
  EXPECT_EQ(wait_for(a), 0);
  EXPECT_EQ(wait_for(b), 0);
  EXPECT_EQ(first.find_first_not_of("0123456789\n"), std::string::npos) << first;
  EXPECT_EQ(second.find_first_not_of("0123456789\n"), std::string::npos) << second;
  EXPECT_NE(first, second);
  EXPECT_EQ(cores_held(), 0U);
}

// More runs than there are cores: the last one's task runs anywhere.
TEST_F(RunLeaseTest, WithoutAFreeCoreTasksRunOnAny) {
  write_waiting_task("last");
  std::filesystem::create_directories(state_);
  run::MachineLeases leases(run::lease_file(state_));
  run::TaskLease all = leases.begin();
  for (const int core : cores_) ASSERT_TRUE(all.take_core(core));
  const pid_t last = begin({"run", "last.yaml", "-j", "1"});
  const std::string cores = cores_of("last");
  write("go", "");
  EXPECT_EQ(wait_for(last), 0);
  EXPECT_EQ(cores.find_first_not_of("0123456789\n") == std::string::npos, cores_.size() == 1)
      << cores;
}

TEST_F(RunLeaseTest, AKilledRunGivesItsCoreBackWhenItsTaskEnds) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  write_waiting_task("a");
  const pid_t run = begin({"run", "a.yaml", "-j", "1"});
  cores_of("a");
  EXPECT_EQ(cores_held(), 1U);
  kill(run, SIGKILL);
  wait_for(run);
  EXPECT_EQ(cores_held(), 1U) << "its task goes on";
  write("go", "");
  EXPECT_TRUE(testing::comes_true([&] { return cores_held() == 0; }));
  EXPECT_EQ(dovetail({"resume", "a-1"}), 0);
}

// The supervisor dies with its core, and so does its task.
TEST_F(RunLeaseTest, AKilledSupervisorGivesItsCoreBack) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  write_waiting_task("a");
  const pid_t run = begin({"run", "a.yaml", "-j", "1"});
  cores_of("a");
  kill(run, SIGKILL);
  wait_for(run);
  const auto folder = run::RunFolder::open(state_, "a-1");
  const auto start = run::read_attempt(folder.attempt(0, 1)).start;
  ASSERT_TRUE(start.has_value());
  kill(start->supervisor.pid, SIGKILL);
  EXPECT_TRUE(testing::comes_true([&] { return cores_held() == 0; }));
}

}  // namespace
}  // namespace dovetail
