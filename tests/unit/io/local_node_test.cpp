#include "io/local_node.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <thread>

#include "support/file_checks.hpp"

namespace dovetail::io {
namespace {

// A machine whose system files are in a folder of the test's own.
class LocalNode : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) const {
    const std::filesystem::path path = folder_.path() / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  NodeType read() const { return local_node(folder_.path()); }

 private:
  const testing::TemporaryFolder folder_;
};

TEST_F(LocalNode, HasTheMemoryThatTheSystemGives) {
  write("proc/meminfo", "MemFree:  5 kB\nMemTotal:       16318480 kB\nHugePages_Total:       7\n");
  EXPECT_EQ(read().memory, Bytes{16318480} * 1024);
  write("proc/meminfo", "MemFree:  5 kB\n");
  EXPECT_EQ(read().memory, 0);
  write("proc/meminfo", "MemTotal: 99999999999999999 kB\n");
  EXPECT_EQ(read().memory, kMaxMemory);
}

TEST_F(LocalNode, CountsTheGpusOfBothMakers) {
  for (const char* name : {"nvidia0", "nvidia1", "nvidia12", "nvidiactl", "nvidia-uvm", "nvidia",
                           "nvidia1x", "null"}) {
    write(std::string("dev/") + name, "");
  }
  EXPECT_EQ(read().gpus, 3);
  write("sys/class/kfd/kfd/topology/nodes/0/gpu_id", "0\n");
  write("sys/class/kfd/kfd/topology/nodes/1/gpu_id", "51140\n");
  write("sys/class/kfd/kfd/topology/nodes/2/gpu_id", "22301\n");
  write("sys/class/kfd/kfd/topology/nodes/3/other", "1\n");
  EXPECT_EQ(read().gpus, 5);
}

TEST_F(LocalNode, OfAnEmptySystemHasCoresAlone) {
  const NodeType node = read();
  EXPECT_EQ(node.count, 1);
  EXPECT_EQ(node.cores, static_cast<Count>(std::max(1U, std::thread::hardware_concurrency())));
  EXPECT_EQ(node.memory, 0);
  EXPECT_EQ(node.gpus, 0);
  EXPECT_TRUE(node.features.empty());
}

TEST(LocalNodeHere, HasMemory) {
  EXPECT_GT(local_node().memory, 64 * kMebibyte);
  EXPECT_EQ(local_node(), local_node("/"));
}

}  // namespace
}  // namespace dovetail::io
