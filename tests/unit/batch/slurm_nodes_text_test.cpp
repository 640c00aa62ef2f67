// What sinfo says of the memory, the GPUs and the features of nodes, and what tasks on several
// nodes are told of theirs.
#include <gtest/gtest.h>

#include <algorithm>

#include "batch/pilot/pilot.hpp"
#include "batch/slurm/slurm_client.hpp"
#include "batch/slurm/slurm_text.hpp"
#include "dovetail/error.hpp"

namespace dovetail::batch::slurm {
namespace {

TEST(SlurmNodes, MemoryGpusAndFeaturesAreRead) {
  const ClusterNode plain = parse_nodes("n1|64|idle|1|(null)|(null)\n").at(0);
  EXPECT_EQ(plain.memory, 0) << "it was never set";
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

TEST(SlurmNodes, ProcessesAreSpreadEvenly) {
  EXPECT_EQ(hosts_for({"n1"}, 5).processes, (std::vector<Count>{5}));
  EXPECT_EQ(hosts_for({"n1", "n2", "n3"}, 7).processes, (std::vector<Count>{3, 2, 2}));
  EXPECT_TRUE(hosts_for({}, 5).processes.empty());
}

TEST(SlurmNodes, WhatATaskStartsIsKeptOnItsNodes) {
  const Environment variables =
      Client().confined(hosts_for({"n2", "n3", "n7"}, 7), "/run/attempts/1.1.hosts");
  const auto value = [&](const std::string& name) {
    const auto found =
        std::ranges::find(variables, name, &std::pair<std::string, std::string>::first);
    return found == variables.end() ? "none" : found->second;
  };
  EXPECT_EQ(value("SLURM_HOSTFILE"), "/run/attempts/1.1.hosts");
  EXPECT_EQ(value("SLURM_DISTRIBUTION"), "arbitrary");
  EXPECT_EQ(value("SLURM_JOB_NODELIST"), "n[2-3,7]");
  EXPECT_EQ(value("SLURM_NODELIST"), "n[2-3,7]");
  EXPECT_EQ(value("SLURM_NNODES"), "3");
  EXPECT_EQ(value("SLURM_NTASKS"), "7");
  EXPECT_EQ(value("SLURM_TASKS_PER_NODE"), "3,2,2");
}

}  // namespace
}  // namespace dovetail::batch::slurm
