// Whether tasks have to be run again.
#include "run/freshness.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "support/file_checks.hpp"
#include "support/whole_file.hpp"

namespace dovetail::run {
namespace {

class FreshnessTest : public ::testing::Test {
 protected:
  std::string digest(const std::vector<std::string>& inputs) const {
    TaskExecution execution;
    execution.inputs = inputs;
    return digest_of_inputs(execution, folder_.path().string());
  }

  testing::TemporaryFolder folder_;
};

TEST_F(FreshnessTest, TheDigestFollowsTheContentsAndNothingElse) {
  EXPECT_EQ(digest({}), "");
  testing::put(folder_.file("a"), "one");
  const std::string before = digest({"a"});
  EXPECT_EQ(before.size(), 64U);
  testing::put(folder_.file("a"), "two");
  EXPECT_NE(digest({"a"}), before);
  testing::put(folder_.file("a"), "one");
  EXPECT_EQ(digest({"a"}), before);
  std::filesystem::last_write_time(folder_.file("a"), std::filesystem::file_time_type::min());
  EXPECT_EQ(digest({"a"}), before);
}

TEST_F(FreshnessTest, WhatMovesFromOneFileToAnotherIsAChange) {
  testing::put(folder_.file("a"), "12");
  testing::put(folder_.file("b"), "3");
  const std::string before = digest({"a", "b"});
  testing::put(folder_.file("a"), "1");
  testing::put(folder_.file("b"), "23");
  EXPECT_NE(digest({"a", "b"}), before);
}

TEST_F(FreshnessTest, AFolderIsAllThatIsInIt) {
  std::filesystem::create_directories(folder_.file("d/e"));
  testing::put(folder_.file("d/e/f"), "1");
  const std::string before = digest({"d"});
  testing::put(folder_.file("d/e/f"), "2");
  EXPECT_NE(digest({"d"}), before);
  testing::put(folder_.file("d/e/f"), "1");
  testing::put(folder_.file("d/new"), "");
  EXPECT_NE(digest({"d"}), before);
}

TEST_F(FreshnessTest, EmptyFoldersAndLinksCount) {
  std::filesystem::create_directory(folder_.file("d"));
  const std::string before = digest({"d"});
  std::filesystem::create_directory(folder_.file("d/empty"));
  const std::string with_folder = digest({"d"});
  EXPECT_NE(with_folder, before);
  std::filesystem::create_symlink("nowhere", folder_.file("d/link"));
  const std::string with_link = digest({"d"});
  EXPECT_NE(with_link, with_folder);
  std::filesystem::remove(folder_.file("d/link"));
  std::filesystem::create_symlink("elsewhere", folder_.file("d/link"));
  EXPECT_NE(digest({"d"}), with_link);
}

TEST_F(FreshnessTest, WhatMayNeverEndIsNoInput) {
  ASSERT_EQ(mkfifo(folder_.file("pipe").c_str(), 0600), 0);
  EXPECT_NE(testing::failure_of([&] { digest({"pipe"}); }).find("neither a file nor a folder"),
            std::string::npos);
}

TEST_F(FreshnessTest, AMissingInputIsNamed) {
  const std::string error = testing::failure_of([&] { digest({"not there"}); });
  EXPECT_NE(error.find("not there: No such file"), std::string::npos) << error;
}

TEST_F(FreshnessTest, TheFirstMissingOutputIsNamed) {
  TaskExecution execution;
  execution.outputs = {"a", "b", "c"};
  testing::put(folder_.file("a"), "");
  EXPECT_EQ(missing_output(execution, folder_.path().string()), "b");
  testing::put(folder_.file("b"), "");
  std::filesystem::create_directory(folder_.file("c"));
  EXPECT_FALSE(missing_output(execution, folder_.path().string()));
}

TEST(Directory, IsSeenFromWhereTheRunWasStarted) {
  TaskExecution execution;
  EXPECT_EQ(directory_of(execution, "/run"), "/run");
  execution.directory = "sub";
  EXPECT_EQ(directory_of(execution, "/run"), "/run/sub");
  execution.directory = "/else/where";
  EXPECT_EQ(directory_of(execution, "/run"), "/else/where");
}

}  // namespace
}  // namespace dovetail::run
