// The plain reading of the batch queue, which the property tests use as their oracle: the worked
// cases of the specification and small ones worked here by hand.
#include "oracles/plain_queue.hpp"

#include <gtest/gtest.h>

#include <cctype>
#include <cmath>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "oracles/plain_strategies.hpp"
#include "support/test_data.hpp"
#include "support/workflow_rows.hpp"

namespace dovetail::plain {
namespace {

using nlohmann::json;

// The log rules of the specification for the options that its cases use.
struct SwfCase {
  std::vector<Job> jobs;
  std::map<std::string, int> dropped;
};

const char* why_dropped(const std::vector<double>& field, double& run, double request,
                        bool never_ran_requests, double procs, int nodes) {
  if (field[10] >= 2 && field[10] <= 4) return "partial";
  if (field[1] < 0) return "submit";
  if (run < 0 || (field[10] == 5 && run == 0)) {
    if (!never_ran_requests) return "never ran";
    run = request;
  }
  if (procs <= 0) return "procs";
  if (run < 0 && request <= 0) return "time";
  return procs > nodes ? "large" : nullptr;
}

SwfCase read_swf(const std::filesystem::path& file, const json& options, int nodes) {
  SwfCase log;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with(';')) continue;
    std::istringstream words(line);
    const std::vector<double> field{std::istream_iterator<double>(words), {}};
    if (field.size() < 11) {
      ++log.dropped["fields"];
      continue;
    }
    double run = field[3], request = field[8];
    const double procs = field[7] > 0 ? field[7] : field[4];
    const bool requests = options.value("never_ran", "drop") == "request";
    if (const char* why = why_dropped(field, run, request, requests, procs, nodes)) {
      ++log.dropped[why];
      continue;
    }
    if (request <= 0) request = run;
    run = std::max(1.0, std::ceil(run));
    request = std::max(run, std::ceil(request));
    if (options.value("estimates", "real") == "accurate") request = run;
    log.jobs.push_back({std::llround(field[0]), std::llround(field[1]), std::llround(run),
                        std::llround(request), static_cast<int>(procs)});
  }
  std::stable_sort(log.jobs.begin(), log.jobs.end(),
                   [](const Job& a, const Job& b) { return a.submit < b.submit; });
  for (std::size_t i = log.jobs.size(); i-- > 0;) log.jobs[i].submit -= log.jobs[0].submit;
  return log;
}

struct Case {
  std::string name;
  json given;
  Rules rules;
  std::vector<Job> jobs;
  std::vector<std::string> names;  // of the jobs
  std::map<std::string, int> dropped;
};

Rules rules_of(const json& given) {
  const std::map<std::string, Policy> policies{
      {"cons", Policy::conservative}, {"easy", Policy::easy}, {"fcfs", Policy::fcfs}};
  const std::map<std::string, Compress> compressions{
      {"arrival", Compress::arrival}, {"rebuild", Compress::rebuild}, {"none", Compress::none}};
  return {.nodes = given["nodes"],
          .policy = policies.at(given.value("policy", "cons")),
          .compress = compressions.at(given.value("compress", "arrival")),
          .contiguous = given.value("contiguous", false)};
}

std::vector<Case> read_cases() {
  std::vector<Case> cases;
  for (const auto& file : testing::files_in(testing::cases_dir(), "batch-", ".json")) {
    Case read;
    read.name = file.filename().string();
    read.given = json::parse(std::ifstream(file));
    read.rules = rules_of(read.given);
    const json jobs = read.given.value("jobs", json::array());
    if (jobs.is_string()) {
      SwfCase log = read_swf(file.parent_path() / jobs.get<std::string>(), read.given["swf"],
                             read.rules.nodes);
      read.jobs = std::move(log.jobs);
      read.dropped = std::move(log.dropped);
      for (const Job& job : read.jobs) read.names.push_back(std::to_string(job.id));
    } else {
      for (const json& job : jobs) {
        read.jobs.push_back({std::ssize(read.jobs), job[1], job[2], job[3], job[4]});
        read.names.push_back(job[0]);
      }
    }
    cases.push_back(std::move(read));
  }
  return cases;
}

std::vector<Task> tasks_of(const json& workflow) {
  std::map<std::string, int> number;
  for (const json& task : workflow) number.emplace(task[0], static_cast<int>(number.size()));
  std::vector<Task> tasks;
  for (const json& task : workflow) {
    tasks.push_back({task[1], {}});
    for (const std::string parent : task[2]) tasks.back().parents.push_back(number.at(parent));
  }
  return tasks;
}

TEST(PlainQueueCases, StartsAndEstimatesAreTheWorkedOnes) {
  const auto cases = read_cases();
  ASSERT_FALSE(cases.empty());
  int seen = 0;
  for (const Case& worked : cases) {
    if (!worked.given.contains("expect_starts")) continue;
    ++seen;
    SCOPED_TRACE(worked.name);
    std::vector<Question> questions;
    const json estimates = worked.given.value("estimates", json::array());
    for (const json& ask : estimates) questions.push_back({ask[0], ask[1], ask[2]});
    json starts;
    for (const Record& record : replay(worked.jobs, worked.rules, questions)) {
      starts[worked.names[starts.size()]] = record.start;
    }
    EXPECT_EQ(starts, worked.given["expect_starts"]);
    for (std::size_t i = 0; i < questions.size(); ++i) {
      EXPECT_EQ(questions[i].wait, estimates[i][3].get<Seconds>()) << "estimate " << i;
    }
  }
  EXPECT_GT(seen, 0);
}

TEST(PlainQueueCases, LogRulesAreTheWorkedOnes) {
  const auto cases = read_cases();
  ASSERT_FALSE(cases.empty());
  int seen = 0;
  for (const Case& worked : cases) {
    if (!worked.given.contains("swf")) continue;
    ++seen;
    SCOPED_TRACE(worked.name);
    json jobs = json::array();
    for (std::size_t i = 0; i < worked.jobs.size(); ++i) {
      const Job& job = worked.jobs[i];
      jobs.push_back({worked.names[i], job.submit, job.run, job.request, job.nodes});
    }
    EXPECT_EQ(jobs, worked.given["expect_jobs"]);
    EXPECT_EQ(json(worked.dropped), worked.given["expect_dropped"]);
  }
  EXPECT_GT(seen, 0);
}

TEST(PlainQueueCases, LevelsAndRunTimesAreTheWorkedOnes) {
  const auto cases = read_cases();
  ASSERT_FALSE(cases.empty());
  int seen = 0;
  for (const Case& worked : cases) {
    if (!worked.given.contains("run_times")) continue;
    ++seen;
    SCOPED_TRACE(worked.name);
    const Flow flow(tasks_of(worked.given["workflow"]), Pick::shortest);
    EXPECT_EQ(json(flow.levels()), worked.given["expect_levels"]);
    std::vector<int> all;
    for (int task = 0; task < flow.size(); ++task) all.push_back(task);
    for (const json& row : worked.given["run_times"]) {
      EXPECT_EQ(flow.run(all, row[0]), row[1].get<Seconds>()) << row[0] << " nodes";
    }
  }
  EXPECT_GT(seen, 0);
}

TEST(PlainQueueCases, WorkflowRunsAreTheWorkedOnes) {
  const auto cases = read_cases();
  ASSERT_FALSE(cases.empty());
  int seen = 0;
  for (const Case& worked : cases) {
    for (const json& expected : worked.given.value("runs", json::array())) {
      ++seen;
      std::string strategy = expected["strategy"];
      SCOPED_TRACE(worked.name + " " + strategy);
      for (char& c : strategy) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
      const WorkflowRun run = run_workflow(strategy, tasks_of(worked.given["workflow"]),
                                           worked.jobs, worked.rules, worked.given["at"]);
      EXPECT_EQ(run.makespan, expected["makespan"].get<Seconds>());
      EXPECT_EQ(testing::rows_of(run.jobs), expected["expect_jobs"]);
      EXPECT_EQ(run.single_mode, expected.value("single", false));
    }
  }
  EXPECT_GT(seen, 0);
}

std::vector<Seconds> starts(const std::vector<Job>& jobs, const Rules& rules) {
  std::vector<Seconds> starts;
  starts.reserve(jobs.size());
  for (const Record& record : replay(jobs, rules)) starts.push_back(record.start);
  return starts;
}

using Starts = std::vector<Seconds>;

TEST(PlainQueue, JobsAreKilledAtTheEndOfTheirRequest) {
  const auto records = replay({{1, 0, 20, 10, 4}, {2, 0, 5, 8, 4}}, {.nodes = 4});
  EXPECT_EQ(records[0].end, 10);
  EXPECT_EQ(records[1].start, 10);
  EXPECT_EQ(records[1].end, 15);
}

TEST(PlainQueue, ContiguousJobsWaitForNeighbouringNodes) {
  // Nodes 1 and 3 are free from 5 on, which is enough by count alone; 0 and 1 only from 10 on.
  const std::vector<Job> jobs{
      {1, 0, 10, 10, 1}, {2, 0, 5, 5, 1}, {3, 0, 20, 20, 1}, {4, 0, 5, 5, 1}, {5, 1, 3, 3, 2}};
  EXPECT_EQ(starts(jobs, {.nodes = 4}), (Starts{0, 0, 0, 0, 5}));
  for (Policy policy : {Policy::conservative, Policy::easy, Policy::fcfs}) {
    const auto records = replay(jobs, {.nodes = 4, .policy = policy, .contiguous = true});
    for (int job = 0; job < 4; ++job) EXPECT_EQ(records.at(job).first_node, job);
    EXPECT_EQ(records[4].start, 10);
    EXPECT_EQ(records[4].first_node, 0);
  }
}

TEST(PlainQueue, ReservationsAreKeptFreeAndTheirEndsAreInstants) {
  // The first job just fits before the reservation, the second is a second too long; nothing but
  // the reservation ends at 20. The third, narrow enough, starts at once where it may pass.
  const std::vector<Job> jobs{{1, 0, 10, 10, 2}, {2, 0, 11, 11, 2}, {3, 0, 30, 30, 1}};
  Rules rules{.nodes = 4, .reservations = {{10, 20, 3}}};
  EXPECT_EQ(starts(jobs, rules), (Starts{0, 20, 0}));
  rules.policy = Policy::easy;
  EXPECT_EQ(starts(jobs, rules), (Starts{0, 20, 0}));
  rules.policy = Policy::fcfs;
  EXPECT_EQ(starts(jobs, rules), (Starts{0, 20, 20}));
}

TEST(PlainQueue, EasyBackfillsAtTheEndOfAReservation) {
  // The third job holds no reservation of its own: the head has it, for 100.
  const std::vector<Job> jobs{{1, 0, 100, 100, 2}, {2, 0, 10, 10, 4}, {3, 0, 30, 30, 2}};
  const Rules rules{.nodes = 4, .policy = Policy::easy, .reservations = {{10, 20, 1}}};
  EXPECT_EQ(starts(jobs, rules), (Starts{0, 100, 20}));
}

TEST(PlainQueue, CapOnRunningJobsHoldsBackOneUserOnly) {
  // User 7 may run one job at a time; 8 passes, and the unknown user is not counted at all.
  const std::vector<Job> jobs{{1, 0, 10, 10, 1, 7}, {2, 0, 5, 6, 1, 7}, {3, 0, 5, 5, 1, 7},
                              {4, 0, 5, 5, 1, 8},   {5, 0, 5, 5, 1},    {6, 0, 5, 5, 1}};
  Rules rules{.nodes = 8, .running_cap = 1};
  std::vector<Question> questions{{0, 1, 1, 7}, {0, 1, 1, 8}, {0, 1, 1}};
  std::vector<Seconds> planned;
  for (const Record& record : replay(jobs, rules, questions)) planned.push_back(record.start);
  EXPECT_EQ(planned, (Starts{0, 10, 15, 0, 0, 0}));
  EXPECT_EQ(questions[0].wait, 21);
  EXPECT_EQ(questions[1].wait, 5);
  EXPECT_EQ(questions[2].wait, 0);
  rules.policy = Policy::easy;
  EXPECT_EQ(starts(jobs, rules), (Starts{0, 10, 15, 0, 0, 0}));
  rules.policy = Policy::fcfs;
  EXPECT_EQ(starts(jobs, rules), (Starts{0, 10, 15, 15, 15, 15}));
}

TEST(PlainQueue, CompressionsDifferInWhatMovesAtAnEarlyEnd) {
  // r runs to 6, a asked for 20 and ends at 3; b (2 nodes) was planned at 20, c (1 node) at 6. Left
  // alone b keeps 20. Built anew b has 6, so that c, promised 6, has to wait until 16.
  const std::vector<Job> jobs{
      {1, 0, 6, 6, 1}, {2, 0, 3, 20, 1}, {3, 1, 10, 10, 2}, {4, 2, 10, 10, 1}};
  EXPECT_EQ(starts(jobs, {.nodes = 2, .compress = Compress::none}), (Starts{0, 0, 20, 6}));
  EXPECT_EQ(starts(jobs, {.nodes = 2, .compress = Compress::rebuild}), (Starts{0, 0, 6, 16}));
}

TEST(PlainQueue, AnArrivalMovesNobody) {
  // As in the specification's seventh case: after the pass at 3 b is planned at 16 although 13
  // would do by now. The job that arrives at 4 finds 13 to 16 free.
  const std::vector<Job> jobs{
      {1, 0, 6, 6, 1}, {2, 0, 3, 20, 1}, {3, 1, 10, 10, 2}, {4, 2, 10, 10, 1}, {5, 4, 3, 3, 2}};
  EXPECT_EQ(starts(jobs, {.nodes = 2}), (Starts{0, 0, 16, 3, 13}));
}

TEST(PlainQueue, EasyReservesForAsManyJobsAsItsDepth) {
  // As in the specification's third case; a second reservation keeps d from delaying c.
  const std::vector<Job> jobs{
      {1, 0, 10, 10, 3}, {2, 1, 10, 10, 3}, {3, 2, 10, 10, 4}, {4, 3, 30, 30, 1}};
  EXPECT_EQ(starts(jobs, {.nodes = 4, .policy = Policy::easy}), (Starts{0, 10, 33, 3}));
  EXPECT_EQ(starts(jobs, {.nodes = 4, .policy = Policy::easy, .depth = 2}),
            (Starts{0, 10, 20, 30}));
}

TEST(PlainQueue, EstimatesOfEasyAndFcfsPlanTheWaitingJobsFirst) {
  // At 1 the second job waits for 10. One node is free until then and beside it.
  const std::vector<Job> jobs{{1, 0, 10, 10, 3}, {2, 1, 10, 10, 3}};
  std::vector<Question> questions{{1, 1, 19}, {1, 2, 5}};
  replay(jobs, {.nodes = 4, .policy = Policy::easy}, questions);
  EXPECT_EQ(questions[0].wait, 0);
  EXPECT_EQ(questions[1].wait, 19);
  replay(jobs, {.nodes = 4, .policy = Policy::fcfs}, questions);
  EXPECT_EQ(questions[0].wait, 9) << "nobody passes";
  EXPECT_EQ(questions[1].wait, 19);
}

}  // namespace
}  // namespace dovetail::plain
