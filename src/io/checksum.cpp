#include "io/checksum.hpp"

#include <fmt/format.h>
#include <zlib.h>

namespace dovetail::io {

std::uint32_t crc32_of(std::string_view bytes) {
  return static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

std::string crc32_text(std::string_view bytes) { return fmt::format("{:08x}", crc32_of(bytes)); }

}  // namespace dovetail::io
