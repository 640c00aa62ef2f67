// dovetail generate: seeded workflows, workloads, reservation schedules and ensembles.
#include <fmt/format.h>

#include <charconv>

#include "cli/make/generate.hpp"
#include "io/text.hpp"

namespace dovetail::cli {

void add_seed(CLI::App& command, std::uint64_t& seed, const std::string& what) {
  command.add_option("--seed", seed, "draw with this seed; the same seed gives the same " + what)
      ->check(whole_number_problem, "");
}

void report_made(const std::string& output, const std::string& what) {
  if (output != "-") say("{}: {}\n", output, what);
}

void add_generate(CLI::App& program, Exit& status) {
  CLI::App* command = program.add_subcommand(
      "generate", "make workflows, workloads, reservations and ensembles from a seed");
  command->require_subcommand(1);
  command->footer(
      "Examples: dovetail generate workflow --shape montage --tasks 250 --hours 500 -o flow.yaml\n"
      "          dovetail generate workload --nodes 128 --jobs 10000 -o log.swf\n"
      "          dovetail generate reservations --processors 128 -o cluster.yaml");
  add_generate_workflow(*command, status);
  add_generate_workload(*command, status);
  add_generate_reservations(*command, status);
  add_generate_ensemble(*command, status);
}

}  // namespace dovetail::cli
