// Reads whole files, and writes them through a temporary file beside the target.
#include "io/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <system_error>
#include <vector>

#include "dovetail/error.hpp"
#include "dovetail/io.hpp"
#include "io/gzip_source.hpp"

namespace dovetail {

namespace {

constexpr std::size_t kMaxFileBytes = std::size_t{2} << 30U;
constexpr std::size_t kChunkBytes = std::size_t{1} << 20U;

[[noreturn]] void fail_writing(const std::string& path, int error) {
  throw ExecutionError(path + ": cannot be written: " + std::strerror(error));
}

// An open file that the destructor closes, and removes unless keep() was called.
class TemporaryFile {
 public:
  // Chooses an unused name beside the target.
  explicit TemporaryFile(const std::string& target) : target_(target) {
    constexpr int kAttempts = 100;
    for (int attempt = 0; attempt < kAttempts && descriptor_ < 0; ++attempt) {
      path_ = target + "." + std::to_string(getpid()) + "-" + std::to_string(attempt) + ".tmp";
      descriptor_ = open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      if (descriptor_ < 0 && errno != EEXIST) break;
    }
    if (descriptor_ < 0) fail_writing(target, errno);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (descriptor_ >= 0) close(descriptor_);
    if (!kept_) unlink(path_.c_str());
  }

  int descriptor() const { return descriptor_; }

  // Syncs to disk before the rename: after a crash, either the old file or the new one exists.
  void keep() {
    if (fsync(descriptor_) != 0) fail_writing(target_, errno);
    const int descriptor = descriptor_;
    descriptor_ = -1;
    if (close(descriptor) != 0) fail_writing(target_, errno);
    if (rename(path_.c_str(), target_.c_str()) != 0) fail_writing(target_, errno);
    kept_ = true;
    // Best effort: the folder may be one that we cannot open.
    io::sync_to_disk(std::filesystem::path(target_).parent_path().string());
  }

 private:
  std::string target_;
  std::string path_;
  int descriptor_ = -1;
  bool kept_ = false;
};

void write_all(int descriptor, std::string_view content, const std::string& path) {
  while (!content.empty()) {
    const ssize_t written = write(descriptor, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_writing(path, errno);
    content.remove_prefix(static_cast<std::size_t>(written));
  }
}

// Devices and pipes cannot be replaced by a file, so they are written directly.
void write_directly(const std::string& path, std::string_view content) {
  if (path == "-") {
    if (std::fflush(stdout) != 0) fail_writing("standard output", errno);
    write_all(STDOUT_FILENO, content, "standard output");
    return;
  }
  const int descriptor = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) fail_writing(path, errno);
  try {
    write_all(descriptor, content, path);
  } catch (...) {
    close(descriptor);
    throw;
  }
  if (close(descriptor) != 0) fail_writing(path, errno);
}

// A link stays a link: the file it points to is replaced.
std::string follow_link(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_symlink(path, error)) return path;
  const auto target = std::filesystem::weakly_canonical(path, error);
  return error ? path : target.string();
}

// Writes the content under a temporary name beside its target; null for targets written directly.
std::unique_ptr<TemporaryFile> write_beside(const OutputFile& file) {
  if (file.path == "-") return nullptr;
  const std::string target = follow_link(file.path);
  struct stat status {};
  const bool exists = stat(target.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) fail_writing(file.path, EISDIR);
  if (exists && !S_ISREG(status.st_mode)) return nullptr;
  auto beside = std::make_unique<TemporaryFile>(target);
  if (exists && fchmod(beside->descriptor(), status.st_mode & 07777U) != 0) {
    fail_writing(file.path, errno);
  }
  write_all(beside->descriptor(), file.content, file.path);
  return beside;
}

}  // namespace

namespace io {

int sync_to_disk(const std::string& path) {
  const char* name = path.empty() ? "." : path.c_str();
  const int file = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (file < 0) return errno;
  const int error = fsync(file) == 0 ? 0 : errno;
  close(file);
  return error == EINVAL || error == ENOTSUP || error == EROFS ? 0 : error;
}

}  // namespace io

std::string read_file(const std::string& path) {
  io::GzipSource source(path);
  std::string content;
  std::error_code unknown;
  const auto size = std::filesystem::file_size(path, unknown);
  if (!unknown && size <= kMaxFileBytes) content.reserve(size + 1);
  std::vector<char> chunk(kChunkBytes);
  while (const std::size_t got = source.read(chunk.data(), chunk.size())) {
    if (content.size() + got > kMaxFileBytes) {
      throw InputError(io::display_name(path) + ": more than 2 GiB; the file is too large");
    }
    content.append(chunk.data(), got);
  }
  return content;
}

void require_writable(const std::string& path) {
  if (path.empty() || path == "-") return;
  const std::string target = follow_link(path);
  struct stat status {};
  const bool exists = stat(target.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) fail_writing(path, EISDIR);
  if (exists && !S_ISREG(status.st_mode)) return;
  const auto folder = std::filesystem::path(target).parent_path();
  if (access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK) != 0) fail_writing(path, errno);
}

void write_file(const std::string& path, std::string_view content) {
  const OutputFile file{path, content};
  write_files({&file, 1});
}

void write_files(std::span<const OutputFile> files) {
  std::vector<std::unique_ptr<TemporaryFile>> pending;
  std::vector<const OutputFile*> direct;
  for (const OutputFile& file : files) {
    if (auto beside = write_beside(file)) {
      pending.push_back(std::move(beside));
    } else {
      direct.push_back(&file);
    }
  }
  for (const auto& file : pending) file->keep();
  for (const OutputFile* file : direct) write_directly(file->path, file->content);
}

}  // namespace dovetail
