// CRC-32, as in gzip: finds bytes that changed by accident, not by intent.
#pragma once

#include <cstdint>
#include <string_view>

namespace dovetail::io {

std::uint32_t crc32_of(std::string_view bytes);

// The same as eight hexadecimal digits.
std::string crc32_text(std::string_view bytes);

}  // namespace dovetail::io
