// Every tests/scenarios/*.scn, run with the real program.
#include <gtest/gtest.h>

#include "support/console.hpp"
#include "support/documents.hpp"
#include "test_places.hpp"

namespace dovetail::test {
namespace {

class Scenario : public testing::TestWithParam<std::string> {};

TEST_P(Scenario, PrintsWhatItSays) {
  const Script script = parse_scenario(read_document(GetParam()));
  ASSERT_FALSE(script.actions.empty()) << GetParam() << ": runs nothing";
  for (const std::string& difference : differences(script, GetParam(), DOVETAIL_PROGRAM)) {
    ADD_FAILURE() << difference;
  }
}

INSTANTIATE_TEST_SUITE_P(Files, Scenario, testing::ValuesIn(documents({"tests/scenarios"}, ".scn")),
                         document_test_name);

}  // namespace
}  // namespace dovetail::test
