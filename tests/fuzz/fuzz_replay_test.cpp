// The inputs that fuzzing found worth keeping, given to every target once more: no clang needed.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "fuzz_table.hpp"
#include "support/whole_file.hpp"
#include "test_places.hpp"

namespace dovetail {
namespace {

class FuzzReplay : public ::testing::TestWithParam<test::FuzzTarget> {};

TEST_P(FuzzReplay, NoInputOfTheCorpusDoesHarm) {
  const std::filesystem::path folder =
      std::filesystem::path(DOVETAIL_SOURCE_DIR) / "tests/fuzz/corpus" / GetParam().name;
  std::size_t count = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    SCOPED_TRACE(file.path().string());
    GetParam().run(testing::text_of(file.path().string()));
    ++count;
  }
  EXPECT_GT(count, 0U) << folder << " has no inputs";
  for (const char* text : {"", "\n", "{}", "[]", "null", "\xff\xfe"}) GetParam().run(text);
}

INSTANTIATE_TEST_SUITE_P(Targets, FuzzReplay, ::testing::ValuesIn(test::fuzz_targets()),
                         [](const auto& target) { return std::string(target.param.name); });

}  // namespace
}  // namespace dovetail
