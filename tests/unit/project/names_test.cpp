// A name means one thing: no two types of the library and the program share one, and no two files.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "support/documents.hpp"
#include "support/source_code.hpp"

namespace dovetail {
namespace {

// A folder's list of what it offers: planners, strategies, policies, formats, batch systems.
const std::set<std::string> kFilesOfManyFolders = {"table.hpp", "table.cpp"};

using Places = std::map<std::string, std::vector<std::string>>;  // by name, the files

// One sentence for each name that stands in several places.
std::vector<std::string> shared_names(const Places& places) {
  std::vector<std::string> found;
  for (const auto& [name, files] : places) {
    if (files.size() < 2) continue;
    std::string text = name + ":";
    for (const std::string& file : files) text += " " + file;
    found.push_back(std::move(text));
  }
  return found;
}

// Adds the structs, classes and enums that a file defines in a namespace, named or not.
void add_types(const std::string& path, const std::string& content, Places& places) {
  for (const test::Declared& one : test::declarations(content)) {
    const bool is_member = !one.type.empty() || one.name.find("::") != std::string::npos;
    if (one.kind != test::Declared::Kind::type || !one.has_body || is_member) continue;
    places[one.name].push_back(path);
  }
}

void add_file(const std::string& path, Places& places) {
  const std::string name = path.substr(path.rfind('/') + 1);
  if (!kFilesOfManyFolders.contains(name)) places[name].push_back(path);
}

TEST(Names, EachTypeAndEachFileHasItsOwn) {
  const auto files = test::source_files();
  ASSERT_GT(files.size(), 50U);
  Places types;
  Places names;
  for (const std::string& file : files) {
    add_types(file, test::read_document(file), types);
    add_file(file, names);
  }
  EXPECT_GT(types.size(), 500U);
  for (const std::string& violation : shared_names(types)) ADD_FAILURE() << violation;
  for (const std::string& violation : shared_names(names)) ADD_FAILURE() << violation;
}

TEST(Names, TwoTypesOfOneNameAreReported) {
  Places types;
  add_types("src/a.hpp", "namespace dovetail::a {\nstruct Job {\n  int id;\n};\n}\n", types);
  EXPECT_TRUE(shared_names(types).empty());
  add_types("src/b.cpp", "namespace dovetail {\nnamespace {\nenum class Job { one };\n}\n}\n",
            types);
  EXPECT_EQ(shared_names(types), std::vector<std::string>{"Job: src/a.hpp src/b.cpp"});
}

TEST(Names, MembersAndForwardDeclarationsAreNoTypesOfTheirOwn) {
  Places types;
  add_types("src/a.hpp", "namespace a {\nclass Job;\nclass Desk {\n  struct Data {};\n};\n}\n",
            types);
  add_types("src/b.hpp", "namespace a {\nclass Job {};\nclass Book {\n  struct Data;\n};\n}\n",
            types);
  add_types("src/b.cpp", "namespace a {\nstruct Book::Data {\n  int size;\n};\n}\n", types);
  EXPECT_TRUE(shared_names(types).empty());
  EXPECT_EQ(types.size(), 3U);
}

TEST(Names, TwoFilesOfOneNameAreReported) {
  Places names;
  for (const std::string path :
       {"src/a/job.hpp", "src/a/job.cpp", "src/a/table.cpp", "src/b/table.cpp"}) {
    add_file(path, names);
  }
  EXPECT_TRUE(shared_names(names).empty());
  add_file("cli/run/job.cpp", names);
  EXPECT_EQ(shared_names(names),
            std::vector<std::string>{"job.cpp: src/a/job.cpp cli/run/job.cpp"});
}

}  // namespace
}  // namespace dovetail
