// Where tests find the data and the worked cases that are not part of the project.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace dovetail::testing {

inline std::filesystem::path data_dir() {
  const char* given = std::getenv("DOVETAIL_DATA");
  return given != nullptr ? given : DOVETAIL_DATA_DEFAULT;
}

inline std::filesystem::path cases_dir() {
  const char* given = std::getenv("DOVETAIL_CASES");
  return given != nullptr ? given : DOVETAIL_CASES_DEFAULT;
}

// The files of a folder that begin and end so, by name; empty when there is no such folder.
inline std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder,
                                                   const std::string& prefix,
                                                   const std::string& ending) {
  std::vector<std::filesystem::path> found;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(prefix) && name.ends_with(ending)) found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace dovetail::testing
