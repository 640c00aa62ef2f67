// The bytes of a file, decompressed on the fly if it is gzip, which its first bytes tell, not its
// name.
//
//   GzipSource source("log.swf.gz");
//   while (std::size_t n = source.read(buffer, sizeof buffer)) use(buffer, n);
//
// Throws InputError when the file cannot be opened or read, and when gzip data is damaged or ends
// too early.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

struct gzFile_s;  // of zlib

namespace dovetail::io {

class GzipSource {
 public:
  // "-" is standard input.
  explicit GzipSource(const std::string& path);

  // Up to `size` bytes; 0 at the end.
  std::size_t read(char* buffer, std::size_t size);

 private:
  [[noreturn]] void fail(const std::string& why) const;

  std::string path_;
  std::unique_ptr<gzFile_s, int (*)(gzFile_s*)> file_;
};

// The name of the file in messages: "standard input" for "-".
std::string display_name(const std::string& path);

}  // namespace dovetail::io
