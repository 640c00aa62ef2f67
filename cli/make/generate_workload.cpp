// dovetail generate workload: a synthetic log of a batch queue.
#include <fmt/format.h>

#include "cli/make/generate.hpp"
#include "dovetail/error.hpp"
#include "dovetail/io.hpp"
#include "gen/workload.hpp"
#include "io/text.hpp"

namespace dovetail::cli {

namespace {

struct WorkloadArguments {
  gen::WorkloadSpec spec;
  std::string longest_request = "18h";
  std::string output = "-";
};

Duration read_longest_request(const std::string& text) {
  const std::optional<double> seconds = parse_duration(text);
  if (!seconds) {
    throw InputError("--max-request: expected a duration such as 18h or 90m, found " +
                     io::quote(text));
  }
  return time_floor(*seconds);
}

bool is_json(const WorkloadArguments& arguments) { return arguments.output.ends_with(".json"); }

// Throws InputError for options that would have no effect, and for files that cannot be made.
void check_arguments(const CLI::App& command, const WorkloadArguments& arguments) {
  const auto only_with = [&](const char* option, gen::RequestKind kind) {
    if (command.count(option) == 0 || arguments.spec.requests == kind) return;
    throw InputError(fmt::format("{}: only for --requests {}", option, gen::to_string(kind)));
  };
  only_with("--max-share", gen::RequestKind::tsafrir);
  only_with("--factor", gen::RequestKind::factor);
  only_with("--round-up", gen::RequestKind::factor);
  if (arguments.spec.users > 0 && is_json(arguments)) {
    throw InputError("--users: a JSON job list has no users; write a .swf file");
  }
  if (arguments.output.ends_with(".gz")) {
    throw InputError(arguments.output +
                     ": is not written compressed; leave out the .gz and use gzip afterwards");
  }
}

std::string summary(const gen::Workload& workload) {
  std::vector<gen::LublinJob> jobs;
  double over = 0;
  for (const gen::WorkloadJob& job : workload.jobs) {
    jobs.push_back({job.submit, job.run, job.procs});
    over += to_seconds(job.request - job.run) / 3600 / static_cast<double>(workload.jobs.size());
  }
  const Count nodes = workload.spec.lublin.processors;
  return fmt::format("{}, {}, load {:.2f}, requests {:.1f} h above the run time, seed {}",
                     counted(jobs.size(), "job"), counted(static_cast<std::size_t>(nodes), "node"),
                     gen::offered_load(jobs, nodes), over, workload.spec.seed);
}

Exit generate_workload(const CLI::App& command, WorkloadArguments arguments) {
  check_arguments(command, arguments);
  arguments.spec.longest_request = read_longest_request(arguments.longest_request);
  const gen::Workload workload = gen::make_workload(arguments.spec);
  write_file(arguments.output, is_json(arguments) ? gen::format_job_list(workload)
                                                  : io::format_swf(gen::to_swf(workload)));
  report_made(arguments.output, summary(workload));
  return Exit::fine;
}

void add_job_options(CLI::App& command, gen::WorkloadSpec& spec) {
  command.add_option("--nodes", spec.lublin.processors, "give the machine this many nodes")
      ->check(CLI::Range(1, kMaxProcessors).description(""));
  command.add_option("--jobs", spec.lublin.jobs, "make this many jobs");
  add_choice<gen::LublinTypes>(
      command, "--types", spec.lublin.types,
      {{"single", gen::LublinTypes::single},
       {"batch", gen::LublinTypes::batch},
       {"interactive", gen::LublinTypes::interactive},
       {"both", gen::LublinTypes::both}},
      "choose the kinds of jobs: single (default), the fit of one kind to all, "
      "or batch, interactive, both");
  command.add_option(
      "--load", spec.load,
      "stretch the submit times to this offered load; default: unchanged, about 0.7 for single");
  command.add_option("--users", spec.users,
                     "assign the jobs to this many users by Zipf's law; 0: unknown");
}

void add_request_options(CLI::App& command, WorkloadArguments& arguments) {
  gen::WorkloadSpec& spec = arguments.spec;
  add_choice<gen::RequestKind>(
      command, "--requests", spec.requests,
      {{"tsafrir", gen::RequestKind::tsafrir},
       {"exact", gen::RequestKind::exact},
       {"factor", gen::RequestKind::factor}},
      "choose the requested times: tsafrir (default), as users choose them; "
      "exact; or factor, the run time x (1 + u factor)");
  command.add_option("--max-request", arguments.longest_request,
                     "set the queue's limit, 1h or more; longer runs are cut to it");
  command.add_option("--max-share", spec.tsafrir.longest_percent,
                     "tsafrir: let this percentage of the jobs ask for the limit; default 21.7");
  command.add_option("--factor", spec.factor.factor,
                     "factor: set the factor; u is uniform from 0 to 1");
  command.add_flag("--round-up", spec.factor.round_up,
                   "factor: round up to a usual value, such as 5m, 1h, 12h");
}

}  // namespace

void add_generate_workload(CLI::App& generate, Exit& status) {
  const auto [command, a] = add_verb<WorkloadArguments>(
      generate, status, "workload", "make a log of a batch queue's jobs", generate_workload);
  command.option_defaults()->always_capture_default();
  add_job_options(command, a.spec);
  add_request_options(command, a);
  add_seed(command, a.spec.seed, "workload");
  command.add_option("-o,--output", a.output,
                     "write this file; .json is a job list, all else SWF; - is standard output");
  command.footer(
      "Examples: dovetail generate workload --nodes 100 --jobs 5000 --load 0.8 -o log.swf\n"
      "          dovetail generate workload --types both --requests factor --factor 2 -o log.json");
}

}  // namespace dovetail::cli
