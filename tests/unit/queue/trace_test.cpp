// The rules by which a log becomes jobs, in the order in which they apply to a line.
#include "queue/sim/trace.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>

#include "dovetail/error.hpp"
#include "queue/sim/replay.hpp"
#include "support/test_data.hpp"

namespace dovetail::queue {

using io::SwfJob;

namespace {

constexpr Count kNodes = 8;

// A line of which all rules approve.
SwfJob good_line() {
  SwfJob line;
  line.number = 7;
  line.submit = 100;
  line.run = 50;
  line.allocated_processors = 2;
  line.requested_processors = 2;
  line.requested_time = 60;
  line.status = 1;
  line.user = 3;
  return line;
}

// What a line becomes; what was dropped is added up.
struct Reader {
  TraceRules rules = {};
  Count nodes = kNodes;
  Dropped dropped = {};

  std::optional<Job> operator()(const SwfJob& line) {
    return job_of_line(line, rules, nodes, dropped);
  }
};

void expect_dropped(const SwfJob& line, std::size_t Dropped::*reason, TraceRules rules = {}) {
  Reader read{rules};
  EXPECT_FALSE(read(line));
  EXPECT_EQ(read.dropped.*reason, 1U);
  EXPECT_EQ(read.dropped.total(), 1U);
}

TEST(JobOfLine, TakesTheFieldsOfAGoodLine) {
  Reader read;
  const auto job = read(good_line());
  ASSERT_TRUE(job);
  EXPECT_EQ(*job,
            (Job{7, 100 * kSecond, 50 * kSecond, {.nodes = 2, .length = 60 * kSecond, .user = 3}}));
  EXPECT_EQ(read.dropped, Dropped{});
}

TEST(JobOfLine, NeedsElevenFieldsBeforeAnythingElse) {
  SwfJob line = good_line();
  line.fields = 10;
  line.status = 3;
  expect_dropped(line, &Dropped::fields);
  line = good_line();
  line.fields = 11;
  EXPECT_TRUE(Reader{}(line));
}

TEST(JobOfLine, LeavesOutPartsOfJobsEvenWithoutASubmitTime) {
  for (const std::int64_t status : {2, 3, 4}) {
    SwfJob line = good_line();
    line.status = status;
    line.submit = -1;
    expect_dropped(line, &Dropped::partial);
  }
  for (const std::int64_t status : {-1, 0, 1, 5}) {
    SwfJob line = good_line();
    line.status = status;
    EXPECT_TRUE(Reader{}(line)) << status;
  }
}

TEST(JobOfLine, LeavesOutNegativeAndSenselessSubmitTimes) {
  SwfJob line = good_line();
  line.submit = -0.5;
  line.run = -1;
  expect_dropped(line, &Dropped::submit);
  line.submit = 2 * kMaxSeconds;
  expect_dropped(line, &Dropped::submit);
}

TEST(JobOfLine, DropsWhatNeverRan) {
  SwfJob line = good_line();
  line.run = -1;
  line.requested_processors = line.allocated_processors = -1;
  expect_dropped(line, &Dropped::never_ran);
  line.run = 0;
  line.status = 5;
  expect_dropped(line, &Dropped::never_ran);
}

TEST(JobOfLine, RunOfZeroSecondsIsARunUnlessCancelled) {
  SwfJob line = good_line();
  line.run = 0;
  const auto job = Reader{}(line);
  ASSERT_TRUE(job);
  EXPECT_EQ(job->run, kSecond);
}

TEST(JobOfLine, LetsJobsThatNeverRanRunAsLongAsRequestedIfAsked) {
  Reader read{{.never_ran = NeverRan::request}};
  SwfJob line = good_line();
  line.run = -1;
  auto job = read(line);
  ASSERT_TRUE(job);
  EXPECT_EQ(job->run, 60 * kSecond);
  line.run = 0;
  line.status = 5;
  job = read(line);
  ASSERT_TRUE(job);
  EXPECT_EQ(job->run, 60 * kSecond);
  line.requested_time = -1;
  EXPECT_FALSE(read(line));
  EXPECT_EQ(read.dropped.time, 1U);
}

TEST(JobOfLine, PrefersRequestedToAllocatedProcessors) {
  SwfJob line = good_line();
  line.requested_processors = 3;
  line.allocated_processors = 5;
  EXPECT_EQ(Reader{}(line)->ask.nodes, 3);
  line.requested_processors = 0;
  EXPECT_EQ(Reader{}(line)->ask.nodes, 5);
  line.allocated_processors = 0;
  line.requested_time = line.run = 0;
  expect_dropped(line, &Dropped::procs);
}

TEST(JobOfLine, RequestsTheRunTimeWhereNothingIsRequested) {
  for (const double nothing : {-1.0, 0.0}) {
    SwfJob line = good_line();
    line.requested_time = nothing;
    EXPECT_EQ(Reader{}(line)->ask.length, 50 * kSecond);
  }
}

TEST(JobOfLine, DropsTimesThatNothingRealHas) {
  SwfJob line = good_line();
  line.requested_time = 1e11;
  expect_dropped(line, &Dropped::time);
}

TEST(JobOfLine, RoundsUpToWholeSecondsAndAtLeastOne) {
  SwfJob line = good_line();
  line.submit = 99.1;
  line.run = 30.5;
  line.requested_time = 40.01;
  auto job = Reader{}(line);
  ASSERT_TRUE(job);
  EXPECT_EQ(job->submit, 100 * kSecond);
  EXPECT_EQ(job->run, 31 * kSecond);
  EXPECT_EQ(job->ask.length, 41 * kSecond);
  line.run = line.requested_time = 0;
  job = Reader{}(line);
  ASSERT_TRUE(job);
  EXPECT_EQ(job->run, kSecond);
  EXPECT_EQ(job->ask.length, kSecond);
}

TEST(JobOfLine, RaisesTheRequestOfALongerRun) {
  SwfJob line = good_line();
  line.run = 80;
  const auto job = Reader{}(line);
  ASSERT_TRUE(job);
  EXPECT_EQ(job->run, 80 * kSecond);
  EXPECT_EQ(job->ask.length, 80 * kSecond);
  EXPECT_FALSE(job->cut);
}

TEST(JobOfLine, CutsALongerRunIfAsked) {
  SwfJob line = good_line();
  line.run = 80;
  const auto job = Reader{{.overrun = Overrun::kill}}(line);
  ASSERT_TRUE(job);
  EXPECT_EQ(job->run, 60 * kSecond);
  EXPECT_EQ(job->ask.length, 60 * kSecond);
  EXPECT_TRUE(job->cut);
}

TEST(JobOfLine, AccurateRequestsAreTheRunAfterTheCut) {
  SwfJob line = good_line();
  Reader read{{.requests = Requests::accurate, .overrun = Overrun::kill}};
  EXPECT_EQ(read(line)->ask.length, 50 * kSecond);
  line.run = 80;
  EXPECT_EQ(read(line)->ask.length, 60 * kSecond);
}

TEST(JobOfLine, FillsNodesWithProcessors) {
  SwfJob line = good_line();
  Reader read{{.processors_per_node = 4}};
  for (const auto& [processors, nodes] : {std::pair{1, 1}, {4, 1}, {5, 2}, {32, 8}}) {
    line.requested_processors = processors;
    EXPECT_EQ(read(line)->ask.nodes, nodes) << processors;
  }
  line.requested_processors = 33;
  EXPECT_FALSE(read(line));
  EXPECT_EQ(read.dropped.large, 1U);
}

// "id submit run procs" a line, and what else a log needs.
std::string log_of(const std::string& header, const std::vector<std::array<int, 4>>& jobs) {
  std::string text = header;
  for (const auto& [id, submit, run, procs] : jobs) {
    text += fmt::format("{} {} -1 {} {} -1 -1 {} 100 -1 1 1 2 3 4 5 -1 -1\n", id, submit, run,
                        procs, procs);
  }
  return text;
}

std::vector<std::int64_t> ids(const TraceFile& file) {
  std::vector<std::int64_t> ids;
  for (const Job& job : all_of(file).jobs) ids.push_back(job.id);
  return ids;
}

std::vector<Time> submits(const TraceFile& file) {
  std::vector<Time> seconds;
  for (const Job& job : all_of(file).jobs) seconds.push_back(job.submit / kSecond);
  return seconds;
}

const std::string kEightNodes = "; MaxNodes: 8 (of 12)\n; UnixStartTime: 1000\n";

TEST(Trace, BeginsAtTheFirstJobThatIsKept) {
  const TraceFile file(log_of(kEightNodes, {{1, 5, 1, 99}, {2, 30, 1, 1}, {3, 45, 1, 1}}), "log",
                       {});
  EXPECT_EQ(submits(file), (std::vector<Time>{0, 15}));
  EXPECT_EQ(file.info().unix_start, 1030);
  EXPECT_EQ(file.info().jobs, 2U);
  EXPECT_EQ(file.info().dropped.large, 1U);
}

TEST(Trace, BelievesNoSenselessStartOfTime) {
  const auto text = log_of("; MaxNodes: 8\n; UnixStartTime: 9000000000000000000\n", {{1, 5, 1, 1}});
  EXPECT_FALSE(TraceFile(text, "log", {}).info().unix_start);
}

TEST(Trace, SortsBySubmitTimeAndKeepsTheOrderOfTheFileAtTies) {
  const auto text =
      log_of(kEightNodes, {{1, 50, 1, 1}, {2, 10, 1, 1}, {3, 50, 1, 1}, {4, 10, 1, 1}});
  const TraceFile file(text, "log", {});
  EXPECT_EQ(ids(file), (std::vector<std::int64_t>{2, 4, 1, 3}));
  EXPECT_EQ(submits(file), (std::vector<Time>{0, 0, 40, 40}));
}

TEST(Trace, TakesTheMachineFromTheHeaderUnlessTold) {
  const std::vector<std::array<int, 4>> one = {{1, 0, 1, 1}};
  EXPECT_EQ(TraceFile(log_of(kEightNodes, one), "log", {}).info().nodes, 8);
  EXPECT_EQ(TraceFile(log_of(kEightNodes, one), "log", {.nodes = 5}).info().nodes, 5);
  EXPECT_EQ(
      TraceFile(log_of("; MaxProcs: 24\n", one), "log", {.processors_per_node = 4}).info().nodes,
      6);
  EXPECT_THROW(TraceFile(log_of("", one), "log", {}), InputError);
}

TEST(Trace, SelectsByTimeFromTheFirstJobAndByNumber) {
  const auto text =
      log_of(kEightNodes, {{1, 100, 1, 1}, {2, 110, 1, 1}, {3, 120, 1, 1}, {4, 130, 1, 1}});
  TraceRules rules;
  rules.from = 10 * kSecond;
  rules.until = 30 * kSecond;
  EXPECT_EQ(ids(TraceFile(text, "log", rules)), (std::vector<std::int64_t>{2, 3}));
  rules.limit = 1;
  const TraceFile one(text, "log", rules);
  EXPECT_EQ(ids(one), (std::vector<std::int64_t>{2}));
  EXPECT_EQ(one.info().jobs, 1U);
}

TEST(Trace, SelectsTheSameOfAnUnsortedLog) {
  const auto text =
      log_of(kEightNodes, {{4, 130, 1, 1}, {3, 120, 1, 1}, {2, 110, 1, 1}, {1, 100, 1, 1}});
  TraceRules rules;
  rules.from = 10 * kSecond;
  rules.until = 30 * kSecond;
  EXPECT_EQ(ids(TraceFile(text, "log", rules)), (std::vector<std::int64_t>{2, 3}));
}

TEST(Trace, StretchesSubmitTimesBeforeItSelects) {
  const auto text = log_of(kEightNodes, {{1, 100, 1, 1}, {2, 111, 1, 1}, {3, 130, 1, 1}});
  TraceRules rules;
  rules.stretch = 0.5;
  rules.until = 7 * kSecond;
  EXPECT_EQ(submits(TraceFile(text, "log", rules)), (std::vector<Time>{0, 6}));
}

TEST(Trace, GivesTheLinesInTheOrderOfTheJobs) {
  const auto text = log_of(kEightNodes, {{1, 50, 1, 1}, {1, 10, 1, 2}, {1, 20, 1, 99}});
  const auto lines = TraceFile(text, "log", {}).lines();
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0].submit, 10);
  EXPECT_EQ(lines[1].submit, 50);
  EXPECT_EQ(lines[1].queue, 4);
}

TEST(Trace, ReadsAListOfJobsAsJson) {
  const TraceFile file(R"({"nodes": 4, "jobs": [
      {"id": 9, "submit": 20, "run": 5, "req": 3, "nodes": 2},
      {"id": 8, "submit": 10, "run": 5, "nodes": 4, "user": 6},
      {"id": 7, "submit": 30, "run": 5, "nodes": 5}]})",
                       "jobs.json", {});
  EXPECT_EQ(ids(file), (std::vector<std::int64_t>{8, 9}));
  EXPECT_EQ(file.info().nodes, 4);
  EXPECT_EQ(file.info().dropped.large, 1U);
  const auto jobs = all_of(file).jobs;
  EXPECT_EQ(jobs[0].ask.length, 5 * kSecond);
  EXPECT_EQ(jobs[0].ask.user, 6);
  EXPECT_EQ(jobs[1].ask.length, 5 * kSecond) << "raised";
  EXPECT_EQ(file.lines()[0].requested_processors, 4);
}

TEST(Trace, RefusesMoreTimeThanFitsIntoItsClock) {
  std::string text = kEightNodes;
  for (int i = 0; i < 100'001; ++i) text += "1 0 0 1 1 -1 -1 1 1e10 -1 1\n";
  EXPECT_THROW(TraceFile(text, "log", {}), InputError);
}

TEST(Trace, ReadsAPipeOnlyOnce) {
  const auto folder = std::filesystem::temp_directory_path();
  const auto pipe = folder / ("dovetail-trace-pipe-" + std::to_string(::getpid()));
  ASSERT_EQ(std::system(("mkfifo '" + pipe.string() + "' && (printf '; MaxNodes: 4\\n" +
                         "1 0 0 5 1 -1 -1 1 9 -1 1\\n' > '" + pipe.string() + "' &)")
                            .c_str()),
            0);
  EXPECT_EQ(TraceFile(pipe.string(), {}).info().jobs, 1U);
  std::filesystem::remove(pipe);
}

// The worked case 09: every rule once, and what a replay makes of it.
TEST(Trace, AgreesWithTheCaseWorkedByHand) {
  const auto path = testing::cases_dir() / "batch-09.swf";
  const TraceFile file(path.string(), {.never_ran = NeverRan::request});
  EXPECT_EQ(file.info().dropped,
            (Dropped{.partial = 1, .submit = 1, .procs = 1, .time = 1, .large = 1}));
  const auto make = [](std::int64_t id, Time submit, Duration run, Duration request, Count nodes) {
    return Job{id, submit * kSecond, run * kSecond, {nodes, request * kSecond, 1}};
  };
  EXPECT_EQ(all_of(file).jobs,
            (std::vector<Job>{make(1, 0, 50, 50, 2), make(2, 0, 60, 60, 3), make(3, 10, 80, 80, 1),
                              make(7, 50, 1, 1, 1), make(10, 70, 31, 40, 4)}));
  std::vector<Time> starts;
  for (const JobRecord& job : replay_all(*file.jobs(), {.room = {.nodes = 4}})) {
    starts.push_back(job.start / kSecond);
  }
  EXPECT_EQ(starts, (std::vector<Time>{0, 50, 10, 90, 110}));
}

// The excerpts of two real logs, one of them without requested times.
TEST(Trace, ReadsExcerptsOfRealLogs) {
  const auto folder = testing::real_dir() / "swf";
  const TraceFile kth((folder / "KTH-SP2-1996-2.1-cln.first-10-days.swf").string(), {});
  EXPECT_EQ(kth.info().nodes, 100);
  EXPECT_EQ(kth.info().jobs, 473U);
  EXPECT_EQ(kth.info().dropped, Dropped{});
  const TraceFile osc((folder / "OSC-Clust-2000-3.1-cln.first-30-days.swf").string(), {});
  EXPECT_EQ(osc.info().nodes, 57);
  EXPECT_EQ(osc.info().jobs + osc.info().dropped.total(), 1'021U);
}

// Figures of workloads that are known for the archive's logs.
TEST(Trace, FindsTheKnownNumbersOfJobsInTheArchive) {
  if (!testing::archive_dir()) GTEST_SKIP() << testing::kNoArchive;
  const auto folder = *testing::archive_dir() / "swf";
  const TraceFile kth((folder / "KTH-SP2-1996-2.1-cln.swf.gz").string(), {});
  EXPECT_EQ(kth.info().nodes, 100);
  EXPECT_EQ(kth.info().jobs, 28'475U);
  EXPECT_EQ(kth.info().dropped, Dropped{.procs = 1});
  const TraceFile sdsc((folder / "SDSC-SP2-1998-4.2-cln.swf.gz").string(), {});
  EXPECT_EQ(sdsc.info().jobs + sdsc.info().dropped.total(), 59'715U);
  EXPECT_EQ(sdsc.info().dropped.never_ran, 5'681U);
  TraceRules week;
  week.until = 7 * 86'400 * kSecond;
  EXPECT_EQ(TraceFile((folder / "KTH-SP2-1996-2.1-cln.swf.gz").string(), week).info().jobs, 851U);
}

}  // namespace
}  // namespace dovetail::queue
