#include "io/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

namespace dovetail::io {

std::string counted(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
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
