// Outputs that are made to outlast a power cut. That they do is tested by tests/system/power.
#include "run/local/disk_sync.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "support/file_checks.hpp"
#include "support/whole_file.hpp"

namespace dovetail::run {
namespace {

namespace fs = std::filesystem;

class DiskSyncTest : public ::testing::Test {
 protected:
  std::string file(const std::string& name) const { return folder_.file(name); }

  testing::TemporaryFolder folder_;
};

TEST_F(DiskSyncTest, TakesFilesFoldersAndLinks) {
  fs::create_directories(file("made/deep/er"));
  testing::put(file("made/deep/er/a"), "a");
  testing::put(file("made/b"), "b");
  fs::create_symlink(file("made/b"), file("link"));
  fs::create_symlink(file("nowhere"), file("made/broken"));
  fs::create_directory_symlink(file("made"), file("made/circle"));
  EXPECT_EQ(sync_files({file("made"), file("link"), file("made/deep/er/a")}), "");
}

TEST_F(DiskSyncTest, PassesOverWhatIsNotThereOrHasNothingToSync) {
  ASSERT_EQ(mkfifo(file("pipe").c_str(), 0600), 0);
  testing::put(file("file"), "");
  EXPECT_EQ(sync_files({}), "");
  EXPECT_EQ(sync_files({file("missing"), file("file/below"), "/dev/null", file("pipe")}), "")
      << "it must not wait for a writer of the pipe";
}

TEST_F(DiskSyncTest, NamesMayBeRelativeOrOdd) {
  const fs::path before = fs::current_path();
  fs::current_path(folder_.path());
  testing::put("plain", "x");
  testing::put(" odd\nname", "x");
  EXPECT_EQ(
      sync_files({"plain", "./plain", " odd\nname", "../" + folder_.path().filename().string()}),
      "");
  sync_folders("no/such/folder");
  fs::current_path(before);
}

}  // namespace
}  // namespace dovetail::run
