#include "run/local/memory_group.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "run/local/descriptor.hpp"

namespace dovetail::run {

namespace {

namespace fs = std::filesystem;

std::string text_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

bool has_word(const std::string& text, const std::string& word) {
  std::istringstream words(text);
  for (std::string next; words >> next;) {
    if (next == word) return true;
  }
  return false;
}

bool write_value(const std::string& path, const std::string& value) {
  const Descriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  return file.is_open() && write(file.get(), value.data(), value.size()) >= 0;
}

// Where the hierarchy of version 2 is mounted: alone, or beside those of version 1.
std::string top_of_groups(const std::string& root) {
  for (const char* place : {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"}) {
    if (access((root + place + "/cgroup.controllers").c_str(), F_OK) == 0) return root + place;
  }
  return {};
}

std::string group_of_self(const std::string& root) {
  std::ifstream file(root + "/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("0::/")) return line.substr(4);
  }
  return {};
}

bool may_divide(const std::string& group) {
  return has_word(text_of(group + "/cgroup.subtree_control"), "memory") &&
         access(group.c_str(), W_OK) == 0 && access((group + "/cgroup.procs").c_str(), W_OK) == 0;
}

}  // namespace

std::string delegated_group(const std::string& root) {
  const std::string top = top_of_groups(root);
  if (top.empty()) return {};
  for (fs::path group = group_of_self(root);; group = group.parent_path()) {
    const std::string path = group.empty() ? top : top + "/" + group.string();
    if (may_divide(path)) return path;
    if (group.empty()) return {};
  }
}

// What it may not have as memory it may not have on disk either.
MemoryGroup::MemoryGroup(const std::string& parent, const std::string& name, Bytes limit) {
  const std::string path = parent + "/" + name;
  rmdir(path.c_str());  // left by a process of the same number
  if (mkdir(path.c_str(), 0700) != 0) return;
  if (!write_value(path + "/memory.max", std::to_string(limit))) {
    rmdir(path.c_str());
    return;
  }
  write_value(path + "/memory.swap.max", "0");
  write_value(path + "/memory.oom.group", "1");
  path_ = path;
  entrance_ = path + "/cgroup.procs";
}

// A group goes when its last process has: that may take a moment.
MemoryGroup::~MemoryGroup() {
  constexpr int kTries = 50;
  for (int i = 0; is_made() && rmdir(path_.c_str()) != 0 && errno == EBUSY && i < kTries; ++i) {
    usleep(1000);
  }
}

bool MemoryGroup::has_killed() const {
  if (!is_made()) return false;
  std::istringstream events(text_of(path_ + "/memory.events"));
  std::string name;
  for (long count = 0; events >> name >> count;) {
    if (name == "oom_kill") return count > 0;
  }
  return false;
}

Bytes MemoryGroup::peak() const {
  if (!is_made()) return 0;
  std::istringstream text(text_of(path_ + "/memory.peak"));
  Bytes bytes = 0;
  return text >> bytes ? bytes : 0;
}

}  // namespace dovetail::run
