// Texts that are marked so were printed by sacct, sacctmgr and scontrol 22.05.8, with slurmdbd; the
// others have the words that the manual names.
#include "batch/slurm/slurm_accounting.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <string>
#include <vector>

#include "support/broken_text.hpp"

namespace dovetail::batch::slurm {
namespace {

using Names = std::vector<std::string>;

// Printed, by slurmdbd, with SLURM_TIME_FORMAT=%s.
const std::string kPastJobs =
    R"(25|COMPLETED|root|main|2|4|n[1-2]|00:10:00|1794859625|1794859625|1794859626|ok
26|FAILED|root|main|1|1|n3|00:10:00|1794859625|1794859625|1794859626|bad
27|FAILED|root|main|1|1|n3|00:10:00|1794859625|1794859625|1794859626|sig
28|CANCELLED by 0|root|main|1|1|n1|00:10:00|1794859625|1794859626|1794859627|canc
31|COMPLETED|root|main|1|1|n1|00:10:00|1794859671|1794859671|1794859672|a|b c
33|NODE_FAIL|root|main|1|1|n3|00:10:00|1794859671|1794859671|1794859673|lost
34_1|COMPLETED|root|main|1|1|n3|00:10:00|1794859671|1794859671|1794859672|arr
34_2|COMPLETED|root|main|1|1|n2|00:10:00|1794859671|1794859671|1794859672|arr
32|COMPLETED|root|main|1|1|n1|365-00:00:00|1794859672|1794859677|1794859677|again
)";

// Printed with --duplicates: a job that was queued again while it ran.
const std::string kBothRuns =
    R"(32|REQUEUED|root|main|1|1|n1|Partition_Limit|1794859671|1794859671|1794859671|again
32|COMPLETED|root|main|1|1|n1|365-00:00:00|1794859672|1794859677|1794859677|again
)";

// Printed with --completion, by jobcomp/filetxt. The name of 31 is "a|b c", of which it loses a
// part, and the state with it; 30 never ran.
const std::string kCompleted =
    R"(28|CANCELLED|root(0)|main|1|1|n1|10|1794859626|1794859626|1794859627|canc
32|PENDING|root(0)|main|1|1|n1|UNLIMITED|1794859671|1794859671|1794859671|again
31||root(0)|main|1|1|n1|10|1794859671|1794859671|1794859672|a|b
34|COMPLETED|root(0)|main|1|1|n2|10|1794859671|1794859671|1794859672|arr
35|COMPLETED|root(0)|main|1|1|n3|10|1794859671|1794859671|1794859672|arr
30|CANCELLED|root(0)|main|0|0|(null)|10|1794859673|1794859673|1794859673|never
33|NODE_FAIL|root(0)|main|1|1|n3|10|1794859671|1794859671|1794859673|lost
32|COMPLETED|root(0)|main|1|1|n1|525600|1794859677|1794859677|1794859677|again
)";

// Printed by sacctmgr, without columns that are not asked for: a user of two accounts, in one of
// them with limits of its own on a partition.
const std::string kAssociations =
    R"(lab|sandbox|other|||fast,normal|
lab|sandbox|lab|small||fast,normal|30
lab|sandbox|lab|||fast,normal|2
)";
const std::string kQos = "normal||5||\nfast|DenyOnLimit|1||\npartq||7||\n";

// Printed by scontrol; these lines are among many others.
const std::string kConfig = R"(Configuration data as of 2026-11-16T20:04:40
AccountingStorageBackupHost = (null)
AccountingStorageEnforce = associations,limits,qos
AccountingStorageHost   = 127.0.0.1
AccountingStorageType   = accounting_storage/slurmdbd
ClusterName             = sandbox
)";

std::optional<ClusterJob> past(const std::string& text, const std::string& name) {
  return find_past_job(parse_past_jobs(text), name);
}

TEST(SlurmPastJobs, HaveStatesNodesAndTimes) {
  EXPECT_EQ(parse_past_jobs(kPastJobs).size(), 9u);
  const std::optional<ClusterJob> job = past(kPastJobs, "ok");
  ASSERT_TRUE(job);
  EXPECT_EQ(job->id, "25");
  EXPECT_EQ(job->state, JobState::completed);
  EXPECT_EQ(job->user, "root");
  EXPECT_EQ(job->partitions, Names{"main"});
  EXPECT_EQ(job->nodes, 2);
  EXPECT_EQ(job->cpus, 4);
  EXPECT_EQ(job->node_names, (Names{"n1", "n2"}));
  EXPECT_EQ(job->limit, 10 * kMinute);
  EXPECT_EQ(job->submitted, 1'794'859'625'000);
  EXPECT_EQ(job->start, 1'794'859'625'000);
  EXPECT_EQ(job->end, 1'794'859'626'000);
  EXPECT_EQ(past(kPastJobs, "bad")->state, JobState::failed);
  EXPECT_EQ(past(kPastJobs, "canc")->state, JobState::cancelled);
  EXPECT_EQ(past(kPastJobs, "lost")->state, JobState::node_fail);
  EXPECT_EQ(past(kPastJobs, "a|b c")->id, "31");
}

TEST(SlurmPastJobs, OfSeveralRunsTheLastCounts) {
  EXPECT_EQ(past(kBothRuns, "again")->state, JobState::completed);
  EXPECT_EQ(past(kCompleted, "again")->state, JobState::completed);
  EXPECT_EQ(past(kCompleted, "again")->limit, 365 * kDay);
  // A run that has ended, and another that waits or that accounting has lost sight of.
  EXPECT_FALSE(
      past("7|NODE_FAIL|u|p|1|1|n1|10:00|1|2|3|x\n7|PENDING|u|p|1|1|None assigned|10:00|4|"
           "Unknown|Unknown|x\n",
           "x"));
  EXPECT_FALSE(past("7|RUNNING|u|p|1|1|n1|10:00|1|2|Unknown|x\n", "x"));
}

TEST(SlurmPastJobs, AreFoundByTheirWholeName) {
  EXPECT_FALSE(past(kPastJobs, "o"));
  EXPECT_FALSE(past(kPastJobs, "ok "));
  EXPECT_FALSE(past(kPastJobs, ""));
  EXPECT_FALSE(past("", "ok"));
}

TEST(SlurmPastJobs, OfTheLogOfCompletedJobsAreUnderstood) {
  const std::optional<ClusterJob> job = past(kCompleted, "lost");
  ASSERT_TRUE(job);
  EXPECT_EQ(job->state, JobState::node_fail);
  EXPECT_EQ(job->user, "root");
  EXPECT_EQ(job->limit, 10 * kMinute);
  EXPECT_EQ(job->end, 1'794'859'673'000);
  EXPECT_EQ(past(kCompleted, "never")->state, JobState::cancelled);
  EXPECT_TRUE(past(kCompleted, "never")->node_names.empty());
  EXPECT_FALSE(past(kCompleted, "a|b")) << "no state is no end";
}

TEST(SlurmPastJobs, WordsOfTheManualAreKnown) {
  const auto one = [](const std::string& line) { return parse_past_jobs(line + "\n").at(0); };
  EXPECT_EQ(one("9|CANCELLED by 1000|u|p|1|1|n1|1-00:00:00|1|2|3|x").state, JobState::cancelled);
  EXPECT_EQ(one("9|OUT_OF_MEMORY|u|p|1|1|n1|UNLIMITED|1|2|3|x").state, JobState::out_of_memory);
  EXPECT_EQ(one("9|DEADLINE|u|p|1|1|n1|10:00|1|2|3|x").state, JobState::timeout);
  const ClusterJob waiting =
      one("9|CANCELLED by 7|u|a,b|4|8|None assigned|Partition_Limit|1|None|3|x");
  EXPECT_EQ(waiting.partitions, (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(waiting.node_names.empty());
  EXPECT_EQ(waiting.limit, kForever);
  EXPECT_FALSE(waiting.start);
  const ClusterJob unknown =
      one("9|TIMEOUT|u|p|1|1|n1|10:00|2026-11-16T20:00:00|Unknown|Unknown|x");
  EXPECT_FALSE(unknown.start);
  EXPECT_FALSE(unknown.end);
  EXPECT_GT(unknown.submitted, 0);
}

TEST(SlurmPastJobs, LinesThatMakeNoSenseAreLeftOut) {
  EXPECT_TRUE(parse_past_jobs("Slurm accounting storage is disabled\n").empty());
  const std::vector<ClusterJob> jobs = parse_past_jobs(
      "8|FAILED|u|p|1|1|n1|10:00|1|2|3|two\nlines|with|bars|and|so|on|and|so|on|and|so|on\n" +
      kBothRuns);
  ASSERT_EQ(jobs.size(), 3u);
  EXPECT_EQ(jobs[0].name, "two");
}

TEST(SlurmAccounting, SettingsSayWhetherLimitsAreHeeded) {
  const AccountingSettings settings = parse_accounting_settings(kConfig);
  EXPECT_EQ(settings.cluster, "sandbox");
  EXPECT_TRUE(settings.has_database);
  EXPECT_TRUE(settings.keeps_limits);
  const AccountingSettings none = parse_accounting_settings(
      "AccountingStorageEnforce = none\nAccountingStorageType   = accounting_storage/none\n");
  EXPECT_FALSE(none.has_database);
  EXPECT_FALSE(none.keeps_limits);
  EXPECT_FALSE(
      parse_accounting_settings("AccountingStorageEnforce = associations,qos\n").keeps_limits);
  EXPECT_TRUE(parse_accounting_settings("AccountingStorageEnforce = associations,limits,safe\n")
                  .keeps_limits);
  EXPECT_FALSE(parse_accounting_settings("").has_database);
}

TEST(SlurmAccounting, AssociationsAreRead) {
  const std::vector<Association> all = parse_associations(kAssociations);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].default_account, "lab");
  EXPECT_EQ(all[0].cluster, "sandbox");
  EXPECT_EQ(all[0].account, "other");
  EXPECT_EQ(all[0].partition, "");
  EXPECT_EQ(all[0].default_qos, "");
  EXPECT_EQ(all[0].qos, (Names{"fast", "normal"}));
  EXPECT_FALSE(all[0].cap);
  EXPECT_EQ(all[1].partition, "small");
  EXPECT_EQ(all[1].cap, 30);
  EXPECT_TRUE(parse_associations("").empty());
  EXPECT_TRUE(parse_associations("You are not running a supported accounting_storage plugin\n"
                                 "Only 'accounting_storage/slurmdbd' is supported.\n")
                  .empty());
}

TEST(SlurmAccounting, QosAreRead) {
  const std::vector<Qos> all = parse_qos(kQos + "top|DenyOnLimit,OverPartQOS|2|4|6\n");
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[0].name, "normal");
  EXPECT_EQ(all[0].user, 5);
  EXPECT_EQ(all[2].user, 7);
  EXPECT_FALSE(all[1].is_above_partition);
  EXPECT_TRUE(all[3].is_above_partition);
  EXPECT_EQ(all[3].account, 4);
  EXPECT_EQ(all[3].group, 6);
  EXPECT_TRUE(parse_qos("normal||5\n").empty());
}

TEST(SlurmAccounting, BrokenTextsDoNoHarm) {
  const std::vector<std::pair<std::string, std::function<std::size_t(const std::string&)>>> readers{
      {kPastJobs, [](const std::string& text) { return parse_past_jobs(text).size(); }},
      {kCompleted, [](const std::string& text) { return parse_past_jobs(text).size(); }},
      {kAssociations, [](const std::string& text) { return parse_associations(text).size(); }},
      {kQos, [](const std::string& text) { return parse_qos(text).size(); }},
      {kConfig,
       [](const std::string& text) { return parse_accounting_settings(text).cluster.size(); }}};
  std::size_t read = 0;
  for (unsigned seed = 1; seed <= 1000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    for (const auto& [text, reader] : readers) {
      EXPECT_NO_THROW(read += reader(testing::broken_text(text, random)));
    }
  }
  EXPECT_GT(read, 1000u);
}

}  // namespace
}  // namespace dovetail::batch::slurm
