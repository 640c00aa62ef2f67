// Leases of cores, GPUs and memory: between open files, between processes, and after a crash.
// crash.
#include "run/local/machine_leases.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <optional>
#include <random>
#include <vector>

#include "support/file_checks.hpp"
#include "support/whole_file.hpp"

namespace dovetail::run {
namespace {

class MachineLeasesTest : public ::testing::Test {
 protected:
  testing::TemporaryFolder folder_;
  std::string path_ = folder_.file("leases/here");
  MachineLeases leases_{path_};
};

TEST_F(MachineLeasesTest, ACoreHasOneHolder) {
  TaskLease first = leases_.begin();
  TaskLease second = leases_.begin();
  EXPECT_TRUE(first.take_core(0));
  EXPECT_FALSE(second.take_core(0));
  EXPECT_TRUE(second.take_core(1));
  EXPECT_TRUE(first.take_gpu(0)) << "a GPU is no core";
  first.give_back_cores();
  EXPECT_TRUE(second.take_core(0));
  EXPECT_EQ(leases_.gpus_held(), std::set<int>{0}) << "cores were given back alone";
  EXPECT_EQ(leases_.trouble(), "");
}

TEST_F(MachineLeasesTest, ALeaseLastsAsLongAsItsFileIsOpenAnywhere) {
  auto lease = std::make_optional(leases_.begin());
  EXPECT_TRUE(lease->take_core(3));
  EXPECT_TRUE(lease->take_memory(kGibibyte, kGibibyte));
  auto kept = lease->file();
  Descriptor copy(dup(kept->get()));
  lease.reset();
  kept.reset();
  TaskLease other = leases_.begin();
  EXPECT_FALSE(other.take_core(3));
  EXPECT_EQ(leases_.memory_held(), kGibibyte);
  copy.reset();
  EXPECT_TRUE(other.take_core(3));
  EXPECT_EQ(leases_.memory_held(), 0);
}

TEST_F(MachineLeasesTest, MemoryIsAddedUpAndRoundedToMebibytes) {
  const Bytes limit = 10 * kMebibyte;
  TaskLease first = leases_.begin();
  TaskLease second = leases_.begin();
  TaskLease third = leases_.begin();
  EXPECT_TRUE(first.take_memory(3 * kMebibyte, limit));
  EXPECT_TRUE(second.take_memory(6 * kMebibyte + 1, limit));
  EXPECT_EQ(leases_.memory_held(), limit);
  EXPECT_FALSE(third.take_memory(1, limit));
  EXPECT_TRUE(third.take_memory(1, limit + 1));
}

// On random leases of many open files: as a table of them says.
TEST_F(MachineLeasesTest, ManyLeasesAddUp) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const auto below = [&](int bound) {
      return static_cast<int>(random() % static_cast<unsigned>(bound));
    };
    const Bytes limit = 100 * kMebibyte;
    struct Held {
      TaskLease lease;
      Bytes memory;
      std::set<int> gpus;
    };
    std::vector<Held> all;
    for (int step = 0; step < 60; ++step) {
      Bytes sum = 0;
      std::set<int> gpus;
      for (const Held& one : all) {
        sum += one.memory;
        gpus.insert(one.gpus.begin(), one.gpus.end());
      }
      ASSERT_EQ(leases_.memory_held(), sum);
      ASSERT_EQ(leases_.gpus_held(), gpus);
      if (!all.empty() && below(3) == 0) {
        all.erase(all.begin() + below(static_cast<int>(all.size())));
        continue;
      }
      Held next{leases_.begin(), 0, {}};
      const Bytes wanted = below(40) * kMebibyte;
      ASSERT_EQ(next.lease.take_memory(wanted, limit), sum + wanted <= limit);
      if (sum + wanted <= limit) next.memory = wanted;
      const int gpu = below(8);
      ASSERT_EQ(next.lease.take_gpu(gpu), !gpus.contains(gpu));
      if (!gpus.contains(gpu)) next.gpus.insert(gpu);
      all.push_back(std::move(next));
    }
  }
}

// A process that holds leases, and its child, which goes on holding them.
TEST_F(MachineLeasesTest, AKilledHolderGivesBackWhenNobodyElseHasItsFile) {
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t run = fork();
  if (run == 0) {
    MachineLeases own(path_);
    TaskLease lost = own.begin();
    TaskLease kept = own.begin();
    bool is_fine = lost.take_core(0) && lost.take_memory(kGibibyte, kGibibyte);
    is_fine = is_fine && kept.take_core(1);
    const int file = kept.file()->get();
    const pid_t child = fork();
    if (child == 0) {
      // As a supervisor: it has the file of one lease alone.
      const int copy = fcntl(file, F_DUPFD_CLOEXEC, 100);
      for (int other = 3; other < 100; ++other) {
        if (other != ready[1]) close(other);
      }
      const pid_t self = getpid();
      if (copy >= 0 && write(ready[1], &self, sizeof self) > 0) pause();
      _exit(0);
    }
    if (is_fine) pause();
    _exit(1);
  }
  pid_t supervisor = 0;
  ASSERT_EQ(read(ready[0], &supervisor, sizeof supervisor), ssize_t{sizeof supervisor});
  TaskLease other = leases_.begin();
  EXPECT_FALSE(other.take_core(0));
  EXPECT_FALSE(other.take_core(1));
  kill(run, SIGKILL);
  waitpid(run, nullptr, 0);
  EXPECT_TRUE(other.take_core(0)) << "its holder was killed";
  EXPECT_EQ(leases_.memory_held(), 0);
  EXPECT_FALSE(other.take_core(1)) << "a task has it that goes on";
  kill(supervisor, SIGKILL);
  for (int i = 0; i < 5000 && !other.take_core(1); ++i) usleep(1000);
  TaskLease last = leases_.begin();
  EXPECT_FALSE(last.take_core(1)) << "it was taken when the task was gone";
  close(ready[0]);
  close(ready[1]);
}

TEST_F(MachineLeasesTest, NothingOfAnEarlierTimeIsInTheWay) {
  { TaskLease(leases_.begin()).take_core(0); }
  ASSERT_TRUE(std::filesystem::exists(path_));
  EXPECT_EQ(std::filesystem::file_size(path_), 0U);
  MachineLeases later(path_);
  EXPECT_TRUE(later.begin().take_core(0));
}

TEST_F(MachineLeasesTest, OnlyTheirOwnerMayUseThem) {
  leases_.begin();
  using std::filesystem::perms;
  const auto rights = [](const std::filesystem::path& path) {
    return std::filesystem::status(path).permissions();
  };
  EXPECT_EQ(rights(path_), perms::owner_read | perms::owner_write);
  EXPECT_EQ(rights(std::filesystem::path(path_).parent_path()), perms::owner_all);
}

TEST_F(MachineLeasesTest, WithoutAFileAllIsGrantedAndTheReasonIsKnown) {
  testing::put(folder_.file("file"), "");
  MachineLeases none(folder_.file("file/leases/here"));
  for (int i = 0; i < 2; ++i) {
    TaskLease lease = none.begin();
    EXPECT_TRUE(lease.take_core(0) && lease.take_gpu(0) && lease.take_memory(kGibibyte, 1));
    EXPECT_EQ(lease.file(), nullptr);
  }
  EXPECT_EQ(none.trouble(), "Not a directory");
  EXPECT_EQ(none.memory_held(), 0);
  EXPECT_TRUE(none.gpus_held().empty());
}

TEST(LeaseFile, IsOneForEveryMachine) {
  char host[256] = {};
  gethostname(host, sizeof host - 1);
  EXPECT_EQ(lease_file("/state"), std::string("/state/leases/") + host);
}

}  // namespace
}  // namespace dovetail::run
