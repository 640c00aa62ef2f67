#include "io/gzip_source.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "dovetail/error.hpp"

namespace dovetail::io {

namespace {

enum class TextMark : std::uint8_t { none, space, line, value };

constexpr std::array<TextMark, 256> kMarks = [] {
  std::array<TextMark, 256> marks{};
  for (const unsigned char c : {' ', '\t', '\r'}) marks[c] = TextMark::space;
  marks['\n'] = TextMark::line;
  for (const unsigned char c : {',', '[', '{', '<', '>', '=', ';'}) marks[c] = TextMark::value;
  return marks;
}();

}  // namespace

std::string display_name(const std::string& path) { return path == "-" ? "standard input" : path; }

GzipSource::GzipSource(const std::string& path)
    : path_(display_name(path)), file_(nullptr, &gzclose_r) {
  const int descriptor = path == "-" ? dup(STDIN_FILENO) : open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) fail_by_system(errno);
  struct stat status {};
  if (fstat(descriptor, &status) == 0 && S_ISDIR(status.st_mode)) {
    close(descriptor);
    fail("it is a folder");
  }
  file_.reset(gzdopen(descriptor, "rb"));
  if (!file_) {
    close(descriptor);
    fail("out of memory");
  }
  gzbuffer(file_.get(), 1U << 17U);
}

void GzipSource::fail(const std::string& why) const {
  throw InputError(path_ + ": cannot be read: " + why);
}

// That there is no such file is the user's affair; that the disk or the system fails is not.
void GzipSource::fail_by_system(int error) const {
  const bool is_outside = error == EIO || error == EMFILE || error == ENFILE || error == ENOMEM;
  if (is_outside) throw ExecutionError(path_ + ": cannot be read: " + std::strerror(error));
  fail(std::strerror(error));
}

std::size_t GzipSource::read(char* buffer, std::size_t size) {
  const int got = gzread(file_.get(), buffer, static_cast<unsigned>(size));
  int error = Z_OK;
  const char* message = gzerror(file_.get(), &error);
  // zlib delivers the rest of a truncated gzip file first, and then reports a buffer error.
  if (error == Z_BUF_ERROR) fail("the gzip data end too early; fetch the file again");
  if (error == Z_ERRNO) fail_by_system(errno);
  if (got < 0 || error != Z_OK) fail(std::string("damaged gzip data: ") + message);
  if (gzdirect(file_.get()) == 0) {
    expanded_ += static_cast<std::uint64_t>(got);
    if (expanded_ > kFreeExpansionBytes) limit_expansion();
    count_marks({buffer, static_cast<std::size_t>(got)});
    if (marks_ > kFreeMarks) limit_marks();
  }
  return static_cast<std::size_t>(got);
}

// A line break behind another mark belongs to that one.
void GzipSource::count_marks(std::string_view text) {
  for (const char c : text) {
    switch (kMarks[static_cast<unsigned char>(c)]) {
      case TextMark::none:
        is_after_mark_ = false;
        break;
      case TextMark::space:
        break;
      case TextMark::line:
        marks_ += is_after_mark_ ? 0 : 1;
        is_after_mark_ = true;
        break;
      case TextMark::value:
        ++marks_;
        is_after_mark_ = true;
    }
  }
}

void GzipSource::limit_marks() const {
  const auto compressed = gzoffset(file_.get());
  const std::uint64_t most =
      compressed < 0 ? kMostPipedMarks : kMostMarks * static_cast<std::uint64_t>(compressed);
  if (marks_ <= most) return;
  if (compressed < 0) {
    fail(fmt::format("gzip from a pipe may hold {} values; decompress it first", kMostPipedMarks));
  }
  fail(fmt::format(
      "it holds more than {} values for each of its bytes; decompress it first, if it is text",
      kMostMarks));
}

void GzipSource::limit_expansion() const {
  const auto compressed = gzoffset(file_.get());
  const std::uint64_t most =
      compressed < 0 ? kMostPipedBytes : kMostExpansion * static_cast<std::uint64_t>(compressed);
  if (expanded_ <= most) return;
  if (compressed < 0) {
    fail(fmt::format("gzip from a pipe may expand to {} MiB; decompress it first",
                     kMostPipedBytes >> 20U));
  }
  fail(fmt::format("it expands to more than {} times its size; decompress it first, if it is text",
                   kMostExpansion));
}

}  // namespace dovetail::io
