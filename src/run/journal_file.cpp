#include "run/journal_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cassert>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "dovetail/error.hpp"
#include "io/checksum.hpp"
#include "io/file.hpp"

namespace dovetail::run {

namespace {

[[noreturn]] void fail(const std::string& path, const char* what, int error) {
  throw ExecutionError(path + ": cannot be " + what + ": " + std::strerror(error));
}

constexpr std::size_t kPiece = std::size_t{1} << 16U;
constexpr std::string_view kCheckKey = ",\"crc\":\"";
constexpr std::size_t kDigits = 8;

// A line without its checksum.
struct CheckedLine {
  enum class Kind { unchecked, whole, bad };
  Kind kind = Kind::unchecked;
  bool continues = false;  // written by the same sync as the line before
  std::string text = {};
};

CheckedLine check_line(std::string_view line) {
  const auto key = line.rfind(kCheckKey);
  if (key == std::string_view::npos) return {.text = std::string(line)};
  std::string_view check = line.substr(key + kCheckKey.size());
  const bool continues = check.starts_with('+');
  if (continues) check.remove_prefix(1);
  std::string text = std::string(line.substr(0, key)) + "}";
  const bool is_whole = check == io::crc32_text(text) + "\"}";
  return {is_whole ? CheckedLine::Kind::whole : CheckedLine::Kind::bad, continues, std::move(text)};
}

std::string with_checksum(std::string line, bool continues) {
  const std::string digits = io::crc32_text(line);
  line.pop_back();
  return line.append(kCheckKey) + (continues ? "+" : "") + digits + "\"}\n";
}

using LineVisitor = std::function<void(const std::string& text, std::size_t line)>;

// Tells the lines that count from what an interrupted sync left behind them.
class LineJudge {
 public:
  LineJudge(const std::string& path, const LineVisitor& visit) : path_(path), visit_(visit) {}

  void add(std::string_view line) {
    ++line_;
    const CheckedLine checked = check_line(line);
    const bool is_whole = checked.kind == CheckedLine::Kind::whole;
    if (first_bad_ > 0) {
      if (is_whole && !checked.continues) fail();
      return;
    }
    const bool is_old = checked.kind == CheckedLine::Kind::unchecked && !has_checksums_;
    if (!is_whole && !is_old) {
      first_bad_ = line_;
      return;
    }
    has_checksums_ |= is_whole;
    visit_(checked.text, line_);
    size_ += line.size() + 1;
  }

  std::size_t size() const { return size_; }  // of the lines that count
  bool is_torn() const { return first_bad_ > 0; }

 private:
  [[noreturn]] void fail() const {
    throw InputError(path_, first_bad_,
                     "damaged: its checksum does not match; restore the file from a copy");
  }

  const std::string& path_;
  const LineVisitor& visit_;
  std::size_t line_ = 0;
  std::size_t first_bad_ = 0;  // 0: none
  std::size_t size_ = 0;
  bool has_checksums_ = false;
};

struct JournalSize {
  std::size_t bytes = 0;  // that count
  bool is_torn = false;
};

// Calls `visit` for every line that counts.
JournalSize read_lines(const std::string& path, int file, const LineVisitor& visit) {
  LineJudge judge(path, visit);
  std::string text;
  std::string piece(kPiece, '\0');
  for (;;) {
    const ssize_t got = read(file, piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(path, "read", errno);
    if (got == 0) return {judge.size(), judge.is_torn() || !text.empty()};
    const std::size_t searched = text.size();
    text.append(piece.data(), static_cast<std::size_t>(got));
    std::size_t begin = 0;
    for (auto end = text.find('\n', searched); end != std::string::npos;
         end = text.find('\n', begin)) {
      judge.add(std::string_view(text).substr(begin, end - begin));
      begin = end + 1;
    }
    text.erase(0, begin);
  }
}

// A new file is there after a power failure only when its folder is on disk as well.
void sync_folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  if (const int error = io::sync_to_disk(folder)) fail(path, "written", error);
}

}  // namespace

JournalWriter::JournalWriter(std::string path)
    : path_(std::move(path)), file_(open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {
  if (!file_.is_open()) fail(path_, "written", errno);
  size_ = read_lines(path_, file_.get(), [](const auto&, std::size_t) {}).bytes;
  if (ftruncate(file_.get(), static_cast<off_t>(size_)) != 0) fail(path_, "written", errno);
  if (size_ == 0) sync_folder_of(path_);
}

void JournalWriter::add(const Json& entry) {
  assert(entry.is_object() && !entry.empty());
  // Names may hold bytes that are no UTF-8; a journal that cannot be written would be worse.
  pending_ +=
      with_checksum(entry.dump(-1, ' ', false, Json::error_handler_t::replace), !pending_.empty());
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
  const auto take = [&](const std::string& text, std::size_t line) {
    const Json entry = Json::parse(text, nullptr, false);
    if (!entry.is_object()) throw InputError(path, line, "not an entry of a journal");
    try {
      visit(entry);
    } catch (const Json::exception& error) {
      throw InputError(path, line, std::string("an entry that makes no sense: ") + error.what());
    }
  };
  return read_lines(path, file.get(), take).is_torn;
}

}  // namespace dovetail::run
