// Where tests find their files: those of the project in tests/data, the large logs and the whole
// collections of workflows in the folder that the environment's DOVETAIL_DATA names.
//
//   for (const auto& file : files_in(cases_dir(), "fair-", ".json")) ...
//   if (!archive_dir()) GTEST_SKIP() << kNoArchive;
#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "test_places.hpp"

namespace dovetail::testing {

// The worked cases.
inline std::filesystem::path cases_dir() { return DOVETAIL_SOURCE_DIR "/tests/data/cases"; }

// A few small real files, in the same folders as in the archive: swf, dax/glume, wfinstances.
inline std::filesystem::path real_dir() { return DOVETAIL_SOURCE_DIR "/tests/data/real"; }

// All of them, which are too large for the project.
inline std::optional<std::filesystem::path> archive_dir() {
  const char* given = std::getenv("DOVETAIL_DATA");
  if (given == nullptr || *given == '\0') return std::nullopt;
  return given;
}

inline constexpr const char* kNoArchive =
    "needs the large logs and workflows; set DOVETAIL_DATA to their folder, see "
    "tests/data/README.md";

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
