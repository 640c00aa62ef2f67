#include "draw/plain_text.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace dovetail::draw {
namespace {

constexpr std::string_view kEllipsis = "\xE2\x80\xA6";  // U+2026

using io::first_letter;
using io::Letter;

struct CodeRange {
  char32_t first;
  char32_t last;
};

template <std::size_t N>
bool within(const std::array<CodeRange, N>& ranges, char32_t code) {
  return std::ranges::any_of(ranges,
                             [code](CodeRange r) { return code >= r.first && code <= r.last; });
}

int letter_width(char32_t code) {
  constexpr std::array<CodeRange, 5> nothing = {
      {{0x300, 0x36F}, {0x200B, 0x200F}, {0x2060, 0x2064}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}}};
  constexpr std::array<CodeRange, 9> wide = {{{0x1100, 0x115F},
                                              {0x2E80, 0xA4CF},
                                              {0xAC00, 0xD7A3},
                                              {0xF900, 0xFAFF},
                                              {0xFE30, 0xFE6F},
                                              {0xFF00, 0xFF60},
                                              {0xFFE0, 0xFFE6},
                                              {0x1F300, 0x1FAFF},
                                              {0x20000, 0x3FFFD}}};
  if (within(nothing, code)) return 0;
  return within(wide, code) ? 2 : 1;
}

// The longest prefix that takes at most `columns`.
std::string_view beginning(std::string_view plain, int columns) {
  std::size_t at = 0;
  int used = 0;
  while (at < plain.size()) {
    const Letter letter = first_letter(plain.substr(at));
    used += letter_width(letter.code);
    if (used > columns) break;
    at += letter.bytes;
  }
  return plain.substr(0, at);
}

std::string spaces(int count) {
  return std::string(static_cast<std::size_t>(std::max(count, 0)), ' ');
}

}  // namespace

std::string escape_markup(std::string_view text) {
  constexpr std::string_view kMarkup = "&<>\"";
  constexpr std::array<std::string_view, 4> kEntities = {"&amp;", "&lt;", "&gt;", "&quot;"};
  std::string escaped;
  for (const char c : text) {
    const auto at = kMarkup.find(c);
    escaped += at == std::string_view::npos ? std::string_view(&c, 1) : kEntities[at];
  }
  return escaped;
}

int display_width(std::string_view plain) {
  int width = 0;
  while (!plain.empty()) {
    const Letter letter = first_letter(plain);
    width += letter_width(letter.code);
    plain.remove_prefix(letter.bytes);
  }
  return width;
}

std::string fit(std::string_view plain, int columns) {
  if (display_width(plain) <= columns) return std::string(plain);
  if (columns <= 0) return {};
  return std::string(beginning(plain, columns - 1)) + std::string(kEllipsis);
}

std::string pad_right(std::string_view plain, int columns) {
  const std::string text = fit(plain, columns);
  return text + spaces(columns - display_width(text));
}

std::string pad_left(std::string_view plain, int columns) {
  const std::string text = fit(plain, columns);
  return spaces(columns - display_width(text)) + text;
}

}  // namespace dovetail::draw
