// Lines, fields and words that all of Slurm's commands print alike; for those who read them.
//
//   for_each_line(text, [&](std::string_view line) { name = take_until(line, '|'); });
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dovetail/time.hpp"

namespace dovetail::batch::slurm {

// Takes the text up to the separator away from the front, and the separator.
std::string_view take_until(std::string_view& text, char separator);

std::string_view without_spaces(std::string_view text);

// Calls `read` with every line that is not empty. With several clusters Slurm writes their names
// above their lines.
template <typename Read>
void for_each_line(std::string_view text, Read read) {
  while (!text.empty()) {
    std::string_view line = take_until(text, '\n');
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!without_spaces(line).empty() && !line.starts_with("CLUSTER: ")) read(line);
  }
}

// Digits alone.
std::optional<std::int64_t> whole_number(std::string_view text);

// "12", "2K" for 2048, "16+" for at least 16, "1-4" for 1 to 4: the least.
std::optional<Count> parse_count(std::string_view text);

// Empty for Slurm's words for nothing: "(null)", "N/A", "None".
std::string value_or_nothing(std::string_view text);

// "a,b" -> a b.
std::vector<std::string> split_list(std::string_view text);

}  // namespace dovetail::batch::slurm
