#include <gtest/gtest.h>
#include <sys/stat.h>
#include <zlib.h>

#include <fstream>

#include "dovetail/error.hpp"
#include "dovetail/io.hpp"
#include "support/file_checks.hpp"
#include "test_places.hpp"

namespace dovetail {
namespace {

using testing::error_of;
using testing::TemporaryFolder;

std::size_t files_in(const TemporaryFolder& folder) {
  const std::filesystem::directory_iterator files(folder.path());
  return static_cast<std::size_t>(std::distance(begin(files), end(files)));
}

std::string write_error(const std::string& path) {
  try {
    write_file(path, "x");
  } catch (const ExecutionError& error) {
    return error.what();
  }
  return "no error";
}

TEST(File, ReadsBackWhatWasWritten) {
  const TemporaryFolder folder;
  const std::string content("a\0b\n", 4);
  write_file(folder.file("x"), content);
  EXPECT_EQ(read_file(folder.file("x")), content);
  write_file(folder.file("x"), "");
  EXPECT_EQ(read_file(folder.file("x")), "");
  EXPECT_EQ(files_in(folder), 1U) << "no temporary file is left";
}

TEST(File, GunzipsByContent) {
  const TemporaryFolder folder;
  gzFile file = gzopen(folder.file("x").c_str(), "wb");
  gzputs(file, "hello");
  gzclose(file);
  EXPECT_EQ(read_file(folder.file("x")), "hello");
}

TEST(File, DamagedGzipIsAnError) {
  const TemporaryFolder folder;
  gzFile file = gzopen(folder.file("x").c_str(), "wb");
  gzputs(file, "hello hello hello hello");
  gzclose(file);
  std::string bytes;
  {
    std::ifstream in(folder.file("x"), std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(in), {});
  }
  std::ofstream(folder.file("short"), std::ios::binary) << bytes.substr(0, bytes.size() - 3);
  EXPECT_NE(error_of([&] { read_file(folder.file("short")); }).find("end too early"),
            std::string::npos);
  bytes[bytes.size() - 6] ^= 1;
  std::ofstream(folder.file("bad"), std::ios::binary) << bytes;
  EXPECT_NE(error_of([&] { read_file(folder.file("bad")); }).find("damaged gzip data"),
            std::string::npos);
}

// In a hurry, which compresses blanks well enough.
void write_gzip(const std::string& path, std::string_view piece, int times) {
  gzFile file = gzopen(path.c_str(), "wb1");
  for (int i = 0; i < times; ++i) gzwrite(file, piece.data(), static_cast<unsigned>(piece.size()));
  gzclose(file);
}

TEST(File, GzipThatExpandsToMoreThanTextsDoIsCutOff) {
  const TemporaryFolder folder;
  const std::string blanks(std::size_t{1} << 20U, ' ');
  write_gzip(folder.file("small"), blanks, 16);
  EXPECT_EQ(read_file(folder.file("small")).size(), std::size_t{16} << 20U);
  write_gzip(folder.file("bomb"), blanks, 18);
  EXPECT_EQ(error_of([&] { read_file(folder.file("bomb")); }),
            folder.file("bomb") +
                ": cannot be read: it expands to more than 64 times its size; decompress it first, "
                "if it is text");
  // What does not shrink well may be as long as it likes.
  std::string noise = blanks;
  std::uint32_t state = 1;
  for (char& c : noise) c = "0123456789abcdef"[(state = state * 1'664'525 + 1'013'904'223) >> 28U];
  write_gzip(folder.file("large"), noise, 24);
  EXPECT_EQ(read_file(folder.file("large")).size(), std::size_t{24} << 20U);
}

TEST(File, PlainFilesHaveNoSuchLimit) {
  const TemporaryFolder folder;
  write_file(folder.file("x"), std::string(std::size_t{24} << 20U, ' '));
  EXPECT_EQ(read_file(folder.file("x")).size(), std::size_t{24} << 20U);
}

TEST(File, UnreadableFilesAreInputErrors) {
  const TemporaryFolder folder;
  EXPECT_EQ(error_of([&] { read_file(folder.file("none")); }),
            folder.file("none") + ": cannot be read: No such file or directory");
  EXPECT_EQ(error_of([&] { read_file(folder.path().string()); }),
            folder.path().string() + ": cannot be read: it is a folder");
}

TEST(File, FailedWritesLeaveTheOldFileAndNothingElse) {
  const TemporaryFolder folder;
  EXPECT_EQ(write_error(folder.file("none/x")),
            folder.file("none/x") + ": cannot be written: No such file or directory");
  std::filesystem::create_directory(folder.file("folder"));
  EXPECT_EQ(write_error(folder.file("folder")),
            folder.file("folder") + ": cannot be written: Is a directory");
  EXPECT_EQ(files_in(folder), 1U);
}

TEST(File, KeepsPermissionsAndLinks) {
  const TemporaryFolder folder;
  write_file(folder.file("x"), "old");
  std::filesystem::permissions(folder.file("x"), std::filesystem::perms(0640));
  std::filesystem::create_symlink("x", folder.file("link"));
  write_file(folder.file("link"), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(folder.file("link")));
  EXPECT_EQ(read_file(folder.file("x")), "new");
  EXPECT_EQ(std::filesystem::status(folder.file("x")).permissions(), std::filesystem::perms(0640));
}

TEST(File, OneWorkflowInEveryFormatReadsTheSame) {
  const auto folder = std::filesystem::path(DOVETAIL_SOURCE_DIR) / "tests" / "data";
  const Workflow flow = read_workflow((folder / "diamond.yaml").string());
  ASSERT_EQ(flow.edge_count(), 4U);
  for (const char* name : {"diamond.json", "diamond.dot", "diamond.dax",
                           "diamond.wfcommons-1.4.json", "diamond.wfcommons-1.5.json"}) {
    SCOPED_TRACE(name);
    testing::expect_same(flow, read_workflow((folder / name).string()));
  }
  EXPECT_EQ(read_platform((folder / "cluster.yaml").string()).clusters()[0].reservations.size(),
            2U);
}

TEST(File, DevicesAreWrittenDirectly) {
  write_file("/dev/null", "x");
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST(File, FullDevicesAreErrors) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full on this system";
  EXPECT_EQ(write_error("/dev/full"), "/dev/full: cannot be written: No space left on device");
}

}  // namespace
}  // namespace dovetail
