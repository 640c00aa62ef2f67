// The options that say what a run may take of this machine beside processors.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "dovetail/platform.hpp"
#include "run/local/memory_and_gpus.hpp"

namespace dovetail::cli {

struct RoomArguments {
  std::optional<std::string> memory = {};
  std::optional<Count> gpus = {};
  bool limits_memory = false;

  void add(CLI::App& command);

  bool are_given() const { return memory || gpus || limits_memory; }

  // What is given, else what the cluster's file says of its nodes, else what this machine has.
  run::MemoryAndGpus limit(const Platform& platform) const;
};

// How memory is limited on this machine, in a line for people.
std::string memory_limit_note();

}  // namespace dovetail::cli
