// The client against commands that only pretend.
#include "batch/slurm/slurm_client.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "batch/slurm/slurm_accounting.hpp"
#include "batch/slurm/slurm_text.hpp"
#include "support/file_checks.hpp"

namespace dovetail::batch::slurm {
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

// As squeue prints it when every job is to begin with a mark: that of the format asked for.
std::string with_mark(std::string text, const std::string& format) {
  if (!text.starts_with("job|") || !format.starts_with("--format=job")) return text;
  return format.substr(9, format.find('|') - 9) + text.substr(3);
}

// Answers what it is given, in order, the last one for ever, and keeps what it was asked.
struct FakeSlurm {
  std::deque<CommandResult> answers;
  std::vector<Words> asked = {};
  Environment environment = {};
  CommandLimits limits = {};

  Client client(CallOptions options = {.call_seconds = 1, .patience = 0.05, .first_pause = 0.01}) {
    return Client(options, [this](const Words& arguments, const CommandLimits& limit,
                                  const Environment& variables) {
      asked.push_back(arguments);
      limits = limit;
      environment = variables;
      CommandResult answer = answers.front();
      if (answers.size() > 1) answers.pop_front();
      answer.out = with_mark(std::move(answer.out), arguments.back());
      return answer;
    });
  }
};

TEST(SlurmClient, AsksForJobsOfEverybodyAndEveryState) {
  FakeSlurm slurm{
      {prints("job|7|RUNNING|ann|main|(null)|1|2|n1|10:00|5|100|200|800|(null)|(null)|None|x\n")}};
  Client client = slurm.client();
  const std::vector<ClusterJob> jobs = client.jobs();
  ASSERT_EQ(jobs.size(), 1u);
  EXPECT_EQ(jobs[0].name, "x");
  Words asked = slurm.asked[0];
  const std::string format = asked.back();
  asked.pop_back();
  EXPECT_EQ(asked, (Words{"squeue", "--noheader", "--all", "--states=all", "--array"}));
  const std::string mark = format.substr(9, format.find('|') - 9);
  EXPECT_EQ(format, "--format=" + job_format(mark));
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

TEST(SlurmClient, SaysWhatToDoWhenSlurmIsNotInstalled) {
  FakeSlurm slurm{{kMissing}};
  EXPECT_EQ(failure_of([&] { slurm.client().picture(); }),
            "Slurm is not installed here, there is no `sinfo`: install its commands, or load the "
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
  slurm.client().reserve(request_of({"n1", "n2", "n5"}));
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
    EXPECT_THROW(client.reserve(request_of({"n1", "n2", "n5"})), Refused) << made;
    ASSERT_EQ(slurm.asked.size(), 3u) << made;
    EXPECT_EQ(slurm.asked[2], (Words{"scontrol", "delete", "ReservationName=dv-1"}));
  }
  FakeSlurm lost{
      {prints("Reservation created: dv-1\n"), prints("No reservations in the system\n")}};
  EXPECT_THROW(lost.client().reserve(request_of({"n1"})), Refused);
  EXPECT_EQ(lost.asked.size(), 2u);
}

TEST(SlurmClient, AReservationWithoutNodesIsNotAskedFor) {
  FakeSlurm slurm{{prints("")}};
  EXPECT_THROW(slurm.client().reserve(request_of({})), InputError);
  EXPECT_TRUE(slurm.asked.empty());
}

TEST(SlurmClient, AReservationWithoutTheRightSaysWhatElseToDo) {
  for (const char* words : {"Invalid user id", "Access/permission denied"}) {
    FakeSlurm slurm{{fails("Error creating the reservation: " + std::string(words) + "\n")}};
    Client client = slurm.client();
    EXPECT_EQ(failure_of([&] { client.reserve(request_of({"n1"})); }),
              "Slurm refuses scontrol: Error creating the reservation: " + std::string(words) +
                  "; ask an administrator, or use --reserve begin");
    EXPECT_THROW(client.reserve(request_of({"n1"})), Refused);
  }
  FakeSlurm busy{{fails("Error creating the reservation: Requested nodes are busy\n")}};
  EXPECT_EQ(failure_of([&] { busy.client().reserve(request_of({"n1"})); }),
            "Slurm refuses scontrol: Error creating the reservation: Requested nodes are busy");
  FakeSlurm away{{fails("Error creating the reservation: " + kAway)}};
  EXPECT_THROW(away.client().reserve(request_of({"n1"})), Unreachable);
}

TEST(SlurmClient, AReservationIsGoneWhenItWasNotThereAndStaysWhileAJobIsInside) {
  const std::string begin = "delete_reservation ReservationName=dv-1: ";
  FakeSlurm done{{prints("")}};
  EXPECT_TRUE(done.client().release("dv-1"));
  EXPECT_EQ(done.asked[0], (Words{"scontrol", "delete", "ReservationName=dv-1"}));
  FakeSlurm gone{{fails(begin + "Requested reservation is invalid\n")}};
  EXPECT_TRUE(gone.client().release("dv-1"));
  FakeSlurm used{{fails(begin + "Requested reservation is in use\n")}};
  EXPECT_FALSE(used.client().release("dv-1"));
  FakeSlurm forbidden{{fails(begin + "Invalid user id\n")}};
  EXPECT_THROW(forbidden.client().release("dv-1"), Refused);
  FakeSlurm away{{fails(begin + kAway)}};
  EXPECT_THROW(away.client().release("dv-1"), Unreachable);
  EXPECT_EQ(away.asked.size(), 1u);
}

TEST(SlurmClient, ASubmitLimitIsARefusalForNow) {
  const std::string policy =
      "sbatch: error: Batch job submission failed: Job violates accounting/QOS policy (job submit "
      "limit, user's size and/or time limits)\n";
  for (const char* limit : {"AssocMaxSubmitJobLimit", "QOSMaxSubmitJobPerUserLimit",
                            "AssocGrpSubmitJobsLimit", "QOSGrpSubmitJobsLimit"}) {
    FakeSlurm slurm{{fails("sbatch: error: " + std::string(limit) + "\n" + policy)}};
    Client client = slurm.client();
    EXPECT_THROW(client.submit("a"), TooManyJobs);
    EXPECT_EQ(failure_of([&] { client.submit("a"); }),
              "Slurm takes no more jobs for now: " + std::string(limit));
  }
  FakeSlurm large{{fails("sbatch: error: QOSMaxNodePerUserLimit\n" + policy)}};
  try {
    large.client().submit("a");
    ADD_FAILURE() << "it was taken";
  } catch (const TooManyJobs&) {
    ADD_FAILURE() << "a job that is too large stays too large";
  } catch (const Refused&) {
  }
}

const CommandResult kNoAccounting = fails("Slurm accounting storage is disabled\n");
// A job that has ended, as sacct prints it.
std::string past_line(const std::string& user, const std::string& state = "COMPLETED") {
  return "31|" + state + "|" + user +
         "|main|1|1|n1|00:10:00|1794859671|1794859671|1794859672|dv-7\n";
}
const std::string kEnded = past_line(own_user());

TEST(SlurmClient, APastJobIsAskedForByNameAndTime) {
  FakeSlurm slurm{{prints(kEnded)}};
  const std::optional<ClusterJob> job = slurm.client().past_job("dv-7", 1'794'859'000'000);
  ASSERT_TRUE(job);
  EXPECT_EQ(job->state, JobState::completed);
  ASSERT_EQ(slurm.asked.size(), 1u);
  EXPECT_EQ(slurm.asked[0], (Words{"sacct", "--parsable2", "--noheader", "--allocations",
                                   std::string("--format=") + kPastJobFormat, "--name=dv-7",
                                   "--starttime=" + format_moment(1'794'859'000'000)}));
  FakeSlurm any{{prints(kEnded)}};
  EXPECT_TRUE(any.client().past_job("dv-7"));
  EXPECT_EQ(any.asked[0].back(), "--starttime=now-365days");
}

TEST(SlurmClient, WithoutAccountingAPastJobIsInTheLogOfCompletedJobs) {
  FakeSlurm slurm{{kNoAccounting, prints("30|FAILED|bob(7)|main|1|1|n1|10|1|2|3|x\n" + kEnded)}};
  EXPECT_EQ(slurm.client().past_job("dv-7")->state, JobState::completed);
  EXPECT_EQ(slurm.asked[1].back(), "--completion");
  FakeSlurm unknown{{prints(""), prints(kEnded)}};
  EXPECT_TRUE(unknown.client().past_job("dv-7")) << "accounting does not know it";
  FakeSlurm running{{prints(past_line(own_user(), "RUNNING")), prints(kEnded)}};
  EXPECT_FALSE(running.client().past_job("dv-7")) << "accounting knows better";
}

// sacct shows the jobs of all users to an administrator.
TEST(SlurmClient, APastJobOfAnotherUserIsNotOurs) {
  const std::string others = past_line("not-" + own_user(), "FAILED");
  FakeSlurm both{{prints(kEnded + others)}};
  EXPECT_EQ(both.client().past_job("dv-7")->state, JobState::completed);
  FakeSlurm theirs{{prints(others), prints(others)}};
  EXPECT_FALSE(theirs.client().past_job("dv-7"));
  FakeSlurm completed{{prints(others), prints(kEnded + others)}};
  EXPECT_EQ(completed.client().past_job("dv-7")->state, JobState::completed);
}

TEST(SlurmClient, APastJobThatNobodyKnowsIsNoError) {
  const CommandResult away = fails(
      "sacct: error: slurm_persist_conn_open_without_init: failed to open persistent connection to "
      "host:127.0.0.1:6819: Connection refused\nsacct: error: Sending PersistInit msg: Connection "
      "refused\nsacct: error: Problem talking to the database: Connection refused\n");
  for (const CommandResult& answer : {kNoAccounting, away, kHangs, kMissing, prints("")}) {
    FakeSlurm slurm{{answer}};
    Client client = slurm.client();
    EXPECT_FALSE(client.past_job("dv-7"));
    EXPECT_EQ(client.calls(), 2u) << "it is not worth asking again";
  }
}

const std::string kKeepsLimits =
    "AccountingStorageEnforce = associations,limits,qos\n"
    "AccountingStorageType   = accounting_storage/slurmdbd\nClusterName             = here\n";

std::vector<Partition> two_partitions() {
  return parse_partitions(
      "PartitionName=main Default=YES QoS=N/A Nodes=n1 State=UP\n"
      "PartitionName=small Default=NO QoS=partq Nodes=n1 State=UP\n");
}

TEST(SlurmClient, LimitsOfTheUserAreThoseOfThisCluster) {
  unsetenv("SBATCH_ACCOUNT");
  unsetenv("SBATCH_QOS");
  FakeSlurm slurm{
      {prints(kKeepsLimits), prints("sacctmgr: show user root withassoc\nlab|there|lab||||1\n"
                                    "lab|here|lab|||normal|20\nsacctmgr: show qos\nnormal||||\n"
                                    "partq||7||\nsacctmgr: ")}};
  const UserLimits limits = slurm.client().limits("main", two_partitions());
  EXPECT_EQ(limits.max_submit(), 20);
  ASSERT_EQ(slurm.asked.size(), 2u);
  EXPECT_EQ(slurm.asked[0], (Words{"scontrol", "show", "config"}));
  EXPECT_EQ(slurm.asked[1], (Words{"sacctmgr", "--noheader", "--parsable2"}));
  EXPECT_NE(slurm.limits.input.find(" withassoc format=DefaultAccount,"), std::string::npos);
  EXPECT_NE(slurm.limits.input.find("\nshow qos format=Name,"), std::string::npos);
}

TEST(SlurmClient, LimitsOfTheUserDependOnThePartitionAndOnWhatIsAskedFor) {
  const auto submit = [](const std::string& partition) {
    FakeSlurm slurm{
        {prints(kKeepsLimits), prints("lab|here|lab|||normal|20\nlab|here|rich|||fast,normal|50\n"
                                      "normal||||\npartq||7||\nfast||3||\n")}};
    return slurm.client().limits(partition, two_partitions()).max_submit();
  };
  EXPECT_EQ(submit("small"), 7);
  EXPECT_EQ(submit(""), 20) << "the default partition is another";
  setenv("SBATCH_ACCOUNT", "rich", 1);
  EXPECT_EQ(submit("main"), 50);
  setenv("SBATCH_QOS", "fast", 1);
  EXPECT_EQ(submit("main"), 3);
  unsetenv("SBATCH_ACCOUNT");
  unsetenv("SBATCH_QOS");
}

TEST(SlurmClient, WithoutAccountingThereAreNoLimitsAndNoErrors) {
  FakeSlurm none{
      {prints("AccountingStorageEnforce = none\n"
              "AccountingStorageType   = accounting_storage/none\n")}};
  EXPECT_FALSE(none.client().limits("main", two_partitions()).max_submit());
  EXPECT_EQ(none.asked.size(), 1u) << "sacctmgr would only complain";
  FakeSlurm unheeded{
      {prints("AccountingStorageEnforce = associations\n"
              "AccountingStorageType   = accounting_storage/slurmdbd\n")}};
  EXPECT_FALSE(unheeded.client().limits("main", two_partitions()).max_submit());
  EXPECT_EQ(unheeded.asked.size(), 1u);
  FakeSlurm missing{{prints(kKeepsLimits), kMissing}};
  EXPECT_FALSE(missing.client().limits("main", two_partitions()).max_submit());
  FakeSlurm away{{fails(kAway)}};
  EXPECT_THROW(away.client().limits("main", two_partitions()), Unreachable)
      << "not known is not none";
}

}  // namespace
}  // namespace dovetail::batch::slurm
