// The file of measured times: nothing lost, nothing twice, and clear words when it cannot be used.
#include "run/history/performance_history.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "dovetail/error.hpp"
#include "support/file_checks.hpp"
#include "support/small_disk.hpp"

namespace dovetail::run {
namespace {

using testing::failure_of;
using testing::FileSizeLimit;
using testing::on_small_disk;
using testing::SmallDisk;
using testing::TemporaryFolder;

Measurement measured(const std::string& task, WallTime time, double seconds = 1) {
  return {.workflow = "w",
          .kind = "k",
          .task = task,
          .machine = "m",
          .run = "w-1",
          .processors = 2,
          .seconds = seconds,
          .cpu_seconds = 2 * seconds,
          .peak_kib = 4096,
          .peak_memory = 5'000'000,
          .time = time,
          .estimate = 1.5,
          .was_assumed = true};
}

void add_one(PerformanceHistory& history, const Measurement& measurement) {
  history.add({&measurement, 1});
}

std::string failure_of_opening(const std::string& path) {
  return failure_of([&] { PerformanceHistory history(path); });
}

// Writes bytes into a file that is there.
void patch(const std::string& path, std::streamoff place, const std::string& bytes) {
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(place);
  file << bytes;
}

class PerformanceHistoryTest : public ::testing::Test {
 protected:
  std::string path() const { return folder_.file("state/history.sqlite"); }
  TemporaryFolder folder_;
};

TEST_F(PerformanceHistoryTest, GivesBackAllThatWasAddedNewestFirst) {
  PerformanceHistory history(path());
  const std::vector<Measurement> all = {measured("k_1", 100, 1.25), measured("k_2", 300, 0.001),
                                        measured("k_1", 200, 1e9)};
  history.add(all);
  const std::vector<Measurement> newest_first = {all[1], all[2], all[0]};
  EXPECT_EQ(history.of("w", "k", "m"), newest_first);
  EXPECT_EQ(PerformanceHistory(path()).of("w", "k", "m"), newest_first) << "from the file";
  EXPECT_EQ(history.of("w", "k", "m", 1), std::vector<Measurement>{all[1]});
  EXPECT_EQ(history.of_task("w", "k_1", "m"), (std::vector<Measurement>{all[2], all[0]}));
}

TEST_F(PerformanceHistoryTest, KnowsNothingOfOtherWorkflowsKindsAndMachines) {
  PerformanceHistory history(path());
  add_one(history, measured("k_1", 1));
  EXPECT_TRUE(history.of("v", "k", "m").empty());
  EXPECT_TRUE(history.of("w", "K", "m").empty());
  EXPECT_TRUE(history.of("w", "k", "n").empty());
  EXPECT_TRUE(history.of_task("w", "k_1", "n").empty());
  const std::vector<PerformanceHistory::Kind> kinds = {{"w", "k", "m"}};
  EXPECT_EQ(history.kinds(), kinds);
}

TEST_F(PerformanceHistoryTest, AFileThatIsNotThereKnowsNothingAndIsNotMade) {
  const PerformanceHistory history(path());
  EXPECT_TRUE(history.of("w", "k", "m").empty());
  EXPECT_TRUE(history.of_task("w", "t", "m").empty());
  EXPECT_TRUE(history.kinds().empty());
  EXPECT_FALSE(std::filesystem::exists(folder_.file("state")));
}

TEST_F(PerformanceHistoryTest, SeesAFileThatSomebodyElseMakesLater) {
  const PerformanceHistory reader(path());
  EXPECT_TRUE(reader.of("w", "k", "m").empty());
  PerformanceHistory writer(path());
  add_one(writer, measured("a", 1));
  EXPECT_EQ(reader.of("w", "k", "m").size(), 1U);
}

TEST_F(PerformanceHistoryTest, AnEmptyFileIsAHistoryWithNothingInIt) {
  std::filesystem::create_directories(folder_.file("state"));
  std::ofstream{path()};
  PerformanceHistory history(path());
  EXPECT_TRUE(history.kinds().empty());
  add_one(history, measured("a", 1));
  EXPECT_EQ(history.kinds().size(), 1U);
}

TEST_F(PerformanceHistoryTest, TheSameEndCountsOnce) {
  PerformanceHistory history(path());
  add_one(history, measured("a", 1));
  history.add(std::vector{measured("a", 1), measured("a", 2), measured("b", 1)});
  EXPECT_EQ(history.of("w", "k", "m").size(), 3U);
}

TEST_F(PerformanceHistoryTest, ForgetsTheOldestOfATaskAlone) {
  PerformanceHistory history(path());
  add_one(history, measured("b", 0));
  std::vector<Measurement> many;
  const auto kept = static_cast<WallTime>(PerformanceHistory::kKeptPerTask);
  for (WallTime time = 1; time <= kept + 5; ++time) many.push_back(measured("a", time));
  history.add(many);
  const auto known = history.of_task("w", "a", "m", 2 * many.size());
  ASSERT_EQ(known.size(), PerformanceHistory::kKeptPerTask);
  EXPECT_EQ(known.front().time, kept + 5);
  EXPECT_EQ(known.back().time, 6);
  EXPECT_EQ(history.of_task("w", "b", "m").size(), 1U);
}

TEST_F(PerformanceHistoryTest, NamesMayHoldAnything) {
  using namespace std::string_literals;
  PerformanceHistory history(path());
  const std::vector<std::string> names = {
      "",      "it's", "a\"b", "a\nb",      "a\0b"s,
      "a\0c"s, "%",    "_",    "ä\xff\x80", "'); DROP TABLE measurement; --"};
  for (const std::string& name : names) {
    Measurement m = measured(name, 1);
    m.workflow = m.kind = m.machine = m.run = name;
    add_one(history, m);
    EXPECT_EQ(history.of(name, name, name), std::vector<Measurement>{m}) << name;
    EXPECT_EQ(history.of_task(name, name, name), std::vector<Measurement>{m}) << name;
  }
  EXPECT_EQ(history.kinds().size(), names.size());
}

TEST_F(PerformanceHistoryTest, SeveralProcessesAddAtTheSameTimeAndNothingIsLost) {
  constexpr int kProcesses = 4;
  constexpr int kTimes = 25;
  std::set<pid_t> children;
  for (int process = 0; process < kProcesses; ++process) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      // The first to come makes the file; each has a task of its own.
      const std::string failure = failure_of([&] {
        for (int i = 0; i < kTimes; ++i) {
          PerformanceHistory history(path());
          history.add(std::vector{measured("a" + std::to_string(process), i),
                                  measured("b" + std::to_string(process), i)});
        }
      });
      if (failure != "no error") std::fprintf(stderr, "%s\n", failure.c_str());
      _exit(failure == "no error" ? 0 : 1);
    }
    children.insert(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(PerformanceHistory(path()).of("w", "k", "m").size(), 2U * kProcesses * kTimes);
}

TEST_F(PerformanceHistoryTest, AKilledWriterLeavesWholeBatches) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    PerformanceHistory history(path());
    for (WallTime i = 0;; ++i) {
      history.add(std::vector{measured("a" + std::to_string(i), i), measured("b", i)});
    }
  }
  // Until it has begun; then wherever it happens to be.
  while (failure_of([&] { EXPECT_GE(PerformanceHistory(path()).kinds().size(), 0U); }) !=
             "no error" ||
         PerformanceHistory(path()).of("w", "k", "m").size() < 20) {
    usleep(1000);
  }
  kill(child, SIGKILL);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  PerformanceHistory history(path());
  const auto own = history.of_task("w", "b", "m");
  ASSERT_FALSE(own.empty());
  for (const Measurement& m : own) {
    EXPECT_EQ(history.of_task("w", "a" + std::to_string(m.time), "m").size(), 1U) << m.time;
  }
  add_one(history, measured("c", 1));
  EXPECT_EQ(history.of_task("w", "c", "m").size(), 1U);
}

// A file as the first version made it, with one measurement.
void make_old_history(const std::string& path) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
  const char* text = R"(
    CREATE TABLE measurement (
      id INTEGER PRIMARY KEY, workflow TEXT NOT NULL, kind TEXT NOT NULL, task TEXT NOT NULL,
      machine TEXT NOT NULL, run TEXT NOT NULL, processors INTEGER NOT NULL,
      seconds REAL NOT NULL, cpu_seconds REAL NOT NULL, peak_kib INTEGER NOT NULL,
      ended INTEGER NOT NULL, estimate REAL NOT NULL, was_assumed INTEGER NOT NULL,
      UNIQUE (machine, workflow, task, ended, run));
    CREATE INDEX by_kind ON measurement (machine, workflow, kind, ended);
    INSERT INTO measurement VALUES (1, 'w', 'k', 'old', 'm', 'w-1', 2, 1, 2, 4096, 7, 1.5, 1);
    PRAGMA application_id = 1685484652; PRAGMA user_version = 1)";
  EXPECT_EQ(sqlite3_exec(database, text, nullptr, nullptr, nullptr), SQLITE_OK)
      << sqlite3_errmsg(database);
  sqlite3_close(database);
}

TEST_F(PerformanceHistoryTest, AFileOfAnEarlierVersionIsReadAndAddedTo) {
  make_old_history(path());
  Measurement old = measured("old", 7);
  old.peak_memory = 0;
  PerformanceHistory history(path());
  EXPECT_EQ(history.of("w", "k", "m"), std::vector{old});
  PerformanceHistory beside(path());
  EXPECT_EQ(beside.of_task("w", "old", "m").size(), 1U);
  add_one(history, measured("new", 8));
  const std::vector both{measured("new", 8), old};
  EXPECT_EQ(history.of("w", "k", "m"), both);
  EXPECT_EQ(beside.of("w", "k", "m"), both) << "it was opened before the column was there";
  add_one(beside, measured("third", 9));
  EXPECT_EQ(PerformanceHistory(path()).of("w", "k", "m").size(), 3U);
}

TEST_F(PerformanceHistoryTest, AFileThatIsNoDatabaseIsNamed) {
  const std::string file = folder_.file("notes.txt");
  std::ofstream(file) << std::string(5000, 'x');
  EXPECT_EQ(failure_of_opening(file),
            file +
                ": not a performance history, or damaged (file is not a database); move it "
                "away, and a new one is begun");
  EXPECT_NE(failure_of_opening(folder_.path().string()), "no error") << "a folder";
}

TEST_F(PerformanceHistoryTest, DamageIsAnErrorAndNeverACrash) {
  {
    PerformanceHistory history(path());
    std::vector<Measurement> many;
    for (int i = 0; i < 500; ++i) many.push_back(measured("t" + std::to_string(i), i));
    history.add(many);
  }
  const auto size = static_cast<std::streamoff>(std::filesystem::file_size(path()));
  const std::string copy = folder_.file("copy");
  int errors = 0;
  // The first 100 bytes are the header, of which other tests take care.
  for (std::streamoff place = 100; place < size; place += 1000) {
    std::filesystem::copy_file(path(), copy, std::filesystem::copy_options::overwrite_existing);
    patch(copy, place, std::string(900, '\xa5'));
    const std::string failure = failure_of([&] {
      PerformanceHistory history(copy);
      history.of("w", "k", "m");
      history.of_task("w", "t3", "m");
      add_one(history, measured("t3", 1000));
    });
    if (failure == "no error") continue;
    ++errors;
    EXPECT_NE(failure.find("move it away"), std::string::npos) << failure;
  }
  EXPECT_GT(errors, 0);
}

TEST_F(PerformanceHistoryTest, AFileCutShortIsAnError) {
  PerformanceHistory history(path());
  add_one(history, measured("a", 1));
  std::filesystem::resize_file(path(), 4096 + 100);
  EXPECT_NE(failure_of([&] { PerformanceHistory(path()).of("w", "k", "m"); }), "no error");
}

TEST_F(PerformanceHistoryTest, AnotherVersionIsNamed) {
  {
    PerformanceHistory history(path());
    add_one(history, measured("a", 1));
  }
  patch(path(), 60, std::string("\0\0\0\7", 4));  // where SQLite keeps the user's version
  EXPECT_EQ(failure_of_opening(path()),
            path() +
                ": a performance history of version 7, and this program knows version 1; use "
                "the Dovetail that wrote it, or move it away, and a new one is begun");
  patch(path(), 68, "mine");  // and the application's number
  EXPECT_EQ(failure_of_opening(path()), path() +
                                            ": another program's database, not a performance "
                                            "history; move it away, and a new one is begun");
}

TEST_F(PerformanceHistoryTest, AFolderThatCannotBeMadeIsAnErrorOfAddAlone) {
  PerformanceHistory history("/proc/nowhere/history.sqlite");
  EXPECT_TRUE(history.kinds().empty());
  const std::string failure = failure_of([&] { add_one(history, measured("a", 1)); });
  EXPECT_TRUE(failure.starts_with("/proc/nowhere/history.sqlite: cannot be used: ")) << failure;
}

TEST_F(PerformanceHistoryTest, AReadOnlyDiskCanBeReadAndNotWritten) {
  const std::string disk = folder_.file("disk");
  std::filesystem::create_directory(disk);
  const auto outcome = on_small_disk(disk, "1m", [&] {
    const std::string file = disk + "/history.sqlite";
    {
      PerformanceHistory history(file);
      add_one(history, measured("a", 1));
    }
    if (mount("none", disk.c_str(), nullptr, MS_REMOUNT | MS_RDONLY, nullptr) != 0) return false;
    PerformanceHistory history(file);
    const std::string failure = failure_of([&] { add_one(history, measured("b", 1)); });
    return history.of("w", "k", "m").size() == 1 && failure.starts_with(file + ": cannot be used");
  });
  if (outcome == SmallDisk::not_possible) GTEST_SKIP() << "this system allows no mounts";
  EXPECT_EQ(outcome, SmallDisk::fine);
}

TEST_F(PerformanceHistoryTest, AFullDiskKeepsWhatWasThere) {
  PerformanceHistory history(path());
  add_one(history, measured("a", 1));
  std::vector<Measurement> many;
  for (int i = 0; i < 2000; ++i) many.push_back(measured("t" + std::to_string(i), i));
  {
    const FileSizeLimit limit(std::filesystem::file_size(path()) + 8192);
    EXPECT_NE(failure_of([&] { history.add(many); }), "no error");
    EXPECT_EQ(history.of("w", "k", "m").size(), 1U);
  }
  history.add(many);
  EXPECT_EQ(history.of("w", "k", "m", 5000).size(), 2001U) << "once there is room again";
}

TEST(MachineName, IsTheHostUnlessTheEnvironmentNamesAnother) {
  unsetenv("DOVETAIL_MACHINE");
  EXPECT_FALSE(machine_name().empty());
  setenv("DOVETAIL_MACHINE", "node", 1);
  EXPECT_EQ(machine_name(), "node");
  unsetenv("DOVETAIL_MACHINE");
}

}  // namespace
}  // namespace dovetail::run
