// The facts of a run, their words, and its report.
#include "run/report/run_report.hpp"

#include <gtest/gtest.h>

#include "run/report/run_facts.hpp"
#include "run/report/run_record.hpp"
#include "run/report/run_words.hpp"
#include "support/draw/page_test.hpp"
#include "support/sample_run.hpp"

namespace dovetail::run {
namespace {

using testing::a;
using testing::b;
using testing::begin_diamond;
using testing::bumpy_run;
using testing::c;
using testing::d;
using testing::diamond;
using testing::ScriptedRun;

bool says(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

TEST(RunFacts, AreRightByHand) {
  const Problem problem = diamond();
  const ScriptedRun run = bumpy_run(problem);
  const RunFacts facts = facts_of(problem, run.state());
  EXPECT_TRUE(facts.is_done);
  EXPECT_EQ(facts.turnaround.planned, 40'000);
  EXPECT_EQ(facts.turnaround.real, 57'000);
  EXPECT_DOUBLE_EQ(facts.cpu_seconds.planned, 80);
  EXPECT_DOUBLE_EQ(facts.cpu_seconds.real, 12 + 16 + 44 + 20 + 9);
  EXPECT_DOUBLE_EQ(facts.lost_cpu_seconds, 16);
  EXPECT_DOUBLE_EQ(facts.used_cpu_seconds, 90);
  EXPECT_DOUBLE_EQ(facts.offered_cpu_seconds, 101);
  EXPECT_DOUBLE_EQ(facts.use.planned, 0.5);
  EXPECT_DOUBLE_EQ(facts.use.real, 101.0 / (4 * 57));
  EXPECT_EQ(facts.wait.planned.longest, 0);
  EXPECT_EQ(facts.wait.real.mean, 500);
  EXPECT_EQ(facts.wait.real.longest, 1000);
  EXPECT_EQ(facts.wait.real.task, "c");
  EXPECT_EQ(facts.idle, 1000);
  EXPECT_EQ(facts.plans_made, 1U);
  EXPECT_EQ(facts.plans_adopted, 1U);
  EXPECT_EQ(facts.decisions, 2U);
  EXPECT_EQ(facts.vain_attempts, 1U);
  EXPECT_EQ(facts.tasks_tried_again, 1U);
  EXPECT_EQ(facts.tasks[b].attempts, 2U);
  EXPECT_EQ(facts.tasks[b].real, (planning::Slot{2, 25'000, 47'000}));
  EXPECT_EQ(facts.tasks[b].wait, 0);
  EXPECT_EQ(facts.tasks[b].end->peak_kib, 51'200);
}

TEST(RunFacts, KindsSumTheirTasks) {
  const Problem problem = diamond({"pre", "blur_1", "blur_2", "post"});
  const ScriptedRun run = bumpy_run(problem);
  const RunFacts facts = facts_of(problem, run.state());
  ASSERT_EQ(facts.kinds.size(), 3U);
  EXPECT_EQ(facts.kinds[1].kind, "blur");
  EXPECT_EQ(facts.kinds[1].tasks, 2U);
  EXPECT_EQ(facts.kinds[1].timed, 2U);
  EXPECT_EQ(facts.kinds[1].time.planned, 40'000);
  EXPECT_EQ(facts.kinds[1].time.real, 42'000);
  EXPECT_EQ(error_text(facts.kinds[1].time), "+5 %");
}

TEST(RunFacts, RunThatGoesOnCountsUntilNow) {
  const Problem problem = diamond();
  ScriptedRun run(problem);
  begin_diamond(run);
  run.start(0, a, 1, 1);
  run.end(12'000, a, 1, 0, 11);
  run.start(12'000, b, 1, 2);
  const RunFacts facts = facts_of(problem, run.state(), 15'000);
  EXPECT_FALSE(facts.is_done);
  EXPECT_EQ(facts.turnaround.real, 15'000);
  EXPECT_EQ(facts.expected_end, 45'000);  // c starts at 15, and d is after it
  EXPECT_DOUBLE_EQ(facts.cpu_seconds.real, 12 + 6);
  EXPECT_DOUBLE_EQ(facts.offered_cpu_seconds, 12);
  EXPECT_EQ(facts.running, 1U);
  EXPECT_EQ(summary_rows(facts)[0].note, "expected 45s, 5s (13 %) later than planned");
}

TEST(RunFacts, GapBetweenTwoSittingsIsToldAndWaitedFor) {
  const Problem problem = diamond();
  ScriptedRun run(problem);
  begin_diamond(run);
  run.start(0, a, 1, 1);
  run.end(10'000, a, 1, 0, 10);
  run.note(10'000, "interrupted");
  EXPECT_EQ(summary_rows(facts_of(problem, run.state()))[0].note, "not all is done");
  run.note(3'610'000, "resume");
  run.start(3'610'000, b, 1, 2);
  run.start(3'610'000, c, 1, 1);
  run.end(3'630'000, b, 1, 0, 40);
  run.end(3'630'000, c, 1, 0, 20);
  run.start(3'630'000, d, 1, 1);
  run.end(3'640'000, d, 1, 0, 10);
  const RunFacts facts = facts_of(problem, run.state());
  EXPECT_EQ(facts.idle, 3'600'000);
  EXPECT_EQ(facts.wait.real.longest, 3'600'000);
  EXPECT_EQ(facts.turnaround.real, 3'640'000);
  EXPECT_EQ(summary_notes(facts), (std::vector<std::string>{"nothing ran for 1h"}));
}

TEST(RunFacts, KeptTasksAreDoneWithoutHavingRun) {
  const Problem problem = diamond();
  ScriptedRun run(problem);
  run.apply(kept_entry(ScriptedRun::stamp(1), a, "x", "y"));
  run.plan(2, {.event = "first plan", .adopted = true},
           {{}, {2, 0, 20'000}, {1, 0, 20'000}, {1, 20'000, 30'000}});
  run.start(100, b, 1, 2);
  const RunFacts facts = facts_of(problem, run.state());
  EXPECT_EQ(facts.kept, 1U);
  EXPECT_EQ(facts.done, 1U);
  EXPECT_EQ(state_text(facts.tasks[a]), "kept");
  EXPECT_EQ(facts.tasks[a].real.procs, 0);
  EXPECT_EQ(facts.tasks[b].wait, 100);
  EXPECT_EQ(planned_record(problem, run.state()).tasks.size(), 3U);
}

TEST(RunFacts, TaskThatIsRunAgainCountsItsLastSuccess) {
  const Problem problem = diamond();
  ScriptedRun run = bumpy_run(problem);
  run.apply(again_entry(ScriptedRun::stamp(60'000), d, "an input changed"));
  EXPECT_EQ(executed_record(problem, run.state()).tasks.size(), 3U);
  run.start(60'000, d, 2, 1);
  run.end(65'000, d, 2, 0, 5);
  const PlanRecord record = executed_record(problem, run.state());
  EXPECT_EQ(record.tasks[d].start, 60'000);
  EXPECT_EQ(record.tasks[d].end, 65'000);
  EXPECT_EQ(record.lost.size(), 2U);
  EXPECT_EQ(facts_of(problem, run.state()).vain_attempts, 1U);
}

TEST(RunFacts, ClocksThatGoBackDoNoHarm) {
  const Problem problem = diamond();
  ScriptedRun run(problem);
  begin_diamond(run);
  run.start(5000, a, 1, 1);
  run.end(3000, a, 1, 0, 1);
  run.start(2000, b, 1, 2);
  const RunFacts facts = facts_of(problem, run.state(), 0);
  EXPECT_EQ(facts.tasks[a].real, (planning::Slot{1, 5000, 5000}));
  EXPECT_GE(facts.cpu_seconds.real, 0);
  EXPECT_EQ(facts.tasks[b].wait, 0);
  for (const TaskRecord& task : outlook_record(problem, run.state(), 0).tasks) {
    EXPECT_LE(task.start, task.end);
  }
  EXPECT_TRUE(says(run_report_html({"r", problem, run.state(), 0}), "</html>"));
}

TEST(RunWords, DeadlineIsMetOrMissed) {
  const Problem fine = diamond({"a", "b", "c", "d"}, 60'000);
  EXPECT_EQ(summary_notes(facts_of(fine, bumpy_run(fine).state())).front(),
            "deadline 1m met with 3s to spare");
  const Problem late = diamond({"a", "b", "c", "d"}, 50'000);
  EXPECT_EQ(summary_notes(facts_of(late, bumpy_run(late).state())).front(),
            "deadline 50s missed by 7s");
  EXPECT_EQ(executed_record(late, bumpy_run(late).state()).deadline, 50'000);
}

TEST(RunWords, TellTheBumpyRun) {
  const Problem problem = diamond();
  const ScriptedRun run = bumpy_run(problem);
  const RunFacts facts = facts_of(problem, run.state());
  const auto rows = summary_rows(facts);
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[0].note, "17s (43 %) later than planned");
  EXPECT_EQ(rows[1].what, "CPU-seconds");
  EXPECT_EQ(rows[1].real, "101.0");
  EXPECT_EQ(rows[1].note, "16.0 of them lost, 89 % really computed");
  EXPECT_EQ(rows[2].planned, "50 %");
  EXPECT_EQ(rows[2].real, "44 %");
  EXPECT_EQ(rows[3].note, "longest 1s, c");
  EXPECT_EQ(summary_notes(facts),
            (std::vector<std::string>{"planned again once, 1 adopted",
                                      "1 attempt failed or lost, 1 task tried again"}));
  EXPECT_EQ(progress_text(facts), "all 4 tasks done");
}

TEST(RunReport, PageHasChartsDecisionsFactsAndTasks) {
  const Problem problem = diamond();
  const ScriptedRun run = bumpy_run(problem);
  const std::string page = run_report_html({"diamond-7", problem, run.state()});
  for (const char* expected :
       {"Run diamond-7, planned by BL_CPAR_BD_CPAR", "all 4 tasks done", "As planned", "As it went",
        "17s (43 %) later than planned", "failed or lost", "late a", "b failed",
        "Planned against real", "<td>50.0 MiB</td>", "<td>+20 %</td>", "<h2>Tasks</h2>"}) {
    EXPECT_TRUE(says(page, expected)) << expected;
  }
  EXPECT_FALSE(says(page, "nothing happened"));
  EXPECT_FALSE(says(page, "<script"));
}

TEST(RunReport, RunThatHasNotBegunIsDrawn) {
  const Problem problem = diamond();
  const RunState nothing(4);
  const std::string page = run_report_html({"diamond-1", problem, nothing});
  EXPECT_TRUE(says(page, "0 of 4 tasks done"));
  EXPECT_TRUE(says(page, "</html>"));
  EXPECT_TRUE(says(run_report_svg({"diamond-1", problem, nothing}), "</svg>"));
}

TEST(RunReport, SaysWhatIsOnlyExpected) {
  const Problem problem = diamond();
  ScriptedRun run(problem);
  begin_diamond(run);
  run.start(0, a, 1, 1);
  const std::string page = run_report_html({"diamond-7", problem, run.state(), 4000});
  for (const char* expected : {"As it goes", "as it went until now, then as expected", ">now<",
                               "So far", "<td>running</td>", "0 of 4 tasks done, 1 running"}) {
    EXPECT_TRUE(says(page, expected)) << expected;
  }
}

TEST(RunReport, OfVeryManyTasksListsThoseThatAReaderLooksFor) {
  constexpr std::size_t kTasks = 20'000;
  constexpr std::size_t kFailed = 7;
  constexpr std::size_t kLong = 19'999;
  WorkflowBuilder builder("many");
  for (std::size_t i = 0; i < kTasks; ++i) {
    builder.add_task({.id = "t" + std::to_string(i), .time = TimeSpec::fixed(1), .run = "true"});
  }
  std::vector<Workflow> workflows;
  workflows.push_back(std::move(builder).build());
  const Problem problem(std::move(workflows), Platform::empty(1, "local"), Goal::turnaround);
  ScriptedRun run(problem);
  run.note(0, "begin");
  Time now = 0;
  for (std::size_t i = 0; i < kTasks; ++i) {
    run.start(now, i, 1, 1);
    run.end(now += i == kLong ? 60'000 : 1000, i, 1, i == kFailed ? 1 : 0, 1.0);
  }
  const std::string page = run_report_html({"many-1", problem, run.state()});
  EXPECT_TRUE(says(page, "<h2>2000 of 20000 tasks: failed, tried again, longest</h2>"));
  EXPECT_TRUE(says(page, "<td>t7</td><td>failed</td>"));
  EXPECT_TRUE(says(page, "<td>t19999</td>"));
  EXPECT_FALSE(says(page, "<td>t15000</td>"));
  EXPECT_LT(page.size(), 5'000'000U);
}

class RunReportPage : public testing::PageTest {};

TEST_F(RunReportPage, HostileNamesAreText) {
  const std::string hostile = "</td><script>console.error('escaped')</script>";
  const Problem problem = diamond({hostile, "b&<b>", "c\"x", "d"});
  const ScriptedRun run = bumpy_run(problem);
  const std::string page = run_report_html({hostile, problem, run.state()});
  EXPECT_FALSE(says(page, "<script"));
  EXPECT_TRUE(says(page, "b&amp;&lt;b&gt;"));
  const int status = check(page);
  if (status == kNoBrowser) GTEST_SKIP() << "no Chromium on PATH";
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace dovetail::run
