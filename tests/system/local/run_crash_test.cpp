// Dovetail is killed at random instants while it runs a workflow, and goes on until all is done: no
// task is run twice, none is left out, nothing is left behind.
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "support/random_problem.hpp"
#include "support/small_disk.hpp"
#include "support/system/real_run.hpp"
#include "test_places.hpp"

namespace dovetail {
namespace {

namespace fs = std::filesystem;
using testing::Dice;
using testing::Environment;
using testing::SmallDisk;

class CrashTest : public testing::RealRun {
 protected:
  // Sixty tasks in six rows; each leaves a line when it begins and one when it ends. One of them
  // can be made to do something else as well.
  void write_workflow(const std::string& special = "true") const {
    std::string text = "name: flow\ntasks:\n";
    for (int row = 0; row < 6; ++row) {
      for (int i = 0; i < 10; ++i) {
        const auto id = [](int r, int k) {
          return "t" + std::to_string(r) + "_" + std::to_string(k);
        };
        text += "  - {id: " + id(row, i) + ", time: 1, run: 'echo begin $DOVETAIL_TASK >> trace; " +
                (row == 2 && i == 5 ? special : "true") + "; sleep 0.0" +
                std::to_string((row + i) % 3) + "; echo end $DOVETAIL_TASK >> trace'";
        if (row > 0) text += ", after: [" + id(row - 1, i) + ", " + id(row - 1, (i + 1) % 10) + "]";
        text += "}\n";
      }
    }
    write("flow.yaml", text);
  }

  // Its exit code; -1 when it was killed before it was done.
  static int kill_after(pid_t child, std::int64_t microseconds) {
    usleep(static_cast<useconds_t>(microseconds));
    kill(child, SIGKILL);
    return wait_for(child);
  }

  // How often each line is in the trace.
  std::map<std::string, int> trace() const {
    std::map<std::string, int> lines;
    std::ifstream file(this->file("trace"));
    for (std::string line; std::getline(file, line);) ++lines[line];
    return lines;
  }

  // Every task began and ended once.
  bool is_right() const {
    const auto lines = trace();
    const bool is_once =
        std::all_of(lines.begin(), lines.end(), [](const auto& line) { return line.second == 1; });
    return is_once && lines.size() == 120;
  }

  // Runs that are killed again and again, until there were so many kills.
  void kill_runs(int wanted, std::uint32_t seed, const Environment& environment = {}) const {
    Dice dice(seed);
    int kills = 0;
    int early = 0;  // kills before there was a run; a busy machine needs more time to begin one
    for (int round = 1; kills < wanted && round < 1000; ++round) {
      fs::remove(file("trace"));
      const std::string id = "flow-" + std::to_string(round);
      int code = kill_after(begin({"run", "flow.yaml", "-j", "2", "--new"}, environment),
                            dice.between(1'000, 60'000 + 2'000 * early));
      if (!fs::exists(state_ + "/runs/" + id + "/run.json")) {
        // Killed before there was a run to speak of.
        fs::remove_all(state_ + "/runs/" + id);
        --round;
        ++early;
        continue;
      }
      while (code == -1) {
        ++kills;
        // Now and then it may finish.
        const pid_t child = begin({"resume", id}, environment);
        code = dice.chance(0.1) ? wait_for(child) : kill_after(child, dice.between(1'000, 80'000));
      }
      ASSERT_EQ(code, 0) << id << ": " << printed();
      ASSERT_TRUE(is_right()) << id;
      ASSERT_EQ(state_of(id, 60).count(run::TaskState::done), 60U);
    }
    EXPECT_GE(kills, wanted);
  }
};

TEST_F(CrashTest, KilledAtRandomInstantsEveryTaskRunsOnce) {
  write_workflow();
  kill_runs(200, 7);
}

TEST_F(CrashTest, TheSameWhileTheMachinesClockJumps) {
  write_workflow();
  kill_runs(60, 8, {{"LD_PRELOAD", DOVETAIL_JUMPING_CLOCK}});
  // The clock did jump, and the run's own did not.
  const auto entries = journal("flow-1");
  bool jumped_back = false;
  for (std::size_t i = 1; i < entries.size(); ++i) {
    jumped_back |= entries[i].value("time", 0LL) < entries[i - 1].value("time", 0LL);
    EXPECT_GE(entries[i].value("at", 0LL), entries[i - 1].value("at", 0LL));
  }
  EXPECT_TRUE(jumped_back);
}

TEST_F(CrashTest, AFullDiskIsAClearErrorAndNothingIsLost) {
  // A task in the middle of the run fills the disk on which the run is kept.
  write_workflow("test -e " + file("freed") + " || head -c 100M /dev/zero > " + state_ + "/filler");
  fs::create_directory(state_);
  const auto result = testing::on_small_disk(state_, "2M", [&] {
    const int code = dovetail({"run", "flow.yaml", "-j", "2"});
    // Either a task cannot be started for want of room, or the journal cannot be written.
    const bool is_clear =
        (code == 1 || code == 3) && printed().find("No space left on device") != std::string::npos;
    write("freed", "");
    fs::remove(state_ + "/filler");
    const bool goes_on = dovetail({"resume", "flow-1"}) == 0;
    if (!is_clear || !goes_on || !is_right())
      std::fprintf(stderr, "%d %s\n", code, printed().c_str());
    return is_clear && goes_on && is_right();
  });
  if (result == SmallDisk::not_possible) GTEST_SKIP() << "needs the right to mount a disk";
  EXPECT_EQ(result, SmallDisk::fine);
}

}  // namespace
}  // namespace dovetail
