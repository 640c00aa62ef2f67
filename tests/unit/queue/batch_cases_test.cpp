// The worked cases of the batch-queue specification, job by job.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "queue/sim/workflow_run.hpp"
#include "queue/strategies/strategy.hpp"
#include "support/test_data.hpp"

namespace dovetail::queue {
namespace {

using nlohmann::json;

struct Case {
  std::string name;
  json document;
};

std::vector<Case> cases_with(const std::string& key) {
  std::vector<Case> cases;
  for (const auto& file : testing::files_in(testing::cases_dir(), "batch-", ".json")) {
    json document = json::parse(std::ifstream(file));
    if (document.contains(key)) cases.push_back({file.filename().string(), std::move(document)});
  }
  return cases;
}

// [id, submit, run, request, nodes], or the name of a log.
struct Jobs {
  std::vector<std::string> names;
  std::vector<Job> jobs;
  Dropped dropped;
};

Jobs jobs_of(const json& document) {
  Jobs result;
  if (document["jobs"].is_string()) {
    const std::string file = (testing::cases_dir() / document["jobs"].get<std::string>()).string();
    TraceRules rules{.nodes = document["nodes"]};
    if (document["swf"].value("never_ran", "drop") == "request") {
      rules.never_ran = NeverRan::request;
    }
    if (document["swf"].value("estimates", "real") == "accurate") {
      rules.requests = Requests::accurate;
    }
    const Trace trace = read_trace(file, rules);
    for (const Job& job : trace.jobs) result.names.push_back(std::to_string(job.id));
    result.jobs = trace.jobs;
    result.dropped = trace.info.dropped;
    return result;
  }
  for (const json& job : document["jobs"]) {
    result.names.push_back(job[0]);
    const auto seconds = [&](std::size_t field) { return kSecond * job[field].get<Time>(); };
    result.jobs.push_back({.id = static_cast<std::int64_t>(result.jobs.size()),
                           .submit = seconds(1),
                           .run = seconds(2),
                           .ask = {.nodes = job[4], .length = seconds(3)}});
  }
  return result;
}

QueueRules rules_of(const json& document) {
  static const std::map<std::string, std::string> kPolicies = {
      {"cons", "conservative"}, {"easy", "easy"}, {"fcfs", "fcfs"}};
  static const std::map<std::string, Compress> kCompress = {
      {"arrival", Compress::arrival}, {"rebuild", Compress::rebuild}, {"none", Compress::none}};
  QueueRules rules;
  rules.policy = kPolicies.at(document.value("policy", "cons"));
  rules.compress = kCompress.at(document.value("compress", "arrival"));
  rules.room = {.nodes = document["nodes"], .contiguous = document.value("contiguous", false)};
  return rules;
}

std::shared_ptr<const std::vector<Job>> shared(std::vector<Job> jobs) {
  return std::make_shared<const std::vector<Job>>(std::move(jobs));
}

TEST(BatchCases, JobsStartWhenTheCasesSay) {
  const auto cases = cases_with("expect_starts");
  ASSERT_FALSE(cases.empty());
  for (const auto& [name, document] : cases) {
    SCOPED_TRACE(name);
    const Jobs jobs = jobs_of(document);
    JobList list(shared(jobs.jobs));
    const auto records = replay_all(list, rules_of(document));
    ASSERT_EQ(records.size(), document["expect_starts"].size());
    for (const JobRecord& record : records) {
      const std::string& job = jobs.names[record.arrival];
      EXPECT_EQ(record.start / kSecond, document["expect_starts"][job].get<Time>()) << job;
    }
  }
}

TEST(BatchCases, LogsAreReadAsTheCasesSay) {
  const auto cases = cases_with("expect_jobs");
  std::size_t logs = 0;
  for (const auto& [name, document] : cases) {
    if (!document["jobs"].is_string()) continue;
    SCOPED_TRACE(name);
    ++logs;
    const Jobs jobs = jobs_of(document);
    ASSERT_EQ(jobs.jobs.size(), document["expect_jobs"].size());
    for (std::size_t i = 0; i < jobs.jobs.size(); ++i) {
      const json& expected = document["expect_jobs"][i];
      EXPECT_EQ(jobs.names[i], expected[0]);
      EXPECT_EQ(jobs.jobs[i].submit, kSecond * expected[1].get<Time>());
      EXPECT_EQ(jobs.jobs[i].run, kSecond * expected[2].get<Time>());
      EXPECT_EQ(jobs.jobs[i].ask.length, kSecond * expected[3].get<Time>());
      EXPECT_EQ(jobs.jobs[i].ask.nodes, expected[4].get<Count>());
    }
    const json dropped = document["expect_dropped"];
    const Dropped expected{.partial = dropped.value("partial", std::size_t{0}),
                           .submit = dropped.value("submit", std::size_t{0}),
                           .never_ran = dropped.value("never_ran", std::size_t{0}),
                           .procs = dropped.value("procs", std::size_t{0}),
                           .time = dropped.value("time", std::size_t{0}),
                           .large = dropped.value("large", std::size_t{0})};
    EXPECT_EQ(jobs.dropped, expected);
  }
  ASSERT_GT(logs, 0U);
}

TEST(BatchCases, EstimatesAreTheWorkedOnes) {
  const auto cases = cases_with("estimates");
  ASSERT_FALSE(cases.empty());
  for (const auto& [name, document] : cases) {
    SCOPED_TRACE(name);
    Background background(rules_of(document), shared(jobs_of(document).jobs));
    for (const json& question : document["estimates"]) {
      const Time now = kSecond * question[0].get<Time>();
      background.run_through(now);
      const OutlookEstimator queue(background.machine().outlook(), now);
      const Duration wait = queue.wait(question[1], kSecond * question[2].get<Duration>());
      EXPECT_EQ(wait / kSecond, question[3].get<Duration>()) << question;
    }
  }
}

Workflow workflow_of(const json& document) {
  WorkflowBuilder builder("case");
  for (const json& task : document["workflow"]) {
    builder.add_task({.id = task[0], .time = TimeSpec::fixed(task[1])});
  }
  for (const json& task : document["workflow"]) {
    for (const json& parent : task[2]) {
      builder.add_edge(*builder.find(parent.get<std::string>()),
                       *builder.find(task[0].get<std::string>()));
    }
  }
  return std::move(builder).build();
}

const Cluster kOneCoreNodes{.name = "c", .processors = 1};

TEST(BatchCases, ListSchedulesAreTheWorkedOnes) {
  const auto cases = cases_with("run_times");
  ASSERT_FALSE(cases.empty());
  for (const auto& [name, document] : cases) {
    SCOPED_TRACE(name);
    const LeveledTasks tasks(workflow_of(document), kOneCoreNodes);
    std::vector<TaskId> all;
    for (TaskId task = 0; task < tasks.size(); ++task) {
      EXPECT_EQ(tasks.level(task), document["expect_levels"][task].get<std::uint32_t>());
      all.push_back(task);
    }
    RunTimes run_times(tasks, Pick::shortest);
    for (const json& run : document["run_times"]) {
      EXPECT_EQ(run_times.run(make_set(tasks, all), run[0]), kSecond * run[1].get<Duration>());
    }
  }
}

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

void expect_jobs(const json& expected, const std::vector<PilotRecord>& jobs) {
  static const std::map<std::string, PilotOutcome> kOutcomes = {
      {"done", PilotOutcome::done},
      {"killed", PilotOutcome::expired},
      {"cancelled", PilotOutcome::cancelled}};
  ASSERT_EQ(jobs.size(), expected.size());
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    SCOPED_TRACE(expected[i].dump());
    EXPECT_EQ(jobs[i].first_level, expected[i][0][0].get<std::uint32_t>());
    EXPECT_EQ(jobs[i].last_level, expected[i][0][1].get<std::uint32_t>());
    EXPECT_EQ(jobs[i].nodes, expected[i][1].get<Count>());
    EXPECT_EQ(jobs[i].request, kSecond * expected[i][2].get<Duration>());
    EXPECT_EQ(jobs[i].submit, kSecond * expected[i][3].get<Time>());
    EXPECT_EQ(jobs[i].start, kSecond * expected[i][4].get<Time>());
    EXPECT_EQ(jobs[i].end, kSecond * expected[i][5].get<Time>());
    EXPECT_EQ(jobs[i].outcome, kOutcomes.at(expected[i][6]));
  }
}

TEST(BatchCases, StrategiesCutAsTheCasesSay) {
  const auto cases = cases_with("runs");
  ASSERT_FALSE(cases.empty());
  for (const auto& [name, document] : cases) {
    const LeveledTasks tasks(workflow_of(document), kOneCoreNodes);
    Background background(rules_of(document), shared(jobs_of(document).jobs));
    background.run_through(kSecond * document["at"].get<Time>());
    for (const json& run : document["runs"]) {
      const std::string strategy = upper(run["strategy"]);
      SCOPED_TRACE(name + " " + strategy);
      RunTimes run_times(tasks, Pick::shortest);
      const WorkflowResult result = run_workflow(background, *find_strategy(strategy), run_times,
                                                 {.cap = run.value("cap", Count{0})});
      EXPECT_EQ(result.makespan, kSecond * run["makespan"].get<Duration>());
      expect_jobs(run["expect_jobs"], result.jobs);
      EXPECT_EQ(result.single_mode, run.value("single", strategy == "ONEJOBPERTASK"));
    }
  }
}

}  // namespace
}  // namespace dovetail::queue
