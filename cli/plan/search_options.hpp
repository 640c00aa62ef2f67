// Options of the planner DOVETAIL, which plans by search.
#pragma once

#include <CLI/CLI.hpp>
#include <chrono>
#include <optional>
#include <string>

#include "dovetail/problem.hpp"
#include "dovetail/search.hpp"

namespace dovetail::cli {

struct SearchArguments {
  std::optional<Effort> effort;
  std::optional<std::uint64_t> trials;
  std::optional<std::uint64_t> seed;
  std::optional<unsigned> threads;
  std::optional<std::string> time_limit;
  std::optional<std::string> cpu_factor;
  std::optional<std::string> budget;  // CPU-hours
  bool is_fastest = false;
  // The time limit counts from here on: for people the reading of large files is part of it.
  std::chrono::steady_clock::time_point began = std::chrono::steady_clock::now();

  // How long to search; and how many CPU-hours may be used.
  void add(CLI::App& command);
  void add_budget(CLI::App& command);

  // Throws InputError when --budget, or any limit of CPU-hours, is given beside what takes none.
  void forbid(const std::string& beside, bool any) const;

  // The same for plans with that goal.
  void forbid_for(Goal goal) const;

  // The same for plans that are followed while things happen: not for every goal and algorithm do
  // these look at CPU-hours. An empty algorithm is the best for the goal.
  void forbid_in_events(const Problem& problem, const std::string& algorithm) const;

  // Throws InputError when options contradict each other, or have no sense.
  SearchLimits limits() const;
};

// CPU-hours above 0, as an option gives them.
double parse_budget(const std::string& text);

// The same in whole processor-milliseconds.
Area budget_area(double hours);

}  // namespace dovetail::cli
