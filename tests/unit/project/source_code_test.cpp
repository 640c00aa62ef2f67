// The reader of source files that other tests of the project rely on.
#include "support/source_code.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/documents.hpp"

namespace dovetail::test {
namespace {

// "space name" of each declaration, with a star if it has a body.
std::vector<std::string> summary(const std::string& code, Declared::Kind kind) {
  std::vector<std::string> found;
  for (const Declared& one : declarations(code)) {
    if (one.kind != kind) continue;
    const std::string place = one.space + (one.type.empty() ? "" : " " + one.type);
    found.push_back(place + (place.empty() ? "" : " ") + one.name + (one.has_body ? "*" : ""));
  }
  return found;
}

constexpr const char* kSample = R"(// A file.
#include <map>

namespace dovetail {

class Calendar;

namespace {

enum class Kind : int { first, second };

template <typename T>
struct Holder {
  T value{};
  int size() const { return 1; }
};

constexpr std::array<int, 2> kTable = {1, 2};
inline constexpr int kSize{3};

}  // namespace

Holder<int> made(const std::map<int, int>& values = {}, Kind kind = Kind::first);

Calendar::Calendar(int size) : size_{size} {
  if (size_ > 0) fail("}");
}

}  // namespace dovetail
)";

TEST(SourceCode, FindsTypes) {
  EXPECT_EQ(summary(kSample, Declared::Kind::type),
            (std::vector<std::string>{"dovetail Calendar", "dovetail::(anonymous) Kind*",
                                      "dovetail::(anonymous) Holder*"}));
}

TEST(SourceCode, FindsFunctions) {
  EXPECT_EQ(summary(kSample, Declared::Kind::function),
            (std::vector<std::string>{"dovetail::(anonymous) Holder size*", "dovetail made",
                                      "dovetail Calendar::Calendar*"}));
}

TEST(SourceCode, FindsNamespacesAndValues) {
  EXPECT_EQ(summary(kSample, Declared::Kind::space),
            (std::vector<std::string>{"dovetail (anonymous)*", "dovetail*"}));
  EXPECT_EQ(
      summary(kSample, Declared::Kind::other),
      (std::vector<std::string>{"dovetail::(anonymous) Holder value",
                                "dovetail::(anonymous) kTable", "dovetail::(anonymous) kSize"}));
}

TEST(SourceCode, CountsLines) {
  for (const Declared& one : declarations(kSample)) {
    if (one.name == "Calendar::Calendar") {
      EXPECT_EQ(one.first_line, 25U);
      EXPECT_EQ(one.lines(), 3U);
    }
  }
}

TEST(SourceCode, BareCodeKeepsLinesAndDropsText) {
  EXPECT_EQ(bare_code("a /* b\nc */ d \"e\\\"f\" 'g' // h\n#define I \\\n  j\nk"),
            "a     \n     d \"    \" ' '     \n           \n   \nk");
}

TEST(SourceCode, ReadsTheWholeTree) {
  std::size_t functions = 0;
  for (const std::string& file : source_files()) {
    const auto found = declarations(read_document(file));
    EXPECT_FALSE(found.empty()) << file;
    for (const Declared& one : found) {
      functions += one.kind == Declared::Kind::function ? 1 : 0;
      EXPECT_TRUE(one.kind != Declared::Kind::space || one.type.empty()) << file;
    }
  }
  EXPECT_GT(functions, 5000U);
}

}  // namespace
}  // namespace dovetail::test
