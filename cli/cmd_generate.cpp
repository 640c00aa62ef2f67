// dovetail generate: seeded workflows, workloads, reservation schedules and ensembles.
#include <fmt/format.h>

#include <charconv>

#include "generate.hpp"
#include "io/text.hpp"

namespace dovetail::cli {

void add_seed(CLI::App& command, std::uint64_t& seed, const std::string& what) {
  // Checked here because the library would take numbers that do not fit for the largest one.
  const auto problem = [](const std::string& text) {
    std::uint64_t value = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, value);
    return error == std::errc{} && rest == end
               ? std::string()
               : "expected a whole number from 0 to 2^64 - 1, found " + io::quote(text);
  };
  command.add_option("--seed", seed, "the same seed gives the same " + what)->check(problem, "");
}

void report_made(const std::string& output, const std::string& what) {
  if (output != "-") fmt::print("{}: {}\n", output, what);
}

void add_generate(CLI::App& program, Exit& status) {
  CLI::App* command =
      program.add_subcommand("generate", "seeded workflows, workloads, reservations and ensembles");
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
