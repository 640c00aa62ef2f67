// Every command that README.md, CONTRIBUTING.md and docs/ show is run, and prints what they say.
#include <gtest/gtest.h>

#include "support/console.hpp"
#include "support/documents.hpp"
#include "test_places.hpp"

namespace dovetail::test {
namespace {

std::vector<std::string> all_documents() {
  return documents({"README.md", "CONTRIBUTING.md", "docs"}, ".md");
}

class Document : public testing::TestWithParam<std::string> {};

TEST_P(Document, ShowsCommandsThatWorkAsTyped) {
  const Script script = parse_markdown(read_document(GetParam()));
  for (const std::string& difference : differences(script, GetParam(), DOVETAIL_PROGRAM)) {
    ADD_FAILURE() << difference;
  }
}

INSTANTIATE_TEST_SUITE_P(Files, Document, testing::ValuesIn(all_documents()), document_test_name);

// Excuses are for what takes minutes or changes the machine, not for what is hard to get right.
TEST(Documents, LeaveFewCommandsUnrun) {
  constexpr std::size_t kFew = 10;
  std::size_t not_run = 0;
  for (const std::string& name : all_documents()) {
    not_run += parse_markdown(read_document(name)).not_run;
  }
  EXPECT_LE(not_run, kFew);
}

}  // namespace
}  // namespace dovetail::test
