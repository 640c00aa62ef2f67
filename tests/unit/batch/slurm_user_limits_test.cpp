// Which limits count was tried out with Slurm 22.05.8 and slurmdbd: the cases that are marked so
// have the limits, and the numbers of jobs that it took.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "batch/slurm/slurm_accounting.hpp"

namespace dovetail::batch::slurm {
namespace {

const std::vector<Association> kAssociations = parse_associations(
    "lab|sandbox|other|||fast,normal|\n"
    "lab|sandbox|lab|small||fast,normal|30\n"
    "lab|sandbox|lab|||fast,normal|2\n");

std::vector<Qos> all_qos(const std::string& normal = "normal||||") {
  return parse_qos(normal + "\nfast|DenyOnLimit|1||\npartq||7||\n");
}

std::vector<ClusterJob> jobs(int count, const ClusterJob& like) {
  return std::vector<ClusterJob>(count, like);
}

ClusterJob waiting_job(const std::string& account, const std::string& qos,
                       const std::string& partition = "main") {
  return {.id = "1",
          .name = "x",
          .user = "ann",
          .account = account,
          .qos = qos,
          .partitions = {partition},
          .state = JobState::pending};
}

TEST(SlurmUserLimits, AnAssociationLimitsItsOwnJobs) {
  // Tried out: two are taken, then "AssocMaxSubmitJobLimit"; those of another account do not count.
  const UserLimits limits =
      limits_for({.user = "ann", .partition = "main"}, kAssociations, all_qos());
  EXPECT_EQ(limits.max_submit(), 2);
  EXPECT_EQ(jobs_left(limits, {}), 2);
  EXPECT_EQ(jobs_left(limits, jobs(1, waiting_job("lab", "normal"))), 1);
  EXPECT_EQ(jobs_left(limits, jobs(2, waiting_job("lab", "normal"))), 0);
  EXPECT_EQ(jobs_left(limits, jobs(5, waiting_job("lab", "normal"))), 0);
  EXPECT_EQ(jobs_left(limits, jobs(5, waiting_job("other", "normal"))), 2);
}

TEST(SlurmUserLimits, TheQosCountsMoreThanTheAssociation) {
  // Tried out: five are taken although the association says two.
  const UserLimits limits =
      limits_for({.user = "ann", .partition = "main"}, kAssociations, all_qos("normal||5||"));
  EXPECT_EQ(limits.max_submit(), 5);
  EXPECT_EQ(jobs_left(limits, jobs(3, waiting_job("other", "normal"))), 2)
      << "it counts all accounts";
  EXPECT_EQ(jobs_left(limits, jobs(3, waiting_job("lab", "fast"))), 5);
}

TEST(SlurmUserLimits, ThePartitionsQosCountsMost) {
  // Tried out: seven are taken although the job's QOS says five.
  const JobTerms terms{.user = "ann", .partition = "small", .partition_qos = "partq"};
  const UserLimits limits = limits_for(terms, kAssociations, all_qos("normal||5||"));
  EXPECT_EQ(limits.max_submit(), 7);
  EXPECT_EQ(jobs_left(limits, jobs(3, waiting_job("lab", "normal", "small"))), 4);
  EXPECT_EQ(jobs_left(limits, jobs(3, waiting_job("lab", "normal", "main"))), 7);
  // Unless the job's QOS says that it is above.
  const UserLimits above = limits_for(terms, kAssociations, all_qos("normal|OverPartQOS|5||"));
  EXPECT_EQ(above.max_submit(), 5);
}

TEST(SlurmUserLimits, WhatAJobAsksForCounts) {
  // Tried out: one of QOS "fast" is taken, whatever else is there.
  const UserLimits fast =
      limits_for({.user = "ann", .account = "other", .qos = "fast", .partition = "main"},
                 kAssociations, all_qos());
  EXPECT_EQ(fast.max_submit(), 1);
  EXPECT_EQ(jobs_left(fast, jobs(5, waiting_job("other", "normal"))), 1);
  EXPECT_EQ(jobs_left(fast, jobs(1, waiting_job("other", "fast"))), 0);
  const UserLimits other = limits_for({.user = "ann", .account = "other", .partition = "main"},
                                      kAssociations, all_qos());
  EXPECT_EQ(other.max_submit(), std::nullopt);
  EXPECT_EQ(jobs_left(other, jobs(1000, waiting_job("other", "normal"))), std::nullopt);
}

TEST(SlurmUserLimits, AnAssociationOfThePartitionComesFirst) {
  const UserLimits limits =
      limits_for({.user = "ann", .partition = "small"}, kAssociations, all_qos());
  EXPECT_EQ(limits.max_submit(), 30);
  EXPECT_EQ(jobs_left(limits, jobs(10, waiting_job("lab", "normal", "small"))), 20);
  EXPECT_EQ(jobs_left(limits, jobs(10, waiting_job("lab", "normal", "main"))), 30);
}

TEST(SlurmUserLimits, TheDefaultQosIsTheUsersOrTheOnlyOne) {
  const auto submit = [](const std::string& association) {
    return limits_for({.user = "ann"}, parse_associations(association), all_qos()).max_submit();
  };
  EXPECT_EQ(submit("lab|c|lab||fast|fast,partq|\n"), 1);
  EXPECT_EQ(submit("lab|c|lab|||partq|\n"), 7);
  EXPECT_EQ(submit("lab|c|lab|||fast,partq|\n"), std::nullopt);
}

TEST(SlurmUserLimits, JobsOfOthersCountWhereAllShareALimit) {
  const UserLimits limits = limits_for({.user = "ann", .partition = "main"}, kAssociations,
                                       parse_qos("normal||20|15|10\n"));
  EXPECT_EQ(limits.max_submit(), 10);
  std::vector<ClusterJob> there = jobs(4, waiting_job("lab", "normal"));
  EXPECT_EQ(jobs_left(limits, there), 6);
  for (ClusterJob& job : there) job.user = "bob";
  EXPECT_EQ(jobs_left(limits, there), 6);
  for (ClusterJob& job : there) job.qos = "fast";
  EXPECT_EQ(jobs_left(limits, there), 10);
}

TEST(SlurmUserLimits, JobsThatAreOverDoNotCount) {
  const UserLimits limits =
      limits_for({.user = "ann", .partition = "main"}, kAssociations, all_qos());
  std::vector<ClusterJob> there = jobs(2, waiting_job("lab", "normal"));
  there[0].state = JobState::cancelled;
  EXPECT_EQ(jobs_left(limits, there), 1);
  there[1].state = JobState::running;
  EXPECT_EQ(jobs_left(limits, there), 1);
}

TEST(SlurmUserLimits, WithoutAccountingThereAreNone) {
  const UserLimits limits = limits_for({.user = "ann", .partition = "main"}, {}, {});
  EXPECT_EQ(limits.max_submit(), std::nullopt);
  EXPECT_EQ(jobs_left(limits, jobs(1000, waiting_job("", ""))), std::nullopt);
}

}  // namespace
}  // namespace dovetail::batch::slurm
