// Dovetail is killed at random instants while it runs a workflow, and goes on until all is done: no
// task is run twice, none is left out, nothing is left behind.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "exec/run_folder.hpp"
#include "exec/run_state.hpp"
#include "support/file_checks.hpp"
#include "support/random_problem.hpp"

namespace dovetail {
namespace {

namespace fs = std::filesystem;
using exec::RunFolder;
using testing::Dice;

class CrashTest : public ::testing::Test {
 protected:
  // Sixty tasks in six rows; each leaves a line when it begins and one when it ends.
  void write_workflow() const {
    std::ofstream file(folder_ + "/flow.yaml");
    file << "name: flow\ntasks:\n";
    for (int row = 0; row < 6; ++row) {
      for (int i = 0; i < 10; ++i) {
        file << "  - {id: t" << row << "_" << i << ", time: 1, run: 'echo begin $DOVETAIL_TASK >> "
             << "trace; sleep 0.0" << (row + i) % 3 << "; echo end $DOVETAIL_TASK >> trace'";
        if (row > 0)
          file << ", after: [t" << row - 1 << "_" << i << ", t" << row - 1 << "_" << (i + 1) % 10
               << "]";
        file << "}\n";
      }
    }
  }

  pid_t begin(const std::vector<std::string>& arguments) const {
    const pid_t child = fork();
    if (child != 0) return child;
    if (chdir(folder_.c_str()) != 0) _exit(9);
    setenv("DOVETAIL_STATE", state_.c_str(), 1);
    const int nothing = open("/dev/null", O_RDWR);
    for (const int standard : {0, 1, 2}) dup2(nothing, standard);
    std::vector<char*> words;
    for (const std::string& word : arguments) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    execv(words.front(), words.data());
    _exit(9);
  }

  // Its exit code; -1 when it was killed before it was done.
  static int kill_after(pid_t child, std::int64_t microseconds) {
    usleep(static_cast<useconds_t>(microseconds));
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  // How often each line is in the trace.
  std::map<std::string, int> trace() const {
    std::map<std::string, int> lines;
    std::ifstream file(folder_ + "/trace");
    for (std::string line; std::getline(file, line);) ++lines[line];
    return lines;
  }

  testing::TemporaryFolder own_;
  std::string folder_ = own_.path().string();
  std::string state_ = own_.file("state");
};

TEST_F(CrashTest, KilledAtRandomInstantsEveryTaskRunsOnce) {
  constexpr int kKills = 200;
  write_workflow();
  Dice dice(7);
  int kills = 0;
  for (int round = 1; kills < kKills && round < 100; ++round) {
    fs::remove(folder_ + "/trace");
    const std::string id = "flow-" + std::to_string(round);
    int code = kill_after(begin({DOVETAIL_PROGRAM, "run", "flow.yaml", "-j", "2"}),
                          dice.between(1'000, 60'000));
    if (!fs::exists(state_ + "/runs/" + id + "/run.json")) {
      // Killed before there was a run to speak of.
      fs::remove_all(state_ + "/runs/" + id);
      --round;
      ++kills;
      continue;
    }
    while (code == -1) {
      ++kills;
      // Now and then it may finish.
      const auto time = dice.chance(0.1) ? 5'000'000 : dice.between(1'000, 80'000);
      const pid_t child = begin({DOVETAIL_PROGRAM, "resume", id});
      if (time < 1'000'000) {
        code = kill_after(child, time);
      } else {
        int status = 0;
        waitpid(child, &status, 0);
        code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
      }
    }
    ASSERT_EQ(code, 0) << id;
    const auto lines = trace();
    ASSERT_EQ(lines.size(), 120U) << id;
    for (const auto& [line, count] : lines) ASSERT_EQ(count, 1) << id << ": " << line;
    exec::RunState state(60);
    exec::read_journal(RunFolder::open(state_, id).journal(),
                       [&](const exec::Json& entry) { state.apply(entry); });
    ASSERT_EQ(state.count(exec::TaskState::done), 60U);
  }
  EXPECT_GE(kills, kKills);
}

}  // namespace
}  // namespace dovetail
