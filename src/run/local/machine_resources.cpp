#include "run/local/machine_resources.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>

namespace dovetail::run {

namespace {

namespace fs = std::filesystem;

template <typename Number>
std::optional<Number> number_in(std::string_view text) {
  Number number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_whole = error == std::errc() && end == text.data() + text.size() && number >= 0;
  return is_whole ? std::optional(number) : std::nullopt;
}

Bytes memory_of_machine(const std::string& root) {
  std::ifstream file(root + "/proc/meminfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("MemTotal:")) continue;
    const auto begin = std::min(line.find_first_of("0123456789"), line.size());
    const auto end = std::min(line.find(' ', begin), line.size());
    return number_in<Bytes>(std::string_view(line).substr(begin, end - begin)).value_or(0) * 1024;
  }
  return 0;
}

// The control group of this process: in the common hierarchy (version 2), or in one for `kind`.
std::string group_of_self(const std::string& root, const std::string& kind) {
  std::ifstream file(root + "/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const auto first = line.find(':');
    const auto second = line.find(':', std::min(first, line.size() - 1) + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    if (line.substr(first + 1, second - first - 1) == kind) return line.substr(second + 1);
  }
  return {};
}

// The smallest limit of the group and of those around it. A group that says "max" has none.
Bytes limit_of(const fs::path& top, const std::string& group, const char* name, Bytes known) {
  fs::path path = fs::path(group).relative_path();
  for (;;) {
    std::ifstream file(top / path / name);
    std::string text;
    if (file >> text) known = std::min(known, number_in<Bytes>(text).value_or(known));
    if (path.empty()) return known;
    path = path.parent_path();
  }
}

bool is_allowed(int gpu, const char* visible) {
  if (visible == nullptr) return true;
  std::string_view rest = visible;
  std::vector<int> allowed;
  while (!rest.empty()) {
    const auto comma = std::min(rest.find(','), rest.size());
    const auto number = number_in<int>(rest.substr(0, comma));
    // Names of devices say nothing about numbers; anything else means none from there on.
    if (!number && (rest.starts_with("GPU-") || rest.starts_with("MIG-"))) return true;
    if (!number) break;
    allowed.push_back(*number);
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return std::ranges::find(allowed, gpu) != allowed.end();
}

std::vector<int> gpus_of_machine(const std::string& root) {
  constexpr std::string_view kPrefix = "nvidia";
  std::vector<int> gpus;
  std::error_code error;
  for (fs::directory_iterator next(root + "/dev", error), end; !error && next != end;
       next.increment(error)) {
    const std::string name = next->path().filename().string();
    if (!name.starts_with(kPrefix)) continue;
    const auto number = number_in<int>(std::string_view(name).substr(kPrefix.size()));
    if (number && is_allowed(*number, std::getenv("CUDA_VISIBLE_DEVICES"))) {
      gpus.push_back(*number);
    }
  }
  std::ranges::sort(gpus);
  return gpus;
}

}  // namespace

MachineResources MachineResources::read(const std::string& root) {
  MachineResources found{.memory = memory_of_machine(root), .gpus = gpus_of_machine(root)};
  if (found.memory == 0) return found;
  const std::string groups = root + "/sys/fs/cgroup";
  found.memory = limit_of(groups, group_of_self(root, ""), "memory.max", found.memory);
  found.memory = limit_of(groups + "/memory", group_of_self(root, "memory"),
                          "memory.limit_in_bytes", found.memory);
  return found;
}

}  // namespace dovetail::run
