#include "federation/daemon/month_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>

#include "dovetail/error.hpp"
#include "io/file.hpp"
#include "run/local/descriptor.hpp"
#include "run/local/disk_sync.hpp"

namespace dovetail::federation {

namespace {

namespace fs = std::filesystem;

constexpr const char* kPostDone = "/post-done";
constexpr std::string_view kMonth = "month-";
constexpr int kLevelsOfData = 3;  // DATA/CLIENT/EXPERIMENT above a scenario

[[noreturn]] void fail_to_write(const std::string& path, const std::string& why) {
  throw ExecutionError(path + ": cannot be written: " + why);
}

void sync_to_disk(const std::string& path) {
  if (const int error = io::sync_to_disk(path)) fail_to_write(path, std::strerror(error));
}

void write_unsynced(const std::string& path, std::string_view text) {
  const run::Descriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (!file.is_open()) fail_to_write(path, std::strerror(errno));
  const ssize_t wrote = write(file.get(), text.data(), text.size());
  if (wrote == static_cast<ssize_t>(text.size())) return;
  fail_to_write(path, std::strerror(wrote < 0 ? errno : ENOSPC));
}

// Each sync of a file waits for the disk. Of many files that takes minutes, and one sync of the
// whole file system less than a second; but that one also waits for what others have written.
void sync_all(const std::vector<std::string>& paths) {
  constexpr std::size_t kFewPaths = 32;
  std::set<dev_t> synced;
  for (const std::string& path : paths) {
    struct stat about {};
    if (paths.size() <= kFewPaths) {
      sync_to_disk(path);
    } else if (stat(path.c_str(), &about) != 0) {
      fail_to_write(path, std::strerror(errno));
    } else if (synced.insert(about.st_dev).second) {
      const run::Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
      if (!file.is_open() || syncfs(file.get()) != 0) fail_to_write(path, std::strerror(errno));
    }
  }
}

// Links may lead anywhere, also to themselves: they are on disk with their folder.
void sync_tree(const std::string& folder) {
  try {
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      if (entry.is_symlink()) continue;
      if (entry.is_regular_file() || entry.is_directory()) sync_to_disk(entry.path().string());
    }
  } catch (const fs::filesystem_error& error) {
    fail_to_write(folder, error.code().message());
  }
  sync_to_disk(folder);
}

}  // namespace

MonthFolder::MonthFolder(const std::string& data, const MonthRequest& request, Count scenario)
    : path_(fmt::format("{}/{}/{}/s{}", data, request.client, request.experiment, scenario)) {}

void MonthFolder::claim(const std::string& request) const { claim_all({this, 1}, request); }

// All contents are on disk before the first claim gets its name: a claim is never seen half
// written, also after a power failure. All names are on disk before the request is written down.
void claim_all(std::span<const MonthFolder> folders, const std::string& request) {
  const auto claim_of = [](const MonthFolder& folder) { return folder.path() + "/claim"; };
  std::vector<std::string> written;
  std::vector<std::string> named;
  for (const MonthFolder& folder : folders) {
    std::error_code error;
    fs::create_directories(folder.path(), error);
    if (error) fail_to_write(folder.path(), error.message());
    written.push_back(claim_of(folder) + "." + request);
    write_unsynced(written.back(), request + "\n");
    named.push_back(folder.path());
  }
  sync_all(written);
  for (std::size_t i = 0; i < folders.size(); ++i) {
    const std::string claim = claim_of(folders[i]);
    if (rename(written[i].c_str(), claim.c_str()) != 0) fail_to_write(claim, std::strerror(errno));
  }
  // The folders may be new, and those around them.
  fs::path around = named.front();
  for (int level = 0; level < kLevelsOfData; ++level) {
    around = around.parent_path();
    named.push_back(around.string());
  }
  sync_all(named);
  // The owner may have named a folder that the daemon has just made.
  run::sync_folders(around.string());
}

std::string MonthFolder::owner() const {
  const std::string claim = path_ + "/claim";
  std::error_code error;
  if (!fs::exists(claim, error) && !error) return {};
  std::ifstream file(claim);
  std::string request;
  if (!std::getline(file, request)) {
    throw ExecutionError(claim + ": cannot be read: " + std::strerror(errno));
  }
  return request;
}

std::string MonthFolder::month(Count month) const {
  return fmt::format("{}/{}{:05}", path_, kMonth, month);
}

std::string MonthFolder::work(const MonthStep& step) const {
  return fmt::format("{}/work-{:05}.{}.{}", path_, step.month, step.request.id, step.number);
}

bool MonthFolder::is_done(Count number) const {
  std::error_code missing;
  return fs::is_directory(month(number), missing);
}

bool MonthFolder::is_post_done(Count number) const {
  std::error_code missing;
  return fs::exists(month(number) + kPostDone, missing);
}

Count MonthFolder::last_done() const {
  Count last = 0;
  std::error_code missing;
  for (const auto& entry : fs::directory_iterator(path_, missing)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(kMonth) || !entry.is_directory(missing)) continue;
    Count month = 0;
    const char* end = name.data() + name.size();
    const auto [rest, error] = std::from_chars(name.data() + kMonth.size(), end, month);
    if (error == std::errc() && rest == end) last = std::max(last, month);
  }
  return last;
}

std::optional<FoundScenario> MonthFolder::find(Count number, Count first, Count months,
                                               bool has_posts) const {
  if (first > 1 && !is_done(first - 1)) return std::nullopt;
  FoundScenario found{.number = number, .first = first, .done = first - 1};
  while (found.done < months && is_done(found.done + 1)) ++found.done;
  for (Count done = 1; has_posts && done <= found.done; ++done) {
    if (is_done(done) && !is_post_done(done)) found.open_posts.push_back(done);
  }
  return found;
}

void MonthFolder::begin(const MonthStep& step) const {
  std::error_code error;
  const std::string folder = work(step);
  fs::remove_all(folder, error);
  fs::create_directories(folder, error);
  if (error) fail_to_write(folder, error.message());
}

void MonthFolder::settle(const MonthStep& step) const {
  if (!is_done(step.month)) sync_tree(work(step));
}

void MonthFolder::publish(const MonthStep& step) const {
  if (is_done(step.month)) return discard(step);
  const std::string folder = work(step);
  std::error_code error;
  fs::rename(folder, month(step.month), error);
  if (error && is_done(step.month)) return discard(step);
  if (error) fail_to_write(month(step.month), error.message());
  sync_to_disk(path_);
}

void MonthFolder::mark_post_done(Count number) const {
  const std::string mark = month(number) + kPostDone;
  {
    const run::Descriptor file(open(mark.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
    if (!file.is_open()) fail_to_write(mark, std::strerror(errno));
  }
  sync_to_disk(mark);
  sync_to_disk(month(number));
}

void MonthFolder::discard(const MonthStep& step) const {
  std::error_code ignored;
  fs::remove_all(work(step), ignored);
}

}  // namespace dovetail::federation
