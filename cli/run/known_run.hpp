// A run as far as its folder tells, for the commands that show or change one.
#pragma once

#include <optional>
#include <string>

#include "cli/run/run_description.hpp"
#include "run/run_folder.hpp"
#include "run/run_state.hpp"

namespace dovetail::cli {

struct KnownRun {
  // Throws InputError when there is no such run.
  explicit KnownRun(const std::string& id);
  explicit KnownRun(const run::RunFolder& run);

  // "running", "done", "failed", "interrupted" or "cancelled".
  std::string condition() const;

  // How many processors may be used.
  Count limit() const;

  // The task of that name; throws InputError that names the nearest.
  std::uint32_t task(const std::string& name) const;

  run::RunFolder folder;
  RunDescription description;
  Problem problem;
  run::RunState state;
  std::optional<run::ProcessName> holder;  // who works on it
};

// "waiting", "running", "done", "failed".
const char* name_of(run::TaskState state);

// How an attempt ended: "done in 2s", "failed with exit code 7 after 1m".
std::string end_text(const run::TaskStatus& status);

}  // namespace dovetail::cli
