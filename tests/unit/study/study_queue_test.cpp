#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "dovetail/error.hpp"
#include "queue/sim/workflow_run.hpp"
#include "study/queue/queue_study.hpp"
#include "support/study_checks.hpp"
#include "support/test_data.hpp"

namespace dovetail::study {

using namespace queue;

namespace {

using testing::line_count;

// Two workflows on the synthetic log at two instants.
QueueStudyOptions small_options() {
  QueueStudyOptions options;
  options.synthetic = true;
  options.instants = 2;
  options.workflows = {"Montage-50-medium", "Sipht-50-short"};
  return options;
}

std::shared_ptr<const LeveledTasks> tasks_of(const Workflow& workflow) {
  return std::make_shared<const LeveledTasks>(workflow, Cluster{.name = "n", .processors = 1});
}

// A campaign with made-up outcomes: one log, one workflow of 250 tasks and medium length.
class MadeUp {
 public:
  MadeUp() {
    campaign_.caps = {kUsualCap};
    campaign_.logs = {{.name = "KTH-SP2", .file = "", .nodes = 100}};
    campaign_.instants = {0, 1};
    add_workflow("a", QueueLength::medium);
  }

  void add_workflow(const std::string& name, QueueLength length) {
    campaign_.workflows.push_back(
        {.name = name,
         .application = kQueueApplications[0],
         .size = kFigureSize,
         .length = length,
         .tasks = tasks_of(generated_queue_workflow(1, "Sipht", 50, QueueLength::brief))});
  }

  // All strategies take this long, at both instants.
  void fill(Duration makespan) {
    for (std::size_t log = 0; log < campaign_.logs.size(); ++log) {
      for (const Requests requests : {Requests::accurate, Requests::real}) {
        for (std::size_t workflow = 0; workflow < campaign_.workflows.size(); ++workflow) {
          for (const Cut cut : kCuts) {
            const QueueOutcome outcome{.makespan = makespan, .held = 1000, .jobs = 2};
            campaign_.series.push_back(
                {{.setting = {log, requests}, .workflow = workflow, .cut = cut},
                 {outcome, outcome}});
          }
        }
      }
    }
  }

  std::vector<QueueOutcome>& outcomes(Cut cut, std::size_t workflow = 0, std::size_t log = 0,
                                      Requests requests = Requests::accurate) {
    for (QueueSeries& series : campaign_.series) {
      const QueueSeriesKey key{.setting = {log, requests}, .workflow = workflow, .cut = cut};
      if (series.key == key) return series.outcomes;
    }
    throw std::logic_error("no such series");
  }

  void set(Cut cut, Duration first, Duration second, std::size_t workflow = 0,
           std::size_t log = 0) {
    outcomes(cut, workflow, log)[0].makespan = first;
    outcomes(cut, workflow, log)[1].makespan = second;
  }

  QueueCampaign& campaign() { return campaign_; }

 private:
  QueueCampaign campaign_;
};

TEST(QueueSetup, InstantsAreThoseOfThePaperOrSpreadOverThem) {
  const std::vector<Time> all = queue_instants(kQueueInstants);
  ASSERT_EQ(all.size(), 289U);
  EXPECT_EQ(all.front(), 86'400'000);
  EXPECT_EQ(all.back(), 604'800'000);
  EXPECT_EQ(all[7] - all[6], 1'800'000);
  EXPECT_EQ(queue_instants(1000), all);
  const std::vector<Time> some = queue_instants(12);
  EXPECT_EQ(std::set(some.begin(), some.end()).size(), 12U);
  EXPECT_LT(some.front() - all.front(), 86'400'000);
  EXPECT_LT(all.back() - some.back(), 86'400'000);
}

TEST(QueueSetup, PatternsMatchWholeNames) {
  EXPECT_TRUE(matches("Montage-250-medium", "Montage-250-medium"));
  EXPECT_TRUE(matches("Montage-250-medium", "*-250-*"));
  EXPECT_TRUE(matches("Montage-250-medium", "montage*"));
  EXPECT_TRUE(matches("Montage-250-medium", "*"));
  EXPECT_FALSE(matches("Montage-250-medium", "*-25-*"));
  EXPECT_FALSE(matches("Montage-250-medium", "Montage-250"));
  EXPECT_FALSE(matches("", "a*"));
}

TEST(QueueSetup, GeneratedWorkflowsDependOnTheSeedAlone) {
  const Workflow workflow = generated_queue_workflow(3, "Montage", 250, QueueLength::extended);
  EXPECT_EQ(workflow.name(), "Montage-250-long");
  const LeveledTasks tasks(workflow, Cluster{.name = "n", .processors = 1});
  EXPECT_NEAR(static_cast<double>(tasks.work()) / 3.6e6, 1000, 1);
  const auto again = tasks_of(generated_queue_workflow(3, "Montage", 250, QueueLength::extended));
  const auto other = tasks_of(generated_queue_workflow(4, "Montage", 250, QueueLength::extended));
  EXPECT_EQ(again->time(0), tasks.time(0));
  EXPECT_NE(other->time(0), tasks.time(0));
}

TEST(QueueSetup, SaysWhatIsUnknown) {
  QueueStudyOptions options = small_options();
  options.workflows = {"Montage-251-*"};
  EXPECT_THROW(plan_queue_campaign(options), InputError);
  options = small_options();
  options.logs = {"KTH"};
  try {
    plan_queue_campaign(options);
    FAIL() << "no log is called KTH";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("KTH-SP2 SDSC-SP2 HPC2N CTC-SP2"), std::string::npos)
        << error.what();
  }
  options.logs = {"KTH-SP2"};
  options.doubt = true;
  EXPECT_THROW(plan_queue_campaign(options), InputError);
}

TEST(QueueSetup, RunsEverySeriesOnce) {
  QueueStudyOptions options = small_options();
  const QueueCampaign campaign = plan_queue_campaign(options);
  // Two workflows, two kinds of requests, two caps, six strategies; four minimal utilisations of
  // the one of medium length.
  EXPECT_EQ(campaign.series.size(), 2U * 2 * 2 * 6 + 4);
  for (std::size_t i = 0; i < campaign.series.size(); ++i) {
    EXPECT_EQ(campaign.find(campaign.series[i].key), &campaign.series[i]);
  }
}

TEST(QueueSetup, CompletesTheSmallPublishedWorkflows) {
  QueueStudyOptions options;
  options.data_dir = testing::real_dir().string();
  EXPECT_EQ(plan_queue_campaign(options).workflows.size(), 12U);
  options.source = QueueWorkflows::completed;
  const QueueCampaign completed = plan_queue_campaign(options);
  ASSERT_EQ(completed.workflows.size(), 36U);
  EXPECT_EQ(std::count_if(completed.workflows.begin(), completed.workflows.end(),
                          [](const QueueWorkflow& workflow) { return workflow.generated; }),
            24);
}

TEST(QueueSetup, TakesThePublishedWorkflowsOrCompletesThem) {
  if (!testing::archive_dir()) GTEST_SKIP() << testing::kNoArchive;
  QueueStudyOptions options;
  options.data_dir = testing::archive_dir()->string();
  EXPECT_EQ(plan_queue_campaign(options).workflows.size(), 33U);
  options.source = QueueWorkflows::completed;
  const QueueCampaign completed = plan_queue_campaign(options);
  ASSERT_EQ(completed.workflows.size(), 36U);
  for (const QueueWorkflow& workflow : completed.workflows) {
    EXPECT_EQ(workflow.generated, matches(workflow.name, "Sipht-500-*")) << workflow.name;
    EXPECT_NEAR(static_cast<double>(workflow.tasks->work()) / 3.6e6, hours_of(workflow.length), 4)
        << workflow.name;
    EXPECT_NEAR(workflow.tasks->size(), workflow.size, 17) << workflow.name;
  }
}

// Jobs and offered load as the specification measured them.
TEST(QueueSetup, ReadsTheDoubtfulLogBothWays) {
  const QueueLog log = published_queue_logs()[1];
  if (!testing::archive_dir()) GTEST_SKIP() << testing::kNoArchive;
  const std::string folder = testing::archive_dir()->string();
  const auto jobs = [&](NeverRan rule) {
    return read_queue_log(log, {.requests = Requests::real, .never_ran = rule}, folder, 1)
        .jobs.size();
  };
  EXPECT_EQ(jobs(NeverRan::drop), 54'034U);
  EXPECT_EQ(jobs(NeverRan::request), 54'034U + 5'650U);
}

TEST(QueueTables, ImproveByTheMeanOfRatiosAndTheRatioOfMeans) {
  const QueueSeries ours{{}, {{.makespan = 100}, {.makespan = 100}}};
  const QueueSeries base{{}, {{.makespan = 200}, {.makespan = 100}}};
  EXPECT_DOUBLE_EQ(improvement(ours, base).mean_of_ratios, 25);
  EXPECT_DOUBLE_EQ(improvement(ours, base).ratio_of_means, 100.0 / 3);
  EXPECT_DOUBLE_EQ(improvement(base, ours).mean_of_ratios, -50);
}

TEST(QueueTables, LeadsTellWhoIsAhead) {
  const Lead found = lead({10, 20, 0.05, -0.05, -4, -8, -6});
  EXPECT_EQ(found.count, 7U);
  EXPECT_EQ(found.ahead, 2U);
  EXPECT_EQ(found.behind, 3U);
  EXPECT_DOUBLE_EQ(found.mean_ahead, 15);
  EXPECT_DOUBLE_EQ(found.most_ahead, 20);
  EXPECT_DOUBLE_EQ(found.mean_behind, 6);
  EXPECT_DOUBLE_EQ(found.most_behind, 8);
}

TEST(QueueTables, CountWinsAboveFivePerCent) {
  MadeUp made;
  made.add_workflow("b", QueueLength::medium);
  made.add_workflow("c", QueueLength::extended);
  made.campaign().logs.push_back({.name = "CTC-SP2", .file = "", .nodes = 338});
  made.fill(1000);
  made.set(Cut::zhang, 1200, 1200, 0, 0);  // GLUME is 16.7 % better
  made.set(Cut::zhang, 1052, 1052, 1, 0);  // 4.9 %: a draw
  made.set(Cut::zhang, 900, 900, 2, 0);    // 11.1 % worse
  made.set(Cut::zhang, 940, 940, 0, 1);    // 6.4 % worse
  const std::vector<WinTable> tables = win_tables(made.campaign());
  ASSERT_EQ(tables.size(), 2U);
  EXPECT_EQ(tables[0].cut, Cut::glume);
  const WinRow& zhang = tables[0].rows[3];
  EXPECT_EQ(zhang.against, "ZHANG");
  EXPECT_EQ((*zhang.published)[4][1], 11);
  EXPECT_EQ(zhang.cells[0].scenarios, 0U);
  EXPECT_EQ(zhang.cells[1].scenarios, 4U);
  EXPECT_EQ(zhang.cells[1].wins, 1U);
  EXPECT_EQ(zhang.cells[1].losses, 1U);
  EXPECT_EQ(zhang.cells[2].losses, 1U);
  EXPECT_EQ(zhang.cells[4].wins, 0U);  // real requests are apart
  const WinRow& on_ctc = tables[0].rows.back();
  EXPECT_EQ(on_ctc.against, "ZHANG on CTC-SP2");
  EXPECT_EQ(on_ctc.cells[1].wins, 0U);
  EXPECT_EQ(on_ctc.cells[1].losses, 1U);
  EXPECT_EQ(tables[1].rows[4].against, "GLUME");
  EXPECT_FALSE(tables[1].rows[0].published);
}

TEST(QueueTables, MeasureGlumePlusAgainstItsBetterParent) {
  MadeUp made;
  made.add_workflow("b", QueueLength::medium);
  made.fill(1000);
  made.set(Cut::glume, 2000, 2000, 0);
  made.set(Cut::glume_plus, 1100, 1100, 0);
  made.set(Cut::glume_plus, 900, 900, 1);
  const ParentCell cell = parent_tables(made.campaign())[0].cells[1];
  EXPECT_EQ(cell.scenarios, 2U);
  EXPECT_NEAR(cell.mean, 0, 1e-9);
  EXPECT_NEAR(cell.worst, 10, 1e-9);
  EXPECT_EQ(cell.worst_scenario, "a on KTH-SP2");
  EXPECT_EQ(cell.over_five, 1U);
  EXPECT_NEAR(cell.mean_of_glume, 50, 1e-9);
  EXPECT_NEAR(cell.mean_of_single_tasks, 0, 1e-9);
}

TEST(QueueTables, FrontHasNobodyWhoIsWorseInBoth) {
  MadeUp made;
  made.fill(1000);
  const Duration work = made.campaign().workflows[0].tasks->work();
  const auto put = [&](Cut cut, Duration makespan, Duration held) {
    for (QueueOutcome& outcome : made.outcomes(cut)) outcome = {.makespan = makespan, .held = held};
  };
  for (const Cut cut : kCuts) put(cut, 3000, 4 * work);
  put(Cut::one_job_per_task, 2000, work);
  put(Cut::glume_plus, 1000, 2 * work);
  QueueSeries thrifty = *made.campaign().find(
      {.setting = {0, Requests::accurate}, .workflow = 0, .cut = Cut::glume_plus});
  thrifty.key.min_utilisation = 0.75;
  for (QueueOutcome& outcome : thrifty.outcomes) outcome = {.makespan = 1500, .held = work / 3 * 4};
  made.campaign().series.push_back(thrifty);
  const std::vector<Front> found = fronts(made.campaign());
  ASSERT_EQ(found.size(), 1U);
  ASSERT_EQ(found[0].rows.size(), kCuts.size() + 1);
  const FrontRow& single = found[0].rows[0];
  EXPECT_NEAR(single.makespan_percent, 200, 1e-9);
  EXPECT_NEAR(single.utilisation, 1, 1e-9);
  EXPECT_TRUE(single.on_front);
  EXPECT_FALSE(found[0].rows[1].on_front);
  EXPECT_TRUE(found[0].rows[5].on_front);
  EXPECT_NEAR(found[0].rows[6].utilisation, 0.75, 1e-3);
  EXPECT_TRUE(found[0].rows[6].on_front);
}

TEST(QueueTables, DoubtKeepsRunsWithSingleTasksApart) {
  MadeUp made;
  made.fill(1000);
  made.campaign().settings = {{.setting = {0, Requests::accurate}}};
  made.outcomes(Cut::zhang)[0].single_mode = true;
  made.set(Cut::glume, 1200, 700);
  const std::vector<DoubtRow> rows = doubt_rows(made.campaign());
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_NEAR(rows[0].when_single.value(), -20, 1e-9);
  EXPECT_NEAR(rows[0].otherwise.value(), 30, 1e-9);
  EXPECT_NEAR(rows[0].mean.mean_of_ratios, 5, 1e-9);
  EXPECT_DOUBLE_EQ(rows[0].single_mode, 50);
}

TEST(QueueTables, FiguresTellWhatZhangBecame) {
  MadeUp made;
  made.fill(1000);
  made.outcomes(Cut::zhang)[0].single_mode = true;
  made.outcomes(Cut::zhang)[1].makespan = 900;
  made.set(Cut::glume, 800, 900);
  const std::vector<QueueFigure> figures = queue_figures(made.campaign());
  ASSERT_FALSE(figures.empty());
  EXPECT_EQ(figures[0].name, "Figure 3");  // nothing was run with the wide cap
  const QueueFigureRow& row = figures[0].rows[0];
  EXPECT_DOUBLE_EQ(row.single_mode, 50);
  EXPECT_DOUBLE_EQ(row.one_job, 0);
  EXPECT_DOUBLE_EQ(row.over_zhang[3].mean_of_ratios, 10);
  // Neither run was one job, and in one of them ZHANG was faster than that.
  EXPECT_EQ(figures[0].facts[4].what, "otherwise beats ONEJOB");
  EXPECT_EQ(figures[0].facts[4].ours, "50.00 %");
}

TEST(QueueStudy, GivesTheSameNumbersOnAnyNumberOfThreads) {
  QueueStudyOptions options = small_options();
  options.threads = 1;
  const QueueStudyResult one = run_queue_study(options);
  options.threads = 3;
  const QueueStudyResult three = run_queue_study(options);
  EXPECT_EQ(to_csv(one), to_csv(three));
  EXPECT_EQ(to_json(one), to_json(three));
  options.seed = 2;
  EXPECT_NE(to_csv(run_queue_study(options)), to_csv(one));
}

// Forks and list schedules that are used again do not change what happens.
TEST(QueueStudy, EveryExecutionIsWhatItIsAlone) {
  const QueueStudyOptions options = small_options();
  const QueueStudyResult result = run_queue_study(options);
  for (const QueueSeries& series : result.series) {
    const QueueLog& log = result.logs[series.key.setting.log];
    Background background(
        {.room = {.nodes = log.nodes}},
        std::make_shared<const std::vector<Job>>(
            read_queue_log(log, series.key.setting, options.data_dir, options.seed).jobs));
    background.run_through(result.instants[1]);
    RunTimes run_times(*result.workflows[series.key.workflow].tasks, Pick::shortest);
    const WorkflowResult alone =
        run_workflow(background, *find_strategy(name_of(series.key.cut)), run_times,
                     {.cap = series.key.cap, .min_utilisation = series.key.min_utilisation});
    EXPECT_EQ(series.outcomes[1].makespan, alone.makespan) << name_of(series.key.cut);
    EXPECT_EQ(series.outcomes[1].jobs, alone.jobs.size()) << name_of(series.key.cut);
    EXPECT_EQ(series.outcomes[1].held, alone.held) << name_of(series.key.cut);
  }
}

TEST(QueueStudy, ReadsTheStrategiesAsAsked) {
  EXPECT_EQ(strategy_options(QueueStudyRules::paper).requests, RequestRule::exact);
  EXPECT_EQ(strategy_options(QueueStudyRules::authors).requests, RequestRule::authors);
  EXPECT_EQ(strategy_options(QueueStudyRules::authors).zhang, ZhangRule::code);
  QueueStudyOptions options = small_options();
  const std::string paper = to_csv(run_queue_study(options));
  options.rules = QueueStudyRules::authors;
  EXPECT_NE(to_csv(run_queue_study(options)), paper);
}

TEST(QueueStudy, PutsTheDoubtIntoFourSettings) {
  QueueStudyOptions options = small_options();
  options.workflows = {"Montage-50-*"};  // the doubt is about medium length
  options.doubt = true;
  const QueueStudyResult result = run_queue_study(options);
  EXPECT_EQ(result.workflows.size(), 1U);
  EXPECT_TRUE(result.tables.figures.empty());
  const std::vector<DoubtRow>& rows = result.tables.doubt;
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_FALSE(rows[0].setting.contiguous);
  EXPECT_EQ(rows[1].setting.never_ran, NeverRan::request);
  EXPECT_TRUE(rows[3].setting.contiguous);
  for (const DoubtRow& row : rows) {
    EXPECT_EQ(row.cell.scenarios, 1U);
    EXPECT_DOUBLE_EQ(row.mean.mean_of_ratios, row.by_workflow[0].mean_of_ratios);
    EXPECT_GT(row.first_week, 0.1);
  }
  // The synthetic log has no job that never ran.
  EXPECT_EQ(rows[0].mean.ratio_of_means, rows[1].mean.ratio_of_means);
  const std::string text = format_table(result);
  EXPECT_NE(text.find("contiguous / request"), std::string::npos) << text;
  EXPECT_EQ(text.find("Table 2"), std::string::npos) << text;
}

TEST(QueueStudy, ReportsInThreeForms) {
  QueueStudyOptions options = small_options();
  options.instants = 1;
  options.workflows = {"Sipht-50-medium", "Sipht-250-short"};
  options.caps = {kUsualCap};
  const QueueStudyResult result = run_queue_study(options);
  const std::string text = format_table(result);
  for (const char* expected : {"Figure 3: synthetic, 250 tasks", "48.32 % of runs",
                               "Table 2, GLUME", "14/18", "GLUME+, at least 0.9"}) {
    EXPECT_NE(text.find(expected), std::string::npos) << expected << "\n" << text;
  }
  EXPECT_EQ(text.find("Figure 2"), std::string::npos) << text;

  const auto json = nlohmann::json::parse(to_json(result));
  EXPECT_EQ(json["study"], "queue");
  EXPECT_EQ(json["executions"], 2 * 2 * 6 + 4);
  EXPECT_EQ(json["figures"][0]["rows"][0]["workflow"], "Sipht-250-short");
  EXPECT_EQ(json["wins"][0]["rows"][3]["cells"][4]["published"][1], 11);
  EXPECT_EQ(json["wins"][0]["rows"][3]["cells"][1]["scenarios"], 1);
  EXPECT_TRUE(json["doubt"].empty());

  EXPECT_EQ(line_count(to_csv(result)), 1 + result.series.size());
}

}  // namespace
}  // namespace dovetail::study
