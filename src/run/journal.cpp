#include "run/journal.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cassert>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "dovetail/error.hpp"

namespace dovetail::run {

namespace {

[[noreturn]] void fail(const std::string& path, const char* what, int error) {
  throw ExecutionError(path + ": cannot be " + what + ": " + std::strerror(error));
}

constexpr std::size_t kPiece = std::size_t{1} << 16U;

// Behind the last line that has an end.
std::size_t end_of_whole_lines(const std::string& path, int file, std::size_t size) {
  std::string piece(kPiece, '\0');
  while (size > 0) {
    const std::size_t begin = size > kPiece ? size - kPiece : 0;
    const ssize_t got = pread(file, piece.data(), size - begin, static_cast<off_t>(begin));
    if (got != static_cast<ssize_t>(size - begin)) fail(path, "read", got < 0 ? errno : EIO);
    const auto found = std::string_view(piece.data(), static_cast<std::size_t>(got)).rfind('\n');
    if (found != std::string_view::npos) return begin + found + 1;
    size = begin;
  }
  return 0;
}

// A new file is there after a power failure only when its folder is on disk as well.
void sync_folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  const Descriptor file(open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) fail(path, "written", errno);
  // Some file systems have no such thing, and nothing to wait for.
  if (fsync(file.get()) != 0 && errno != EINVAL) fail(path, "written", errno);
}

}  // namespace

JournalWriter::JournalWriter(std::string path)
    : path_(std::move(path)), file_(open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644)) {
  if (!file_.is_open()) fail(path_, "written", errno);
  struct stat status {};
  if (fstat(file_.get(), &status) != 0) fail(path_, "read", errno);
  size_ = end_of_whole_lines(path_, file_.get(), static_cast<std::size_t>(status.st_size));
  if (ftruncate(file_.get(), static_cast<off_t>(size_)) != 0) fail(path_, "written", errno);
  if (size_ == 0) sync_folder_of(path_);
}

void JournalWriter::add(const Json& entry) {
  assert(entry.is_object());
  // Names may hold bytes that are no UTF-8; a journal that cannot be written would be worse.
  pending_ += entry.dump(-1, ' ', false, Json::error_handler_t::replace);
  pending_ += '\n';
}

void JournalWriter::sync() {
  if (pending_.empty()) return;
  // A file that was removed is gone with the process.
  struct stat about {};
  if (fstat(file_.get(), &about) == 0 && about.st_nlink == 0) fail(path_, "written", ENOENT);
  std::size_t done = 0;
  while (done < pending_.size()) {
    const ssize_t wrote = pwrite(file_.get(), pending_.data() + done, pending_.size() - done,
                                 static_cast<off_t>(size_ + done));
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) break;
    done += static_cast<std::size_t>(wrote);
  }
  int error = done < pending_.size() ? errno : 0;
  if (error == 0 && fdatasync(file_.get()) != 0) error = errno;
  if (error != 0) {
    // The next reader must not take half of it for true.
    pending_.clear();
    if (ftruncate(file_.get(), static_cast<off_t>(size_)) != 0) fail(path_, "cut", errno);
    fail(path_, "written", error);
  }
  size_ += pending_.size();
  pending_.clear();
}

void replace_journal(const std::string& path, std::span<const Json> entries) {
  const std::string beside = path + ".new";
  if (unlink(beside.c_str()) != 0 && errno != ENOENT) fail(beside, "removed", errno);
  JournalWriter journal(beside);
  for (const Json& entry : entries) journal.add(entry);
  journal.sync();
  if (rename(beside.c_str(), path.c_str()) != 0) fail(path, "written", errno);
  sync_folder_of(path);
}

bool read_journal(const std::string& path, const EntryVisitor& visit) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) fail(path, "read", errno);
  std::string text;
  std::string piece(kPiece, '\0');
  std::size_t line = 0;
  for (;;) {
    const ssize_t got = read(file.get(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(path, "read", errno);
    if (got == 0) return !text.empty();
    const std::size_t searched = text.size();
    text.append(piece.data(), static_cast<std::size_t>(got));
    std::size_t begin = 0;
    for (auto end = text.find('\n', searched); end != std::string::npos;
         end = text.find('\n', begin)) {
      ++line;
      const Json entry =
          Json::parse(text.begin() + static_cast<std::ptrdiff_t>(begin),
                      text.begin() + static_cast<std::ptrdiff_t>(end), nullptr, false);
      if (!entry.is_object()) throw InputError(path, line, "not an entry of a journal");
      try {
        visit(entry);
      } catch (const Json::exception& error) {
        throw InputError(path, line, std::string("an entry that makes no sense: ") + error.what());
      }
      begin = end + 1;
    }
    text.erase(0, begin);
  }
}

}  // namespace dovetail::run
