// Tasks that share the nodes of jobs on a real Slurm.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "support/system/slurm_run.hpp"

namespace dovetail {
namespace {

class SlurmNodes : public testing::SlurmRunTest {
 protected:
  void SetUp() override {
    if (const auto missing = testing::SlurmCluster::missing()) GTEST_SKIP() << *missing;
  }

  // The cores that tasks had, by node; a core that two tasks had while both ran is a failure.
  std::map<std::string, std::set<int>> cores_used(int tasks) const {
    std::map<std::string, std::set<int>> used;
    std::map<std::pair<std::string, int>, int> busy;  // node, core -> task
    int starts = 0;
    for (const run::Json& entry : journal("flow-1")) {
      const int task = entry.value("task", -1);
      if (entry.value("what", "") == "start") {
        ++starts;
        for (const int core : entry.at("cores")) {
          const std::string node = entry.at("node");
          used[node].insert(core);
          const auto [found, is_new] = busy.emplace(std::pair(node, core), task);
          EXPECT_TRUE(is_new) << node << " core " << core << ": " << found->second << ", " << task;
        }
      }
      if (entry.value("what", "") == "end") {
        std::erase_if(busy, [&](const auto& one) { return one.second == task; });
      }
    }
    EXPECT_EQ(starts, tasks) << printed();
    return used;
  }

  // `count` tasks, each of which ends when all have begun.
  static std::string tasks_at_once(int count, int processors) {
    std::string flow = "name: flow\ntasks:\n";
    for (int i = 0; i < count; ++i) {
      flow += "  - {id: t" + std::to_string(i) +
              ", time: 10, processors: " + std::to_string(processors) + ", run: 'touch here-" +
              std::to_string(i) +
              "; for i in $(seq 800); do test $(ls | grep -c here-) = " + std::to_string(count) +
              " && exit 0; sleep 0.05; done; exit 1'}\n";
    }
    return flow;
  }
};

TEST_F(SlurmNodes, SixteenTasksOfOneCoreRunAtOnceOnTwoNodesOfEight) {
  cluster_.emplace(2, 8);
  write("flow.yaml", tasks_at_once(16, 1));
  ASSERT_EQ(run({"run", "flow.yaml", "-c", "slurm", "--strategy", "ONEJOB"}), 0) << printed();
  EXPECT_NE(printed().find("job 0: 16 tasks on 2 nodes for up to 1m"), std::string::npos)
      << printed();
  ASSERT_EQ(jobs_of().size(), 1U);
  const std::set<int> all = {0, 1, 2, 3, 4, 5, 6, 7};
  EXPECT_EQ(cores_used(16), (std::map<std::string, std::set<int>>{{"n1", all}, {"n2", all}}));
}

TEST_F(SlurmNodes, TasksOfSeveralCoresShareNodes) {
  cluster_.emplace(2, 8);
  write("flow.yaml", tasks_at_once(4, 3));
  ASSERT_EQ(run({"run", "flow.yaml", "-c", "slurm", "--strategy", "ONEJOB"}), 0) << printed();
  const std::set<int> six = {0, 1, 2, 3, 4, 5};
  EXPECT_EQ(cores_used(4), (std::map<std::string, std::set<int>>{{"n1", six}, {"n2", six}}));
}

// Beside tasks that share a third node.
TEST_F(SlurmNodes, ATaskOnTwoNodesFindsThemAndNoOther) {
  cluster_.emplace(3, 4);
  std::string flow = tasks_at_once(2, 1);
  flow +=
      "  - {id: wide, time: 10, processors: 7, run: 'cp $DOVETAIL_HOSTFILE hosts && "
      "srun sh -c \"echo \\$SLURMD_NODENAME\" | sort > ran && echo $DOVETAIL_NODES > count'}\n";
  write("flow.yaml", flow);
  ASSERT_EQ(run({"run", "flow.yaml", "-c", "slurm", "--strategy", "ONEJOB"}), 0) << printed();
  std::vector<std::string> nodes;
  for (const run::Json& entry : journal("flow-1")) {
    if (entry.contains("nodes") && entry.contains("task")) entry.at("nodes").get_to(nodes);
  }
  ASSERT_EQ(nodes.size(), 2U) << printed();
  const std::string first = nodes[0] + "\n";
  const std::string second = nodes[1] + "\n";
  const std::string expected = first + first + first + first + second + second + second;
  EXPECT_EQ(testing::text_of(file("hosts")), expected);
  EXPECT_EQ(testing::text_of(file("ran")), expected);
  EXPECT_EQ(testing::text_of(file("count")), "2\n");
}

}  // namespace
}  // namespace dovetail
