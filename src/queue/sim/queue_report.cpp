#include "queue/sim/queue_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <iterator>
#include <numeric>

#include "io/text.hpp"

namespace dovetail::queue {

namespace {

using io::json_string;
using io::number_text;

std::string state_json(const QueueState& state) {
  return fmt::format(R"({{"running":{},"waiting":{},"busy":{},"reserved":{},"free":{}}})",
                     state.running, state.waiting, state.busy, state.reserved, state.free);
}

// "log" to "cap_mode", without braces: what the queue is.
std::string site_fields(const Site& site) {
  return fmt::format(
      R"("log":{},"nodes":{},"policy":"{}","requests":"{}","cap":{},"cap_mode":"{}")",
      site.log ? json_string(site.log->name) : "null", site.nodes(), site.rules.policy,
      name_of(site.trace.requests), site.cap, name_of(site.cap_mode));
}

std::string rules_json(const Site& site, const StrategyOptions& options) {
  return fmt::format(
      R"({{"compress":"{}","depth":{},"contiguous":{},"never_ran":"{}","overrun":"{}",)"
      R"("processors_per_node":{},"request_rule":"{}","zhang_rule":"{}","glume_rule":"{}",)"
      R"("leeway_rule":"{}","pick":"{}","min_utilisation":{}}})",
      name_of(site.rules.compress), site.rules.depth, site.rules.room.contiguous,
      name_of(site.trace.never_ran), name_of(site.trace.overrun), site.trace.processors_per_node,
      name_of(options.requests), name_of(options.zhang), name_of(options.glume),
      name_of(options.leeway), name_of(options.pick), number_text(options.min_utilisation));
}

std::string metrics_json(const WorkflowResult& result) {
  return fmt::format(
      R"({{"jobs":{},"total_wait":{},"without_a_job":{},"used_node_hours":{},)"
      R"("held_node_hours":{},"utilisation":{},"expired":{},"cancelled":{},"single_mode":{}}})",
      result.jobs.size(), format_seconds(result.total_wait()),
      format_seconds(time_without_a_job(result)), number_text(node_hours(result.used)),
      number_text(node_hours(result.held)), number_text(result.utilisation()),
      result.count(PilotOutcome::expired), result.count(PilotOutcome::cancelled),
      result.single_mode);
}

std::string job_json(const PilotRecord& job) {
  return fmt::format(
      R"({{"levels":[{},{}],"tasks":{},"nodes":{},"requested":{},"submit":{},"start":{},)"
      R"("end":{},"outcome":"{}"}})",
      job.first_level, job.last_level, job.tasks.size(), job.nodes, format_seconds(job.request),
      format_seconds(job.submit), job.start ? format_seconds(*job.start) : "null",
      format_seconds(job.end), name_of(job.outcome));
}

// `"name":[` and one item a line.
template <typename Items, typename Text>
std::string list_field(const char* name, const Items& items, const Text& text) {
  std::string out = fmt::format(" \"{}\":[", name);
  const char* separator = "\n";
  for (const auto& item : items) {
    out += separator + text(item);
    separator = ",\n";
  }
  return out + "\n]";
}

std::string task_list(const LeveledTasks& tasks, const WorkflowResult& result) {
  std::vector<TaskId> all(tasks.size());
  std::iota(all.begin(), all.end(), TaskId{0});
  return list_field("task_runs", all, [&](TaskId task) {
    return fmt::format(R"({{"id":{},"start":{},"end":{}}})", json_string(tasks.workflow().id(task)),
                       format_seconds(result.tasks[task].begin),
                       format_seconds(result.tasks[task].end));
  });
}

std::string workflow_fields(const LeveledTasks& tasks) {
  return fmt::format(R"("workflow":{},"tasks":{},"levels":{})",
                     json_string(tasks.workflow().name()), tasks.size(), tasks.level_count());
}

std::string run_json(const QueueReport& report, const QueueRun& run, bool with_tasks) {
  const WorkflowResult& result = run.result;
  std::string out = fmt::format(R"({{"strategy":"{}","submitted":{},"makespan":{},)", run.strategy,
                                format_seconds(result.submitted), format_seconds(result.makespan));
  out += fmt::format("\n {},\n {},\n \"rules\":{},\n \"queue\":{},\n \"metrics\":{},\n",
                     workflow_fields(report.tasks), site_fields(report.site),
                     rules_json(report.site, report.options), state_json(report.state),
                     metrics_json(result));
  if (with_tasks) out += task_list(report.tasks, result) + ",\n";
  return out + list_field("jobs", result.jobs, job_json) + "}";
}

}  // namespace

Duration time_without_a_job(const WorkflowResult& result) {
  std::vector<Interval> runs;
  for (const PilotRecord& job : result.jobs) {
    if (job.start) runs.push_back({*job.start, job.end});
  }
  std::ranges::sort(runs, {}, &Interval::begin);
  Duration idle = 0;
  Time reached = result.submitted;
  for (const Interval& run : runs) {
    idle += std::max<Duration>(0, run.begin - reached);
    reached = std::max(reached, run.end);
  }
  return idle + result.submitted + result.makespan - reached;
}

double node_hours(Duration node_milliseconds) { return to_seconds(node_milliseconds) / 3600; }

std::size_t best_run(std::span<const QueueRun> runs) {
  assert(!runs.empty());
  const auto earlier = [](const QueueRun& a, const QueueRun& b) {
    return a.result.makespan != b.result.makespan ? a.result.makespan < b.result.makespan
                                                  : a.result.held < b.result.held;
  };
  return static_cast<std::size_t>(std::ranges::min_element(runs, earlier) - runs.begin());
}

std::string format_queue_run(const QueueReport& report, const QueueRun& run, bool with_tasks) {
  return run_json(report, run, with_tasks) + "\n";
}

std::string format_queue_runs(const QueueReport& report, std::span<const QueueRun> runs,
                              bool with_tasks) {
  std::string out = "[";
  const char* separator = "";
  for (const QueueRun& run : runs) {
    out += separator + run_json(report, run, with_tasks);
    separator = ",\n";
  }
  return out + "]\n";
}

std::string format_waits(const Site& site, Time at, const QueueState& state,
                         std::span<const WaitAnswer> answers) {
  const auto answer_json = [at](const WaitAnswer& answer) {
    return fmt::format(R"({{"nodes":{},"requested":{},"wait":{},"start":{}}})",
                       answer.question.nodes, format_seconds(answer.question.request),
                       format_seconds(answer.wait), format_seconds(at + answer.wait));
  };
  return fmt::format("{{\"at\":{},{},\n \"queue\":{},\n", format_seconds(at), site_fields(site),
                     state_json(state)) +
         list_field("waits", answers, answer_json) + "}\n";
}

double InstantRuns::mean() const {
  const auto sum = std::accumulate(makespans.begin(), makespans.end(), Duration{0});
  return static_cast<double>(sum) / static_cast<double>(makespans.size());
}

double InstantRuns::median() const {
  std::vector<Duration> sorted = makespans;
  std::ranges::sort(sorted);
  const std::size_t middle = sorted.size() / 2;
  const auto upper = static_cast<double>(sorted[middle]);
  return sorted.size() % 2 == 1 ? upper : (static_cast<double>(sorted[middle - 1]) + upper) / 2;
}

Duration InstantRuns::worst() const { return *std::ranges::max_element(makespans); }

std::string format_instants(const QueueReport& report, std::span<const Time> moments,
                            std::span<const InstantRuns> strategies) {
  const auto joined = [](std::span<const Time> times) {
    std::vector<std::string> texts;
    for (const Time time : times) texts.push_back(format_seconds(time));
    return fmt::format("{}", fmt::join(texts, ","));
  };
  const auto strategy_json = [&](const InstantRuns& runs) {
    return fmt::format(
        R"({{"strategy":"{}","mean_makespan":{},"median_makespan":{},"worst_makespan":{},)"
        R"("makespans":[{}]}})",
        runs.strategy, number_text(runs.mean() / 1000), number_text(runs.median() / 1000),
        format_seconds(runs.worst()), joined(runs.makespans));
  };
  return fmt::format("{{{},\n {},\n \"rules\":{},\n \"submitted\":[{}],\n",
                     workflow_fields(report.tasks), site_fields(report.site),
                     rules_json(report.site, report.options), joined(moments)) +
         list_field("strategies", strategies, strategy_json) + "}\n";
}

}  // namespace dovetail::queue
