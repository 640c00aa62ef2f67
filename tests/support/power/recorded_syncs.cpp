#include "support/power/recorded_syncs.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <filesystem>
#include <mutex>
#include <set>

namespace {

struct Record {
  std::mutex mutex;
  bool is_on = false;
  std::set<std::string> paths;
};

Record& record() {
  static Record record;
  return record;
}

}  // namespace

// Stands in for the C library's.
extern "C" int fsync(int file) {
  {
    const std::lock_guard lock(record().mutex);
    std::error_code unknown;
    const auto path =
        std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(file), unknown);
    if (record().is_on && !unknown) record().paths.insert(path.string());
  }
  return static_cast<int>(syscall(SYS_fsync, file));
}

namespace dovetail::testing {

RecordedSyncs::RecordedSyncs() {
  const std::lock_guard lock(record().mutex);
  record().is_on = true;
  record().paths.clear();
}

RecordedSyncs::~RecordedSyncs() {
  const std::lock_guard lock(record().mutex);
  record().is_on = false;
}

bool RecordedSyncs::has(const std::string& path) const {
  const std::lock_guard lock(record().mutex);
  return record().paths.contains(std::filesystem::canonical(path).string());
}

std::string RecordedSyncs::text() const {
  const std::lock_guard lock(record().mutex);
  std::string text;
  for (const std::string& path : record().paths) text += path + "\n";
  return text;
}

}  // namespace dovetail::testing
