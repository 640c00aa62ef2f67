// The plain reading of the strategies that cut a workflow into jobs, on small cases worked by hand.
// The worked cases of the specification are in plain_queue_test.cpp.
#include "oracles/plain_strategies.hpp"

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "support/workflow_rows.hpp"

namespace dovetail::plain {
namespace {

using nlohmann::json;
using testing::rows_of;

constexpr Seconds kLong = 10000;

// One task of 1000 s and then three of 10,000 s, on four nodes that are all reserved from 10,500 s
// to 20,000 s.
const std::vector<Task> kFan{{1000, {}}, {kLong, {0}}, {kLong, {0}}, {kLong, {0}}};
const Rules kGap{.nodes = 4, .reservations = {{10500, 20000, 4}}};

TEST(PlainStrategies, GlumeAsksForTheLeewayThatJumpsOverAnEarlyHole) {
  // The second job fits before the reservation as long as its leeway is at most 500 s.
  EXPECT_EQ(
      rows_of(run_workflow("GLUME", kFan, {}, kGap, 0).jobs),
      json::parse(R"([[[0,0],1,1000,0,0,1000,"done"],[[1,1],3,10501,0,20000,30000,"done"]])"));
}

TEST(PlainStrategies, GlumeWithTheAuthorsLeewayStartsTooEarlyAndExpires) {
  // The bisection stops at [500, 1000] and takes 500: the job starts at 0, waits for its
  // predecessor until 1000 and is killed 500 s before its tasks are done.
  const QueueOptions options{.leeway_rule = LeewayRule::code};
  EXPECT_EQ(rows_of(run_workflow("GLUME", kFan, {}, kGap, 0, options).jobs),
            json::parse(R"([[[0,0],1,1000,0,0,1000,"done"],[[1,1],3,10500,0,0,10500,"killed"],
                            [[1,1],3,10000,10500,20000,30000,"done"]])"));
}

TEST(PlainStrategies, GlumeDoesNotOverlapItsJobsUnderACapOfOne) {
  // Asked at 1000, three nodes for 10,000 s are free only after the reservation.
  EXPECT_EQ(rows_of(run_workflow("GLUME", kFan, {}, kGap, 0, {.cap = 1}).jobs),
            json::parse(R"([[[0,0],1,1000,0,0,1000,"done"],
                            [[1,1],3,10000,1000,20000,30000,"done"]])"));
}

TEST(PlainStrategies, GlumeDoesNotSplitWhenTheSecondJobIdlesOverATenth) {
  // Two nodes are busy to 5. Split, the second job waits 5 and has 15 of leeway, which would still
  // be 120 against 125.
  const std::vector<Task> tasks{{20, {}}, {100, {0}}, {100, {0}}, {100, {0}}};
  const auto run = run_workflow("GLUME", tasks, {{1, 0, 5, 5, 2}}, {.nodes = 4}, 0);
  EXPECT_EQ(rows_of(run.jobs), json::parse(R"([[[0,1],3,120,0,5,125,"done"]])"));
}

TEST(PlainStrategies, GlumeDoesNotSplitWhenTheFirstJobIdlesOverATenth) {
  // One node is free from 0, six from 40, none from 160, seven from 400. The first job is A alone.
  // When it starts, the five B fit beside it from 40 on, but with 60 of leeway for 50 of run time;
  // that would be 40 + 400 + 200, against 400 + 250 for B and C together.
  std::vector<Task> tasks{{100, {}}};
  for (int i = 0; i < 5; ++i) tasks.push_back({50, {0}});
  for (int i = 0; i < 7; ++i) tasks.push_back({200, {1, 2, 3, 4, 5}});
  const std::vector<Job> log{{1, 0, 40, 40, 5}, {2, 0, 400, 400, 1}};
  const Rules rules{.nodes = 7, .reservations = {{160, 400, 6}}};
  EXPECT_EQ(rows_of(run_workflow("GLUME", tasks, log, rules, 0).jobs),
            json::parse(R"([[[0,0],1,100,0,0,100,"done"],[[1,2],7,250,0,400,650,"done"]])"));
}

TEST(PlainStrategies, GlumeCodeRuleLetsTheSecondJobBeginAfterTheFirst) {
  // Two nodes are busy to 5. One job on three nodes takes 5 + 110. Split, the second job waits 5
  // and has 5 of leeway: 5 + 5 + 100 by the paper, max(10, 5) + 5 + 100 by the code, which is no
  // gain.
  const std::vector<Task> tasks{{10, {}}, {100, {0}}, {100, {0}}, {100, {0}}};
  const std::vector<Job> log{{1, 0, 5, 5, 2}};
  const auto paper = run_workflow("GLUME", tasks, log, {.nodes = 4}, 0);
  EXPECT_EQ(rows_of(paper.jobs),
            json::parse(R"([[[0,0],1,10,0,0,10,"done"],[[1,1],3,105,0,5,110,"done"]])"));
  const QueueOptions options{.glume_rule = Published::code};
  const auto code = run_workflow("GLUME", tasks, log, {.nodes = 4}, 0, options);
  EXPECT_EQ(rows_of(code.jobs), json::parse(R"([[[0,1],3,110,0,5,115,"done"]])"));
}

TEST(PlainStrategies, ZhangHalvesItsLeewayWhileHalfIsEnough) {
  // 5000, 2500 and 1250 push the start past the delay of 5000, 625 does not: 1250.
  const std::vector<Task> tasks{{5000, {}}, {kLong, {0}}, {kLong, {0}}, {kLong, {0}}};
  const Rules rules{.nodes = 4, .reservations = {{11000, 40000, 4}}};
  EXPECT_EQ(
      rows_of(run_workflow("ZHANG", tasks, {}, rules, 0).jobs),
      json::parse(R"([[[0,0],1,5000,0,0,5000,"done"],[[1,1],3,11250,0,40000,50000,"done"]])"));
}

TEST(PlainStrategies, ZhangRulesDifferWhenTheFirstLevelWaitsLongest) {
  // Two nodes to 100, two to 1000. Ratios: A 100/50, A and B 100/350, all 1000/750. By the paper
  // the whole beats A at once; by the code A is passed over and A with B beats the whole.
  const std::vector<Task> tasks{{50, {}},   {300, {0}}, {400, {1}},
                                {400, {1}}, {400, {1}}, {400, {1}}};
  const std::vector<Job> log{{1, 0, 100, 100, 2}, {2, 0, 1000, 1000, 2}};
  const auto paper = run_workflow("ZHANG", tasks, log, {.nodes = 4}, 0);
  EXPECT_EQ(rows_of(paper.jobs), json::parse(R"([[[0,2],4,750,0,1000,1750,"done"]])"));
  const QueueOptions options{.zhang_rule = Published::code};
  const auto code = run_workflow("ZHANG", tasks, log, {.nodes = 4}, 0, options);
  EXPECT_EQ(rows_of({code.jobs[0]}), json::parse(R"([[[0,1],1,350,0,100,450,"done"]])"));
}

TEST(PlainStrategies, ExpiryCancelsTheJobThatWaits) {
  // On 5 nodes q leaves at 50 instead of 95, so that the second job starts while A runs to 100 and
  // is killed at 255. The third needs all nodes and waits for z, which ends at 1000.
  const std::vector<Task> tasks{{100, {}},        {200, {0}},       {200, {0}},
                                {200, {0}},       {600, {1, 2, 3}}, {600, {1, 2, 3}},
                                {600, {1, 2, 3}}, {600, {1, 2, 3}}, {600, {1, 2, 3}}};
  const std::vector<Job> log{{1, 0, 50, 95, 2}, {2, 0, 1000, 1000, 1}};
  EXPECT_EQ(rows_of(run_workflow("ZHANG", tasks, log, {.nodes = 5}, 0).jobs),
            json::parse(R"([[[0,0],1,100,0,0,100,"done"],[[1,1],3,205,0,50,255,"killed"],
                            [[2,2],5,600,50,-1,255,"cancelled"],[[1,1],3,200,255,255,455,"done"],
                            [[2,2],5,600,255,1000,1600,"done"]])"));
}

TEST(PlainStrategies, ExpiryCancelsTheJobThatRunsIdly) {
  // As before, but the third job, on two nodes, starts at 120, when z ends early. At 255 the three
  // tasks no longer fit before the reservation; they and what follows become single jobs.
  const std::vector<Task> tasks{{100, {}},  {200, {0}},       {200, {0}},
                                {200, {0}}, {150, {1, 2, 3}}, {150, {1, 2, 3}}};
  const std::vector<Job> log{{1, 0, 50, 95, 2}, {2, 0, 120, 260, 1}};
  const Rules rules{.nodes = 5, .reservations = {{300, 5000, 3}}};
  const WorkflowRun run = run_workflow("ZHANG", tasks, log, rules, 0);
  EXPECT_TRUE(run.single_mode);
  EXPECT_EQ(rows_of(run.jobs),
            json::parse(R"([[[0,0],1,100,0,0,100,"done"],[[1,1],3,205,0,50,255,"killed"],
                            [[2,2],2,150,50,120,255,"cancelled"],[[1,1],1,200,255,255,455,"done"],
                            [[1,1],1,200,255,255,455,"done"],[[1,1],1,200,255,455,655,"done"],
                            [[2,2],1,150,655,655,805,"done"],[[2,2],1,150,655,655,805,"done"]])"));
}

TEST(PlainStrategies, AuthorsRequestsAddATenthAndTheNextWholeMinute) {
  const QueueOptions options{.request_rule = RequestRule::authors};
  for (auto [time, request] :
       std::map<Seconds, Seconds>{{1, 60}, {54, 60}, {55, 120}, {600, 720}}) {
    const auto run = run_workflow("ONEJOB", {{time, {}}}, {}, {.nodes = 1}, 0, options);
    EXPECT_EQ(run.jobs[0].request, request) << time;
    EXPECT_EQ(run.makespan, time);
  }
}

TEST(PlainStrategies, DelayLeavesOutTheMinuteThatTheAuthorsAdd) {
  // A asks for 720, so the delay is 660; the second job waits 650 and has 10 of leeway: 7010 and a
  // tenth are 128 whole minutes.
  const std::vector<Task> tasks{{600, {}}, {7000, {0}}, {7000, {0}}, {7000, {0}}};
  const QueueOptions options{.request_rule = RequestRule::authors};
  const auto run = run_workflow("ZHANG", tasks, {{1, 0, 650, 650, 2}}, {.nodes = 4}, 0, options);
  EXPECT_EQ(rows_of(run.jobs),
            json::parse(R"([[[0,0],1,720,0,0,600,"done"],[[1,1],3,7740,0,650,7650,"done"]])"));
}

TEST(PlainStrategies, SingleJobsRespectTheCap) {
  const std::vector<Task> tasks{{10, {}}, {20, {}}, {5, {}}, {5, {0}}};
  const auto run = run_workflow("ONEJOBPERTASK", tasks, {}, {.nodes = 9}, 100, {.cap = 2});
  EXPECT_EQ(run.task_start, (std::vector<Seconds>{100, 100, 110, 115}));
  EXPECT_EQ(run.makespan, 20);
}

TEST(PlainStrategies, RunningCapHoldsBackTheWorkflowsJobs) {
  const std::vector<Task> tasks{{10, {}}, {20, {}}, {5, {}}};
  const auto run = run_workflow("ONEJOBPERTASK", tasks, {}, {.nodes = 9, .running_cap = 2}, 0);
  EXPECT_EQ(run.task_start, (std::vector<Seconds>{0, 0, 10}));
  EXPECT_EQ(run.jobs[2].submit, 0);
}

TEST(PlainStrategies, NodesTakeTheShortestOrTheLongestReadyTask) {
  const std::vector<Task> tasks{{1, {}}, {1, {}}, {2, {}}};
  EXPECT_EQ(Flow(tasks, Pick::shortest).run({0, 1, 2}, 2), 3);
  EXPECT_EQ(Flow(tasks, Pick::longest).run({0, 1, 2}, 2), 2);
}

}  // namespace
}  // namespace dovetail::plain
