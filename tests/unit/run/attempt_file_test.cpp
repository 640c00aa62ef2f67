// What is known of an attempt from its file, and which process is which.
#include "run/local/attempt_file.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include "support/file_checks.hpp"
#include "support/small_disk.hpp"
#include "support/whole_file.hpp"

namespace dovetail::run {
namespace {

using testing::FileSizeLimit;
using testing::put;
using testing::SmallDisk;
using testing::text_of;

// Over what is there, and without making it shorter.
void overwrite(const std::string& path, const std::string& text) {
  std::fstream(path, std::ios::binary | std::ios::in | std::ios::out) << text;
}

const AttemptStart kStart{.supervisor = {.pid = 4711, .born = 8'812'345, .boot = "2c1f"},
                          .group = 4712,
                          .time = 1'763'287'200'123};
const AttemptEnd kEnd{.exit_code = 137,
                      .signal = 9,
                      .cause = AttemptEnd::Cause::out_of_memory,
                      .why = "because",
                      .time = 1'763'287'300'456,
                      .seconds = 100.25,
                      .cpu_seconds = 812.5,
                      .peak_kib = 1'048'576,
                      .peak_memory = 3'221'225'472};

bool write_start(AttemptWriter& writer, const AttemptStart& start) {
  writer.prepare_start(start.supervisor, start.time, start.origin);
  return writer.write_start(start.group);
}

void expect_same(const AttemptEnd& a, const AttemptEnd& b) {
  EXPECT_EQ(a.exit_code, b.exit_code);
  EXPECT_EQ(a.signal, b.signal);
  EXPECT_EQ(a.cause, b.cause);
  EXPECT_EQ(a.why, b.why);
  EXPECT_EQ(a.time, b.time);
  EXPECT_EQ(a.seconds, b.seconds);
  EXPECT_EQ(a.cpu_seconds, b.cpu_seconds);
  EXPECT_EQ(a.peak_kib, b.peak_kib);
  EXPECT_EQ(a.peak_memory, b.peak_memory);
}

class AttemptFileTest : public ::testing::Test {
 protected:
  testing::TemporaryFolder folder_;
  std::string path_ = folder_.file("17.1");
};

TEST_F(AttemptFileTest, BothHalvesComeBack) {
  auto writer = AttemptWriter::create(path_);
  ASSERT_TRUE(writer.has_value());
  EXPECT_FALSE(read_attempt(path_).start.has_value());
  ASSERT_TRUE(write_start(*writer, kStart));
  Attempt attempt = read_attempt(path_);
  ASSERT_TRUE(attempt.start.has_value());
  EXPECT_FALSE(attempt.end.has_value());
  ASSERT_TRUE(writer->write_end(kEnd));
  attempt = read_attempt(path_);
  ASSERT_TRUE(attempt.start.has_value());
  ASSERT_TRUE(attempt.end.has_value());
  EXPECT_EQ(attempt.start->supervisor.pid, 4711);
  EXPECT_EQ(attempt.start->supervisor.born, 8'812'345U);
  EXPECT_EQ(attempt.start->supervisor.boot, "2c1f");
  EXPECT_EQ(attempt.start->group, 4712);
  EXPECT_EQ(attempt.start->time, 1'763'287'200'123);
  expect_same(*attempt.end, kEnd);
}

TEST_F(AttemptFileTest, AGroupOfAnySizeComesBack) {
  for (const pid_t group : {1, 99'999, std::numeric_limits<pid_t>::max()}) {
    std::filesystem::remove(path_);
    auto writer = AttemptWriter::create(path_);
    AttemptStart start = kStart;
    start.group = group;
    ASSERT_TRUE(writer && write_start(*writer, start));
    EXPECT_EQ(read_attempt(path_).start.value_or(AttemptStart{}).group, group);
  }
}

TEST_F(AttemptFileTest, EveryCauseComesBack) {
  using Cause = AttemptEnd::Cause;
  for (const Cause cause :
       {Cause::ended, Cause::timed_out, Cause::stopped, Cause::out_of_memory, Cause::not_started}) {
    AttemptEnd end = kEnd;
    end.cause = cause;
    const auto read = parse_end(to_json(end));
    ASSERT_TRUE(read.has_value());
    expect_same(*read, end);
  }
}

TEST_F(AttemptFileTest, AnEndOfAnEarlierVersionHasTheMemoryOfItsLargestProcess) {
  const auto end = parse_end(
      R"({"exit":0,"signal":0,"cause":"ended","ended":1,"seconds":2,"cpu_seconds":1,"peak_kib":100})");
  ASSERT_TRUE(end.has_value());
  EXPECT_EQ(end->peak_memory, 0);
  EXPECT_EQ(end->peak(), 102'400);
  EXPECT_EQ(kEnd.peak(), 3'221'225'472);
  EXPECT_EQ((AttemptEnd{.peak_kib = std::numeric_limits<std::int64_t>::max()}).peak() % 1024, 0);
}

TEST_F(AttemptFileTest, WithoutAFileNothingIsKnown) {
  const Attempt attempt = read_attempt(path_);
  EXPECT_FALSE(attempt.start.has_value());
  EXPECT_FALSE(attempt.end.has_value());
}

TEST_F(AttemptFileTest, AFileThatWasCutTellsNothingWrong) {
  auto writer = AttemptWriter::create(path_);
  ASSERT_TRUE(writer && write_start(*writer, kStart) && writer->write_end(kEnd));
  const std::string whole = text_of(path_);
  for (std::size_t size = 0; size < whole.size(); size += 73) {
    SCOPED_TRACE(size);
    put(path_, whole.substr(0, size));
    const Attempt attempt = read_attempt(path_);
    EXPECT_EQ(attempt.start.has_value(), size >= 512);
    EXPECT_FALSE(attempt.end.has_value());
  }
}

// A reader may come in the middle of a write: the beginning is new already, the rest is not.
TEST_F(AttemptFileTest, AHalfThatIsPartlyWrittenTellsNothingWrong) {
  auto writer = AttemptWriter::create(path_);
  ASSERT_TRUE(writer.has_value());
  const std::string empty = text_of(path_);
  ASSERT_TRUE(write_start(*writer, kStart) && writer->write_end(kEnd));
  const std::string whole = text_of(path_);
  for (std::size_t size = 0; size < 512; ++size) {
    SCOPED_TRACE(size);
    overwrite(path_, whole.substr(0, size) + empty.substr(size));
    const auto start = read_attempt(path_).start;
    EXPECT_EQ(start.value_or(kStart).time, kStart.time);
    overwrite(path_, whole.substr(0, 512 + size) + empty.substr(512 + size));
    expect_same(read_attempt(path_).end.value_or(kEnd), kEnd);
  }
}

TEST_F(AttemptFileTest, WhatIsNoAttemptTellsNothing) {
  for (const std::string& half :
       {std::string("{}"), std::string("[]"), std::string("{\"supervisor\":\"x\",\"exit\":\"y\"}"),
        std::string("{\"exit\":0,\"signal\":0,\"cause\":\"magic\"}"), std::string("{\"exit\":0}"),
        std::string(512, '\0')}) {
    SCOPED_TRACE(half);
    std::string padded = half;
    padded.resize(512, ' ');
    put(path_, padded + padded);
    EXPECT_FALSE(read_attempt(path_).start.has_value());
    EXPECT_FALSE(read_attempt(path_).end.has_value());
    EXPECT_FALSE(parse_end(half).has_value());
  }
}

TEST_F(AttemptFileTest, AnAttemptBeginsOnce) {
  ASSERT_TRUE(AttemptWriter::create(path_).has_value());
  errno = 0;
  EXPECT_FALSE(AttemptWriter::create(path_).has_value());
  EXPECT_EQ(errno, EEXIST);
}

TEST_F(AttemptFileTest, AWriterThatGoesClosesItsFile) {
  const auto open_files = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
  };
  const auto before = open_files();
  for (int i = 0; i < 10; ++i) AttemptWriter::create(folder_.file(std::to_string(i)));
  EXPECT_EQ(open_files(), before);
}

TEST_F(AttemptFileTest, OnAFullDiskThereIsNoFile) {
  for (const rlim_t room : {0U, 1U, 512U, 1023U}) {
    SCOPED_TRACE(room);
    const FileSizeLimit limit(room);
    errno = ENOENT;  // left over from something else
    const bool is_made = AttemptWriter::create(path_).has_value();
    const int error = errno;
    EXPECT_FALSE(is_made);
    EXPECT_TRUE(error == EFBIG || error == ENOSPC) << std::strerror(error);
    EXPECT_FALSE(std::filesystem::exists(path_));
  }
}

TEST_F(AttemptFileTest, TheEndFitsOnADiskThatFilledUpMeanwhile) {
  const auto outcome = testing::on_small_disk(folder_.path().string(), "32k", [&] {
    auto writer = AttemptWriter::create(path_);
    if (!writer || !write_start(*writer, kStart)) return false;
    put(folder_.file("full"), std::string(100'000, 'x'));
    const bool is_full = !AttemptWriter::create(folder_.file("other"));
    return is_full && writer->write_end(kEnd) && read_attempt(path_).end.has_value() &&
           !std::filesystem::exists(folder_.file("other"));
  });
  if (outcome == SmallDisk::not_possible) GTEST_SKIP() << "no disk of our own can be mounted here";
  EXPECT_EQ(outcome, SmallDisk::fine);
}

TEST_F(AttemptFileTest, AReasonOfAnyLengthAndKindFits) {
  const std::string reason = ": No such file or directory";
  for (const std::string piece : {"x", "\"", "\n", "\x01", "\xff", "€", "\\", "\xe2\x82"}) {
    for (const std::size_t count : {1U, 50U, 200U, 600U, 5000U}) {
      std::string why = "/";
      for (std::size_t i = 0; i < count; ++i) why += piece;
      SCOPED_TRACE(std::to_string(count) + " times " + piece);
      AttemptEnd end = kEnd;
      end.why = why + reason;
      std::filesystem::remove(path_);
      auto writer = AttemptWriter::create(path_);
      ASSERT_TRUE(writer && write_start(*writer, kStart));
      ASSERT_TRUE(writer->write_end(end));
      const Attempt attempt = read_attempt(path_);
      ASSERT_TRUE(attempt.start && attempt.end);
      EXPECT_TRUE(attempt.end->why.ends_with(reason)) << attempt.end->why;
      EXPECT_TRUE(count > 1 || piece[0] < 0 || attempt.end->why == end.why) << attempt.end->why;
      expect_same(*parse_end(to_json(end)), *attempt.end);
    }
  }
}

TEST(ProcessName, TellsProcessesApart) {
  const ProcessName self = ProcessName::self();
  EXPECT_EQ(self.pid, getpid());
  EXPECT_TRUE(self.is_alive());
  ProcessName later = self;
  later.born += 1;
  EXPECT_FALSE(later.is_alive()) << "the number was given to another process";
  ProcessName before_the_restart = self;
  before_the_restart.boot = "0";
  EXPECT_FALSE(before_the_restart.is_alive());
  EXPECT_FALSE(ProcessName{}.is_alive());
  EXPECT_FALSE((ProcessName{.pid = -1, .born = self.born, .boot = self.boot}).is_alive());
  EXPECT_FALSE((ProcessName{.pid = 1, .born = self.born, .boot = self.boot}).is_alive());
}

TEST(ProcessName, AZombieIsNotAliveAndANameMayLookLikeAnything) {
  for (const char* name : {"plain", "a) Z 1 (b", ") ) 7"}) {
    SCOPED_TRACE(name);
    int tell[2];
    ASSERT_EQ(pipe(tell), 0);
    const pid_t child = fork();
    if (child == 0) {
      std::ofstream("/proc/self/comm") << name;
      const std::uint64_t born = ProcessName::self().born;
      if (write(tell[1], &born, sizeof born) > 0) pause();
      _exit(0);
    }
    ProcessName process{.pid = child, .boot = ProcessName::self().boot};
    ASSERT_EQ(read(tell[0], &process.born, sizeof process.born), ssize_t{sizeof process.born});
    close(tell[0]);
    close(tell[1]);
    EXPECT_TRUE(process.is_alive());
    kill(child, SIGKILL);
    siginfo_t info{};
    waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT);
    EXPECT_FALSE(process.is_alive()) << "a zombie";
    waitpid(child, nullptr, 0);
    EXPECT_FALSE(process.is_alive());
  }
}

}  // namespace
}  // namespace dovetail::run
