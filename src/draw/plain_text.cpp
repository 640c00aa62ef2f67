#include "draw/plain_text.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace dovetail::io {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD
constexpr std::string_view kEllipsis = "\xE2\x80\xA6";     // U+2026

struct Letter {
  char32_t code = 0;
  std::size_t bytes = 1;
  bool valid = false;
};

// The length of a sequence with this first byte; 0 when no sequence begins with it.
std::size_t sequence_length(unsigned char first) {
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first < 0xE0) return 2;
  if (first >= 0xE0 && first < 0xF0) return 3;
  if (first >= 0xF0 && first < 0xF5) return 4;
  return 0;
}

// The letter at the front of a non-empty text; one invalid byte when there is none.
Letter first_letter(std::string_view text) {
  constexpr std::array<char32_t, 5> smallest = {0, 0, 0x80, 0x800, 0x10000};
  constexpr std::array<unsigned, 5> mask = {0, 0x7F, 0x1F, 0x0F, 0x07};
  const auto first = static_cast<unsigned char>(text[0]);
  const std::size_t length = sequence_length(first);
  if (length == 0 || length > text.size()) return {};
  char32_t code = first & mask[length];
  for (std::size_t i = 1; i < length; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xC0u) != 0x80u) return {};
    code = (code << 6) | (next & 0x3Fu);
  }
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (code < smallest[length] || code > 0x10FFFF || surrogate) return {};
  return {code, length, true};
}

struct CodeRange {
  char32_t first;
  char32_t last;
};

template <std::size_t N>
bool within(const std::array<CodeRange, N>& ranges, char32_t code) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [code](CodeRange r) { return code >= r.first && code <= r.last; });
}

// C0 and C1 controls, marks that reorder text, and what XML does not allow.
bool is_unsafe(char32_t code) {
  constexpr std::array<CodeRange, 5> unsafe = {
      {{0, 0x1F}, {0x7F, 0x9F}, {0x202A, 0x202E}, {0x2066, 0x2069}, {0xFFFE, 0xFFFF}}};
  return within(unsafe, code);
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

std::string plain_text(std::string_view text) {
  std::string plain;
  plain.reserve(text.size());
  while (!text.empty()) {
    const Letter letter = first_letter(text);
    plain += letter.valid && !is_unsafe(letter.code) ? text.substr(0, letter.bytes) : kReplacement;
    text.remove_prefix(letter.bytes);
  }
  return plain;
}

std::string escape_markup(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += c;
    }
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

}  // namespace dovetail::io
