#include "io/local_node.hpp"

#include <algorithm>
#include <fstream>
#include <string>
#include <string_view>
#include <thread>

#include "io/text.hpp"

namespace dovetail::io {

namespace {

namespace fs = std::filesystem;

// The size that the system gives all programs together, which is a little less than what is built
// in: "MemTotal:  16318480 kB".
Bytes memory_of(const fs::path& root) {
  std::ifstream file(root / "proc" / "meminfo");
  std::string name;
  Bytes kibibytes = 0;
  while (file >> name >> kibibytes) {
    constexpr Bytes kMost = kMaxMemory / 1024;
    if (name == "MemTotal:") return std::clamp<Bytes>(kibibytes, 0, kMost) * 1024;
    file.ignore(1000, '\n');
  }
  return 0;
}

// How many entries of the folder `counts` accepts; 0 when there is no such folder.
template <typename Counts>
Count entries(const fs::path& folder, Counts counts) {
  Count number = 0;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (counts(entry->path())) ++number;
  }
  return number;
}

// dev/nvidia0 and so on; beside them are nvidiactl and others.
bool is_nvidia_gpu(const fs::path& device) {
  const std::string name = device.filename().string();
  constexpr std::string_view kPrefix = "nvidia";
  return name.starts_with(kPrefix) && name.size() > kPrefix.size() &&
         std::ranges::all_of(std::string_view(name).substr(kPrefix.size()), is_digit);
}

// Processors are nodes of the topology as well, with the id 0.
bool is_amd_gpu(const fs::path& node) {
  std::ifstream file(node / "gpu_id");
  std::uint64_t id = 0;
  return file >> id && id != 0;
}

}  // namespace

NodeType local_node(const fs::path& root) {
  const unsigned threads = std::thread::hardware_concurrency();
  return {.count = 1,
          .cores = threads == 0 ? 1 : static_cast<Count>(threads),
          .memory = memory_of(root),
          .gpus = entries(root / "dev", is_nvidia_gpu) +
                  entries(root / "sys/class/kfd/kfd/topology/nodes", is_amd_gpu)};
}

}  // namespace dovetail::io
