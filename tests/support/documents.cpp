#include "support/documents.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "test_places.hpp"

namespace dovetail::test {

namespace fs = std::filesystem;

std::vector<std::string> documents(const std::vector<std::string>& paths,
                                   const std::string& ending) {
  const fs::path root = DOVETAIL_SOURCE_DIR;
  std::vector<std::string> found;
  const auto offer = [&](const fs::path& path) {
    if (fs::is_regular_file(path) && path.extension() == ending) {
      found.push_back(path.lexically_relative(root).generic_string());
    }
  };
  for (const std::string& path : paths) {
    offer(root / path);
    if (!fs::is_directory(root / path)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(root / path)) offer(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::string read_document(const std::string& path) {
  std::ifstream stream(fs::path(DOVETAIL_SOURCE_DIR) / path, std::ios::binary);
  EXPECT_TRUE(stream.is_open()) << "cannot read " << path;
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::string document_test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace_if(
      name.begin(), name.end(),
      [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
}

}  // namespace dovetail::test
