// Memory and GPUs of machines that are folders.
#include "run/local/machine_resources.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "support/file_checks.hpp"
#include "support/whole_file.hpp"

namespace dovetail::run {
namespace {

class MachineResourcesTest : public ::testing::Test {
 protected:
  void SetUp() override { unsetenv("CUDA_VISIBLE_DEVICES"); }
  void TearDown() override { unsetenv("CUDA_VISIBLE_DEVICES"); }

  void write(const std::string& path, const std::string& text) const {
    const std::filesystem::path file = root() + path;
    std::filesystem::create_directories(file.parent_path());
    testing::put(file.string(), text);
  }

  std::string root() const { return folder_.path().string(); }
  MachineResources read() const { return MachineResources::read(root()); }

  testing::TemporaryFolder folder_;
};

TEST_F(MachineResourcesTest, NothingIsKnownOfAnEmptyMachine) {
  EXPECT_EQ(read().memory, 0);
  EXPECT_TRUE(read().gpus.empty());
}

TEST_F(MachineResourcesTest, MemoryIsThatOfTheMachine) {
  write("/proc/meminfo", "MemFree:  12 kB\nMemTotal:       16777216 kB\nMemAvailable: 1 kB\n");
  EXPECT_EQ(read().memory, 16 * kGibibyte);
}

TEST_F(MachineResourcesTest, ASmallerLimitOfAnyControlGroupAroundCounts) {
  write("/proc/meminfo", "MemTotal:       16777216 kB\n");
  write("/proc/self/cgroup", "4:memory:/batch/job\n1:cpu:/other\n0::/slice/inner\n");
  write("/sys/fs/cgroup/slice/inner/memory.max", "max\n");
  EXPECT_EQ(read().memory, 16 * kGibibyte);
  write("/sys/fs/cgroup/slice/memory.max", "8589934592\n");
  EXPECT_EQ(read().memory, 8 * kGibibyte);
  write("/sys/fs/cgroup/memory/batch/job/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(read().memory, 8 * kGibibyte);
  write("/sys/fs/cgroup/memory/batch/memory.limit_in_bytes", "4294967296\n");
  EXPECT_EQ(read().memory, 4 * kGibibyte);
  write("/sys/fs/cgroup/memory.max", "1073741824\n");
  EXPECT_EQ(read().memory, kGibibyte);
  write("/sys/fs/cgroup/memory.max", "nonsense\n");
  EXPECT_EQ(read().memory, 4 * kGibibyte);
}

TEST_F(MachineResourcesTest, GpusAreDevicesWithANumber) {
  for (const char* name : {"nvidia10", "nvidia0", "nvidia2", "nvidiactl", "nvidia-uvm", "null"}) {
    write(std::string("/dev/") + name, "");
  }
  EXPECT_EQ(read().gpus, (std::vector<int>{0, 2, 10}));
}

TEST_F(MachineResourcesTest, OnlyVisibleGpusCount) {
  for (const char* name : {"nvidia0", "nvidia1", "nvidia2"}) write(std::string("/dev/") + name, "");
  const auto visible = [&](const char* which) {
    setenv("CUDA_VISIBLE_DEVICES", which, 1);
    return read().gpus;
  };
  EXPECT_EQ(visible("2,0"), (std::vector<int>{0, 2}));
  EXPECT_EQ(visible(""), std::vector<int>{});
  EXPECT_EQ(visible("-1"), std::vector<int>{});
  EXPECT_EQ(visible("1,-1,2"), std::vector<int>{1});
  EXPECT_EQ(visible("7"), std::vector<int>{});
  EXPECT_EQ(visible("GPU-8932f937"), (std::vector<int>{0, 1, 2}));
}

}  // namespace
}  // namespace dovetail::run
