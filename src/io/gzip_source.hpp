// The bytes of a file, decompressed on the fly if it is gzip, which its first bytes tell, not its
// name.
//
//   GzipSource source("log.swf.gz");
//   while (std::size_t n = source.read(buffer, sizeof buffer)) use(buffer, n);
//
// Throws InputError when the file cannot be opened or read, when gzip data is damaged or ends too
// early, and when it expands to more than texts do; ExecutionError when the disk or the system
// fails.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

struct gzFile_s;  // of zlib

namespace dovetail::io {

// A gzip file may expand to this many times its size: a thousand times is possible, and the real
// workflows and logs that we have seen reach 33. So a megabyte gives at most 64 MiB of text.
inline constexpr std::uint64_t kMostExpansion = 64;
// What any gzip file may expand to, however small it is.
inline constexpr std::uint64_t kFreeExpansionBytes = std::uint64_t{16} << 20U;
// The same for a pipe, whose compressed bytes zlib does not count.
inline constexpr std::uint64_t kMostPipedBytes = std::uint64_t{128} << 20U;
// What readers keep grows with the values of a text, which is much more than the text when they are
// dense, as in [1,1,1]. So there is a limit of the marks that stand around values (commas,
// brackets, tags, line breaks): this many for each byte of a gzip file. Real files stay below 1.4.
inline constexpr std::uint64_t kMostMarks = 4;
inline constexpr std::uint64_t kFreeMarks = 2'000'000;
inline constexpr std::uint64_t kMostPipedMarks = 8'000'000;

class GzipSource {
 public:
  // "-" is standard input.
  explicit GzipSource(const std::string& path);

  // Up to `size` bytes; 0 at the end.
  std::size_t read(char* buffer, std::size_t size);

 private:
  [[noreturn]] void fail(const std::string& why) const;
  [[noreturn]] void fail_by_system(int error) const;
  void limit_expansion() const;
  void count_marks(std::string_view text);
  void limit_marks() const;

  std::string path_;
  std::uint64_t expanded_ = 0;
  std::uint64_t marks_ = 0;
  bool is_after_mark_ = false;
  std::unique_ptr<gzFile_s, int (*)(gzFile_s*)> file_;
};

// The name of the file in messages: "standard input" for "-".
std::string display_name(const std::string& path);

}  // namespace dovetail::io
