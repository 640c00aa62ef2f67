#include "io/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fstream>
#include <numeric>
#include <utility>
#include <vector>

#include "dovetail/error.hpp"

namespace dovetail::io {

namespace {

constexpr std::size_t kLongestQuote = 60;

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

void append_escaped(std::string& out, char c) {
  constexpr std::string_view kEscaped = "\"\\\n\t\r";
  constexpr std::string_view kLetters = "\"\\ntr";
  if (const auto at = kEscaped.find(c); at != std::string_view::npos) {
    out += {'\\', kLetters[at]};
  } else if (is_control(c)) {
    out += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
  } else {
    out += c;
  }
}

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

template <typename Keep>
std::string replace_unsafe(std::string_view text, Keep keeps) {
  std::string plain;
  plain.reserve(text.size());
  while (!text.empty()) {
    const Letter letter = first_letter(text);
    const bool is_safe = letter.is_valid && (!is_unsafe(letter.code) || keeps(letter.code));
    plain += is_safe ? text.substr(0, letter.bytes) : kReplacement;
    text.remove_prefix(letter.bytes);
  }
  return plain;
}

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

std::size_t skip_digits(std::string_view text, std::size_t at) {
  while (at < text.size() && is_digit(text[at])) ++at;
  return at;
}

// Whether the text is an optional sign, digits with an optional fraction, an optional exponent.
bool looks_like_number(std::string_view text) {
  std::size_t at = !text.empty() && (text[0] == '-' || text[0] == '+') ? 1 : 0;
  const std::size_t whole = skip_digits(text, at);
  std::size_t digits = whole - at;
  at = whole;
  if (at < text.size() && text[at] == '.') {
    const std::size_t fraction = skip_digits(text, at + 1);
    digits += fraction - at - 1;
    at = fraction;
  }
  if (digits == 0) return false;
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '-' || text[at] == '+')) ++at;
    const std::size_t exponent = skip_digits(text, at);
    if (exponent == at) return false;
    at = exponent;
  }
  return at == text.size();
}

// Insertions, deletions, changes, and swaps of neighbours that turn one word into the other.
std::size_t edit_distance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> above(to.size() + 1);
  std::iota(above.begin(), above.end(), std::size_t{0});
  std::vector<std::size_t> two_above = above;
  std::vector<std::size_t> row = above;
  for (std::size_t i = 1; i <= from.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= to.size(); ++j) {
      const std::size_t change = from[i - 1] == to[j - 1] ? 0 : 1;
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + change});
      if (i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1]) {
        row[j] = std::min(row[j], two_above[j - 2] + 1);
      }
    }
    std::swap(two_above, above);
    std::swap(above, row);
  }
  return above[to.size()];
}

}  // namespace

std::string upper_case(std::string_view text) {
  std::string upper(text);
  for (char& c : upper) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return upper;
}

std::string quote(std::string_view text) {
  const bool shortened = text.size() > kLongestQuote;
  if (shortened) {
    std::size_t end = kLongestQuote - 3;
    while (end > 0 && is_continuation(text[end])) --end;
    text = text.substr(0, end);
  }
  std::string out = "\"";
  while (!text.empty()) {
    const Letter letter = first_letter(text);
    if (letter.code < 0x80 && letter.is_valid) {
      append_escaped(out, text.front());
    } else if (!letter.is_valid) {
      out += kReplacement;
    } else if (is_unsafe(letter.code)) {
      out += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(letter.code));
    } else {
      out += text.substr(0, letter.bytes);
    }
    text.remove_prefix(letter.bytes);
  }
  out += shortened ? "...\"" : "\"";
  return out;
}

Letter first_letter(std::string_view text) {
  constexpr std::array<unsigned, 5> mask = {0, 0x7F, 0x1F, 0x0F, 0x07};
  const std::size_t length = utf8_length(text);
  if (length == 0) return {};
  char32_t code = static_cast<unsigned char>(text[0]) & mask[length];
  for (const char next : text.substr(1, length - 1)) {
    code = (code << 6U) | (static_cast<unsigned char>(next) & 0x3FU);
  }
  return {code, length, true};
}

bool is_unsafe(char32_t code) {
  struct CodeRange {
    char32_t first;
    char32_t last;
  };
  constexpr std::array<CodeRange, 8> unsafe = {{{0, 0x1F},
                                                {0x7F, 0x9F},
                                                {0x61C, 0x61C},
                                                {0x200E, 0x200F},
                                                {0x2028, 0x2029},
                                                {0x202A, 0x202E},
                                                {0x2066, 0x2069},
                                                {0xFFFE, 0xFFFF}}};
  return std::ranges::any_of(
      unsafe, [code](CodeRange range) { return code >= range.first && code <= range.last; });
}

std::string plain_text(std::string_view text) {
  return replace_unsafe(text, [](char32_t) { return false; });
}

std::string plain_lines(std::string_view text) {
  return replace_unsafe(text, [](char32_t code) { return code == '\n' || code == '\t'; });
}

std::string json_string(std::string_view text) {
  std::string out = "\"";
  out.reserve(text.size() + 2);
  for (char c : text) append_escaped(out, c);
  return out += '"';
}

std::string counted(std::int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string listed(std::span<const std::string> words, std::string_view last) {
  if (words.size() < 2) return words.empty() ? "" : words.front();
  return fmt::format("{} {} {}", fmt::join(words.first(words.size() - 1), ", "), last,
                     words.back());
}

std::string number_text(double value) { return fmt::format("{}", value); }

std::string hours_text(double hours) {
  int decimals = 1;
  if (hours > 0 && hours < 0.1) decimals = 1 - static_cast<int>(std::floor(std::log10(hours)));
  const double scale = std::pow(10.0, decimals);
  // Binary rounding noise must not round up; a processor-millisecond is far larger.
  return fmt::format("{:.{}f}", std::max(0.0, std::ceil(hours * scale - 1e-9)) / scale, decimals);
}

std::optional<double> parse_number(std::string_view text) {
  if (!looks_like_number(text)) return std::nullopt;
  if (text.front() == '+') text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<Count> parse_processors(std::string_view text) {
  const auto number = parse_number(text);
  if (!number || *number < 1 || *number > kMaxProcessors || std::floor(*number) != *number) {
    return std::nullopt;
  }
  return static_cast<Count>(*number);
}

NearestWord::NearestWord(std::string_view word)
    : word_(upper_case(word)), best_distance_(std::max<std::size_t>(2, word.size() / 3) + 1) {}

void NearestWord::offer(std::string_view candidate) {
  // A longer word is hardly a typing mistake, and comparing it would take long.
  constexpr std::size_t kLongest = 64;
  if (word_.size() > kLongest || candidate.size() > kLongest || candidate.empty()) return;
  const std::size_t distance = edit_distance(word_, upper_case(candidate));
  // A distance as long as the word would match anything for a word of two letters.
  if (distance >= best_distance_ || distance >= std::max(word_.size(), candidate.size())) return;
  best_distance_ = distance;
  best_ = candidate;
}

std::string NearestWord::suggestion() const {
  return best_.empty() ? std::string() : "; did you mean " + quote(best_) + "?";
}

std::size_t line_at(std::string_view text, std::size_t offset) {
  const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(offset, text.size()));
  return 1 + static_cast<std::size_t>(std::count(text.begin(), end, '\n'));
}

std::string_view skip_bom(std::string_view text) {
  return text.starts_with("\xEF\xBB\xBF") ? text.substr(3) : text;
}

std::string_view skip_space(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  return first == std::string_view::npos ? std::string_view() : text.substr(first);
}

std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
  if (!std::ranges::all_of(text.substr(1, length - 1), is_continuation)) return 0;
  if (first == 0xE0 && byte(1) < 0xA0) return 0;
  if (first == 0xED && byte(1) > 0x9F) return 0;
  if (first == 0xF0 && byte(1) < 0x90) return 0;
  if (first == 0xF4 && byte(1) > 0x8F) return 0;
  return length;
}

void require_text(std::string_view text, const std::string& file) {
  const auto nul = text.find('\0');
  if (nul == std::string_view::npos) return;
  throw InputError(
      file, line_at(text, nul),
      "not a text file: it holds a NUL byte; expected YAML, JSON, XML or DOT in UTF-8");
}

void require_utf8(std::string_view text, const std::string& file) {
  require_text(text, file);
  for (std::size_t at = 0; at < text.size();) {
    if (static_cast<unsigned char>(text[at]) < 0x80) {
      ++at;
      continue;
    }
    const std::size_t length = utf8_length(text.substr(at));
    if (length == 0) {
      throw InputError(file, line_at(text, at),
                       "not a text file in UTF-8: an invalid byte was found; convert it to UTF-8");
    }
    at += length;
  }
}

std::vector<std::string> last_lines(const std::string& path, std::size_t most, std::size_t bytes) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  const std::streamoff size = file ? std::streamoff{file.tellg()} : 0;
  const std::streamoff begin =
      std::max<std::streamoff>(0, size - static_cast<std::streamoff>(bytes));
  file.seekg(begin);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(std::move(line));
  const auto is_blank = [](const std::string& line) {
    return line.find_first_not_of(" \t\r\v\f") == std::string::npos;
  };
  while (!lines.empty() && is_blank(lines.back())) lines.pop_back();
  const bool is_cut = begin > 0 && lines.size() > 1;
  const std::size_t whole = lines.size() - (is_cut ? 1 : 0);
  lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(std::min(whole, most)));
  return lines;
}

}  // namespace dovetail::io
