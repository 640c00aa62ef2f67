// dovetail run over the clusters of a federation.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "command.hpp"

namespace dovetail::cli {

struct FederationArguments {
  std::string agent = {};
  std::string keys = {};
  double deadline = 5;     // seconds for answers
  double lost_after = 30;  // seconds
  double look_again = 10;  // seconds
  std::string repartition = "greedy";
  bool cancels = false;

  void add(CLI::App& command);
  bool is_given() const { return !agent.empty(); }
  // Throws InputError when one is given that needs an agent.
  void require_none() const;
};

// An ensemble over the clusters, or a workflow on the one where it ends first, from its file.
Exit run_federated(const std::string& file, const FederationArguments& arguments, bool is_new,
                   bool is_dry);

}  // namespace dovetail::cli
