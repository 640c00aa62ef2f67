// dovetail history: estimates against reality, and what to ask for next time.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "batch/table.hpp"
#include "cli/command.hpp"
#include "cli/queue/job_output.hpp"
#include "dovetail/error.hpp"
#include "dovetail/io.hpp"
#include "io/text.hpp"
#include "run/history/history_summary.hpp"

namespace dovetail::cli {

namespace {

using run::AlphaBasis;
using run::KindSummary;
using run::PerformanceHistory;
using Json = nlohmann::ordered_json;

struct HistoryArguments {
  std::string workflow = {};  // a name or a file; empty: all
  std::string machine = {};   // empty: this one
  bool waits = false;
  bool as_json = false;
};

// A kind and what is known of it.
struct Known {
  PerformanceHistory::Kind name;
  KindSummary summary;
};

std::string seconds_text(double seconds) {
  return seconds < 60 ? fmt::format("{:.3g}s", seconds) : format_duration(time_ceil(seconds));
}

std::string memory_text(std::int64_t bytes) {
  if (bytes <= 0) return "-";
  const double mebibytes = static_cast<double>(bytes) / (1024 * 1024);
  return mebibytes < 1024 ? fmt::format("{:.0f} MiB", std::max(1.0, mebibytes))
                          : fmt::format("{:.1f} GiB", mebibytes / 1024);
}

std::string processors_text(const std::vector<Count>& processors) {
  if (processors.size() > 4) {
    return fmt::format("{}..{}", processors.front(), processors.back());
  }
  return fmt::format("{}", fmt::join(processors, ","));
}

bool is_time_on_one_known(const KindSummary& summary) {
  return summary.fit.basis == AlphaBasis::fitted || summary.processors.back() == 1;
}

std::string time_on_one_text(const KindSummary& summary) {
  if (!is_time_on_one_known(summary)) return "-";
  return fmt::format("{} ({}..{})", seconds_text(summary.fit.seconds),
                     seconds_text(summary.range.seconds.low),
                     seconds_text(summary.range.seconds.high));
}

std::string alpha_text(const KindSummary& summary) {
  const bool is_doubtful = summary.fit.basis == AlphaBasis::between_tasks;
  if (!is_doubtful && summary.fit.basis != AlphaBasis::fitted) return "-";
  return fmt::format("{:.2f}{} ({:.2f}..{:.2f})", summary.fit.alpha, is_doubtful ? "?" : "",
                     summary.range.alpha.low, summary.range.alpha.high);
}

std::string error_text(const KindSummary& summary) {
  return summary.error ? fmt::format("{:.0f} %", *summary.error * 100) : "-";
}

void print_workflow(const std::string& workflow, const std::vector<Known>& kinds) {
  Table table({"  kind", "tasks", "runs", "processors", "median", "estimate off",
               "on one processor", "alpha", "peak memory"});
  Table requests({"  kind", "in the workflow file", "for a batch system"});
  for (const Known& known : kinds) {
    if (known.name.workflow != workflow) continue;
    const KindSummary& s = known.summary;
    table.add({"  " + known.name.kind, std::to_string(s.tasks), std::to_string(s.runs),
               processors_text(s.processors), seconds_text(s.median_seconds), error_text(s),
               time_on_one_text(s), alpha_text(s), memory_text(s.peak_memory)});
    requests.add(
        {"  " + known.name.kind, run::workflow_fields(s.request), run::sbatch_options(s.request)});
  }
  say("{} on {}\n{}\nsuggested requests\n{}", workflow, kinds.front().name.machine, table.text(1),
      requests.text(3));
}

Json range_json(double value, const run::Range& range) {
  return {{"value", value}, {"low", range.low}, {"high", range.high}};
}

Json to_json(const Known& known) {
  const KindSummary& s = known.summary;
  const run::ResourceRequest& request = s.request;
  Json json = {{"workflow", known.name.workflow},
               {"kind", known.name.kind},
               {"machine", known.name.machine},
               {"tasks", s.tasks},
               {"runs", s.runs},
               {"measurements", s.measurements},
               {"assumed", s.assumed},
               {"processors", s.processors},
               {"median_seconds", s.median_seconds},
               {"peak_kib", s.peak_kib},
               {"peak_memory", s.peak_memory},
               {"error", s.error ? Json(*s.error) : Json()},
               {"seconds", nullptr},
               {"alpha", nullptr}};
  if (is_time_on_one_known(s)) json["seconds"] = range_json(s.fit.seconds, s.range.seconds);
  if (s.fit.basis == AlphaBasis::fitted) json["alpha"] = range_json(s.fit.alpha, s.range.alpha);
  json["request"] = {{"processors", request.processors},
                     {"seconds", request.seconds},
                     {"alpha", request.alpha ? Json(*request.alpha) : Json()},
                     {"timeout", request.timeout_seconds},
                     {"memory_kib", request.memory_kib},
                     {"workflow_file", run::workflow_fields(request)},
                     {"sbatch", run::sbatch_options(request)}};
  return json;
}

// The name as the history has it, or that of the workflow in the file of that name.
std::string workflow_name(const std::string& given,
                          const std::vector<PerformanceHistory::Kind>& kinds) {
  const auto has = [&](const std::string& name) {
    return std::ranges::find(kinds, name, &PerformanceHistory::Kind::workflow) != kinds.end();
  };
  if (has(given)) return given;
  std::error_code ignored;
  if (std::filesystem::is_regular_file(given, ignored)) {
    const auto any_time = [](const UntimedTask&) { return TimeSpec::fixed(1); };
    std::string name =
        read_workflow(given, {.default_seconds = 1, .missing_time = any_time}).name();
    if (has(name)) return name;
    throw InputError(given + ": nothing was measured of workflow " + io::quote(name));
  }
  io::NearestWord nearest(given);
  for (const auto& kind : kinds) nearest.offer(kind.workflow);
  throw InputError("nothing was measured of a workflow " + io::quote(given) + nearest.suggestion());
}

std::vector<Known> find_known(const PerformanceHistory& history, const std::string& workflow,
                              const std::string& machine,
                              const std::vector<PerformanceHistory::Kind>& kinds) {
  std::vector<Known> found;
  for (const auto& kind : kinds) {
    if (kind.machine != machine || (!workflow.empty() && kind.workflow != workflow)) continue;
    const auto measurements = history.of(kind.workflow, kind.kind, kind.machine);
    if (const auto summary = run::summarise(measurements)) found.push_back({kind, *summary});
  }
  return found;
}

void print_nothing(const std::string& machine, const std::vector<PerformanceHistory::Kind>& kinds) {
  std::set<std::string> machines;
  for (const auto& kind : kinds) machines.insert(kind.machine);
  if (machines.empty()) {
    say("nothing has been measured yet; dovetail run measures every task that succeeds\n");
  } else {
    say("nothing has been measured on {} yet; --machine shows: {}\n", machine,
        fmt::join(machines, ", "));
  }
}

void print_all(const std::vector<Known>& known) {
  std::string last;
  for (const Known& kind : known) {
    if (kind.name.workflow == last) continue;
    if (!last.empty()) say("\n");
    last = kind.name.workflow;
    print_workflow(last, known);
  }
}

Exit show_history(const HistoryArguments& arguments) {
  if (arguments.waits) return show_waits(arguments.as_json);
  const PerformanceHistory history(PerformanceHistory::default_path());
  const auto kinds = history.kinds();
  const std::string machine = arguments.machine.empty() ? run::machine_name() : arguments.machine;
  const std::string workflow = arguments.workflow.empty() || kinds.empty()
                                   ? arguments.workflow
                                   : workflow_name(arguments.workflow, kinds);
  const auto known = find_known(history, workflow, machine, kinds);
  if (arguments.as_json) {
    Json json = {{"machine", machine}, {"kinds", Json::array()}};
    for (const Known& kind : known) json["kinds"].push_back(to_json(kind));
    say_exact(json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
  } else if (known.empty()) {
    print_nothing(machine, kinds);
  } else {
    print_all(known);
  }
  return Exit::fine;
}

}  // namespace

void add_history(CLI::App& program, Exit& status) {
  CLI::App* command = program.add_subcommand(
      "history", "show what tasks really took, and what to ask for next time");
  auto arguments = std::make_shared<HistoryArguments>();
  command->add_option("WORKFLOW", arguments->workflow, "name or file of a workflow; default: all");
  command->add_option("--machine", arguments->machine,
                      "show what was measured there; default: this machine");
  command->add_flag(
      "--waits", arguments->waits,
      "show how long jobs on " + batch::system_titles() + " waited, and how long they should have");
  command->add_flag("--json", arguments->as_json, "print JSON");
  command->footer("Example: dovetail history flow.yaml");
  command->callback([arguments, &status] { status = show_history(*arguments); });
}

}  // namespace dovetail::cli
