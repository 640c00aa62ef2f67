// Sizes of memory as text. Both ways are exact: decimals are never a floating-point number.
#include <algorithm>
#include <cassert>

#include "dovetail/nodes.hpp"

namespace dovetail {
namespace {

__extension__ typedef __int128 WideBytes;

constexpr std::string_view kSizeUnits = "KMGTP";  // each 1024 times the one before
constexpr int kUnitBits = 10;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view take_decimal_digits(std::string_view& text) {
  const auto count =
      static_cast<std::size_t>(std::ranges::find_if_not(text, is_digit) - text.begin());
  const std::string_view digits = text.substr(0, count);
  text.remove_prefix(count);
  return digits;
}

bool take_letter(std::string_view& text, char capital) {
  if (text.empty() || (text.front() != capital && text.front() != capital - 'A' + 'a'))
    return false;
  text.remove_prefix(1);
  return true;
}

// The power of two that the unit stands for: 0 for none or for bytes.
std::optional<int> parse_unit(std::string_view text) {
  int bits = 0;
  for (std::size_t i = 0; i < kSizeUnits.size() && bits == 0; ++i) {
    if (take_letter(text, kSizeUnits[i])) bits = kUnitBits * static_cast<int>(i + 1);
  }
  if (bits > 0) take_letter(text, 'I');
  take_letter(text, 'B');
  if (!text.empty()) return std::nullopt;
  return bits;
}

// Twice the decimals behind a point; what goes before the point is the answer.
int double_decimals(std::string& decimals) {
  int carry = 0;
  for (std::size_t i = decimals.size(); i-- > 0;) {
    const int twice = 2 * (decimals[i] - '0') + carry;
    decimals[i] = static_cast<char>('0' + twice % 10);
    carry = twice / 10;
  }
  return carry;
}

}  // namespace

std::optional<Bytes> parse_size(std::string_view text) {
  const std::string_view digits = take_decimal_digits(text);
  if (digits.empty()) return std::nullopt;
  std::string decimals;
  if (!text.empty() && text.front() == '.') {
    text.remove_prefix(1);
    decimals = take_decimal_digits(text);
    if (decimals.empty()) return std::nullopt;
  }
  const auto unit = text.find_first_not_of(' ');
  if (unit == std::string_view::npos && !text.empty()) return std::nullopt;
  text.remove_prefix(std::min(unit, text.size()));
  const auto bits = parse_unit(text);
  if (!bits || (*bits == 0 && !decimals.empty())) return std::nullopt;

  Bytes size = 0;
  for (const char digit : digits) {
    const Bytes value = digit - '0';
    if (size > (kMaxMemory - value) / 10) return std::nullopt;
    size = 10 * size + value;
  }
  for (int i = 0; i < *bits; ++i) {
    size = 2 * size + double_decimals(decimals);
    if (size > kMaxMemory) return std::nullopt;
  }
  if (decimals.find_first_not_of('0') != std::string::npos) ++size;
  if (size > kMaxMemory) return std::nullopt;
  return size;
}

std::string format_size(Bytes size) {
  assert(size >= 0 && size <= kMaxMemory);
  std::string best = std::to_string(size);
  for (std::size_t i = 0; i < kSizeUnits.size(); ++i) {
    const Bytes unit = Bytes{1} << (kUnitBits * static_cast<int>(i + 1));
    // The largest number with that many decimals that is not above the size. It is read as the size
    // if it is less than a byte below. Longer texts than the best are of no use.
    WideBytes scale = 1;
    for (std::size_t decimals = 0; decimals + 3 <= best.size(); ++decimals, scale *= 10) {
      const WideBytes scaled = size * scale / unit;
      if (scaled * unit <= (size - 1) * scale) continue;
      std::string text = std::to_string(static_cast<Bytes>(scaled / scale));
      if (decimals > 0) {
        const std::string behind = std::to_string(static_cast<Bytes>(scaled % scale));
        text += "." + std::string(decimals - behind.size(), '0') + behind;
      }
      text += kSizeUnits[i];
      const bool is_plainer = best.find('.') != std::string::npos && decimals == 0;
      if (text.size() < best.size() || (text.size() == best.size() && is_plainer)) best = text;
      break;
    }
  }
  return best;
}

}  // namespace dovetail
