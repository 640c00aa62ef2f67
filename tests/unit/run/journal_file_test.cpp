// The journal of a run: what counts as written, whatever happens to its writer and its disk.
#include "run/journal_file.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <optional>
#include <sstream>
#include <vector>

#include "dovetail/error.hpp"
#include "support/file_checks.hpp"
#include "support/random_problem.hpp"
#include "support/small_disk.hpp"
#include "support/whole_file.hpp"

namespace dovetail::run {
namespace {

using testing::Dice;
using testing::error_of;
using testing::failure_of;
using testing::FileSizeLimit;
using testing::put;
using testing::SmallDisk;
using testing::text_of;

struct Contents {
  std::vector<Json> entries = {};
  bool is_torn = false;
};

Contents contents_of(const std::string& path) {
  Contents contents;
  contents.is_torn =
      read_journal(path, [&](const Json& entry) { contents.entries.push_back(entry); });
  return contents;
}

// The numbers of the entries, which the tests count from 0; nothing when they are not in order.
std::optional<std::size_t> count_in_order(const std::string& path) {
  std::size_t count = 0;
  bool in_order = true;
  read_journal(path, [&](const Json& entry) { in_order &= entry.at("n") == count++; });
  return in_order ? std::optional(count) : std::nullopt;
}

void expect_one_line_about(const std::string& path, const std::string& message) {
  EXPECT_EQ(message.rfind(path + ": ", 0), 0U) << message;
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
}

class JournalTest : public ::testing::Test {
 protected:
  testing::TemporaryFolder folder_;
  std::string path_ = folder_.file("journal.ndjson");
};

TEST_F(JournalTest, EntriesComeBackInOrderAlsoFromALaterWriter) {
  JournalWriter(path_).sync();
  EXPECT_EQ(text_of(path_), "");
  for (int n = 0; n < 3; ++n) {
    JournalWriter journal(path_);
    journal.add({{"n", 2 * n}});
    journal.add({{"n", 2 * n + 1}});
    journal.sync();
  }
  EXPECT_EQ(count_in_order(path_), 6U);
  EXPECT_FALSE(contents_of(path_).is_torn);
}

TEST_F(JournalTest, AnEntryIsOnDiskOnlyAfterSync) {
  JournalWriter journal(path_);
  journal.add({{"n", 0}});
  EXPECT_EQ(text_of(path_), "");
  journal.sync();
  EXPECT_EQ(text_of(path_), "{\"n\":0,\"crc\":\"cd500a3f\"}\n");
  journal.sync();
  EXPECT_EQ(text_of(path_), "{\"n\":0,\"crc\":\"cd500a3f\"}\n");
}

TEST_F(JournalTest, NamesMayHoldAnything) {
  const std::vector<std::string> names = {"a \"b\" 'c'",
                                          "two\nlines\r\n",
                                          "back\\slash\t",
                                          "zwölf €",
                                          std::string("a\0b", 3),
                                          "\x1b[31m\x7f",
                                          "",
                                          std::string(300'000, 'x')};
  JournalWriter journal(path_);
  for (const std::string& name : names) journal.add({{"task", name}, {name, 1}});
  journal.sync();
  const auto entries = contents_of(path_).entries;
  ASSERT_EQ(entries.size(), names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(entries[i].at("task"), names[i]);
    EXPECT_TRUE(entries[i].contains(names[i]));
  }
}

TEST_F(JournalTest, BytesThatAreNoTextDoNotMakeItUnreadable) {
  const std::vector<std::string> names = {"\xff\xfe", "cut \xe2\x82", "\xc0\x80\xed\xa0\x80"};
  JournalWriter journal(path_);
  for (const std::string& name : names) journal.add({{"task", name}, {name, 1}});
  journal.sync();
  const auto entries = contents_of(path_).entries;
  ASSERT_EQ(entries.size(), names.size());
  EXPECT_EQ(entries[1].at("task"), "cut \xef\xbf\xbd");
}

TEST_F(JournalTest, ATornLastLineIsRecognisedAndCutOff) {
  const std::string whole = "{\"n\":0}\n{\"n\":1}\n";
  const std::string last = "{\"n\":2,\"task\":\"a\"}";
  for (std::size_t length = 0; length <= last.size(); ++length) {
    SCOPED_TRACE(length);
    put(path_, whole + last.substr(0, length));
    EXPECT_EQ(contents_of(path_).is_torn, length > 0);
    EXPECT_EQ(count_in_order(path_), 2U);
    JournalWriter journal(path_);
    EXPECT_EQ(text_of(path_), whole);
    journal.add({{"n", 2}});
    journal.sync();
    EXPECT_FALSE(contents_of(path_).is_torn);
    EXPECT_EQ(count_in_order(path_), 3U);
  }
}

TEST_F(JournalTest, ATornLineMayBeLong) {
  for (const std::size_t length : {65'535U, 65'536U, 65'537U, 131'072U, 1'000'000U}) {
    for (const std::string& whole : {std::string(), std::string("{\"n\":0}\n")}) {
      SCOPED_TRACE(std::to_string(length) + " after " + whole);
      put(path_, whole + "{\"task\":\"" + std::string(length, 'x'));
      EXPECT_TRUE(contents_of(path_).is_torn);
      const JournalWriter journal(path_);
      EXPECT_EQ(text_of(path_), whole);
    }
  }
}

TEST_F(JournalTest, ALineInTheMiddleThatIsNoEntryIsNamed) {
  const std::vector<std::string> bad = {"",
                                        "x",
                                        "{\"n\":",
                                        "[1]",
                                        "7",
                                        "{}x",
                                        "{\"n\":1e999}",
                                        "{\"n\":\"\xff\"}",
                                        std::string(9, '\0')};
  for (const std::string& line : bad) {
    SCOPED_TRACE(line);
    put(path_, "{\"n\":0}\n{\"n\":1}\n" + line + "\n{\"n\":2}\n");
    EXPECT_EQ(error_of([&] { contents_of(path_); }), path_ + ":3: not an entry of a journal");
  }
}

TEST_F(JournalTest, ABatchThatDoesNotFitOnTheDiskLeavesWhatWasThere) {
  JournalWriter journal(path_);
  journal.add({{"n", 0}});
  journal.sync();
  const std::string before = text_of(path_);
  {
    const FileSizeLimit limit(300);
    for (int n = 1; n < 100; ++n) journal.add({{"n", n}});
    expect_one_line_about(path_, failure_of([&] { journal.sync(); }));
    EXPECT_EQ(text_of(path_), before);
    EXPECT_EQ(failure_of([&] { journal.sync(); }), "no error") << "nothing is left to write";
    EXPECT_EQ(text_of(path_), before);
  }
  journal.add({{"n", 1}});
  journal.sync();
  EXPECT_EQ(count_in_order(path_), 2U);
}

TEST_F(JournalTest, AFullDiskIsOneClearError) {
  const auto outcome = testing::on_small_disk(folder_.path().string(), "64k", [&] {
    JournalWriter journal(path_);
    journal.add({{"n", 0}});
    journal.sync();
    std::string message = "no error";
    for (int batch = 0; batch < 100 && message == "no error"; ++batch) {
      const std::string before = text_of(path_);
      journal.add({{"n", batch + 1}, {"what", std::string(2000, 'x')}});
      message = failure_of([&] { journal.sync(); });
      if (message != "no error" && text_of(path_) != before) return false;
    }
    return message == path_ + ": cannot be written: No space left on device" &&
           count_in_order(path_).value_or(0) > 10;
  });
  if (outcome == SmallDisk::not_possible) GTEST_SKIP() << "no disk of our own can be mounted here";
  EXPECT_EQ(outcome, SmallDisk::fine);
}

TEST_F(JournalTest, WhereNothingCanBeWrittenOrReadIsOneClearError) {
  put(folder_.file("file"), "x");
  for (const std::string& path :
       {folder_.file("missing/journal"), folder_.file("file/journal"), folder_.path().string()}) {
    SCOPED_TRACE(path);
    expect_one_line_about(path, failure_of([&] { const JournalWriter journal(path); }));
    expect_one_line_about(path, failure_of([&] { contents_of(path); }));
  }
}

TEST_F(JournalTest, AHundredThousandEntries) {
  constexpr std::size_t kEntries = 100'000;
  JournalWriter journal(path_);
  for (std::size_t n = 0; n < kEntries; ++n) {
    journal.add({{"n", n}, {"what", "start"}, {"task", "t" + std::to_string(n % 977)}});
    if (n % 5000 == 0) journal.sync();
  }
  journal.sync();
  EXPECT_EQ(count_in_order(path_), kEntries);
  journal.add({{"n", kEntries}});
  journal.sync();
  EXPECT_EQ(count_in_order(path_), kEntries + 1);
}

// Writes numbered entries in batches of changing size, in a process of its own.
pid_t fork_writer(const std::string& path, std::uint64_t seed, std::size_t first,
                  std::size_t last) {
  const pid_t writer = fork();
  if (writer != 0) return writer;
  Dice dice(seed);
  JournalWriter journal(path);
  for (std::size_t n = first; n < last;) {
    for (auto size = dice.between(1, 40); size > 0 && n < last; --size, ++n) {
      journal.add(
          {{"n", n}, {"why", std::string(static_cast<std::size_t>(dice.between(0, 900)), 'y')}});
    }
    journal.sync();
  }
  _exit(0);
}

TEST_F(JournalTest, CanBeReadWhileItIsWritten) {
  constexpr std::size_t kEntries = 4000;
  put(path_, "");
  const pid_t writer = fork_writer(path_, 1, 0, kEntries);
  std::size_t known = 0;
  for (bool is_over = false; !is_over;) {
    is_over = waitpid(writer, nullptr, WNOHANG) == writer;
    const auto count = count_in_order(path_);
    ASSERT_TRUE(count.has_value());
    ASSERT_GE(*count, known);
    known = *count;
  }
  EXPECT_EQ(known, kEntries);
}

TEST_F(JournalTest, AWriterThatIsKilledLeavesABeginning) {
  put(path_, "");
  std::size_t known = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const pid_t writer = fork_writer(path_, seed, known, known + 1'000'000);
    usleep(static_cast<useconds_t>(Dice(seed + 100).between(0, 20'000)));
    kill(writer, SIGKILL);
    waitpid(writer, nullptr, 0);
    const auto count = count_in_order(path_);
    ASSERT_TRUE(count.has_value());
    ASSERT_GE(*count, known);
    known = *count;
  }
  EXPECT_GT(known, 0U);
}

TEST_F(JournalTest, AFileThatIsGoneIsNoJournal) {
  JournalWriter journal(path_);
  journal.add({{"what", "begin"}});
  journal.sync();
  std::filesystem::remove(path_);
  journal.add({{"what", "start"}});
  EXPECT_NE(failure_of([&] { journal.sync(); }).find(path_), std::string::npos);
}

TEST_F(JournalTest, AnEntryThatMakesNoSenseIsNamed) {
  put(path_, "{\"what\":\"begin\"}\n{\"what\":7}\n");
  const std::string error = error_of(
      [&] { read_journal(path_, [](const Json& entry) { entry.at("what").get<std::string>(); }); });
  EXPECT_TRUE(error.starts_with(path_ + ":2: an entry that makes no sense")) << error;
}

// Three syncs of two entries each.
std::string journal_of_three_syncs(const std::string& path) {
  JournalWriter journal(path);
  for (int n = 0; n < 6; n += 2) {
    journal.add({{"n", n}, {"what", "start"}});
    journal.add({{"n", n + 1}, {"what", "end"}});
    journal.sync();
  }
  return text_of(path);
}

// How many entries are there, which must be the first ones as they were written; nothing when the
// damage is reported.
std::optional<std::size_t> count_after_damage(const std::string& path) {
  try {
    std::size_t count = 0;
    read_journal(path, [&](const Json& entry) {
      EXPECT_EQ(entry.at("n"), count);
      EXPECT_EQ(entry.at("what"), count % 2 == 0 ? "start" : "end");
      ++count;
    });
    return count;
  } catch (const InputError&) {
    return std::nullopt;
  }
}

TEST_F(JournalTest, NoChangedBitIsTakenForTheTruth) {
  const std::string whole = journal_of_three_syncs(path_);
  // Without the line end before it, the last sync swallows the line before.
  const std::size_t last_sync = whole.find("\n{\"n\":4");
  for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    SCOPED_TRACE("bit " + std::to_string(bit));
    std::string text = whole;
    text[bit / 8] = static_cast<char>(text[bit / 8] ^ (1 << (bit % 8)));
    put(path_, text);
    const auto count = count_after_damage(path_);
    if (bit / 8 >= last_sync) {
      ASSERT_TRUE(count.has_value()) << "the last sync may have been interrupted";
      ASSERT_GE(*count, 3U);
      ASSERT_LT(*count, 6U);
      JournalWriter journal(path_);
      journal.add({{"n", *count}, {"what", *count % 2 == 0 ? "start" : "end"}});
      journal.sync();
      ASSERT_EQ(count_after_damage(path_), *count + 1);
    } else {
      // Damage to the name of the first line's checksum makes it a line of an earlier version.
      const bool is_first = bit / 8 < whole.find('\n');
      ASSERT_TRUE(!count.has_value() || (is_first && *count == 6));
      if (!is_first) {
        ASSERT_THROW(JournalWriter{path_}, InputError);
      }
    }
  }
}

TEST_F(JournalTest, LinesOfAnInterruptedSyncCountUpToTheFirstBadOne) {
  const std::string whole = journal_of_three_syncs(path_);
  const std::size_t last_sync = whole.find("{\"n\":4");
  const std::size_t last_line = whole.find("{\"n\":5");
  // The first sector of the sync never reached the disk, the second did.
  std::string text = whole;
  std::fill(text.begin() + static_cast<std::ptrdiff_t>(last_sync),
            text.begin() + static_cast<std::ptrdiff_t>(last_line) - 1, '\0');
  put(path_, text);
  EXPECT_TRUE(contents_of(path_).is_torn);
  EXPECT_EQ(count_after_damage(path_), 4U);
  const JournalWriter journal(path_);
  EXPECT_EQ(text_of(path_), whole.substr(0, last_sync));
}

TEST_F(JournalTest, LinesWithoutAChecksumAreReadUntilTheFirstThatHasOne) {
  put(path_, "{\"n\":0,\"what\":\"start\"}\n");
  {
    JournalWriter journal(path_);
    journal.add({{"n", 1}, {"what", "end"}});
    journal.sync();
  }
  EXPECT_EQ(count_after_damage(path_), 2U);
  const std::string whole = text_of(path_);
  put(path_, whole + "{\"n\":2,\"what\":\"start\"}\n");
  EXPECT_EQ(count_after_damage(path_), 2U) << "the third line was not written by a JournalWriter";
  EXPECT_TRUE(contents_of(path_).is_torn);
}

TEST(Journal, IsReplacedAsAWhole) {
  const testing::TemporaryFolder folder;
  const std::string path = folder.file("journal");
  JournalWriter(path).add({{"what", "never written"}});
  put(path, "{\"what\":\"old\"}\n");
  put(path + ".new", "half of somethi");  // of one that was killed while it did the same
  const std::vector<Json> entries = {{{"what", "a"}}, {{"what", "b"}}};
  replace_journal(path, entries);
  EXPECT_EQ(contents_of(path).entries, entries);
  JournalWriter writer(path);
  writer.add({{"what", "c"}});
  writer.sync();
  EXPECT_EQ(contents_of(path).entries.size(), 3U);
  EXPECT_NE(failure_of([&] { replace_journal(folder.file("none/journal"), entries); }), "no error");
}

}  // namespace
}  // namespace dovetail::run
