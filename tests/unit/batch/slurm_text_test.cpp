// Texts that are marked so were printed by Slurm 22.05.8; the others have the fields and words that
// other versions are known to print.
#include "batch/slurm/slurm_text.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <string>
#include <vector>

#include "dovetail/error.hpp"
#include "support/broken_text.hpp"
#include "support/file_checks.hpp"

namespace dovetail::batch::slurm {
namespace {

using testing::failure_of;
using Names = std::vector<std::string>;

// Printed by squeue 22.05.8 with SLURM_TIME_FORMAT=%s, without accounting and, the last two lines,
// with it. Job 18 has an end of line in its name.
const std::string kJobs =
    R"(job|10|CANCELLED|root|main|(null)|1|1|n5|10:00|4294901751|1794850682|1794850682|1794850684|(null)|(null)|None|canc
job|3|COMPLETED|root|main|(null)|1|1|n3|10:00|4294901757|1794850682|1794850682|1794850682|(null)|(null)|None|ok
job|2|FAILED|root|main|(null)|1|1|n3|10:00|4294901758|1794850682|1794850682|1794850682|(null)|(null)|NonZeroExitCode|a b|c"d'e
job|11|NODE_FAIL|root|main|(null)|1|1|n7|10:00|4294901750|1794850682|1794850682|1794850684|(null)|(null)|NodeDown|nf
job|4|PENDING|root|main|(null)|8|8||1-12:00:00|4294901756|1794850682|N/A|N/A|(null)|(null)|Nodes required for job are DOWN, DRAINED or reserved for jobs in higher priority partitions|wide
job|5|PENDING|root|main|(null)|1|1||1:00|4294901755|1794850682|N/A|N/A|(null)|(null)|Dependency|later
job|6_2|PENDING|root|main|(null)|1|1||5:00|4294901754|1794850682|N/A|N/A|(null)|(null)|JobArrayTaskLimit|arr
job|8|PENDING|root|main|(null)|1|1||10:00|4294901753|1794850682|1794854282|1794854882|(null)|(null)|BeginTime|beg
job|15|PENDING|root|main|r1|1|1||5:00|4294901748|1794850684|N/A|N/A|(null)|(null)|Reservation|inres
job|7|PENDING|root|main|(null)|1|1||10:00|0|1794850682|N/A|N/A|(null)|(null)|JobHeldUser|held
job|18|COMPLETED|root|main|(null)|1|1|n3|10:00|4294901745|1794850854|1794850854|1794850854|(null)|(null)|None|two
lines
job|1|RUNNING|root|main|(null)|2|4|n[1-2]|1:30:00|4294901759|1794850682|1794850682|1794856082|(null)|(null)|None|s.sh
job|6_0|RUNNING|root|main|(null)|1|1|n4|5:00|4294901754|1794850682|1794850682|1794850982|(null)|(null)|None|arr
job|9|PENDING|root|small,main|(null)|2|2||UNLIMITED|4294901752|1794850682|1826404684|NONE|(null)|(null)|None|unlimited
job|23|TIMEOUT|root|main|(null)|1|1|n1|0:00|4294901742|1794851898|1794851899|1794851918|(null)|(null)|TimeLimit|slow
job|29|PENDING|root|main|(null)|1|1||10:00|4294901731|1794859625|1794863225|1794863825|root|normal|BeginTime|pend
job|6|CANCELLED|nobody|small|(null)|1|1||5:00|4294901754|1794859537|1794859537|1794859537|lab|normal|ReqNodeNotAvail, UnavailableNodes:n[1-3]|j.sh
)";

// Printed by scontrol 22.05.8.
const std::string kPartitions =
    R"(PartitionName=main AllowGroups=ALL AllowAccounts=ALL AllowQos=ALL AllocNodes=ALL Default=YES QoS=N/A DefaultTime=00:10:00 DisableRootJobs=NO ExclusiveUser=NO GraceTime=0 Hidden=NO MaxNodes=UNLIMITED MaxTime=UNLIMITED MinNodes=0 LLN=NO MaxCPUsPerNode=UNLIMITED Nodes=n[1-8] PriorityJobFactor=1 PriorityTier=1 RootOnly=NO ReqResv=NO OverSubscribe=NO OverTimeLimit=NONE PreemptMode=OFF State=UP TotalCPUs=16 TotalNodes=8 SelectTypeParameters=NONE JobDefaults=(null) DefMemPerNode=UNLIMITED MaxMemPerNode=UNLIMITED TRES=cpu=16,mem=8G,node=8,billing=16
PartitionName=small AllowGroups=ALL AllowAccounts=ALL AllowQos=ALL AllocNodes=ALL Default=NO QoS=N/A DefaultTime=NONE DisableRootJobs=NO ExclusiveUser=NO GraceTime=0 Hidden=NO MaxNodes=2 MaxTime=1-12:00:00 MinNodes=2 LLN=NO MaxCPUsPerNode=UNLIMITED Nodes=n[1-4] PriorityJobFactor=1 PriorityTier=1 RootOnly=NO ReqResv=NO OverSubscribe=NO OverTimeLimit=NONE PreemptMode=OFF State=UP TotalCPUs=8 TotalNodes=4 SelectTypeParameters=NONE JobDefaults=(null) DefMemPerNode=UNLIMITED MaxMemPerNode=UNLIMITED TRES=cpu=8,mem=4G,node=4,billing=8
)";
const std::string kReservations =
    R"(ReservationName=r1 StartTime=1794857884 EndTime=1794859684 Duration=00:30:00 Nodes=n[1-3,5] NodeCnt=4 CoreCnt=8 Features=(null) PartitionName=(null) Flags=SPEC_NODES TRES=cpu=8 Users=root,nobody Groups=(null) Accounts=(null) Licenses=(null) State=INACTIVE BurstBuffer=(null) Watts=n/a MaxStartDelay=(null)
ReservationName=r2 StartTime=1794868684 EndTime=1826404684 Duration=365-00:00:00 Nodes=n[1-8] NodeCnt=8 CoreCnt=16 Features=(null) PartitionName=(null) Flags=MAINT,IGNORE_JOBS,SPEC_NODES,ALL_NODES TRES=cpu=16 Users=root Groups=(null) Accounts=(null) Licenses=(null) State=INACTIVE BurstBuffer=(null) Watts=n/a MaxStartDelay=(null)
ReservationName=r3 StartTime=1794861484 EndTime=1794863284 Duration=00:30:00 Nodes=n1 NodeCnt=1 CoreCnt=2 Features=(null) PartitionName=main Flags= TRES=cpu=2 Users=(null) Groups=(null) Accounts=foo Licenses=(null) State=INACTIVE BurstBuffer=(null) Watts=n/a MaxStartDelay=(null)
)";

// Printed by sinfo 22.05.8.
const std::string kNodes =
    "n1|2|allocated\nn1|2|allocated\nn3|2|idle\nn5|2|idle\nn7|2|down\nn8|2|drained\n";

ClusterJob job_named(const std::string& name) {
  for (const ClusterJob& job : parse_jobs(kJobs)) {
    if (job.name == name) return job;
  }
  ADD_FAILURE() << "there is no job " << name;
  return {};
}

ClusterJob one_job(const std::string& line) { return parse_jobs(line).at(0); }

// As Slurm prints it here and now.
std::string local_text(time_t seconds) { return format_moment(seconds * kSecond); }

TEST(SlurmJobs, StatesAreToldApart) {
  EXPECT_EQ(parse_jobs(kJobs).size(), 17u);
  EXPECT_EQ(job_named("canc").state, JobState::cancelled);
  EXPECT_EQ(job_named("ok").state, JobState::completed);
  EXPECT_EQ(job_named("nf").state, JobState::node_fail);
  EXPECT_EQ(job_named("slow").state, JobState::timeout);
  EXPECT_EQ(job_named("wide").state, JobState::pending);
  EXPECT_EQ(job_named("s.sh").state, JobState::running);
}

TEST(SlurmJobs, ARunningJobHasNodesAndTimes) {
  const ClusterJob job = job_named("s.sh");
  EXPECT_EQ(job.id, "1");
  EXPECT_EQ(job.user, "root");
  EXPECT_EQ(job.partitions, Names{"main"});
  EXPECT_EQ(job.reservation, "");
  EXPECT_EQ(job.reason, "");
  EXPECT_EQ(job.nodes, 2);
  EXPECT_EQ(job.cpus, 4);
  EXPECT_EQ(job.node_names, (Names{"n1", "n2"}));
  EXPECT_EQ(job.limit, 90 * kMinute);
  EXPECT_EQ(job.priority, 4'294'901'759);
  EXPECT_EQ(job.submitted, 1'794'850'682'000);
  EXPECT_EQ(job.start, 1'794'850'682'000);
  EXPECT_EQ(job.end, 1'794'856'082'000);
}

TEST(SlurmJobs, AWaitingJobHasAReasonAndPerhapsAStart) {
  EXPECT_EQ(job_named("wide").reason,
            "Nodes required for job are DOWN, DRAINED or reserved for jobs in higher priority "
            "partitions");
  EXPECT_FALSE(job_named("wide").start);
  EXPECT_TRUE(job_named("wide").node_names.empty());
  EXPECT_EQ(job_named("wide").limit, 36 * kHour);
  EXPECT_EQ(job_named("beg").start, 1'794'854'282'000);
  EXPECT_EQ(job_named("held").priority, 0);
  EXPECT_EQ(job_named("inres").reservation, "r1");
  EXPECT_EQ(job_named("unlimited").limit, kForever);
  EXPECT_EQ(job_named("unlimited").partitions, (Names{"small", "main"}));
  EXPECT_FALSE(job_named("unlimited").end);
}

TEST(SlurmJobs, AccountAndQosAreKnownWhereThereIsAccounting) {
  EXPECT_EQ(job_named("s.sh").account, "");
  EXPECT_EQ(job_named("s.sh").qos, "");
  EXPECT_EQ(job_named("pend").account, "root");
  EXPECT_EQ(job_named("pend").qos, "normal");
  EXPECT_EQ(job_named("j.sh").account, "lab");
  EXPECT_EQ(job_named("j.sh").reason, "ReqNodeNotAvail, UnavailableNodes:n[1-3]");
}

TEST(SlurmJobs, NamesMayHoldAnything) {
  EXPECT_EQ(job_named("a b|c\"d'e").id, "2");
  EXPECT_EQ(job_named("two lines").id, "18");
  EXPECT_EQ(one_job("job|1|PENDING|u|p|(null)|1|1||1|1|1|N/A|N/A|(null)|(null)|None|\n").name, "");
  EXPECT_EQ(one_job("job|1|PENDING|u|p|(null)|1|1||1|1|1|N/A|N/A|(null)|(null)|None||||\n").name,
            "|||");
}

TEST(SlurmJobs, TasksOfAnArrayAreJobs) {
  const std::vector<ClusterJob> jobs = parse_jobs(kJobs);
  EXPECT_EQ(jobs[6].id, "6_2");
  EXPECT_EQ(jobs[12].id, "6_0");
  // Not expanded, as without --array, and a part of a job of several parts.
  EXPECT_EQ(one_job("job|6_[2-3%2]|PENDING|u|p|(null)|1|1||1|1|1|N/A|N/A|(null)|(null)|None|x").id,
            "6_[2-3%2]");
  EXPECT_EQ(one_job("job|12+1|PENDING|u|p|(null)|1|1||1|1|1|N/A|N/A|(null)|(null)|None|x").id,
            "12+1");
}

TEST(SlurmJobs, OldNotationsAreUnderstood) {
  // Local dates, large counts with units, a range of nodes, limits that are not set.
  const ClusterJob job =
      one_job("job|9|PENDING|u|p|(null)|1-4|2K||NOT_SET|1|" + local_text(1'500'000'000) +
              "|Unknown|N/A|(null)|(null)|ReqNodeNotAvail, UnavailableNodes:n[1-2]|x\r\n");
  EXPECT_EQ(job.nodes, 1);
  EXPECT_EQ(job.cpus, 2048);
  EXPECT_EQ(job.limit, kForever);
  EXPECT_EQ(job.submitted, 1'500'000'000'000);
  EXPECT_FALSE(job.start);
  EXPECT_EQ(job.name, "x");
  EXPECT_EQ(one_job("job|9|PENDING|u|p|(null)|1.50K|2K||1|1|1|1|1|(null)|(null)||x").nodes, 1536);
}

TEST(SlurmJobs, NothingIsNoJob) {
  EXPECT_TRUE(parse_jobs("").empty());
  EXPECT_TRUE(parse_jobs("\n\n").empty());
  EXPECT_TRUE(parse_jobs("CLUSTER: big\n").empty());
}

TEST(SlurmJobs, ALineThatMakesNoSenseIsNamed) {
  EXPECT_EQ(failure_of([] { parse_jobs("hello\n"); }),
            "squeue prints what makes no sense: no job in \"hello\"");
  EXPECT_EQ(failure_of([] { parse_jobs("job|1|PENDING|x\n"); }),
            "squeue prints what makes no sense: few fields in \"1|PENDING|x\"");
  EXPECT_NE(failure_of([] {
              parse_jobs("job|x|R|u|p|(null)|1|1||1|1|1|1|1|(null)|(null)||x");
            }).find("no job id"),
            std::string::npos);
  EXPECT_NE(failure_of([] {
              parse_jobs("job|1|R|u|p|(null)|one|1||1|1|1|1|1|(null)|(null)||x");
            }).find("no number of nodes"),
            std::string::npos);
  EXPECT_NE(failure_of([] {
              parse_jobs("job|1|R|u|p|(null)|1|1|n[3-1]|1|1|1|1|1|(null)|(null)||x");
            }).find("no list of nodes"),
            std::string::npos);
}

TEST(SlurmState, WordsOfAllVersionsAreKnown) {
  const std::vector<std::pair<const char*, JobState>> words{
      {"PENDING", JobState::pending},       {"REQUEUED", JobState::pending},
      {"REQUEUE_HOLD", JobState::pending},  {"SPECIAL_EXIT", JobState::pending},
      {"RESV_DEL_HOLD", JobState::pending}, {"RUNNING", JobState::running},
      {"COMPLETING", JobState::running},    {"CONFIGURING", JobState::running},
      {"SUSPENDED", JobState::running},     {"STAGE_OUT", JobState::running},
      {"POWER_UP_NODE", JobState::running}, {"COMPLETED", JobState::completed},
      {"FAILED", JobState::failed},         {"TIMEOUT", JobState::timeout},
      {"DEADLINE", JobState::timeout},      {"OUT_OF_MEMORY", JobState::out_of_memory},
      {"NODE_FAIL", JobState::node_fail},   {"BOOT_FAIL", JobState::node_fail},
      {"CANCELLED", JobState::cancelled},   {"CANCELLED by 1000", JobState::cancelled},
      {"CANCELLED+", JobState::cancelled},  {"REVOKED", JobState::cancelled},
      {"PREEMPTED", JobState::preempted},   {" running ", JobState::running},
      {"SOMETHING_NEW", JobState::unknown}, {"", JobState::unknown}};
  for (const auto& [word, state] : words) EXPECT_EQ(parse_state(word), state) << word;
  EXPECT_FALSE(is_over(parse_state("SOMETHING_NEW")));
}

TEST(SlurmNodes, ANodeOfTwoPartitionsIsOneNode) {
  const std::vector<ClusterNode> nodes = parse_nodes(kNodes);
  ASSERT_EQ(nodes.size(), 5u);
  EXPECT_EQ(nodes[0].name, "n1");
  EXPECT_EQ(nodes[0].cpus, 2);
  EXPECT_EQ(nodes[0].state, "allocated");
  EXPECT_TRUE(nodes[0].is_usable);
  EXPECT_TRUE(nodes[1].is_usable);
  EXPECT_FALSE(nodes[3].is_usable);
  EXPECT_FALSE(nodes[4].is_usable);
}

TEST(SlurmNodes, StatesWithSignsAndInPartsTellWhetherJobsCanRun) {
  const auto is_usable = [](const std::string& state) {
    return parse_nodes("n1|64|" + state + "\n").at(0).is_usable;
  };
  for (const char* state : {"idle",
                            "mixed",
                            "allocated",
                            "completing",
                            "reserved",
                            "planned",
                            "mixed-",
                            "idle~",
                            "idle#",
                            "idle%",
                            "allocated#",
                            "idle@",
                            "idle^",
                            "maint",
                            "idle$",
                            "idle!",
                            "IDLE",
                            "IDLE+CLOUD+POWERED_DOWN",
                            "MIXED+PLANNED",
                            "ALLOCATED+COMPLETING",
                            "IDLE+POWERING_UP",
                            "IDLE+DYNAMIC_NORM",
                            "powering_up",
                            "reboot",
                            "blocked"}) {
    EXPECT_TRUE(is_usable(state)) << state;
  }
  for (const char* state : {"down",
                            "down*",
                            "idle*",
                            "allocated*",
                            "drained",
                            "draining",
                            "drained*",
                            "draining@",
                            "fail",
                            "failing",
                            "unknown",
                            "unk*",
                            "future",
                            "inval",
                            "IDLE+DRAIN",
                            "MIXED+DRAIN",
                            "DOWN+DRAIN+INVALID_REG",
                            "DOWN+CLOUD+NOT_RESPONDING",
                            "down$",
                            "down~",
                            "",
                            "*",
                            "something_new"}) {
    EXPECT_FALSE(is_usable(state)) << state;
  }
}

TEST(SlurmNodes, CountsOfOtherVersionsAreUnderstood) {
  EXPECT_EQ(parse_nodes("n1|16+|idle").at(0).cpus, 16);
  EXPECT_EQ(parse_nodes("n1|1K|idle").at(0).cpus, 1024);
  EXPECT_EQ(parse_nodes("n1   |4   |idle  \n").at(0).name, "n1");
  EXPECT_THROW(parse_nodes("n1|many|idle"), ExecutionError);
  EXPECT_THROW(parse_nodes("n1|2"), ExecutionError);
  EXPECT_THROW(parse_nodes("|2|idle"), ExecutionError);
}

TEST(SlurmPartitions, LimitsAreRead) {
  const std::vector<Partition> partitions = parse_partitions(kPartitions);
  ASSERT_EQ(partitions.size(), 2u);
  EXPECT_EQ(partitions[0].name, "main");
  EXPECT_TRUE(partitions[0].is_default);
  EXPECT_TRUE(partitions[0].is_up);
  EXPECT_EQ(partitions[0].node_names.size(), 8u);
  EXPECT_EQ(partitions[0].max_time, kForever);
  EXPECT_EQ(partitions[0].min_nodes, 1);
  EXPECT_FALSE(partitions[0].max_nodes);
  EXPECT_FALSE(partitions[1].is_default);
  EXPECT_EQ(partitions[1].max_time, 36 * kHour);
  EXPECT_EQ(partitions[1].min_nodes, 2);
  EXPECT_EQ(partitions[1].max_nodes, 2);
}

TEST(SlurmPartitions, FieldsOfOtherVersionsAreUnderstood) {
  // 17.11 has fewer fields, 24.05 more, some have names with spaces.
  const std::vector<Partition> partitions = parse_partitions(
      "PartitionName=old AllowGroups=ALL Default=NO MaxNodes=16 MaxTime=7-00:00:00 MinNodes=1 "
      "Nodes=tux[001-016] Priority=1 Shared=NO State=DOWN TotalCPUs=256\n"
      "PartitionName=CPU nodes (new) AllowGroups=ALL Default=YES ExclusiveTopo=NO "
      "MaxNodes=UNLIMITED MaxTime=06:00:00 MinNodes=0 MaxCPUsPerSocket=UNLIMITED NodeSets=ALL "
      "Nodes=ip-10-3-0-193,ip-10-3-68-50 State=UP TRES=cpu=4,mem=8G,gres/gpu:a100=4\n"
      "PartitionName=empty Default=NO MaxTime=INFINITE Nodes=(null) State=INACTIVE\n"
      "PartitionName=none Default=NO MaxTime=30 Nodes= State=DRAIN\n");
  ASSERT_EQ(partitions.size(), 4u);
  EXPECT_EQ(partitions[0].node_names.front(), "tux001");
  EXPECT_EQ(partitions[0].node_names.size(), 16u);
  EXPECT_EQ(partitions[0].max_time, 7 * kDay);
  EXPECT_FALSE(partitions[0].is_up);
  EXPECT_EQ(partitions[1].name, "CPU nodes (new)");
  EXPECT_EQ(partitions[1].node_names, (Names{"ip-10-3-0-193", "ip-10-3-68-50"}));
  EXPECT_EQ(partitions[1].max_time, 6 * kHour);
  EXPECT_TRUE(partitions[2].node_names.empty());
  EXPECT_FALSE(partitions[2].is_up);
  EXPECT_TRUE(partitions[3].node_names.empty());
  EXPECT_EQ(partitions[3].max_time, 30 * kMinute);
  EXPECT_FALSE(partitions[3].is_up);
}

TEST(SlurmPartitions, ALineWithoutANameIsAnError) {
  EXPECT_EQ(failure_of([] { parse_partitions("Nodes=n1 State=UP\n"); }),
            "scontrol prints what makes no sense: no PartitionName in \"Nodes=n1 State=UP\"");
}

TEST(SlurmReservations, AreRead) {
  const std::vector<ReservedNodes> reservations = parse_reservations(kReservations);
  ASSERT_EQ(reservations.size(), 3u);
  EXPECT_EQ(reservations[0].name, "r1");
  EXPECT_EQ(reservations[0].start, 1'794'857'884'000);
  EXPECT_EQ(reservations[0].end, 1'794'859'684'000);
  EXPECT_EQ(reservations[0].node_names, (Names{"n1", "n2", "n3", "n5"}));
  EXPECT_EQ(reservations[0].users, (Names{"root", "nobody"}));
  EXPECT_EQ(reservations[1].flags, "MAINT,IGNORE_JOBS,SPEC_NODES,ALL_NODES");
  EXPECT_TRUE(reservations[2].users.empty());
  EXPECT_EQ(reservations[2].flags, "");
}

TEST(SlurmReservations, SomeComeAgain) {
  const auto period = [](const std::string& flags) {
    return parse_reservations(
               "ReservationName=r StartTime=1794857884 EndTime=1794859684 Nodes=n1 "
               "Flags=" +
               flags + "\n")
        .at(0)
        .period;
  };
  EXPECT_EQ(period("SPEC_NODES"), 0);
  EXPECT_EQ(period("HOURLY"), kHour);
  EXPECT_EQ(period("DAILY,SPEC_NODES"), kDay);
  EXPECT_EQ(period("WEEKDAY"), kDay);
  EXPECT_EQ(period("WEEKLY"), 7 * kDay);
}

TEST(SlurmReason, TellsWhatAJobWaitsFor) {
  for (const char* turn : {"", "None", "Priority", "Resources", "ReqNodeNotAvail, May be reserved",
                           "Nodes required for job are DOWN, DRAINED or reserved"}) {
    EXPECT_EQ(parse_reason(turn), WaitsFor::nodes) << turn;
  }
  for (const char* condition : {"Dependency", "BeginTime", "QOSMaxJobsPerUserLimit"}) {
    EXPECT_EQ(parse_reason(condition), WaitsFor::condition) << condition;
  }
  for (const char* help : {"JobHeldUser", "JobHeldAdmin", "PartitionTimeLimit", "InvalidQOS"}) {
    EXPECT_EQ(parse_reason(help), WaitsFor::help) << help;
  }
  EXPECT_EQ(parse_reason("launch_failed_requeued_held"), WaitsFor::nothing);
}

TEST(SlurmReservations, LocalDatesAndLicencesWithoutNodesAreUnderstood) {
  const std::vector<ReservedNodes> reservations = parse_reservations(
      "ReservationName=lic StartTime=" + local_text(1'600'000'000) +
      " EndTime=" + local_text(1'600'003'600) +
      " Duration=01:00:00 Nodes=(null) NodeCnt=0 CoreCnt=0 Features=(null) Licenses=lustre:2 "
      "Users=-ann TRES=(null) Comment=not Nodes=n9 at all\n");
  ASSERT_EQ(reservations.size(), 1u);
  EXPECT_EQ(reservations[0].start, 1'600'000'000'000);
  EXPECT_EQ(reservations[0].end, 1'600'003'600'000);
  EXPECT_TRUE(reservations[0].node_names.empty());
}

TEST(SlurmReservations, NoneIsNone) {
  EXPECT_TRUE(parse_reservations("No reservations in the system\n").empty());
  EXPECT_THROW(parse_reservations("ReservationName=x StartTime=soon EndTime=1\n"), ExecutionError);
}

TEST(SlurmJobId, IsTheLastNumberAlone) {
  EXPECT_EQ(parse_job_id("123\n"), "123");
  EXPECT_EQ(parse_job_id("123;cluster\n"), "123");
  EXPECT_EQ(parse_job_id("Your project has 7 hours left.\n42\n"), "42");
  EXPECT_EQ(parse_job_id("Submitted batch job 5\n"), std::nullopt);
  EXPECT_EQ(parse_job_id(""), std::nullopt);
  EXPECT_EQ(parse_job_id(";x\n"), std::nullopt);
}

TEST(SlurmText, BrokenTextsAreReadOrRefused) {
  const std::vector<std::pair<std::string, std::function<void(const std::string&)>>> readers{
      {kJobs, [](const std::string& text) { parse_jobs(text); }},
      {kNodes, [](const std::string& text) { parse_nodes(text); }},
      {kPartitions, [](const std::string& text) { parse_partitions(text); }},
      {kReservations, [](const std::string& text) { parse_reservations(text); }},
      {"n[1-3,7],r[1-2]n[01-04]-ib,login",
       [](const std::string& text) {
         if (const auto names = parse_node_list(text)) format_node_list(*names);
       }},
      {"1-12:00:00", [](const std::string& text) { parse_limit(text); }},
      {"2026-11-15T19:04:59", [](const std::string& text) { parse_moment(text); }},
      {"Your project has 7 hours left.\n12;x\n",
       [](const std::string& text) { parse_job_id(text); }}};
  std::size_t refused = 0;
  std::size_t read = 0;
  for (unsigned seed = 1; seed <= 1000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    for (const auto& [text, reader] : readers) {
      try {
        reader(testing::broken_text(text, random));
        ++read;
      } catch (const ExecutionError& error) {
        ++refused;
        EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
      }
    }
  }
  EXPECT_GT(refused, 100u);
  EXPECT_GT(read, 100u);
}

}  // namespace
}  // namespace dovetail::batch::slurm
