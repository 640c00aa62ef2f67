// A file system in a file, mounted for as long as this lives. Needs root and loop devices.
#pragma once

#include <string>

namespace dovetail::testing {

class LoopMount {
 public:
  // Throws std::runtime_error when it cannot be mounted.
  LoopMount(const std::string& image, const std::string& folder, const std::string& file_system);
  ~LoopMount();
  LoopMount(const LoopMount&) = delete;
  LoopMount& operator=(const LoopMount&) = delete;

 private:
  std::string folder_;
};

}  // namespace dovetail::testing
