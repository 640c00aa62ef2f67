// The client against a real Slurm, which is started for each test.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <thread>

#include "batch/slurm/slurm_client.hpp"
#include "batch/slurm/slurm_text.hpp"
#include "run/clock.hpp"
#include "support/file_checks.hpp"
#include "support/system/slurm_cluster.hpp"

namespace dovetail::batch::slurm {
namespace {

using testing::SlurmCluster;

class LiveClient : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const auto missing = SlurmCluster::missing()) GTEST_SKIP() << *missing;
    cluster_ = std::make_unique<SlurmCluster>(4, 2);
  }

  std::string script(const std::string& name, const std::string& options,
                     const std::string& command) {
    const std::string file = cluster_->folder() + "/" + name + ".sbatch";
    std::ofstream(file) << "#!/bin/sh\n#SBATCH --job-name=\"" << name
                        << "\"\n#SBATCH --output=/dev/null\n#SBATCH " << options << "\n"
                        << command << "\n";
    return file;
  }

  std::string submit(const std::string& name, const std::string& options,
                     const std::string& command) {
    return client_.submit(script(name, options, command));
  }

  ClusterJob job(const std::string& id) {
    for (const ClusterJob& job : client_.jobs()) {
      if (job.id == id) return job;
    }
    return {};
  }

  // Whether it comes to that within half a minute.
  static bool comes(const std::function<bool()>& happened) {
    for (int tries = 0; tries < 600; ++tries) {
      if (happened()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return false;
  }

  bool comes_to(const std::string& id, JobState state) {
    return comes([&] { return job(id).state == state; });
  }

  std::unique_ptr<SlurmCluster> cluster_;
  Client client_{{.call_seconds = 20, .patience = 60, .first_pause = 0.1}};
};

TEST_F(LiveClient, SeesTheClusterAsItIs) {
  const ClusterPicture picture = client_.picture();
  ASSERT_EQ(picture.nodes.size(), 4u);
  EXPECT_EQ(picture.nodes[3].name, "n4");
  EXPECT_EQ(picture.nodes[3].cpus, 2);
  EXPECT_TRUE(picture.nodes[3].is_usable) << picture.nodes[3].state;
  ASSERT_EQ(picture.partitions.size(), 1u);
  EXPECT_TRUE(picture.partitions[0].is_default);
  EXPECT_EQ(picture.partitions[0].node_names.size(), 4u);
  EXPECT_EQ(picture.partitions[0].max_time, kForever);
  EXPECT_TRUE(picture.jobs.empty());
  EXPECT_TRUE(picture.reservations.empty());
}

TEST_F(LiveClient, TellsApartHowJobsEnd) {
  const WallTime before = run::wall_now();
  const std::string fine = submit("a|b 'c'", "--nodes=1 --time=5", "true");
  const std::string bad = submit("bad", "--nodes=1", "exit 5");
  const std::string lost = submit("lost", "--nodes=1 --nodelist=n4 --no-requeue", "sleep 100");
  const std::string wide =
      submit("wide", "--nodes=2 --nodelist=n[1-2] --exclusive --time=90", "sleep 100");
  const std::string later = submit("later", "--nodes=3 --exclusive", "true");
  ASSERT_TRUE(comes_to(fine, JobState::completed));
  ASSERT_TRUE(comes_to(bad, JobState::failed));
  ASSERT_TRUE(comes_to(lost, JobState::running));
  ASSERT_TRUE(comes_to(wide, JobState::running));

  const ClusterJob one = job(fine);
  EXPECT_EQ(one.name, "a|b 'c'");
  EXPECT_EQ(one.limit, 5 * kMinute);
  EXPECT_EQ(one.partitions, std::vector<std::string>{"main"});
  EXPECT_GE(one.submitted, before - kSecond);
  EXPECT_LE(one.submitted, run::wall_now());
  const ClusterJob two = job(wide);
  EXPECT_EQ(two.node_names, (std::vector<std::string>{"n1", "n2"}));
  EXPECT_EQ(two.cpus, 4);
  ASSERT_TRUE(two.start && two.end);
  EXPECT_EQ(*two.end - *two.start, 90 * kMinute);
  EXPECT_EQ(job(later).state, JobState::pending);
  EXPECT_FALSE(job(later).reason.empty());

  cluster_->run({"scontrol", "update", "nodename=n4", "state=down", "reason=test"});
  EXPECT_TRUE(comes_to(lost, JobState::node_fail));
  const std::vector<ClusterNode> nodes = client_.nodes();
  EXPECT_FALSE(nodes.at(3).is_usable) << nodes.at(3).state;

  client_.cancel({wide, fine, "99999"});
  EXPECT_TRUE(comes_to(wide, JobState::cancelled));
  EXPECT_EQ(job(fine).state, JobState::completed);
}

TEST_F(LiveClient, SlurmsRefusalsAreRefusals) {
  EXPECT_EQ(testing::failure_of([&] { submit("a", "--partition=nix", "true"); }),
            "Slurm refuses sbatch: Batch job submission failed: Invalid partition name specified");
  EXPECT_THROW(submit("b", "--reservation=nix", "true"), Refused);
  EXPECT_THROW(client_.submit("/no/such/file"), Refused);
  EXPECT_TRUE(client_.jobs().empty());
}

TEST_F(LiveClient, ReservationsAreMadeReadBackAndRemoved) {
  const WallTime start = (run::wall_now() / kSecond + 7200) * kSecond;
  const std::string user = cluster_->run({"id", "-un"});
  ReservationRequest request{.name = "dv-test",
                             .start = start,
                             .length = 25 * kMinute + 1,
                             .node_names = {"n1", "n2", "n4"},
                             .user = user.substr(0, user.find('\n'))};
  client_.reserve(request);
  const std::vector<ReservedNodes> made = client_.reservations();
  ASSERT_EQ(made.size(), 1u);
  EXPECT_EQ(made[0].name, "dv-test");
  EXPECT_EQ(made[0].start, start);
  EXPECT_EQ(made[0].end, start + 26 * kMinute);
  EXPECT_EQ(made[0].node_names, request.node_names);
  EXPECT_EQ(made[0].users, std::vector<std::string>{request.user});

  request.name = "dv-second";
  EXPECT_THROW(client_.reserve(request), Refused) << "these nodes are taken";
  const std::string inside = submit("inside", "--reservation=dv-test --nodes=1 --time=1", "true");
  EXPECT_EQ(job(inside).reservation, "dv-test");
  EXPECT_FALSE(client_.release("dv-test")) << "a job waits inside";
  EXPECT_EQ(client_.reservations().size(), 1u);
  client_.cancel({inside});
  EXPECT_TRUE(comes([&] { return client_.release("dv-test"); }));
  EXPECT_TRUE(client_.release("dv-test")) << "it is gone";
  EXPECT_TRUE(client_.reservations().empty());
}

TEST_F(LiveClient, AJobThatTheQueueHasForgottenIsAPastJob) {
  const std::string fine = submit("dv-fine", "--nodes=2 --time=5", "true");
  const std::string bad = submit("dv-bad", "--nodes=1", "exit 5");
  const std::string unwanted = submit("dv-unwanted", "--nodes=1", "sleep 100");
  const std::string again =
      submit("dv-again", "--nodes=1 --requeue",
             "test -n \"$SLURM_RESTART_COUNT\" || { scontrol requeue $SLURM_JOB_ID; sleep 100; }");
  ASSERT_TRUE(comes_to(unwanted, JobState::running));
  EXPECT_FALSE(client_.past_job("dv-unwanted")) << "it is not over";
  client_.cancel({unwanted});
  ASSERT_TRUE(comes_to(fine, JobState::completed));
  ASSERT_TRUE(comes_to(bad, JobState::failed));
  ASSERT_TRUE(comes_to(unwanted, JobState::cancelled));
  ASSERT_TRUE(comes_to(again, JobState::completed));

  // As after a crash that took the records with it, which is sooner than MinJobAge.
  cluster_->stop_controller();
  for (const char* file : {"/state/job_state", "/state/job_state.old"}) {
    std::filesystem::remove(cluster_->folder() + file);
  }
  cluster_->start_controller();
  ASSERT_TRUE(client_.jobs().empty());

  const std::optional<ClusterJob> job = client_.past_job("dv-fine", run::wall_now() - kHour);
  ASSERT_TRUE(job);
  EXPECT_EQ(job->id, fine);
  EXPECT_EQ(job->state, JobState::completed);
  EXPECT_EQ(job->nodes, 2);
  EXPECT_EQ(job->limit, 5 * kMinute);
  EXPECT_EQ(job->node_names.size(), 2u);
  ASSERT_TRUE(job->start && job->end);
  EXPECT_LE(*job->start, *job->end);
  EXPECT_LT(std::abs(*job->end - run::wall_now()), 2 * kMinute);
  EXPECT_EQ(client_.past_job("dv-bad")->state, JobState::failed);
  EXPECT_EQ(client_.past_job("dv-unwanted")->state, JobState::cancelled);
  EXPECT_EQ(client_.past_job("dv-again")->state, JobState::completed);
  EXPECT_FALSE(client_.past_job("dv-never"));
}

TEST_F(LiveClient, WithoutAccountingTheUserHasNoLimits) {
  const UserLimits limits = client_.limits("", client_.partitions());
  EXPECT_FALSE(limits.max_submit());
  EXPECT_FALSE(jobs_left(limits, client_.jobs()));
}

TEST_F(LiveClient, AControllerThatIsAwayIsUnreachableUntilItIsBack) {
  const std::string id = submit("kept", "--nodes=1", "sleep 100");
  ASSERT_TRUE(comes_to(id, JobState::running));
  cluster_->stop_controller();
  Client hasty({.call_seconds = 0.5, .patience = 1, .first_pause = 0.1});
  const std::int64_t before = run::steady_now();
  EXPECT_THROW(hasty.jobs(), Unreachable);
  EXPECT_LT(run::steady_now() - before, 10 * kSecond);
  EXPECT_THROW(hasty.submit(script("x", "--nodes=1", "true")), Unreachable);
  // Slurm's own words, as it gives up before we do.
  Client calm({.call_seconds = 60, .patience = 0.1});
  EXPECT_NE(testing::failure_of([&] { calm.nodes(); }).find("Unable to contact slurm controller"),
            std::string::npos);

  // The question outlives the outage.
  std::thread back([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    cluster_->start_controller();
  });
  const std::vector<ClusterJob> jobs = client_.jobs();
  back.join();
  ASSERT_EQ(jobs.size(), 1u);
  EXPECT_EQ(jobs[0].id, id);
  EXPECT_EQ(jobs[0].name, "kept");
}

TEST_F(LiveClient, CancelsThousandsOfIds) {
  std::vector<std::string> ids{submit("many", "--nodes=4 --exclusive", "sleep 100")};
  for (int task = 0; task < 20; ++task) {
    ids.push_back(submit("waiting", "--nodes=4 --exclusive", "true"));
  }
  for (int unknown = 0; unknown < 2000; ++unknown) ids.push_back(std::to_string(100'000 + unknown));
  client_.cancel(ids);
  EXPECT_TRUE(comes([&] {
    const std::vector<ClusterJob> jobs = client_.jobs();
    return jobs.size() == 21 && std::all_of(jobs.begin(), jobs.end(), [](const ClusterJob& job) {
             return job.state == JobState::cancelled;
           });
  }));
}

}  // namespace
}  // namespace dovetail::batch::slurm
