// What the journal knows of jobs, what is shown of them, and the script that is submitted.
#include <gtest/gtest.h>

#include "batch/job_script.hpp"
#include "batch/pilot_state.hpp"
#include "batch/slurm/slurm_client.hpp"

namespace dovetail::batch {
namespace {

constexpr WallTime kBegin = 1'763'287'200'000;

Stamp at(Time time) { return {kBegin + time, time}; }

PilotStatus two_tasks() {
  return {.name = "dovetail-flow-1-0.1",
          .tasks = {4, 7},
          .attempts = {1, 2},
          .nodes = 2,
          .request = 5 * kMinute,
          .estimated_wait = kMinute};
}

TEST(PilotStates, FollowAJobFromItsNameToItsEnd) {
  PilotStates states;
  states.apply(submit_entry(at(0), 0, two_tasks()));
  ASSERT_EQ(states.live(), std::vector<std::uint32_t>{0});
  EXPECT_EQ(states.at(0).stage, PilotStage::drafted);
  EXPECT_EQ(states.at(0).attempts, (std::vector<std::uint32_t>{1, 2}));
  states.apply(submitted_entry(at(1000), 0, "17"));
  EXPECT_EQ(states.at(0).stage, PilotStage::waiting);
  states.apply(job_start_entry(at(91'000), 0, kBegin + 90'000));
  EXPECT_EQ(states.at(0).stage, PilotStage::running);
  states.apply(job_end_entry(at(200'000), 0, JobEnd::unfinished, "its time was over"));
  EXPECT_TRUE(states.live().empty());
  EXPECT_EQ(states.at(0).end, JobEnd::unfinished);

  EXPECT_EQ(states.at(0).wait(), 90 * kSecond);
  EXPECT_EQ(states.at(0).ran(), 110 * kSecond);
  EXPECT_EQ(states.at(0).state_text(), "its time was over");
  WaitSummary waits;
  waits.add(states.at(0));
  EXPECT_EQ(waits.mean_error(), 30 * kSecond);
}

TEST(PilotStates, JobThatWasLostKeepsItsNumberAndItsFirstSubmission) {
  PilotStates states;
  PilotStatus job = two_tasks();
  states.apply(submit_entry(at(0), 0, job));
  states.apply(submitted_entry(at(10), 0, "17"));
  job.name = "dovetail-flow-1-0.2";
  states.apply(submit_entry(at(5000), 0, job));
  EXPECT_EQ(states.next(), 1U);
  EXPECT_EQ(states.at(0).tries, 2U);
  EXPECT_EQ(states.at(0).stage, PilotStage::drafted);
  EXPECT_EQ(states.at(0).job_id, "");
  EXPECT_EQ(states.at(0).submitted, kBegin);
}

TEST(PilotStates, EntriesThatMakeNoSenseChangeNothing) {
  PilotStates states;
  states.apply({{"what", "submit"}, {"pilot", 3}});
  states.apply({{"what", "job_end"}, {"pilot", 0}});
  states.apply({{"what", "submit"}, {"pilot", "x"}});
  states.apply({{"what", "start"}, {"task", 0}});
  EXPECT_EQ(states.next(), 0U);
}

TEST(WaitSummary, IsOfJobsThatHaveStarted) {
  WaitSummary waits;
  EXPECT_EQ(waits.jobs(), 0U);
  waits.add({.estimated_wait = 10'000, .started = 14'000});
  waits.add({.estimated_wait = 20'000, .started = 10'000});
  waits.add({.estimated_wait = 0, .started = 1'000});
  waits.add({.estimated_wait = 99'000});
  EXPECT_EQ(waits.jobs(), 3U);
  EXPECT_EQ(waits.mean_expected(), 10'000);
  EXPECT_EQ(waits.mean_wait(), 25'000 / 3);
  EXPECT_EQ(waits.mean_error(), 5'000);
  EXPECT_EQ(waits.median_error(), 4'000);
}

TEST(JobScript, SaysEverythingInItsDirectives) {
  PilotOrder order{.job_name = "dovetail-flow-1-0.1", .nodes = 2, .request = 90 * kMinute};
  order.tasks = {{.command = {.name = "mesh"}}, {.command = {.name = "two\nlines"}}};
  EXPECT_EQ(job_script(slurm::Client(), order, {.partition = "batch"},
                       {.program = "/opt/it's/dovetail", .order = "/s p/0.json", .output = "/o"}),
            "#!/bin/sh\n"
            "#SBATCH --job-name=dovetail-flow-1-0.1\n"
            "#SBATCH --nodes=2\n"
            "#SBATCH --exclusive\n"
            "#SBATCH --time=01:30:00\n"
            "#SBATCH --partition=batch\n"
            "#SBATCH --output=\"/o\"\n"
            "#SBATCH --open-mode=append\n"
            "#SBATCH --no-requeue\n"
            "# 2 tasks of the workflow, which share the nodes as they become ready:\n"
            "#   mesh\n"
            "#   two lines\n"
            "exec '/opt/it'\\''s/dovetail' pilot '/s p/0.json'\n");
}

TEST(JobScript, AsksForAllMemoryWhereTasksNeedSome) {
  PilotOrder order{.job_name = "dovetail-flow-1-0.1", .request = kMinute};
  order.tasks = {{.command = {.name = "mesh"}}};
  const auto asks = [&] {
    const std::string script = job_script(slurm::Client(), order, {}, {});
    return script.find("\n#SBATCH --mem=0\n") != std::string::npos;
  };
  EXPECT_FALSE(asks());
  order.tasks[0].demand.memory = kGibibyte;
  EXPECT_TRUE(asks());
}

}  // namespace
}  // namespace dovetail::batch
