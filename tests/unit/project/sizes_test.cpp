// Folders, files and functions stay small enough to be read.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "support/documents.hpp"
#include "support/source_code.hpp"

namespace dovetail {
namespace {

constexpr std::size_t kMostFiles = 40;
constexpr std::ptrdiff_t kMostLines = 450;
constexpr std::size_t kMostFunctionLines = 60;

// One sentence for each folder with too many files of its own.
std::vector<std::string> crowded_folders(const std::vector<std::string>& files) {
  std::map<std::string, std::size_t> counts;
  for (const std::string& file : files) ++counts[file.substr(0, file.rfind('/'))];
  std::vector<std::string> found;
  for (const auto& [folder, count] : counts) {
    if (count > kMostFiles) found.push_back(folder + " has " + std::to_string(count) + " files");
  }
  return found;
}

// One sentence if the file is too long, and one for each of its functions that is.
std::vector<std::string> long_parts(const std::string& path, const std::string& content) {
  std::vector<std::string> found;
  const auto lines = std::count(content.begin(), content.end(), '\n');
  if (lines > kMostLines) found.push_back(path + " has " + std::to_string(lines) + " lines");
  for (const test::Declared& one : test::declarations(content)) {
    if (one.kind != test::Declared::Kind::function || one.lines() <= kMostFunctionLines) continue;
    found.push_back(path + ":" + std::to_string(one.first_line) + ": " + one.name + " has " +
                    std::to_string(one.lines()) + " lines");
  }
  return found;
}

std::string body_of(std::size_t lines) {
  std::string body = " {\n";
  for (std::size_t i = 2; i < lines; ++i) body += "  step();\n";
  return body + "}\n";
}

TEST(Sizes, FoldersFilesAndFunctionsAreSmall) {
  const auto files = test::source_files();
  ASSERT_GT(files.size(), 50U);
  for (const std::string& violation : crowded_folders(files)) ADD_FAILURE() << violation;
  for (const std::string& file : files) {
    for (const std::string& violation : long_parts(file, test::read_document(file))) {
      ADD_FAILURE() << violation;
    }
  }
}

TEST(Sizes, ACrowdedFolderIsReported) {
  std::vector<std::string> files;
  for (std::size_t i = 0; i < kMostFiles; ++i) {
    files.push_back("src/made_up/f" + std::to_string(i) + ".cpp");
  }
  files.push_back("src/made_up/below/one.cpp");
  EXPECT_TRUE(crowded_folders(files).empty());
  files.push_back("src/made_up/another.hpp");
  EXPECT_EQ(crowded_folders(files), std::vector<std::string>{"src/made_up has 41 files"});
}

TEST(Sizes, ALongFileIsReported) {
  const std::string most(kMostLines, '\n');
  EXPECT_TRUE(long_parts("src/a.cpp", most).empty());
  EXPECT_EQ(long_parts("src/a.cpp", most + "\n"),
            std::vector<std::string>{"src/a.cpp has 451 lines"});
}

TEST(Sizes, ALongFunctionIsReported) {
  EXPECT_TRUE(long_parts("src/a.cpp", "void small()" + body_of(60)).empty());
  EXPECT_EQ(long_parts("src/a.cpp", "// Its comment does not count.\nvoid large()" + body_of(61)),
            std::vector<std::string>{"src/a.cpp:2: large has 61 lines"});
}

TEST(Sizes, ALongFunctionIsReportedWhereverItStands) {
  const std::string body = body_of(61);
  for (const std::string head :
       {"Desk::Desk(int size) : size_{size}, rows_(2), words_{{1, 2}}", "int Desk::size() const",
        "template <typename T, int kSize = 3>\nstd::map<int, T> made(const T& value = {})",
        "bool operator()(int a, int b) const noexcept", "auto sum(int a) -> decltype(a + 1)",
        "const char* name_of(char quote = '{', const char* text = \"}\")"}) {
    EXPECT_EQ(long_parts("src/a.cpp", head + body).size(), 1U) << head;
    EXPECT_EQ(
        long_parts("src/a.cpp", "namespace a {\nnamespace {\n" + head + body + "}\n}\n").size(), 1U)
        << head;
    EXPECT_EQ(
        long_parts("src/a.cpp", "class B final : public C {\n public:\n" + head + body + "};\n")
            .size(),
        1U)
        << head;
  }
}

TEST(Sizes, AFunctionIsNotJoinedWithItsNeighbours) {
  const std::string small = "void small()" + body_of(40);
  EXPECT_TRUE(long_parts("src/a.cpp", small + small).empty());
  EXPECT_TRUE(long_parts("src/a.cpp", "struct A {\n" + small + small + "};\n").empty());
  EXPECT_TRUE(long_parts("src/a.cpp", "const std::map<int, int> kTable = " + body_of(100)).empty());
  for (const std::string odd :
       {"const char kOpen = '{';\n", "// if {\n", "/* { */\n",
        "const auto kText = R\"({ \" {)\";\n", "#define OPEN {\n", "const int kMany = 1'000'000;\n",
        "const char* kText = \"\\\"{\";\n"}) {
    EXPECT_TRUE(long_parts("src/a.cpp", odd + small + odd + small).empty()) << odd;
  }
}

}  // namespace
}  // namespace dovetail
