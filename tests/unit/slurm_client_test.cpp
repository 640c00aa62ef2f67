// The client against commands that only pretend.
#include <gtest/gtest.h>

#include <deque>
#include <string>
#include <vector>

#include "slurm/client.hpp"
#include "slurm/text.hpp"
#include "support/file_checks.hpp"

namespace dovetail::slurm {
namespace {

using testing::failure_of;
using Words = std::vector<std::string>;

CommandResult prints(const std::string& out) { return {.out = out}; }
CommandResult fails(const std::string& err, int code = 1) {
  return {.exit_code = code, .err = err};
}
const CommandResult kHangs{.end = CommandResult::End::timed_out, .exit_code = 137};
const CommandResult kMissing{.end = CommandResult::End::not_found, .exit_code = 127};
const std::string kAway =
    "slurm_load_jobs error: Unable to contact slurm controller (connect failure)\n";

// Answers what it is given, in order, the last one for ever, and keeps what it was asked.
struct FakeSlurm {
  std::deque<CommandResult> answers;
  std::vector<Words> asked = {};
  Environment environment = {};
  CommandLimits limits = {};

  Client client(ClientOptions options = {
                    .call_seconds = 1, .patience = 0.05, .first_pause = 0.01}) {
    return Client(options, [this](const Words& arguments, const CommandLimits& limit,
                                  const Environment& variables) {
      asked.push_back(arguments);
      limits = limit;
      environment = variables;
      CommandResult answer = answers.front();
      if (answers.size() > 1) answers.pop_front();
      return answer;
    });
  }
};

TEST(SlurmClient, AsksForJobsOfEverybodyAndEveryState) {
  FakeSlurm slurm{{prints("job|7|RUNNING|ann|main|(null)|1|2|n1|10:00|5|100|200|800|None|x\n")}};
  Client client = slurm.client();
  const std::vector<Job> jobs = client.jobs();
  ASSERT_EQ(jobs.size(), 1u);
  EXPECT_EQ(jobs[0].name, "x");
  EXPECT_EQ(slurm.asked[0], (Words{"squeue", "--noheader", "--all", "--states=all", "--array",
                                   std::string("--format=") + kJobFormat}));
  const Environment expected{{"SLURM_TIME_FORMAT", "%s"}, {"LC_ALL", "C"}};
  EXPECT_EQ(slurm.environment, expected);
  EXPECT_EQ(client.calls(), 1u);
}

TEST(SlurmClient, VariablesOfTheUserDoNotChangeWhatIsAsked) {
  FakeSlurm slurm{{prints("")}};
  slurm.client().jobs();
  const Words& dropped = slurm.limits.without;
  for (const char* name : {"SQUEUE_", "SCANCEL_", "SBATCH_PARTITION"}) {
    EXPECT_NE(std::find(dropped.begin(), dropped.end(), name), dropped.end()) << name;
  }
  EXPECT_EQ(std::find(dropped.begin(), dropped.end(), "SBATCH_"), dropped.end());
}

TEST(SlurmClient, PictureHoldsAllOfIt) {
  FakeSlurm slurm{{prints("n1|2|idle\nn1|2|idle\n"),
                   prints("PartitionName=main Nodes=n1 State=UP\n"),
                   prints("No reservations in the system\n"), prints("")}};
  Client client = slurm.client();
  const ClusterPicture picture = client.picture();
  EXPECT_EQ(picture.nodes.size(), 1u);
  EXPECT_EQ(picture.partitions.size(), 1u);
  EXPECT_TRUE(picture.reservations.empty());
  EXPECT_TRUE(picture.jobs.empty());
  EXPECT_GT(picture.at, 0);
  EXPECT_EQ(client.calls(), 4u);
}

TEST(SlurmClient, VersionIsTheNumberAlone) {
  FakeSlurm debian{{prints("slurm-wlm 22.05.8\n")}};
  EXPECT_EQ(debian.client().version(), "22.05.8");
  FakeSlurm plain{{prints("slurm 24.05.2\n")}};
  EXPECT_EQ(plain.client().version(), "24.05.2");
}

TEST(SlurmClient, SaysWhatToDoWhenSlurmIsNotInstalled) {
  FakeSlurm slurm{{kMissing}};
  EXPECT_EQ(failure_of([&] { slurm.client().version(); }),
            "Slurm is not installed here, there is no `sbatch`: install its commands, or load the "
            "module that has them");
}

TEST(SlurmClient, AsksAgainWhileTheControllerIsAway) {
  FakeSlurm slurm{{fails(kAway), kHangs, fails("sinfo: error: Socket timed out on send/recv\n"),
                   prints("n1|2|idle\n")}};
  EXPECT_EQ(slurm.client({.call_seconds = 1, .patience = 30, .first_pause = 0.001}).nodes().size(),
            1u);
  EXPECT_EQ(slurm.asked.size(), 4u);
}

TEST(SlurmClient, LosesPatience) {
  FakeSlurm slurm{{fails(kAway)}};
  Client client = slurm.client();
  EXPECT_THROW(client.jobs(), Unreachable);
  EXPECT_GT(client.calls(), 1u);
  EXPECT_LT(client.calls(), 10u);
  FakeSlurm hanging{{kHangs}};
  EXPECT_EQ(failure_of([&] { hanging.client().jobs(); }), "Slurm does not answer squeue in time");
}

TEST(SlurmClient, ARefusedQuestionIsNotAskedAgain) {
  FakeSlurm slurm{{fails("squeue: error: Invalid user: x\n")}};
  Client client = slurm.client();
  EXPECT_THROW(client.jobs(), Refused);
  EXPECT_EQ(client.calls(), 1u);
}

TEST(SlurmClient, EveryWordForAwayIsKnown) {
  for (const char* words : {
           "sbatch: error: Batch job submission failed: Unable to contact slurm controller "
           "(connect failure)",
           "sbatch: error: Batch job submission failed: Socket timed out on send/recv operation",
           "sbatch: error: Batch job submission failed: Zero Bytes were transmitted or received",
           "slurm_load_jobs error: Slurm backup controller in standby mode",
           "sbatch: error: slurm_persist_conn_open_without_init: failed to open persistent "
           "connection to host:h:6819: Connection refused",
           "sbatch: error: Slurm temporarily unable to accept job, sleeping and retrying",
           "sbatch: error: Batch job submission failed: Protocol authentication error",
           "sbatch: error: If munged is up, restart with --num-threads=10\nsbatch: error: Munge "
           "encode failed: Failed to access \"/run/munge/munge.socket.2\"",
       }) {
    FakeSlurm slurm{{fails(std::string(words) + "\n")}};
    Client client = slurm.client();
    EXPECT_THROW(client.submit("a.sbatch"), Unreachable) << words;
    EXPECT_EQ(client.calls(), 1u) << "what changes something is told once";
  }
}

TEST(SlurmClient, SubmitAnswersTheId) {
  FakeSlurm slurm{{prints("4711;big\n")}};
  EXPECT_EQ(slurm.client().submit("p 1.sbatch"), "4711");
  EXPECT_EQ(slurm.asked[0], (Words{"sbatch", "--parsable", "p 1.sbatch"}));
}

TEST(SlurmClient, RefusalsHaveSlurmsOwnWords) {
  FakeSlurm slurm{
      {fails("sbatch: error: invalid partition specified: nix\n"
             "sbatch: error: Batch job submission failed: Invalid partition name "
             "specified\n")}};
  EXPECT_EQ(failure_of([&] { slurm.client().submit("a"); }),
            "Slurm refuses sbatch: Batch job submission failed: Invalid partition name specified");
  EXPECT_THROW(slurm.client().submit("a"), Refused);
  FakeSlurm silent{{fails("", 4)}};
  EXPECT_EQ(failure_of([&] { silent.client().submit("a"); }), "Slurm refuses sbatch: exit code 4");
}

TEST(SlurmClient, ASubmissionWhoseFateIsUnknownIsUnreachable) {
  FakeSlurm hanging{{{.end = CommandResult::End::timed_out,
                      .exit_code = 137,
                      .err = "sbatch: error: Slurm temporarily unable to accept job, sleeping and "
                             "retrying\n"}}};
  EXPECT_EQ(failure_of([&] { hanging.client().submit("a"); }),
            "Slurm does not answer sbatch in time: Slurm temporarily unable to accept job, "
            "sleeping and retrying");
  EXPECT_THROW(hanging.client().submit("a"), Unreachable);
  FakeSlurm odd{{prints("Welcome!\n")}};
  EXPECT_THROW(odd.client().submit("a"), Unreachable);
}

TEST(SlurmClient, TestStartIsOnTheErrorSide) {
  FakeSlurm slurm{
      {{.err = "sbatch: Job 16 to start at 1794850000 using 1 processors on nodes n3 in "
               "partition main\n"}}};
  EXPECT_EQ(slurm.client().test_start("a"), 1'794'850'000'000);
  FakeSlurm silent{{prints("")}};
  EXPECT_THROW(silent.client().test_start("a"), Refused);
}

TEST(SlurmClient, CancelsManyInFewCalls) {
  FakeSlurm slurm{{prints("")}};
  Words ids;
  for (int id = 0; id < 5000; ++id) ids.push_back(std::to_string(id));
  slurm.client().cancel(ids);
  EXPECT_LE(slurm.asked.size(), 20u);
  Words all;
  for (const Words& call : slurm.asked) {
    EXPECT_EQ(call.front(), "scancel");
    all.insert(all.end(), call.begin() + 1, call.end());
  }
  EXPECT_EQ(all, ids);
}

TEST(SlurmClient, CancelOfNothingRunsNothing) {
  FakeSlurm slurm{{fails("scancel: error: No job identification provided\n")}};
  slurm.client().cancel({});
  EXPECT_TRUE(slurm.asked.empty());
}

TEST(SlurmClient, CancelForgivesJobsThatAreOverOrUnknown) {
  FakeSlurm slurm{
      {fails("scancel: error: Kill job error on job id 3: Job/step already completing or "
             "completed\n"
             "scancel: error: Kill job error on job id 9: Invalid job id specified\n")}};
  EXPECT_NO_THROW(slurm.client().cancel({"3", "9"}));
  FakeSlurm forbidden{
      {fails("scancel: error: Kill job error on job id 3: Access/permission denied\n"
             "scancel: error: Kill job error on job id 9: Invalid job id "
             "specified\n")}};
  EXPECT_EQ(failure_of([&] {
              forbidden.client().cancel({"3", "9"});
            }),
            "Slurm refuses scancel: Kill job error on job id 3: Access/permission denied");
  FakeSlurm away{
      {fails("scancel: error: Kill job error on job id 1: Unable to contact slurm "
             "controller (connect failure)\n")}};
  EXPECT_THROW(away.client().cancel({"1"}), Unreachable);
}

ReservationRequest request_of(Words nodes) {
  return {.name = "dv-1",
          .start = 1'794'857'884'000,
          .length = 90 * kSecond,
          .node_names = std::move(nodes),
          .user = "ann"};
}

std::string reservation(const std::string& nodes, int start, int end) {
  return "ReservationName=dv-1 StartTime=" + std::to_string(start) +
         " EndTime=" + std::to_string(end) + " Nodes=" + nodes + " Users=ann State=INACTIVE\n";
}

TEST(SlurmClient, AReservationNamesItsNodesAndIsReadBack) {
  FakeSlurm slurm{{prints("Reservation created: dv-1\n"),
                   prints(reservation("n[1-2,5]", 1794857884, 1794858004))}};
  slurm.client().create_reservation(request_of({"n1", "n2", "n5"}));
  ASSERT_EQ(slurm.asked.size(), 2u);
  const Words& create = slurm.asked[0];
  EXPECT_EQ(Words(create.begin(), create.begin() + 4),
            (Words{"scontrol", "create", "reservation", "ReservationName=dv-1"}));
  EXPECT_EQ(parse_moment(create[4].substr(create[4].find('=') + 1)), 1'794'857'884'000);
  EXPECT_EQ(Words(create.begin() + 5, create.end()),
            (Words{"Duration=2", "Nodes=n[1-2,5]", "Users=ann"}));
}

TEST(SlurmClient, AReservationThatIsNotWhatWasAskedForIsDeleted) {
  for (const std::string& made : {reservation("n[1-2]", 1794857884, 1794858004),
                                  reservation("n[1-2,5]", 1794857885, 1794858005),
                                  reservation("n[1-2,5]", 1794857884, 1794857944)}) {
    FakeSlurm slurm{{prints("Reservation created: dv-1\n"), prints(made), prints("")}};
    Client client = slurm.client();
    EXPECT_THROW(client.create_reservation(request_of({"n1", "n2", "n5"})), Refused) << made;
    ASSERT_EQ(slurm.asked.size(), 3u) << made;
    EXPECT_EQ(slurm.asked[2], (Words{"scontrol", "delete", "ReservationName=dv-1"}));
  }
  FakeSlurm lost{
      {prints("Reservation created: dv-1\n"), prints("No reservations in the system\n")}};
  EXPECT_THROW(lost.client().create_reservation(request_of({"n1"})), Refused);
  EXPECT_EQ(lost.asked.size(), 2u);
}

TEST(SlurmClient, AReservationWithoutNodesIsNotAskedFor) {
  FakeSlurm slurm{{prints("")}};
  EXPECT_THROW(slurm.client().create_reservation(request_of({})), InputError);
  EXPECT_TRUE(slurm.asked.empty());
}

}  // namespace
}  // namespace dovetail::slurm
