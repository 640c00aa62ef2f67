// Tasks that share the nodes of a job, as the pilot starts them: real processes, without a batch
// system.
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <map>

#include "support/pilot_in_place.hpp"

namespace dovetail::batch {
namespace {

class PilotNodes : public PilotInPlace {};

// Each waits until all have come, and says what it has.
TEST_F(PilotNodes, TasksShareTheNodesByCoresAndGpus) {
  order_.nodes = 2;
  order_.node = {.cores = 4, .gpus = 2};
  for (std::uint32_t i = 0; i < 6; ++i) {
    add(i,
        "for i in $(seq 400); do test $(grep -c s log) = 6 && break; sleep 0.02; done; "
        "test $(grep -c s log) = 6 && echo $DOVETAIL_CORES:$DOVETAIL_GPUS:"
        "$CUDA_VISIBLE_DEVICES:$ROCR_VISIBLE_DEVICES")
        .demand = i < 2 ? NodeDemand{.cores = 2, .gpus = 1} : NodeDemand{};
  }
  unsetenv("CUDA_VISIBLE_DEVICES");
  unsetenv("ROCR_VISIBLE_DEVICES");
  EXPECT_EQ(run(), "done");
  expect_report_in_order();
  std::map<std::string, int> said;
  for (std::uint32_t i = 0; i < 6; ++i) ++said[testing::text_of(folder_.log(i, 1, "out"))];
  EXPECT_EQ(said, (std::map<std::string, int>{{"0,1:0:0:0\n", 1},
                                              {"2,3:1:1:1\n", 1},
                                              {"0:::\n", 1},
                                              {"1:::\n", 1},
                                              {"2:::\n", 1},
                                              {"3:::\n", 1}}));
}

TEST_F(PilotNodes, ATaskOnSeveralNodesKnowsItsNodes) {
  order_.nodes = 3;
  order_.node = {.cores = 4};
  add(1, "cat $DOVETAIL_HOSTFILE");
  order_.tasks.back().command.processors = 7;
  order_.tasks.back().demand = {.nodes = 2, .cores = 4, .is_whole = true};
  EXPECT_EQ(run(), "done");
  EXPECT_EQ(testing::text_of(folder_.log(1, 1, "out")), "n1\nn1\nn1\nn1\nn2\nn2\nn2\n");
}

// Where cores have the machine's numbers and are there, the task keeps to its own.
TEST_F(PilotNodes, ATaskIsPinnedToItsCores) {
  add(1, "grep Cpus_allowed_list /proc/self/status");
  add(2, "grep Cpus_allowed_list /proc/self/status");
  const auto allowed_in = [&](std::uint32_t number, const StepPlace& place) {
    const pid_t child = fork();
    if (child == 0) _exit(run_step(order_, number, place, system_));
    waitpid(child, nullptr, 0);
    return testing::text_of(folder_.log(number, 1, "out"));
  };
  cpu_set_t ours;
  ASSERT_EQ(sched_getaffinity(0, sizeof ours, &ours), 0);
  int first = 0;
  while (!CPU_ISSET(static_cast<std::size_t>(first), &ours)) ++first;
  system_.has_own_machines = true;
  EXPECT_EQ(allowed_in(1, {.cores = {first}}),
            "Cpus_allowed_list:\t" + std::to_string(first) + "\n");
  EXPECT_NE(allowed_in(2, {.cores = {first, CPU_SETSIZE - 1}}),
            "Cpus_allowed_list:\t" + std::to_string(first) + "\n")
      << "the last core is not there";
}

}  // namespace
}  // namespace dovetail::batch
