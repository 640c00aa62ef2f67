// Whole files in and out, for tests that look at what is on disk.
#pragma once

#include <fstream>
#include <sstream>
#include <string>

namespace dovetail::testing {

inline std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

inline void put(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

}  // namespace dovetail::testing
