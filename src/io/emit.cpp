#include "io/emit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "io/text.hpp"

namespace dovetail::io {

namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool is_plain_character(char c) {
  return is_letter(c) || is_digit(c) ||
         std::string_view(" _./$=+@%-").find(c) != std::string_view::npos;
}

// Words that YAML readers, ours or others, do not read as text.
bool is_reserved(std::string_view text) {
  constexpr std::array<std::string_view, 9> kReserved = {"NULL", "TRUE", "FALSE", "YES", "NO",
                                                         "ON",   "OFF",  "Y",     "N"};
  return std::ranges::find(kReserved, upper_case(text)) != kReserved.end();
}

// Whether a text can be written in YAML without quotes, on its own and inside brackets. This is
// narrower than YAML: texts that begin with a digit are quoted, since other readers take some of
// them for numbers or dates.
bool is_plain(std::string_view text) {
  if (text.empty() || text.size() > 200 || text.back() == ' ') return false;
  if (!is_letter(text.front()) && text.front() != '_' && text.front() != '/' &&
      !text.starts_with("./")) {
    return false;
  }
  return std::all_of(text.begin(), text.end(), is_plain_character) && !is_reserved(text);
}

}  // namespace

std::string Emitter::text(std::string_view text) const {
  return !json_ && is_plain(text) ? std::string(text) : json_string(text);
}

std::string Emitter::list(const std::vector<std::string>& items) const {
  return fmt::format("[{}]", fmt::join(items, json_ ? "," : ", "));
}

std::string Emitter::mapping(const Fields& fields) const {
  std::vector<std::string> items;
  for (const auto& [key, value] : fields) {
    items.push_back(json_ ? json_string(key) + ":" + value : key + ": " + value);
  }
  return fmt::format("{{{}}}", fmt::join(items, json_ ? "," : ", "));
}

std::string Emitter::size(Bytes bytes) const {
  const std::string written = format_size(bytes);
  return json_ && !is_digit(written.back()) ? json_string(written) : written;
}

std::string Emitter::moment(Time moment, bool is_date) const {
  std::string written = format_clock(moment, is_date);
  if (!is_date) return written;
  written.replace(written.find(' '), 1, "T");
  return text(written);
}

std::string Emitter::file(const Fields& head, std::string_view key,
                          const std::vector<Fields>& records) const {
  std::string out = json_ ? "{" : "";
  for (const auto& [name, value] : head) {
    out += json_ ? json_string(name) + ":" + value + ",\n " : name + ": " + value + "\n";
  }
  out += json_ ? json_string(key) + ":[" : std::string(key) + ":\n";
  bool first = true;
  for (const Fields& record : records) {
    if (json_) {
      out += (first ? "\n  " : ",\n  ") + mapping(record);
    } else {
      for (std::size_t i = 0; i < record.size(); ++i) {
        const bool is_block = record[i].second.starts_with('\n');
        out += (i == 0 ? "  - " : "    ") + record[i].first + ":" + (is_block ? "" : " ") +
               record[i].second + "\n";
      }
    }
    first = false;
  }
  return json_ ? out + "]}\n" : out;
}

}  // namespace dovetail::io
