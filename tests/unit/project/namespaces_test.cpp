// A room's namespace has the room's name: what include/dovetail does not declare stays out of the
// public namespace `dovetail`.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "support/documents.hpp"
#include "support/source_code.hpp"

namespace dovetail {
namespace {

constexpr const char* kPublicFolder = "include/dovetail/";
constexpr const char* kPublicSpace = "dovetail";

// By folder of src/, and the folder cli/. Inner namespaces are the room's own business.
const std::map<std::string, std::string> kSpaces = {{"src/core/", "dovetail"},
                                                    {"src/io/", "dovetail::io"},
                                                    {"src/draw/", "dovetail::draw"},
                                                    {"src/gen/", "dovetail::gen"},
                                                    {"src/planners/", "dovetail::planning"},
                                                    {"src/queue/", "dovetail::queue"},
                                                    {"src/run/", "dovetail::run"},
                                                    {"src/batch/", "dovetail::batch"},
                                                    {"src/federation/", "dovetail::federation"},
                                                    {"src/study/", "dovetail::study"},
                                                    {"cli/", "dovetail::cli"}};

using Names = std::set<std::string>;

bool is_inside(const std::string& space, const std::string& outer) {
  return space == outer || space.starts_with(outer + "::");
}

std::string first_part(const std::string& name) { return name.substr(0, name.find("::")); }

// A class's members, its operators, namespaces and using-declarations are not looked at.
bool is_looked_at(const test::Declared& one) {
  if (one.name.starts_with("operator")) return false;
  return one.kind != test::Declared::Kind::space && one.type.empty() && !one.name.empty();
}

// Adds what a public header declares for its users.
void add_public_names(const std::string& content, Names& names) {
  for (const test::Declared& one : test::declarations(content)) {
    if (is_looked_at(one) && one.space == kPublicSpace) names.insert(one.name);
  }
}

// The helpers of a file may stand in the public namespace beside the public functions that use
// them.
bool defines_public_names(const std::vector<test::Declared>& all, const Names& names) {
  for (const test::Declared& one : all) {
    if (one.space == kPublicSpace && one.has_body && names.contains(first_part(one.name))) {
      return true;
    }
  }
  return false;
}

// The program's entry, and a type of a library in C.
bool may_be_outside(const std::string& path, const test::Declared& one) {
  if (path == "cli/main.cpp") return one.space.empty() || one.space == "(anonymous)";
  return one.space.empty() && one.name == "X509";
}

// One sentence for each thing of the file that is in the wrong namespace.
std::vector<std::string> violations(const std::string& path, const std::string& content,
                                    const Names& public_names) {
  std::string own;
  for (const auto& [folder, space] : kSpaces) {
    if (path.starts_with(folder)) own = space;
  }
  if (own.empty()) return {path + ": belongs to no namespace; add its folder to this test"};
  const auto all = test::declarations(content);
  const bool has_public = defines_public_names(all, public_names);
  std::vector<std::string> found;
  for (const test::Declared& one : all) {
    const bool is_forward = one.kind == test::Declared::Kind::type && !one.has_body;
    if (!is_looked_at(one) || is_forward || is_inside(one.space, own)) continue;
    if (one.space == kPublicSpace && public_names.contains(first_part(one.name))) continue;
    if (one.space == std::string(kPublicSpace) + "::(anonymous)" && has_public) continue;
    if (may_be_outside(path, one)) continue;
    found.push_back(path + ":" + std::to_string(one.first_line) + ": " + one.name + " is in `" +
                    one.space + "`, not in " + own);
  }
  return found;
}

TEST(Namespaces, EveryRoomHasItsOwn) {
  Names names;
  const auto files = test::source_files();
  for (const std::string& file : files) {
    if (file.starts_with(kPublicFolder)) add_public_names(test::read_document(file), names);
  }
  EXPECT_GT(names.size(), 100U);
  for (const std::string& file : files) {
    if (file.starts_with(kPublicFolder)) continue;
    for (const std::string& violation : violations(file, test::read_document(file), names)) {
      ADD_FAILURE() << violation;
    }
  }
}

TEST(Namespaces, AnotherNamespaceIsReported) {
  const Names none;
  EXPECT_EQ(violations("src/queue/sim/a.hpp", "namespace dovetail {\nstruct Job {};\n}\n", none),
            std::vector<std::string>{
                "src/queue/sim/a.hpp:2: Job is in `dovetail`, not in dovetail::queue"});
  EXPECT_EQ(violations("src/gen/a.hpp", "namespace dovetail {\nint f();\n}\n", none).size(), 1U);
  EXPECT_EQ(
      violations("src/gen/a.hpp", "namespace dovetail {\nconstexpr int kA = 1;\n}\n", none).size(),
      1U);
  EXPECT_EQ(violations("src/gen/a.cpp", "namespace dovetail {\nnamespace {\nint f();\n}\n}\n", none)
                .size(),
            1U);
  EXPECT_EQ(violations("src/run/a.hpp", "namespace dovetail::batch {\nint f();\n}\n", none).size(),
            1U);
  EXPECT_EQ(violations("src/run/a.hpp", "int f();\n", none).size(), 1U);
  EXPECT_EQ(violations("src/made_up/a.hpp", "", none).size(), 1U);
}

TEST(Namespaces, TheRoomsOwnAndInnerNamespacesAreFine) {
  const Names none;
  EXPECT_TRUE(violations("src/study/fair/a.cpp",
                         "namespace dovetail::study::published {\nnamespace {\nint f();\n}\n}\n",
                         none)
                  .empty());
  EXPECT_TRUE(violations("src/run/a.hpp",
                         "namespace dovetail {\nclass Plan;\n}\n"
                         "namespace dovetail::run {\nint f(const Plan& plan);\n}\n",
                         none)
                  .empty());
}

TEST(Namespaces, PublicNamesAndTheirHelpersAreFine) {
  Names names;
  add_public_names("namespace dovetail {\nclass Plan {\n  int end() const;\n};\nint best();\n}\n",
                   names);
  EXPECT_EQ(names, (Names{"Plan", "best"}));
  EXPECT_TRUE(violations("src/planners/a.cpp",
                         "namespace dovetail {\nnamespace {\nint help() { return 1; }\n}\n"
                         "int best() { return help(); }\nint Plan::end() const { return 2; }\n}\n",
                         names)
                  .empty());
}

}  // namespace
}  // namespace dovetail
