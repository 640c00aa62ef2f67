#include "io/formats/swf.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <fstream>
#include <map>

#include "support/file_checks.hpp"
#include "support/test_data.hpp"

namespace dovetail {
namespace {

using testing::error_of;

const std::string kLine =
    "    1        0 588530    937  306 142.00    -1   -1  35100    -1  1  97  -1 307  3 -1 -1 -1\n";

std::string error_in(std::string_view text) {
  return error_of([&] { io::parse_swf(text, "log.swf"); });
}

TEST(Swf, ReadsAllFields) {
  const io::SwfLog log =
      io::parse_swf("1 2.5 3 4 5 6.5 7 8 9 10 11 12 13 14 15 16 17 18", "log.swf");
  ASSERT_EQ(log.jobs.size(), 1U);
  const io::SwfJob expected{.number = 1,
                            .submit = 2.5,
                            .wait = 3,
                            .run = 4,
                            .allocated_processors = 5,
                            .cpu_time = 6.5,
                            .used_memory = 7,
                            .requested_processors = 8,
                            .requested_time = 9,
                            .requested_memory = 10,
                            .status = 11,
                            .user = 12,
                            .group = 13,
                            .executable = 14,
                            .queue = 15,
                            .partition = 16,
                            .preceding_job = 17,
                            .think_time = 18};
  EXPECT_EQ(log.jobs[0], expected);
}

TEST(Swf, HeaderValuesMayCarryRemarksAndIndentation) {
  const io::SwfLog log = io::parse_swf(
      "; Version: 2.2\n  ;MaxNodes: 338 (batch partition; 512 total)\n;\tMaxProcs:   1664 (72, "
      "1368)\n"
      ";\n; Note: one\n; Note: two\n;   http://www.example.org/\n; no key here\n"
      "; UnixStartTime: 835823160\r\n",
      "log.swf");
  EXPECT_EQ(log.header.max_nodes(), 338);
  EXPECT_EQ(log.header.max_procs(), 1664);
  EXPECT_EQ(log.header.unix_start_time(), 835823160);
  EXPECT_EQ(log.header.find("Note"), "one");
  EXPECT_EQ(log.header.entries().size(), 6U);
  EXPECT_FALSE(log.header.integer("Missing"));
  EXPECT_FALSE(log.header.integer("Note"));
}

TEST(Swf, WrongLinesAreErrorsWithTheirNumber) {
  EXPECT_EQ(error_in("; Version: 2\n\n1 2 3\n"), "log.swf:3: expected 18 fields, found 3");
  EXPECT_EQ(error_in(kLine + "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19\n"),
            "log.swf:2: expected 18 fields, found 19");
  EXPECT_EQ(error_in("1 2 x 4\n"), "log.swf:1: expected a number, found \"x\"");
  EXPECT_EQ(error_in("1 2 3z 4\n"), "log.swf:1: expected a number, found \"3z\"");
  EXPECT_EQ(error_in("1 nan 3 4\n"), "log.swf:1: expected a number, found \"nan\"");
  EXPECT_EQ(error_in("1 1e300 3 4\n"), "log.swf:1: expected a number, found \"1e300\"");
}

TEST(Swf, KeepsTheOrderOfTheFile) {
  const std::string rest = " 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n";
  const io::SwfLog log =
      io::parse_swf("1 50" + rest + "2 10" + rest + "3 50" + rest + "4 10" + rest, "l");
  std::vector<std::int64_t> order;
  for (const io::SwfJob& job : log.jobs) order.push_back(job.number);
  EXPECT_EQ(order, (std::vector<std::int64_t>{1, 2, 3, 4}));
}

TEST(Swf, WritesWhatItReads) {
  const io::SwfLog log = io::parse_swf("; Computer: x: y\n" + kLine + kLine, "l");
  const io::SwfLog again = io::parse_swf(io::format_swf(log), "l");
  EXPECT_EQ(again.jobs, log.jobs);
  EXPECT_EQ(again.header.entries(), log.header.entries());
}

std::string gzipped(const std::string& text, const std::string& path) {
  gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(Swf, ReadsGzipAndPlainFilesOfAnySize) {
  const testing::TemporaryFolder folder;
  std::string text;
  // More than two of the reader's pieces, so that lines are cut between them.
  while (text.size() < 2'500'000) text += kLine;
  text.pop_back();
  const std::size_t lines = text.size() / kLine.size() + 1;
  gzipped(text, folder.file("log.swf.gz"));
  EXPECT_EQ(io::read_swf(folder.file("log.swf.gz")).jobs.size(), lines);
  std::ofstream(folder.file("log.swf")) << text;
  const io::SwfLog log = io::read_swf(folder.file("log.swf"));
  EXPECT_EQ(log.jobs.size(), lines);
  EXPECT_EQ(log.jobs.front(), log.jobs.back());
}

TEST(Swf, TruncatedGzipIsAnErrorAtEveryLength) {
  const testing::TemporaryFolder folder;
  const std::string path = folder.file("log.swf.gz");
  const std::string bytes = gzipped("; Version: 2.2\n" + kLine, path);
  for (std::size_t length = 2; length < bytes.size(); ++length) {
    std::ofstream(path, std::ios::binary) << bytes.substr(0, length);
    EXPECT_NE(error_of([&] { io::read_swf(path); }), "no error") << length << " bytes";
  }
}

TEST(Swf, EndlessLinesAreErrors) {
  const testing::TemporaryFolder folder;
  std::ofstream(folder.file("x")) << std::string(3'000'000, ' ');
  EXPECT_NE(error_of([&] { io::read_swf(folder.file("x")); }).find("longer than 1 MiB"),
            std::string::npos);
}

void expect_complete_header(const io::SwfHeader& header) {
  EXPECT_TRUE(header.max_procs());
  EXPECT_TRUE(header.max_nodes());
  EXPECT_TRUE(header.unix_start_time());
}

TEST(Swf, ExcerptsOfRealLogsLoad) {
  const std::map<std::string, std::size_t> jobs = {{"KTH-SP2", 473}, {"OSC", 1'021}};
  for (const auto& [name, count] : jobs) {
    SCOPED_TRACE(name);
    const auto files = testing::files_in(testing::real_dir() / "swf", name, ".swf");
    ASSERT_EQ(files.size(), 1U);
    const io::SwfLog log = io::read_swf(files[0].string());
    EXPECT_EQ(log.jobs.size(), count);
    expect_complete_header(log.header);
  }
}

TEST(Swf, RealLogsLoad) {
  if (!testing::archive_dir()) GTEST_SKIP() << testing::kNoArchive;
  const std::map<std::string, std::size_t> jobs = {
      {"KTH-SP2", 28'476},    {"SDSC-SP2", 59'715}, {"HPC2N", 202'871},  {"CTC-SP2", 77'222},
      {"SDSC-BLUE", 243'306}, {"OSC", 36'097},      {"SDSC-DS", 96'069}, {"NASA-iPSC", 18'239}};
  const auto folder = *testing::archive_dir() / "swf";
  for (const auto& [name, count] : jobs) {
    SCOPED_TRACE(name);
    const auto files = testing::files_in(folder, name, ".swf.gz");
    ASSERT_EQ(files.size(), 1U);
    const io::SwfLog log = io::read_swf(files[0].string());
    EXPECT_EQ(log.jobs.size(), count);
    expect_complete_header(log.header);
  }
}

}  // namespace
}  // namespace dovetail
