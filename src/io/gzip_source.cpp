#include "io/gzip_source.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <cstring>

#include "dovetail/error.hpp"

namespace dovetail::io {

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
  expanded_ += static_cast<std::uint64_t>(got);
  if (expanded_ > kFreeExpansionBytes && gzdirect(file_.get()) == 0) limit_expansion();
  return static_cast<std::size_t>(got);
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
