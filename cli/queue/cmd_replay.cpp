// dovetail replay: a batch queue's log under a policy.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <memory>

#include "cli/command.hpp"
#include "cli/progress.hpp"
#include "cli/queue/queue_options.hpp"
#include "dovetail/error.hpp"
#include "dovetail/io.hpp"
#include "draw/plain_text.hpp"
#include "io/text.hpp"
#include "queue/sim/replay_report.hpp"

namespace dovetail::cli {

using namespace queue;

namespace {

constexpr double kLargestStretch = 10'000;

struct ReplayArguments {
  std::string log;
  TraceRules trace = {.processors_per_node = 0};
  QueueRules queue;
  std::string from;
  std::string until;
  bool json = false;
  bool timeline = false;
  std::string output;
  std::string picture;

  // Whether standard output is for people.
  bool talks() const { return !json && output != "-" && picture != "-"; }
  bool wants_swf() const { return output.ends_with(".swf"); }
  bool wants_jobs() const { return json || !output.empty(); }
};

// Shows how far a replay is.
class ProgressSink final : public ReplaySink {
 public:
  explicit ProgressSink(std::size_t jobs) : jobs_(jobs) {}

  void ended(std::span<const JobRecord> jobs) override {
    done_ += jobs.size();
    if (done_ < next_ && done_ < jobs_) return;
    next_ = done_ + kEvery;
    bar_(done_, jobs_);
  }

 private:
  static constexpr std::size_t kEvery = 256;  // the clock is not asked for every job
  std::size_t jobs_;
  std::size_t done_ = 0;
  std::size_t next_ = kEvery;
  ProgressBar bar_;
};

struct Replayed {
  ReplayReport report;
  History history;
  std::vector<JobRecord> jobs;  // when they are asked for, or few
};

Replayed replay_file(const ReplayArguments& arguments, const TraceFile& file) {
  Replayed replayed;
  replayed.report = {file.info(), arguments.trace, arguments.queue, {}};
  replayed.report.queue.room.nodes = file.info().nodes;
  ReplayMetrics metrics(file.info().nodes);
  JobCollector collector;
  ProgressSink progress(file.info().jobs);
  SinkGroup sinks;
  sinks.add(metrics);
  sinks.add(replayed.history);
  sinks.add(progress);
  if (arguments.wants_jobs() || file.info().jobs <= kMostDrawnJobs) sinks.add(collector);
  replay(*file.jobs(), replayed.report.queue, sinks);
  replayed.report.summary = metrics.summary();
  replayed.jobs = collector.take();
  return replayed;
}

void require_jobs(const TraceFile& file, const ReplayArguments& arguments) {
  const TraceInfo& info = file.info();
  if (info.jobs > 0) return;
  if (info.dropped.total() == 0 || selects_part(arguments.trace)) {
    throw InputError(arguments.log + ": no job is left to replay; see --from and --until");
  }
  throw InputError(fmt::format("{}: no job is left to replay; dropped {}", arguments.log,
                               dropped_text(info.dropped)));
}

std::string rounded_text(double seconds) {
  return format_duration(std::llround(seconds) * kSecond);
}

// " of 8 processors" where a node has several.
std::string node_text(const TraceInfo& log) {
  const Count processors = log.processors_per_node;
  return processors == 1 ? std::string() : fmt::format(" of {} processors", processors);
}

void print_head(const ReplayArguments& arguments, const ReplayReport& report) {
  const TraceInfo& log = report.log;
  say("{}: {} in {}\n\n{}{}", draw::plain_text(log.name), counted(log.jobs, "job"),
      format_duration(report.summary.makespan()),
      row("machine", counted(static_cast<std::size_t>(log.nodes), "node") + node_text(log)),
      row("policy", rules_text(arguments.queue) + ", " + requests_text(arguments.trace)));
  if (log.dropped.total() == 0) return;
  say("{}", row("dropped", dropped_text(log.dropped) +
                               (selects_part(arguments.trace) ? " (in the whole log)" : "")));
}

void print_metrics(const ReplaySummary& summary) {
  Table table({"", "mean", "median", "95 %", "largest"});
  table.add({"  wait", rounded_text(summary.mean_wait), rounded_text(summary.median_wait),
             rounded_text(summary.wait_95), rounded_text(summary.longest_wait)});
  table.add({"  bounded slowdown", fmt::format("{:.2f}", summary.mean_bounded_slowdown)});
  table.add({"  waiting jobs", fmt::format("{:.1f}", summary.mean_queue_length), "", "",
             std::to_string(summary.longest_queue)});
  table.add({"  utilisation", fmt::format("{:.1f} %", 100 * summary.utilisation)});
  say("\n{}", table.text());
  if (summary.killed > 0) {
    say("  {} killed when the requested time was used up\n", counted(summary.killed, "job"));
  }
}

void write_results(const ReplayArguments& arguments, const TraceFile& file,
                   const Replayed& replayed) {
  const History* timeline = arguments.timeline ? &replayed.history : nullptr;
  const auto document = [&] { return format_replay(replayed.report, replayed.jobs, timeline); };
  if (arguments.json && arguments.output != "-") say_exact(document());
  std::fflush(stdout);
  std::vector<OutputFile> files;
  std::string data;
  std::string drawing;
  if (!arguments.output.empty()) {
    data = arguments.wants_swf()
               ? io::format_swf(replayed_log(replayed.report, file.lines(), replayed.jobs))
               : document();
    files.push_back({arguments.output, data});
  }
  if (!arguments.picture.empty()) {
    const auto picture = picture_of(replayed.report, replayed.history, replayed.jobs);
    drawing = arguments.picture.ends_with(".svg") ? machine_svg(picture) : machine_html(picture);
    files.push_back({arguments.picture, drawing});
  }
  if (files.empty()) return;
  write_files(files);
  if (!arguments.talks()) return;
  say("\n  {}{}{} {} written\n", files.front().path, files.size() > 1 ? " and " : "",
      files.size() > 1 ? files.back().path : "", files.size() > 1 ? "are" : "is");
}

void check_names(const ReplayArguments& arguments) {
  const std::string& output = arguments.output;
  const bool is_known =
      output.empty() || output == "-" || output.ends_with(".json") || output.ends_with(".swf");
  if (!is_known) {
    throw InputError("-o: expected a name that ends in .json or .swf, found " + io::quote(output));
  }
  if (arguments.timeline && (!arguments.wants_jobs() || arguments.wants_swf()) && !arguments.json) {
    throw InputError("--timeline: is a part of the JSON; add --json or -o FILE.json");
  }
  require_picture_name("--picture", arguments.picture);
  protect_inputs({arguments.log}, {output, arguments.picture});
  if ((arguments.json || output == "-") && arguments.picture == "-") {
    throw InputError("standard output: two results cannot go there; give one of them a file");
  }
}

void check_rules(const ReplayArguments& arguments) {
  const double stretch = arguments.trace.stretch;
  if (!(stretch > 0 && stretch <= kLargestStretch)) {
    throw InputError(
        fmt::format("--stretch: expected a number above 0, at most {}", kLargestStretch));
  }
  if (arguments.trace.from >= arguments.trace.until) {
    throw InputError("--until: must be later than --from");
  }
}

void print_speed(std::size_t jobs, std::chrono::duration<double> spent) {
  if (isatty(STDERR_FILENO) != 1) return;
  tell("{} in {:.2f} s, {:.0f} a second\n", counted(jobs, "job"), spent.count(),
       static_cast<double>(jobs) / spent.count());
}

Exit run(ReplayArguments arguments) {
  constexpr const char* kMoment = "a duration from the first job, such as 7d or 86400";
  TraceRules& trace = arguments.trace;
  if (!arguments.from.empty()) trace.from = read_length("--from", arguments.from, kMoment);
  if (!arguments.until.empty()) trace.until = read_length("--until", arguments.until, kMoment);
  check_names(arguments);
  check_rules(arguments);
  note_idle_options(arguments.queue);
  const TraceFile file(arguments.log, arguments.trace);
  arguments.trace.processors_per_node = file.info().processors_per_node;
  require_jobs(file, arguments);
  const auto begun = std::chrono::steady_clock::now();
  const Replayed replayed = replay_file(arguments, file);
  const auto spent = std::chrono::steady_clock::now() - begun;
  if (arguments.talks()) {
    print_head(arguments, replayed.report);
    print_metrics(replayed.report.summary);
    const auto picture = picture_of(replayed.report, replayed.history, {});
    say("\n{}", machine_text(picture, terminal_columns()));
  }
  write_results(arguments, file, replayed);
  print_speed(replayed.report.summary.jobs, spent);
  return Exit::fine;
}

void add_log_options(CLI::App& command, ReplayArguments& a) {
  command
      .add_option("LOG", a.log,
                  "replay this log: SWF, plain or .gz, or a JSON job list; - is standard input")
      ->required();
  command
      .add_option("--nodes", a.trace.nodes,
                  "give the machine this many nodes; default: what the log says")
      ->check(CLI::Range(1, kMaxProcessors).description(""));
  command
      .add_option(
          "--ppn", a.trace.processors_per_node,
          "count this many processors per node; default: what the log says, or 1 with --nodes")
      ->check(CLI::Range(1, kMaxProcessors).description(""));
  add_log_rules(command, a.trace);
  command.add_option("--stretch", a.trace.stretch,
                     "multiply submit times: below 1 the load is higher, above 1 lower");
  command.add_option("--from", a.from,
                     "use only jobs submitted at least this long after the first one");
  command.add_option("--until", a.until, "use only jobs submitted earlier than this, such as 7d");
  command.add_option("--limit", a.trace.limit, "use only this many jobs")
      ->check(CLI::PositiveNumber.description(""));
}

}  // namespace

void add_replay(CLI::App& program, Exit& status) {
  CLI::App* command = program.add_subcommand(
      "replay", "replay a batch queue's log under a policy: waits, utilisation");
  auto a = std::make_shared<ReplayArguments>();
  add_log_options(*command, *a);
  add_policy_rules(*command, a->queue);
  command
      ->add_option("--cap", a->queue.room.cap,
                   "let each user run at most this many jobs at once; default: any number")
      ->check(CLI::Range(1, kMaxProcessors).description(""));
  command->add_flag("--json", a->json, "print metrics and every job as JSON");
  command->add_flag("--timeline", a->timeline,
                    "add waiting jobs and busy nodes over time to the JSON");
  command->add_option(
      "-o,--output", a->output,
      "write metrics and jobs to FILE.json, or the log with the waits of the replay to FILE.swf");
  command->add_option("--picture", a->picture,
                      "draw the machine over time in FILE.html or FILE.svg");
  command->footer(
      "Examples: dovetail replay KTH-SP2.swf.gz\n"
      "          dovetail replay log.swf --policy easy --until 7d --picture week.html");
  command->callback([a, &status] { status = run(*a); });
}

}  // namespace dovetail::cli
