// A run as far as its folder tells.
#pragma once

#include <optional>
#include <string>

#include "run/run_description.hpp"
#include "run/run_folder.hpp"
#include "run/run_state.hpp"

namespace dovetail::run {

struct KnownRun {
  // Throws InputError when there is no such run.
  explicit KnownRun(const std::string& id);
  explicit KnownRun(const RunFolder& run);
  KnownRun(const RunFolder& run, RunDescription known);

  // "running", "done", "failed", "interrupted" or "cancelled".
  std::string condition() const;

  // How many processors may be used.
  Count limit() const;

  // The task of that name; throws InputError that names the nearest.
  std::uint32_t task(const std::string& name) const;

  RunFolder folder;
  RunDescription description;
  Problem problem;
  RunState state;
  std::optional<ProcessName> holder;  // the process that works on it
};

// "waiting", "running", "done", "failed".
const char* name_of(TaskState state);

// How an attempt ended: "done in 2s", "failed with exit code 7 after 1m".
std::string end_text(const TaskStatus& status);

}  // namespace dovetail::run
