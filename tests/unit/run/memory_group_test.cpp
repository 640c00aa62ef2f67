// Control groups for tasks, in folders that stand for the system's.
#include "run/local/memory_group.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "support/file_checks.hpp"
#include "support/whole_file.hpp"

namespace dovetail::run {
namespace {

using testing::put;
using testing::text_of;

class MemoryGroupTest : public ::testing::Test {
 protected:
  void write(const std::string& path, const std::string& text) const {
    const std::filesystem::path file = root() + path;
    std::filesystem::create_directories(file.parent_path());
    put(file.string(), text);
  }

  // A group that can be divided, if it has the controllers.
  void make_group(const std::string& path, const std::string& controllers) const {
    write("/sys/fs/cgroup" + path + "/cgroup.subtree_control", controllers);
    write("/sys/fs/cgroup" + path + "/cgroup.procs", "");
  }

  std::string root() const { return folder_.path().string(); }
  testing::TemporaryFolder folder_;
};

TEST_F(MemoryGroupTest, TheNearestGroupThatCanLimitMemoryIsTaken) {
  EXPECT_EQ(delegated_group(root()), "") << "no groups at all";
  write("/sys/fs/cgroup/cgroup.controllers", "cpu memory\n");
  write("/proc/self/cgroup", "0::/user/app/scope\n");
  EXPECT_EQ(delegated_group(root()), "") << "none can be divided";
  make_group("/user/app/scope", "cpu");
  make_group("/user/app", "cpu memory pids\n");
  make_group("/user", "memory");
  EXPECT_EQ(delegated_group(root()), root() + "/sys/fs/cgroup/user/app");
  std::filesystem::remove(root() + "/sys/fs/cgroup/user/app/cgroup.procs");
  EXPECT_EQ(delegated_group(root()), root() + "/sys/fs/cgroup/user") << "no process may enter";
}

TEST_F(MemoryGroupTest, GroupsOfTheFirstVersionAreNoHelp) {
  write("/proc/self/cgroup", "4:memory:/user\n0::/\n");
  make_group("/memory/user", "memory");
  EXPECT_EQ(delegated_group(root()), "");
  write("/sys/fs/cgroup/unified/cgroup.controllers", "memory\n");
  make_group("/unified", "memory");
  EXPECT_EQ(delegated_group(root()), root() + "/sys/fs/cgroup/unified");
}

TEST_F(MemoryGroupTest, AGroupIsLimitedAndToldApart) {
  const MemoryGroup group(root(), "dovetail-7", 2 * kGibibyte);
  ASSERT_TRUE(group.is_made());
  const std::string path = root() + "/dovetail-7";
  EXPECT_EQ(group.entrance(), path + "/cgroup.procs");
  EXPECT_EQ(text_of(path + "/memory.max"), "2147483648");
  EXPECT_EQ(text_of(path + "/memory.swap.max"), "0");
  EXPECT_FALSE(group.has_killed());
  EXPECT_EQ(group.peak(), 0);
  put(path + "/memory.events", "low 0\nhigh 0\nmax 12\noom 1\noom_kill 0\n");
  EXPECT_FALSE(group.has_killed());
  put(path + "/memory.events", "low 0\nmax 12\noom 1\noom_kill 2\noom_group_kill 1\n");
  EXPECT_TRUE(group.has_killed());
  put(path + "/memory.peak", "123456789\n");
  EXPECT_EQ(group.peak(), 123'456'789);
}

TEST_F(MemoryGroupTest, WithoutThePlaceThereIsNone) {
  const MemoryGroup group(root() + "/missing", "dovetail-7", kGibibyte);
  EXPECT_FALSE(group.is_made());
  EXPECT_EQ(group.entrance(), "");
  EXPECT_FALSE(group.has_killed());
}

}  // namespace
}  // namespace dovetail::run
