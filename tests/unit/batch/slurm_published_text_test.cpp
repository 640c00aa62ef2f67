// Texts of other versions than 22.05, in the words in which people published what their clusters
// print; names are changed. Such clusters have what a test cluster lacks: many partitions, nodes in
// the cloud, names with spaces, weights, maintenance.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "batch/slurm/slurm_accounting.hpp"
#include "batch/slurm/slurm_text.hpp"

namespace dovetail::batch::slurm {
namespace {

using Names = std::vector<std::string>;

WallTime moment(const std::string& text) { return parse_moment(text).value(); }

TEST(PublishedPartitions, Of20Point11) {
  const std::vector<Partition> all = parse_partitions(
      "PartitionName=part AllowGroups=grp,wheel AllowAccounts=ALL AllowQos=ALL AllocNodes=ALL "
      "Default=YES QoS=N/A DefaultTime=01:00:00 DisableRootJobs=YES ExclusiveUser=NO GraceTime=0 "
      "Hidden=NO MaxNodes=UNLIMITED MaxTime=3-00:00:00 MinNodes=0 LLN=NO "
      "MaxCPUsPerNode=UNLIMITED Nodes=node1,node2 PriorityJobFactor=1 PriorityTier=1 RootOnly=NO "
      "ReqResv=NO OverSubscribe=NO OverTimeLimit=NONE PreemptMode=OFF State=UP TotalCPUs=32 "
      "TotalNodes=2 SelectTypeParameters=NONE JobDefaults=(null) DefMemPerCPU=800 "
      "MaxMemPerNode=3200 TRESBillingWeights=CPU=1,Mem=1.33G\n");
  ASSERT_EQ(all.size(), 1u);
  EXPECT_TRUE(all[0].is_default);
  EXPECT_TRUE(all[0].is_up);
  EXPECT_EQ(all[0].max_time, 3 * kDay);
  EXPECT_EQ(all[0].node_names, (Names{"node1", "node2"}));
  EXPECT_EQ(all[0].qos, "");
  EXPECT_FALSE(all[0].max_nodes);
}

TEST(PublishedPartitions, WithAQosPreemptionAndWeights) {
  const std::vector<Partition> all = parse_partitions(
      "PartitionName=gpu-high AllowGroups=ALL AllowAccounts=project-a AllowQos=ALL AllocNodes=ALL "
      "Default=NO QoS=gpu_qos DefaultTime=NONE DisableRootJobs=NO ExclusiveUser=NO GraceTime=0 "
      "Hidden=NO MaxNodes=UNLIMITED MaxTime=7-00:00:00 MinNodes=0 LLN=NO "
      "MaxCPUsPerNode=UNLIMITED Nodes=node-a1,node-b[1-2] PriorityJobFactor=1 PriorityTier=100 "
      "RootOnly=NO ReqResv=NO OverSubscribe=FORCE:1 OverTimeLimit=NONE PreemptMode=REQUEUE "
      "State=UP TotalCPUs=128 TotalNodes=3 SelectTypeParameters=NONE JobDefaults=(null) "
      "DefMemPerNode=UNLIMITED MaxMemPerNode=UNLIMITED\n"
      "PartitionName=normal AllowGroups=ALL AllowAccounts=ALL AllowQos=ALL AllocNodes=ALL "
      "Default=NO QoS=N/A DefaultTime=5-00:00:00 DisableRootJobs=NO ExclusiveUser=NO GraceTime=0 "
      "Hidden=NO MaxNodes=3 MaxTime=5-00:00:00 MinNodes=0 LLN=NO MaxCPUsPerNode=UNLIMITED "
      "MaxCPUsPerSocket=UNLIMITED Nodes=cn[1-2] PriorityJobFactor=50 PriorityTier=50 RootOnly=NO "
      "ReqResv=NO OverSubscribe=NO OverTimeLimit=NONE PreemptMode=OFF State=UP TotalCPUs=22 "
      "TotalNodes=2 SelectTypeParameters=NONE JobDefaults=(null) DefMemPerCPU=500 "
      "MaxMemPerNode=UNLIMITED TRES=cpu=22,mem=47700M,node=2,billing=37,gres/gpu=2 "
      "TRESBillingWeights=CPU=1.0,Mem=0.25G,gres/gpu=2.0\n");
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].qos, "gpu_qos");
  EXPECT_EQ(all[0].node_names, (Names{"node-a1", "node-b1", "node-b2"}));
  EXPECT_EQ(all[1].max_nodes, 3);
  EXPECT_EQ(all[1].max_time, 5 * kDay);
}

TEST(PublishedPartitions, WithNodeSetsAndFieldsOfLaterVersions) {
  const std::vector<Partition> all = parse_partitions(
      "PartitionName=cpu_std_interactive AllowGroups=ALL AllowAccounts=ALL AllowQos=ALL "
      "AllocNodes=ALL Default=NO QoS=interactive DefaultTime=00:10:00 DisableRootJobs=YES "
      "ExclusiveUser=NO ExclusiveTopo=NO GraceTime=0 Hidden=NO MaxNodes=UNLIMITED "
      "MaxTime=06:00:00 MinNodes=1 LLN=NO MaxCPUsPerNode=UNLIMITED MaxCPUsPerSocket=UNLIMITED "
      "Nodes=x[1-150,155-500],y[1-8] PriorityJobFactor=1 PriorityTier=1 RootOnly=NO ReqResv=NO "
      "OverSubscribe=NO OverTimeLimit=NONE PreemptMode=OFF State=UP TotalCPUs=120000 "
      "TotalNodes=504 SelectTypeParameters=NONE JobDefaults=(null) DefMemPerCPU=192 "
      "MaxMemPerNode=UNLIMITED TRES=cpu=120000,mem=420000000M,node=504,billing=120000000 "
      "TRESBillingWeights=CPU=900,Mem=200G\n"
      "PartitionName=spot AllowGroups=ALL AllowAccounts=ALL AllowQos=ALL AllocNodes=ALL "
      "Default=YES QoS=N/A DefaultTime=NONE DisableRootJobs=NO ExclusiveUser=NO GraceTime=0 "
      "Hidden=NO MaxNodes=UNLIMITED MaxTime=UNLIMITED MinNodes=0 LLN=NO MaxCPUsPerNode=UNLIMITED "
      "NodeSets=spot_nodes Nodes=spot-dy-m6i2xlarge-[1-200],spot-dy-m6i4xlarge-[1-200] "
      "PriorityJobFactor=1 PriorityTier=1 RootOnly=NO ReqResv=NO OverSubscribe=NO "
      "OverTimeLimit=NONE PreemptMode=OFF State=UP TotalCPUs=11200 TotalNodes=400 "
      "SelectTypeParameters=NONE JobDefaults=(null) DefMemPerNode=UNLIMITED "
      "MaxMemPerNode=UNLIMITED TRES=cpu=11200,mem=43581200M,node=400,billing=11200\n"
      "PartitionName=private-gpu AllowGroups=private AllowAccounts=ALL AllowQos=ALL AllocNodes=ALL "
      "Default=NO QoS=N/A DefaultTime=00:01:00 DisableRootJobs=NO Exclusive=NO GraceTime=0 "
      "Hidden=NO MaxNodes=UNLIMITED MaxTime=7-00:00:00 MinNodes=0 LLN=NO MaxCPUsPerNode=UNLIMITED "
      "MaxCPUsPerSocket=UNLIMITED Nodes=gpu004 PriorityJobFactor=4 PriorityTier=4 RootOnly=NO "
      "ReqResv=NO OverSubscribe=NO OverTimeLimit=NONE PreemptMode=OFF State=UP TotalCPUs=64 "
      "TotalNodes=1 SelectTypeParameters=NONE JobDefaults=(null) DefMemPerNode=UNLIMITED "
      "MaxMemPerNode=UNLIMITED "
      "TRES=cpu=62,mem=750G,node=1,billing=264,gres/gpu=1,gres/gpu:nvidia_h100_nvl=1 "
      "TRESBillingWeights=CPU=1.0,Mem=0.25G,GRES/gpu=1,GRES/gpu:nvidia_a100-pcie-40gb=5\n");
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].node_names.size(), 504u);
  EXPECT_EQ(all[0].qos, "interactive");
  EXPECT_EQ(all[0].max_time, 6 * kHour);
  EXPECT_EQ(all[1].node_names.size(), 400u);
  EXPECT_EQ(all[1].node_names.front(), "spot-dy-m6i2xlarge-1");
  EXPECT_TRUE(all[1].is_default);
  EXPECT_EQ(all[2].node_names, Names{"gpu004"});
}

TEST(PublishedReservations, WithoutGroups) {
  const std::vector<ReservedNodes> all = parse_reservations(
      "ReservationName=repair StartTime=2021-04-24T16:00:00 EndTime=2021-07-23T16:00:00 "
      "Duration=90-00:00:00 Nodes=exp-2-03 NodeCnt=1 CoreCnt=128 Features=(null) "
      "PartitionName=(null) Flags=MAINT,OVERLAP,IGNORE_JOBS,SPEC_NODES TRES=cpu=128 Users=ann "
      "Accounts=(null) Licenses=(null) State=ACTIVE BurstBuffer=(null) Watts=n/a "
      "MaxStartDelay=(null)\n"
      "ReservationName=course-day1 StartTime=2021-06-22T08:00:00 EndTime=2021-06-22T15:00:00 "
      "Duration=07:00:00 Nodes=exp-9-[47-54,57-60] NodeCnt=12 CoreCnt=1184 Features=(null) "
      "PartitionName=(null) Flags=IGNORE_JOBS,SPEC_NODES TRES=cpu=1184 Users=ann,bob,cat "
      "Accounts=(null) Licenses=(null) State=INACTIVE BurstBuffer=(null) Watts=n/a "
      "MaxStartDelay=(null)\n");
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].flags, "MAINT,OVERLAP,IGNORE_JOBS,SPEC_NODES");
  EXPECT_EQ(all[0].start, moment("2021-04-24T16:00:00"));
  EXPECT_EQ(all[1].node_names.size(), 12u);
  EXPECT_EQ(all[1].node_names.back(), "exp-9-60");
  EXPECT_EQ(all[1].users, (Names{"ann", "bob", "cat"}));
}

TEST(PublishedReservations, WithSpacesInTheName) {
  const std::vector<ReservedNodes> all = parse_reservations(
      "ReservationName=maintenance weekend 2023-10-14 StartTime=2023-10-13T20:00:00 "
      "EndTime=2023-10-16T09:00:00 Duration=2-13:00:00 "
      "Nodes=3dgi[1-2],100plus,awi[01-26],cor1,gpu[01-11],insy[11-12,14-16],tbm5 NodeCnt=47 "
      "CoreCnt=2000 Features=(null) PartitionName=(null) "
      "Flags=MAINT,IGNORE_JOBS,SPEC_NODES,ALL_NODES TRES=cpu=4000 Users=root Groups=(null) "
      "Accounts=(null) Licenses=(null) State=INACTIVE BurstBuffer=(null) Watts=n/a "
      "MaxStartDelay=(null)\n"
      "ReservationName=test StartTime=1671442626 EndTime=1685397600 Duration=161-12:22:54 "
      "Nodes=n2cn1136 NodeCnt=1 CoreCnt=128 Features=(null) PartitionName=normal Flags=SPEC_NODES "
      "TRES=cpu=128 Users=(null) Groups=(null) Accounts=project-a,staff Licenses=(null) "
      "State=ACTIVE BurstBuffer=(null) Watts=n/a MaxStartDelay=(null)\n"
      "ReservationName=licence-manager StartTime=2023-01-11T02:38:16 EndTime=2023-01-12T02:38:16 "
      "Duration=24:00:00 Nodes=(null) NodeCnt=0 CoreCnt=0 Features=(null) PartitionName=(null) "
      "Flags=ANY_NODES TRES=(null) Users=licence-manager Groups=(null) Accounts=(null) "
      "Licenses=test.license@server:10,another.license@server:25 State=ACTIVE BurstBuffer=(null) "
      "Watts=n/a MaxStartDelay=(null)\n");
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].name, "maintenance weekend 2023-10-14");
  EXPECT_EQ(all[0].node_names.size(), 47u);
  EXPECT_EQ(all[0].node_names[2], "100plus");
  EXPECT_EQ(all[0].end - all[0].start,
            moment("2023-10-16T09:00:00") - moment("2023-10-13T20:00:00"));
  EXPECT_EQ(all[1].start, 1'671'442'626'000);
  EXPECT_TRUE(all[1].users.empty());
  EXPECT_TRUE(all[2].node_names.empty());
}

TEST(PublishedReservations, WithoutWatts) {
  const std::vector<ReservedNodes> all = parse_reservations(
      "ReservationName=day1 StartTime=2025-10-22T09:00:00 EndTime=2025-10-22T18:00:00 "
      "Duration=09:00:00 Nodes=nid[001000-001015] NodeCnt=16 CoreCnt=2048 Features=(null) "
      "PartitionName=standard Flags= TRES=cpu=4096 Users=(null) Groups=(null) Accounts=project-b "
      "Licenses=(null) State=INACTIVE BurstBuffer=(null) MaxStartDelay=(null)\n");
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].node_names.size(), 16u);
  EXPECT_EQ(all[0].node_names.back(), "nid001015");
  EXPECT_EQ(all[0].flags, "");
}

TEST(PublishedNodes, StatesOfTheCloudAndOfFailures) {
  const auto is_usable = [](const std::string& state) {
    return parse_nodes("n1|64|" + state + "\n").at(0).is_usable;
  };
  for (const char* state : {"IDLE+POWER", "IDLE+CLOUD+POWER_DOWN+POWERED_DOWN", "mix-", "plnd",
                            "maint", "idle~", "ALLOCATED+CLOUD"}) {
    EXPECT_TRUE(is_usable(state)) << state;
  }
  for (const char* state : {"drng@", "fail*", "drained*", "drain*", "down!",
                            "DOWN+CLOUD+POWER_DOWN+POWERED_DOWN+NOT_RESPONDING"}) {
    EXPECT_FALSE(is_usable(state)) << state;
  }
}

TEST(PublishedNodes, ListsWithZerosAndDashes) {
  EXPECT_EQ(parse_node_list("nid00[408,411-413]"),
            (Names{"nid00408", "nid00411", "nid00412", "nid00413"}));
  EXPECT_EQ(parse_node_list("d[001-032],f[001-024]")->size(), 56u);
  EXPECT_EQ(parse_node_list("midway3-[0440-0441]"), (Names{"midway3-0440", "midway3-0441"}));
  EXPECT_EQ(parse_node_list("genoa[001-003,005-013]")->size(), 12u);
  EXPECT_EQ(parse_node_list("cx[02-03],ca[01-18],volta[01,04-05]")->size(), 23u);
}

TEST(PublishedPastJobs, CancelledBeforeTheyStarted) {
  const std::vector<ClusterJob> jobs = parse_past_jobs(
      "314831|CANCELLED by 30154|ann|b200,l40s|1|0|None assigned|1-00:00:00|2026-09-05T18:23:23|"
      "None|2026-09-06T12:59:09|loop\n"
      "997_[1-4]|CANCELLED by 1|ann|gpu|1|0|None assigned|1-00:00:00|2026-10-08T07:59:00|None|None|"
      "array\n"
      "301099|TIMEOUT|ann|l40s|1|16|gl111|23:30:00|2026-09-04T18:52:10|2026-09-04T18:52:13|"
      "2026-09-05T18:22:24|loop\n");
  ASSERT_EQ(jobs.size(), 3u);
  EXPECT_EQ(jobs[0].state, JobState::cancelled);
  EXPECT_EQ(jobs[0].partitions.front(), "b200");
  EXPECT_FALSE(jobs[0].start);
  EXPECT_EQ(jobs[0].end, moment("2026-09-06T12:59:09"));
  EXPECT_EQ(jobs[1].id, "997_[1-4]");
  EXPECT_FALSE(jobs[1].end);
  EXPECT_EQ(jobs[2].state, JobState::timeout);
  EXPECT_EQ(jobs[2].limit, 23 * kHour + 30 * kMinute);
}

}  // namespace
}  // namespace dovetail::batch::slurm
