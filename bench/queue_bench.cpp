// The batch queue: whole logs under every policy, estimates, and decisions of strategies.
//
// Logs are made by the generator (100 nodes, 28,476 jobs, load 0.7, as large as KTH-SP2), or the
// real one when DOVETAIL_DATA says where the archive's logs are. Rates are jobs per second of
// processor time; reading the log is not counted. ratio/... replays the first jobs with the library
// and with the plain queue in turns and fails when a start differs.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "gen/pegasus.hpp"
#include "gen/workload.hpp"
#include "measure.hpp"
#include "oracles/plain_queue.hpp"
#include "queue/sim/background.hpp"
#include "queue/sim/replay.hpp"
#include "queue/strategies/allocation.hpp"
#include "queue/strategies/decisions.hpp"

namespace dovetail::bench {

using namespace queue;

namespace {

using Jobs = std::shared_ptr<const std::vector<Job>>;

constexpr Count kNodes = 100;

std::string real_log() {
  const char* data = std::getenv("DOVETAIL_DATA");
  if (data == nullptr) return {};
  const auto path = std::filesystem::path(data) / "swf" / "KTH-SP2-1996-2.1-cln.swf.gz";
  return std::filesystem::exists(path) ? path.string() : std::string();
}

// Submit times multiplied by so many per cent.
Jobs jobs(std::int64_t per_cent) {
  static std::map<std::int64_t, Jobs> known;
  Jobs& jobs = known[per_cent];
  if (jobs) return jobs;
  const TraceRules rules{.nodes = kNodes, .stretch = static_cast<double>(per_cent) / 100};
  if (const std::string path = real_log(); !path.empty()) {
    jobs = std::make_shared<const std::vector<Job>>(read_trace(path, rules).jobs);
    return jobs;
  }
  gen::WorkloadSpec spec{.seed = 1};
  spec.lublin = {.processors = kNodes, .jobs = 28'476};
  spec.load = 0.7;
  const TraceFile file(io::format_swf(gen::to_swf(gen::make_workload(spec))), "generated.swf",
                       rules);
  jobs = std::make_shared<const std::vector<Job>>(all_of(file).jobs);
  return jobs;
}

class Counter final : public ReplaySink {
 public:
  void ended(std::span<const JobRecord> records) override { count += records.size(); }
  std::size_t count = 0;
};

void whole_log(benchmark::State& state, const QueueRules& rules) {
  const Jobs log = jobs(state.range(0));
  std::size_t count = 0;
  for (auto _ : state) {
    JobList list(log);
    Counter counter;
    replay(list, rules, counter);
    count += counter.count;
  }
  state.counters["jobs_per_s"] =
      benchmark::Counter(static_cast<double>(count), benchmark::Counter::kIsRate);
}

// The first jobs of the log as the plain queue takes them.
std::vector<plain::Job> plain_jobs(const Jobs& log, std::size_t count) {
  std::vector<plain::Job> result;
  for (std::size_t i = 0; i < std::min(count, log->size()); ++i) {
    const Job& job = (*log)[i];
    result.push_back({job.id, job.submit / kSecond, job.run / kSecond, job.ask.length / kSecond,
                      job.ask.nodes, plain::kNobody});
  }
  return result;
}

void ratio(benchmark::State& state) {
  constexpr std::size_t kJobs = 3'000;
  const Jobs log = jobs(state.range(0));
  const std::vector<plain::Job> plain_log = plain_jobs(log, kJobs);
  const auto part =
      std::make_shared<const std::vector<Job>>(log->begin(), log->begin() + std::ssize(plain_log));
  const QueueRules rules{.room = {.nodes = kNodes}};
  double ours_ms = 0;
  double plain_ms = 0;
  for (auto _ : state) {
    const double start = processor_ms();
    JobList list(part);
    const auto ours = replay_all(list, rules);
    const double middle = processor_ms();
    const auto expected = plain::replay(plain_log, {.nodes = kNodes});
    plain_ms += processor_ms() - middle;
    ours_ms += middle - start;
    for (std::size_t i = 0; i < ours.size(); ++i) {
      if (ours[i].start != kSecond * expected[i].start) {
        state.SkipWithError("a job starts at another time than in the plain queue");
        return;
      }
    }
  }
  state.counters["ours_ms"] = ours_ms / static_cast<double>(state.iterations());
  state.counters["plain_ms"] = plain_ms / static_cast<double>(state.iterations());
  state.counters["ratio"] = plain_ms / ours_ms;
}

// The queue in the middle of the log.
Background busy_queue(std::int64_t per_cent) {
  const Jobs log = jobs(per_cent);
  Background background({.room = {.nodes = kNodes}}, log);
  background.run_through((*log)[log->size() / 2].submit);
  return background;
}

void estimate(benchmark::State& state) {
  Background background = busy_queue(state.range(0));
  const Time now = background.machine().now();
  const OutlookEstimator queue(background.machine().outlook(), now);
  Count nodes = 0;
  for (auto _ : state) {
    nodes = nodes % kNodes + 1;
    benchmark::DoNotOptimize(queue.wait(nodes, 3'600 * kSecond * (1 + nodes % 7)));
  }
  state.counters["waiting"] = static_cast<double>(background.machine().waiting());
}

void glume_decision(benchmark::State& state, bool keep_run_times) {
  Background background = busy_queue(100);
  const Time now = background.machine().now();
  const OutlookEstimator queue(background.machine().outlook(), now);
  Random random(1);
  const Workflow workflow =
      gen::montage({.tasks = static_cast<std::uint32_t>(state.range(0)), .hours = 500}, random);
  const LeveledTasks tasks(workflow, {.name = "bench", .processors = kNodes});
  std::vector<TaskId> all(tasks.size());
  for (TaskId task = 0; task < tasks.size(); ++task) all[task] = task;
  const TaskSet open = make_set(tasks, all);
  RunTimes kept(tasks, Pick::shortest);
  for (auto _ : state) {
    RunTimes fresh(tasks, Pick::shortest);
    const Cutting cutting(keep_run_times ? kept : fresh, {.cap = 16});
    benchmark::DoNotOptimize(best_split(cutting, queue, open, 0));
  }
}

void fork(benchmark::State& state) {
  const Background background = busy_queue(state.range(0));
  for (auto _ : state) {
    Background copy = background;
    benchmark::DoNotOptimize(copy);
  }
}

QueueRules rules(const std::string& policy, Compress compress = Compress::arrival,
                 bool contiguous = false) {
  return {
      .policy = policy, .room = {.nodes = kNodes, .contiguous = contiguous}, .compress = compress};
}

BENCHMARK_CAPTURE(whole_log, conservative, rules("conservative"))
    ->Arg(100)
    ->Arg(50)
    ->Arg(30)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(whole_log, rebuild, rules("conservative", Compress::rebuild))
    ->Arg(100)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(whole_log, contiguous, rules("conservative", Compress::arrival, true))
    ->Arg(100)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(whole_log, easy, rules("easy"))->Arg(100)->Arg(30)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(whole_log, fcfs, rules("fcfs"))->Arg(100)->Unit(benchmark::kMillisecond);
BENCHMARK(ratio)->Arg(100)->Arg(30)->Unit(benchmark::kMillisecond);
BENCHMARK(estimate)->Arg(100)->Arg(30);
BENCHMARK_CAPTURE(glume_decision, first, false)->Arg(250)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(glume_decision, later, true)->Arg(250)->Unit(benchmark::kMillisecond);
BENCHMARK(fork)->Arg(100)->Arg(30)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace dovetail::bench
