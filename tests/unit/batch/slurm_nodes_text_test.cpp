// What sinfo says of the memory, the GPUs and the features of nodes.
#include <gtest/gtest.h>

#include "batch/slurm/slurm_text.hpp"
#include "dovetail/error.hpp"

namespace dovetail::batch::slurm {
namespace {

TEST(SlurmNodes, MemoryGpusAndFeaturesAreRead) {
  const ClusterNode plain = parse_nodes("n1|64|idle|1|(null)|(null)\n").at(0);
  EXPECT_EQ(plain.memory, 0) << "nobody has told Slurm";
  EXPECT_EQ(plain.gpus, 0);
  EXPECT_TRUE(plain.features.empty());
  const ClusterNode rich =
      parse_nodes("n1|64|mixed|515000|gpu:a100:4(S:0-1,3),gpu:t4:2,craynetwork:4|a100,ib\n").at(0);
  EXPECT_EQ(rich.memory, 515'000 * kMebibyte);
  EXPECT_EQ(rich.gpus, 6);
  EXPECT_EQ(rich.features, (std::vector<std::string>{"a100", "ib"}));
  EXPECT_TRUE(rich.is_usable);
  const auto gpus = [](const std::string& gres) {
    return parse_nodes("n1|64|idle|1024|" + gres + "|\n").at(0).gpus;
  };
  EXPECT_EQ(gpus("gpu:2"), 2);
  EXPECT_EQ(gpus("gpu"), 1);
  EXPECT_EQ(gpus("gpu:tesla"), 1);
  EXPECT_EQ(gpus("gpumem:5"), 0);
  EXPECT_THROW(parse_nodes("n1|64|idle|1024\n"), ExecutionError);
}

}  // namespace
}  // namespace dovetail::batch::slurm
