#include "run/local/disk_sync.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <set>

#include "io/file.hpp"

namespace dovetail::run {

namespace {

namespace fs = std::filesystem;

// 0 or an error number. A file may be gone, or not ours to read.
int sync_one(const std::string& path) {
  constexpr int kOutOfReach[] = {ENOENT, ENOTDIR, EACCES, EPERM, ELOOP, ENXIO, ENODEV};
  const int error = io::sync_to_disk(path);
  return std::ranges::find(kOutOfReach, error) == std::end(kOutOfReach) ? error : 0;
}

// Adds the folders above a path, up to the root.
void add_folders(fs::path path, std::set<std::string>& folders) {
  while (path.has_relative_path()) {
    path = path.parent_path();
    if (!folders.insert(path.empty() ? "." : path.string()).second) return;
  }
}

std::string text_of(const std::string& path, int error) {
  return path + ": cannot be written to disk: " + std::strerror(error);
}

// A file, or a folder with all that is in it; links are not followed inside it.
std::string sync_tree(const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) {
    fs::recursive_directory_iterator entries(path, fs::directory_options::skip_permission_denied,
                                             error);
    for (; !error && entries != fs::recursive_directory_iterator(); entries.increment(error)) {
      std::error_code unknown;
      const fs::file_status status = entries->symlink_status(unknown);
      if (!fs::is_regular_file(status) && !fs::is_directory(status)) continue;
      const std::string name = entries->path().string();
      if (const int failed = sync_one(name)) return text_of(name, failed);
    }
  }
  const int failed = sync_one(path);
  return failed == 0 ? "" : text_of(path, failed);
}

}  // namespace

std::string sync_files(const std::vector<std::string>& paths) {
  std::set<std::string> folders;
  for (const std::string& path : paths) {
    std::error_code error;
    if (!fs::exists(path, error)) continue;
    if (std::string trouble = sync_tree(path); !trouble.empty()) return trouble;
    add_folders(path, folders);
    // A link leads to a file whose name is in another folder.
    const fs::path real = fs::canonical(path, error);
    if (!error) add_folders(real, folders);
  }
  for (const std::string& folder : folders) {
    if (const int failed = sync_one(folder)) return text_of(folder, failed);
  }
  return {};
}

void sync_folders(const std::string& folder) {
  std::set<std::string> folders{folder};
  add_folders(folder, folders);
  for (const std::string& path : folders) sync_one(path);
}

}  // namespace dovetail::run
