// The batch systems that Dovetail speaks to. A new one is a folder below this one and a line in
// table.cpp; docs/adding-a-batch-system.md says how.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "batch/system.hpp"

namespace dovetail::batch {

struct SystemInfo {
  std::string_view name;     // of -c, and in files; one of kBatchSystems
  std::string_view title;    // in messages
  std::string_view summary;  // how Dovetail speaks to it
  std::unique_ptr<BatchSystem> (*make)(const CallOptions& options);
};

std::span<const SystemInfo> systems();

// Nothing when there is none of that name.
const SystemInfo* find_system(std::string_view name);

// Throws InputError, which names the known ones.
const SystemInfo& system_named(std::string_view name);

// For help texts, with "or" between them.
std::string system_names();
std::string system_titles();

// The system of the job that we are in; without a job the first, which says what is missing.
std::unique_ptr<BatchSystem> system_around_us();

}  // namespace dovetail::batch
