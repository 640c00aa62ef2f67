#include "cli/run/room_options.hpp"

#include <algorithm>
#include <vector>

#include "cli/command.hpp"
#include "dovetail/nodes.hpp"
#include "io/text.hpp"
#include "run/local/machine_resources.hpp"
#include "run/local/memory_group.hpp"

namespace dovetail::cli {

void RoomArguments::add(CLI::App& command) {
  command
      .add_option("--memory", memory,
                  "let tasks that say how much memory they need have this much together, such as "
                  "16G; default: what this machine has")
      ->check([](const std::string& text) {
        const auto size = parse_size(text);
        return size && *size > 0
                   ? std::string()
                   : "expected a size such as 512M, 4G or 1.5T, found " + io::quote(text);
      });
  command
      .add_option(
          "--gpus", gpus,
          "let tasks that need GPUs have this many together; default: those of this machine")
      ->check(CLI::Range(0, kMaxProcessors));
  command.add_flag("--memory-limit", limits_memory,
                   "end a task that uses more memory than its file says it needs");
}

namespace {

// Of all nodes together.
run::MemoryAndGpus of_nodes(const std::vector<NodeType>& types) {
  Bytes memory = 0;
  std::int64_t gpus = 0;
  bool is_known = true;
  for (const NodeType& type : types) {
    is_known = is_known && type.memory > 0;
    memory =
        std::min(kMaxMemory, memory + std::min(type.memory, kMaxMemory / type.count) * type.count);
    gpus = std::min<std::int64_t>(kMaxProcessors, gpus + std::int64_t{type.count} * type.gpus);
  }
  return {.memory = is_known ? memory : 0, .gpus = static_cast<Count>(gpus)};
}

}  // namespace

run::MemoryAndGpus RoomArguments::limit(const Platform& platform) const {
  const auto here = run::MachineResources::read();
  run::MemoryAndGpus limit{.memory = here.memory, .gpus = static_cast<Count>(here.gpus.size())};
  const auto& types = platform.clusters().front().node_types;
  if (!types.empty()) limit = of_nodes(types);
  if (memory) limit.memory = *parse_size(*memory);
  if (gpus) limit.gpus = *gpus;
  return limit;
}

std::string memory_limit_note() {
  const std::string group = run::delegated_group();
  return group.empty() ? "memory limits: the addresses of each process, and a look at each task "
                         "every second; no control group (cgroup v2) may be divided here"
                       : "memory limits: control groups below " + group;
}

}  // namespace dovetail::cli
