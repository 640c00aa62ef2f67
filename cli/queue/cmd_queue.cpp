// dovetail queue: a workflow as batch jobs in a busy queue.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <memory>

#include "batch/table.hpp"
#include "cli/command.hpp"
#include "cli/progress.hpp"
#include "cli/queue/queue_describe.hpp"
#include "cli/queue/queue_options.hpp"
#include "cli/run/batch_run.hpp"
#include "dovetail/error.hpp"
#include "dovetail/io.hpp"
#include "io/formats/table.hpp"
#include "io/text.hpp"
#include "study/parallel.hpp"

namespace dovetail::cli {

using namespace queue;

namespace {

constexpr std::size_t kMostMoments = 10'000;

struct QueueArguments {
  std::string workflow;
  ProblemArguments problem;
  SiteOptions site;
  StrategyOptions strategy;
  std::string name;  // of the strategy; empty: GLUME+
  std::string at;
  std::string partition;
  bool compare = false;
  std::vector<std::string> waits;
  std::string every;
  std::size_t times = 0;
  unsigned threads = 0;
  bool json = false;
  bool tasks = false;
  std::string output;

  // Whether standard output is for people.
  bool talks() const { return !json && output != "-"; }
};

// The question: about which queue, when, and by which rules.
struct QueueQuestion {
  const QueueArguments& arguments;
  Site site;
  StrategyOptions options;
  Time at = 0;
};

std::vector<StrategyInfo> chosen_strategies(const QueueArguments& arguments) {
  if (arguments.compare) return {strategies().begin(), strategies().end()};
  return {choose_strategy(arguments.name.empty() ? "GLUME+" : arguments.name)};
}

Time read_at(const Site& site, const std::string& text) {
  if (const auto date = parse_date(text)) {
    if (!site.date_of_0) {
      throw InputError(
          "--at: a date needs a log with UnixStartTime, or a cluster file whose times are dates");
    }
    const Time at = whole_seconds(time_ceil(*date)) - *site.date_of_0;
    if (at < 0) {
      throw InputError(
          fmt::format("--at: {} is before the log begins, {}", text, format_date(*site.date_of_0)));
    }
    return at;
  }
  return whole_seconds(read_length("--at", text,
                                   "seconds on the queue's clock, a duration such as 1d12h, or a "
                                   "date with its zone such as 2026-11-16T08:00:00Z"));
}

Time submission_time(const QueueArguments& arguments, const Site& site) {
  if (!arguments.at.empty()) return read_at(site, arguments.at);
  if (site.now < 0) {
    throw InputError(arguments.problem.cluster +
                     ": its now is before the queue's clock begins; give --at");
  }
  return site.now;
}

// "16x2h".
WaitQuestion read_wait(const std::string& text, Count most) {
  const auto by = std::min(text.find('x'), text.size());
  const double nodes = io::parse_number(text.substr(0, by)).value_or(0);
  const double seconds =
      parse_duration(std::string_view(text).substr(std::min(by + 1, text.size()))).value_or(0);
  if (nodes < 1 || nodes != std::floor(nodes) || seconds <= 0 || seconds > kMaxSeconds) {
    throw InputError("--wait: expected nodes and a time, such as 16x2h, found " + io::quote(text));
  }
  if (nodes > most) {
    throw InputError(
        fmt::format("--wait: {} asks for more than the {} nodes there are", io::quote(text), most));
  }
  return {static_cast<Count>(nodes), whole_seconds(time_ceil(seconds))};
}

void write_json(const QueueArguments& arguments, const std::string& document) {
  if (arguments.json && arguments.output != "-") say_exact(document);
  std::fflush(stdout);
  if (arguments.output.empty()) return;
  write_file(arguments.output, document);
  if (arguments.talks()) say("\n  {} is written\n", arguments.output);
}

void print_head(const QueueQuestion& question, const LeveledTasks* tasks, const QueueState& state) {
  const Site& site = question.site;
  if (tasks != nullptr) say("{}        ", describe_tasks(*tasks));
  std::string rows;
  if (site.log && site.log->dropped.total() > 0) {
    rows += row("dropped", dropped_text(site.log->dropped));
  }
  rows += row(tasks != nullptr ? "submitted" : "asked", describe_moment(site, question.at, state));
  if (question.arguments.at.empty() && site.now_is_guess) {
    rows += row("", "a day after the log's first job; --at T asks at another moment");
  }
  say("{}\n\n{}", describe_site(site), rows);
}

Exit answer_waits(const QueueQuestion& question) {
  Background background = question.site.background();
  background.run_through(question.at);
  const OutlookEstimator queue(background.machine().outlook(), question.at, question.site.user);
  std::vector<WaitAnswer> answers;
  for (const std::string& text : question.arguments.waits) {
    const WaitQuestion asked = read_wait(text, question.site.nodes());
    answers.push_back({asked, queue.wait(asked.nodes, asked.request)});
  }
  const QueueState state = state_of(question.site, background);
  if (question.arguments.talks()) {
    print_head(question, nullptr, state);
    say("\n{}", describe_waits(question.site, question.at, answers));
    say("\nassuming that every job ahead runs as long as requested; most end earlier\n");
  }
  write_json(question.arguments, format_waits(question.site, question.at, state, answers));
  return Exit::fine;
}

void print_runs(const QueueReport& report, const std::vector<QueueRun>& runs, bool compared) {
  if (compared) {
    say("\n{}\n", describe_comparison(runs));
    say("  next        --strategy NAME shows the jobs of one{}\n",
        report.site.is_snapshot ? "" : ", --every 30m --times 48 repeats this at other moments");
  } else {
    say("{}\n", describe_run(report, runs.front()));
    say("  next        --compare shows what the other strategies would give\n");
  }
}

Exit run_once(const QueueQuestion& question, const LeveledTasks& tasks) {
  const QueueArguments& arguments = question.arguments;
  Background background = question.site.background();
  background.run_through(question.at);
  RunTimes run_times(tasks, question.options.pick);
  std::vector<QueueRun> runs;
  for (const StrategyInfo& strategy : chosen_strategies(arguments)) {
    runs.push_back(
        {std::string(strategy.name),
         run_workflow(background, strategy, run_times, question.options, question.site.user)});
  }
  const QueueReport report{question.site, tasks, question.options,
                           state_of(question.site, background)};
  if (arguments.talks()) {
    print_head(question, &tasks, report.state);
    print_runs(report, runs, arguments.compare);
  }
  write_json(arguments, arguments.compare
                            ? format_queue_runs(report, runs, arguments.tasks)
                            : format_queue_run(report, runs.front(), arguments.tasks));
  return Exit::fine;
}

std::vector<Time> moments_of(const QueueQuestion& question) {
  const std::string& text = question.arguments.every;
  const auto seconds = parse_duration(text.empty() ? "30m" : text);
  if (!seconds || *seconds <= 0 || *seconds > kMaxSeconds) {
    throw InputError("--every: expected a duration above 0, such as 30m, found " + io::quote(text));
  }
  std::vector<Time> moments(question.arguments.times);
  Time next = question.at;
  for (Time& moment : moments) {
    moment = next;
    next += whole_seconds(time_ceil(*seconds));
  }
  return moments;
}

// Every strategy at every moment. The background is replayed once and forked; a few neighbouring
// moments are one piece of work, so that they share what is known about the workflow.
std::vector<InstantRuns> run_at(const QueueQuestion& question, const LeveledTasks& tasks,
                                const std::vector<Time>& moments) {
  constexpr std::size_t kPiece = 4;
  const std::vector<Background> forks = forks_at(question.site.background(), moments);
  const auto chosen = chosen_strategies(question.arguments);
  std::vector<InstantRuns> results;
  for (const StrategyInfo& strategy : chosen) {
    results.push_back({std::string(strategy.name), std::vector<Duration>(moments.size())});
  }
  const auto run_piece = [&](std::size_t piece) {
    RunTimes run_times(tasks, question.options.pick);
    const std::size_t end = std::min(moments.size(), (piece + 1) * kPiece);
    for (std::size_t i = piece * kPiece; i < end; ++i) {
      for (std::size_t s = 0; s < chosen.size(); ++s) {
        results[s].makespans[i] =
            run_workflow(forks[i], chosen[s], run_times, question.options, question.site.user)
                .makespan;
      }
    }
  };
  ProgressBar bar;
  study::parallel_for((moments.size() + kPiece - 1) / kPiece, question.arguments.threads, run_piece,
                      [&](std::size_t done, std::size_t total) { bar(done, total); });
  return results;
}

Exit run_repeatedly(const QueueQuestion& question, const LeveledTasks& tasks) {
  const std::vector<Time> moments = moments_of(question);
  const auto results = run_at(question, tasks, moments);
  if (question.arguments.talks()) {
    const std::string when = fmt::format("at {} moments from {} to {}", moments.size(),
                                         clock_text(question.site, moments.front()),
                                         clock_text(question.site, moments.back()));
    say("{}        {}\n\n{}\n{}", describe_tasks(tasks), describe_site(question.site),
        row("submitted", when), describe_instants(results));
  }
  const QueueReport report{question.site, tasks, question.options, {}};
  write_json(question.arguments, format_instants(report, moments, results));
  return Exit::fine;
}

void check_arguments(const QueueArguments& arguments) {
  if (arguments.compare && !arguments.name.empty()) {
    throw InputError("--compare: runs all strategies; leave --strategy out");
  }
  if (!arguments.waits.empty() && !arguments.workflow.empty()) {
    throw InputError("--wait: is about a single job; leave the workflow out");
  }
  if (arguments.waits.empty() && arguments.workflow.empty()) {
    throw InputError("a workflow is missing; or ask --wait NODESxTIME, such as --wait 16x2h");
  }
  if (!arguments.every.empty() && arguments.times == 0) {
    throw InputError("--every: needs --times N, how often");
  }
  if (arguments.tasks && arguments.talks() && arguments.output.empty()) {
    throw InputError("--tasks: is about JSON; add --json or -o FILE");
  }
  if (std::isnan(arguments.strategy.min_utilisation)) {
    throw InputError("--min-utilisation: expected a number from 0 to 1");
  }
  if (!arguments.name.empty()) choose_strategy(arguments.name);
}

// Things a person may have overlooked.
void print_notes(const QueueQuestion& question) {
  note_idle_options(question.site.rules);
  const auto& jobs = *question.site.jobs;
  const Time last = question.arguments.times > 0 ? moments_of(question).back() : question.at;
  if (question.site.log && (jobs.empty() || jobs.back().submit < last)) {
    tell("note: the log has no job that is submitted at or after {}\n",
         clock_text(question.site, last));
  }
  const bool uses_glume_plus =
      question.arguments.name.empty() || io::upper_case(question.arguments.name) == "GLUME+";
  if (question.options.min_utilisation > 0 && !uses_glume_plus) {
    tell("note: --min-utilisation has no effect without --strategy GLUME+\n");
  }
}

Exit run(QueueArguments arguments) {
  check_arguments(arguments);
  arguments.problem.workflows = {arguments.workflow};
  protect_inputs(arguments.problem.files(), {arguments.output});
  const std::string& file = arguments.problem.cluster;
  const std::optional<Platform> live = live_cluster(file, arguments.partition);
  if (live && (!arguments.at.empty() || arguments.times > 0)) {
    throw InputError("--at, --times: on " + batch::system_titles() +
                     " the queue is known as it is now; leave them out");
  }
  if (!live && !arguments.partition.empty()) {
    throw InputError(fmt::format("--partition is for the queue of {}; add -c {}",
                                 batch::system_titles(), batch::system_names()));
  }
  const auto ask = [&](const Platform& platform) {
    QueueQuestion question{arguments, make_site(platform, file, arguments.site),
                           arguments.strategy};
    protect_inputs({question.site.log_file}, {arguments.output});
    question.site.is_snapshot = live.has_value();
    if (live && arguments.strategy.requests == RequestRule::exact) {
      question.options.requests = RequestRule::minutes;
    }
    question.options.cap = question.site.submit_cap();
    question.at = submission_time(arguments, question.site);
    print_notes(question);
    return question;
  };
  if (!arguments.waits.empty()) return answer_waits(ask(live ? *live : read_platform(file)));
  ProblemArguments asked = arguments.problem;
  if (live) asked.cluster = std::to_string(live->clusters().front().processors);
  const Problem problem = asked.load();
  require_ready(problem.workflows(), "dovetail queue");
  const QueueQuestion question = ask(live ? *live : problem.platform());
  const LeveledTasks tasks(problem.workflows().front(), question.site.cluster);
  return arguments.times > 0 ? run_repeatedly(question, tasks) : run_once(question, tasks);
}

void add_strategy_options(CLI::App& command, QueueArguments& a) {
  command.add_option("--strategy", a.name,
                     "how to cut: " + known_strategies() + "; default GLUME+");
  command.add_flag("--compare", a.compare, "all strategies in one table, and which to use");
  add_choice(command, "--request-rule", a.strategy.requests, names<RequestRule>(),
             "what jobs ask for: exact (default), authors: a tenth and a minute more, or minutes: "
             "whole ones, as run asks " +
                 batch::system_titles() + " (default there)");
  add_choice(command, "--zhang-rule", a.strategy.zhang, names<ZhangRule>(),
             "ZHANG as in the paper (default) or in its authors' code");
  add_choice(command, "--glume-rule", a.strategy.glume, names<GlumeRule>(),
             "GLUME as in the paper (default) or in its authors' code");
  add_choice(command, "--leeway-rule", a.strategy.leeway, names<LeewayRule>(),
             "GLUME's leeway: exact (default), or code: within ten minutes");
  add_choice(command, "--pick", a.strategy.pick, names<Pick>(),
             "which ready task runs first in a job: shortest (default) or longest");
  command
      .add_option("--min-utilisation", a.strategy.min_utilisation,
                  "GLUME+: share of the held node-hours that tasks must use, 0 to 1")
      ->check(CLI::Range(0.0, 1.0).description(""));
}

void add_site_options(CLI::App& command, QueueArguments& a) {
  command
      .add_option("-c,--cluster", a.problem.cluster,
                  "cluster file (its queue: names log, policy and max_jobs), " +
                      batch::system_names() +
                      " for the queue of this cluster as it is now, or a number of nodes")
      ->required();
  command.add_option("--partition", a.partition,
                     "of " + batch::system_titles() + "; default: its own");
  command.add_option("--at", a.at,
                     "submit then: seconds on the log's clock, a duration, or a date; default: "
                     "the cluster's now, or one day into the log");
  command
      .add_option("--cap", a.site.cap, "jobs one user may have; default: the cluster's max_jobs")
      ->check(CLI::Range(0, kMaxProcessors).description(""));
  add_choice(command, "--cap-mode", a.site.cap_mode, names<CapMode>(),
             "the cap counts jobs in the system (submitted, default), or running ones only");
  add_log_rules(command, a.site.trace);
  command
      .add_option("--ppn", a.site.trace.processors_per_node,
                  "processors of the log's jobs on a node; default: the cluster's cores_per_node")
      ->check(CLI::Range(1, kMaxProcessors).description(""));
  add_policy_rules(command, a.site.queue);
}

}  // namespace

void add_queue(CLI::App& program, Exit& status) {
  CLI::App* command =
      program.add_subcommand("queue", "cuts a workflow into jobs for a busy batch queue");
  auto a = std::make_shared<QueueArguments>();
  command->add_option("WORKFLOW", a->workflow,
                      "workflow file: " + io::titles_to_read() + "; - is standard input");
  add_site_options(*command, *a);
  add_strategy_options(*command, *a);
  command->add_option("--wait", a->waits,
                      "how long a job would wait, NODESxTIME such as 16x2h; without a workflow");
  command->add_option("--times", a->times, "repeat this often, --every apart")
      ->check(CLI::Range(std::size_t{1}, kMostMoments).description(""));
  command->add_option("--every", a->every, "time between the repetitions; default 30m");
  command->add_option("--threads", a->threads, "for --times; default: all the machine has");
  command->add_option("--default-time", a->problem.default_seconds,
                      "seconds for imported tasks that have no run time");
  command->add_flag("--json", a->json, "every job as JSON on standard output");
  command->add_flag("--tasks", a->tasks, "JSON: also when each task ran");
  command->add_option("-o,--output", a->output, "write the JSON to this file");
  command->footer(
      "Examples: dovetail queue flow.yaml -c kth.yaml --at 86400\n"
      "          dovetail queue flow.yaml -c kth.yaml --compare --cap 16\n"
      "          dovetail queue -c kth.yaml --wait 16x2h --wait 64x2h");
  command->callback([a, &status] { status = run(*a); });
}

}  // namespace dovetail::cli
