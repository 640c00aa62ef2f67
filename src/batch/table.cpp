#include "batch/table.hpp"

#include <algorithm>
#include <array>

#include "batch/slurm/slurm_client.hpp"
#include "dovetail/error.hpp"
#include "io/text.hpp"

namespace dovetail::batch {

namespace {

template <typename System>
std::unique_ptr<BatchSystem> make(const CallOptions& options) {
  return std::make_unique<System>(options);
}

constexpr std::array kSystems = {
    SystemInfo{"slurm", slurm::kTitle, "by its commands: sbatch, squeue, ...", make<slurm::Client>},
};

std::string all(std::string_view SystemInfo::*field) {
  std::string text;
  for (const SystemInfo& system : kSystems) {
    text += (text.empty() ? "" : " or ") + std::string(system.*field);
  }
  return text;
}

}  // namespace

std::span<const SystemInfo> systems() { return kSystems; }

const SystemInfo* find_system(std::string_view name) {
  const auto found = std::ranges::find(kSystems, name, &SystemInfo::name);
  return found == kSystems.end() ? nullptr : &*found;
}

const SystemInfo& system_named(std::string_view name) {
  if (const SystemInfo* system = find_system(name)) return *system;
  throw InputError("there is no batch system " + io::quote(name) + "; known: " + system_names());
}

std::string system_names() { return all(&SystemInfo::name); }
std::string system_titles() { return all(&SystemInfo::title); }

std::unique_ptr<BatchSystem> system_around_us() {
  for (const SystemInfo& info : kSystems) {
    auto system = info.make({});
    if (system->is_around_us()) return system;
  }
  return kSystems.front().make({});
}

}  // namespace dovetail::batch
