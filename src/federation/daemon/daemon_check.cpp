#include "federation/daemon/daemon_check.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>

#include "dovetail/error.hpp"

namespace dovetail::federation {

namespace {

namespace fs = std::filesystem;

void require_writable(const std::string& data) {
  std::error_code error;
  fs::create_directories(data, error);
  if (error) throw InputError(fmt::format("data: {}: cannot be made: {}", data, error.message()));
  // Rights are not all: the file system may be read-only.
  std::string probe = data + "/.dovetail-XXXXXX";
  const int file = mkstemp(probe.data());
  if (file < 0) {
    throw InputError(fmt::format("data: {}: cannot be written: {}", data, std::strerror(errno)));
  }
  close(file);
  unlink(probe.c_str());
}

bool is_program(const std::string& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && access(path.c_str(), X_OK) == 0;
}

bool is_in_path(const std::string& program) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (is_program(folder + "/" + program)) return true;
  }
  return false;
}

// Empty when there is nothing to say.
std::string doubt_of(const Arguments& words) {
  if (words.empty() || words.front().find('{') != std::string::npos) return {};
  const std::string& program = words.front();
  if (program.find('/') == std::string::npos) {
    return is_in_path(program) ? "" : program + ": not found in PATH";
  }
  if (program.front() != '/') {
    return program + ": begins in the folder of each month; name it by its full path";
  }
  return is_program(program) ? "" : program + ": no such program";
}

}  // namespace

void require_usable(const DaemonDescription& description) {
  require_writable(description.data);
  for (const Service& service : description.services) {
    if (service.main.empty() || service.times.main.front().procs <= description.processors) {
      continue;
    }
    throw InputError(
        fmt::format("service {}: times: the smallest group has {} processors, and the cluster {}",
                    service.name, service.times.main.front().procs, description.processors));
  }
}

std::vector<std::string> doubts_of(const DaemonDescription& description) {
  std::vector<std::string> doubts;
  for (const Service& service : description.services) {
    const auto add = [&](const std::string& doubt) {
      if (!doubt.empty()) doubts.push_back(fmt::format("service {}: {}", service.name, doubt));
    };
    add(doubt_of(service.main));
    add(doubt_of(service.post));
    if (!service.command.empty() && service.command.front().front() != '.') {
      add(doubt_of(service.command));
    }
    if (service.main.empty()) continue;
    const Count largest = service.times.main.back().procs;
    if (largest > description.processors) {
      add(fmt::format("times: a group of {} processors never fits into {}", largest,
                      description.processors));
    }
  }
  return doubts;
}

}  // namespace dovetail::federation
