// What the kinds of things that `dovetail generate` makes have in common.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "cli/command.hpp"

namespace dovetail::cli {

// Each adds a subcommand to `generate`.
void add_generate_workflow(CLI::App& generate, Exit& status);
void add_generate_workload(CLI::App& generate, Exit& status);
void add_generate_reservations(CLI::App& generate, Exit& status);
void add_generate_ensemble(CLI::App& generate, Exit& status);

// --seed; `what` is what the same seed gives again.
void add_seed(CLI::App& command, std::uint64_t& seed, const std::string& what);

// Says what a file now holds, unless the thing itself went to standard output.
void report_made(const std::string& output, const std::string& what);

}  // namespace dovetail::cli
