#include "batch/slurm/slurm_lines.hpp"

#include <algorithm>
#include <charconv>

#include "io/text.hpp"

namespace dovetail::batch::slurm {

std::string_view take_until(std::string_view& text, char separator) {
  const std::size_t end = std::min(text.find(separator), text.size());
  const std::string_view taken = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return taken;
}

std::string_view without_spaces(std::string_view text) {
  const auto is_space = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_whole = error == std::errc() && end == text.data() + text.size();
  return is_whole && !text.starts_with('-') ? std::optional(value) : std::nullopt;
}

std::optional<Count> parse_count(std::string_view text) {
  text = text.substr(0, text.find('-'));
  if (text.ends_with('+')) text.remove_suffix(1);
  double unit = 1;
  for (const char letter : {'K', 'M'}) {
    unit *= 1024;
    if (!text.ends_with(letter)) continue;
    const std::optional<double> value = io::parse_number(text.substr(0, text.size() - 1));
    if (!value || *value < 0 || *value * unit > kMaxProcessors) return {};
    return static_cast<Count>(*value * unit);
  }
  const std::optional<std::int64_t> value = whole_number(text);
  if (!value || *value > kMaxProcessors) return {};
  return static_cast<Count>(*value);
}

std::string value_or_nothing(std::string_view text) {
  const bool is_nothing = text == "(null)" || text == "N/A" || text == "n/a" || text == "None";
  return is_nothing ? "" : std::string(text);
}

std::vector<std::string> split_list(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::string_view word = take_until(text, ',');
    if (!word.empty()) words.emplace_back(word);
  }
  return words;
}

}  // namespace dovetail::batch::slurm
