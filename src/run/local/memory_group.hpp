// A control group (cgroup version 2) for one task, which limits the memory of all its processes
// together: the kernel ends it when it uses more. Needs a group that the system lets this user
// divide, such as those below a user's own systemd.
//
//   const std::string parent = delegated_group();   // empty: there is none
//   MemoryGroup group(parent, "dovetail-4711", 2 * kGibibyte);
//   if (group.is_made()) ...                        // the task enters group.entrance()
//   group.has_killed(); group.peak();
#pragma once

#include <string>

#include "dovetail/nodes.hpp"

namespace dovetail::run {

// The nearest group around this process below which groups with a memory limit can be made. `root`
// is a folder that stands for /, for tests.
std::string delegated_group(const std::string& root = "");

class MemoryGroup {
 public:
  // None at all.
  MemoryGroup() = default;
  // Makes it below that one.
  MemoryGroup(const std::string& parent, const std::string& name, Bytes limit);
  ~MemoryGroup();
  MemoryGroup(const MemoryGroup&) = delete;
  MemoryGroup& operator=(const MemoryGroup&) = delete;

  bool is_made() const { return !path_.empty(); }

  // The file into which a process writes 0 to enter it, before it becomes the task.
  const std::string& entrance() const { return entrance_; }

  // Whether the kernel has ended one of its processes for the limit.
  bool has_killed() const;

  // The most that its processes used; 0: not known.
  Bytes peak() const;

 private:
  std::string path_;
  std::string entrance_;
};

}  // namespace dovetail::run
