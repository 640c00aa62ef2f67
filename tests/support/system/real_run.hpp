// dovetail itself, executing workflows in a folder of its own, for tests of whole runs.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "run/run_folder.hpp"
#include "run/run_state.hpp"
#include "support/file_checks.hpp"
#include "support/whole_file.hpp"
#include "test_places.hpp"

namespace dovetail::testing {

using Environment = std::vector<std::pair<std::string, std::string>>;

// The program under test: that of this build, unless the environment names another one, such as one
// that was built with a sanitizer.
inline std::string program_path() {
  const char* other = std::getenv("DOVETAIL_TEST_PROGRAM");
  return other == nullptr ? DOVETAIL_PROGRAM : other;
}

class RealRun : public ::testing::Test {
 protected:
  // A process of dovetail with these arguments; what it prints is in the file `printed`.
  pid_t begin(std::vector<std::string> arguments, const Environment& environment = {}) const {
    const pid_t child = fork();
    if (child != 0) return child;
    arguments.insert(arguments.begin(), program_path());
    if (chdir(folder().c_str()) != 0) _exit(9);
    setenv("DOVETAIL_STATE", state_.c_str(), 1);
    for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
    dup2(open("/dev/null", O_RDONLY), 0);
    const int printed = open("printed", O_WRONLY | O_CREAT | O_APPEND, 0644);
    for (const int standard : {1, 2}) dup2(printed, standard);
    std::vector<char*> words;
    for (const std::string& word : arguments) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    execv(words.front(), words.data());
    _exit(9);
  }

  // Its exit code; -1 when a signal ended it.
  static int wait_for(pid_t child) {
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  int dovetail(std::vector<std::string> arguments, const Environment& environment = {}) const {
    return wait_for(begin(std::move(arguments), environment));
  }

  void write(const std::string& name, const std::string& text) const { put(file(name), text); }
  std::string file(const std::string& name) const { return own_.file(name); }
  std::string folder() const { return own_.path().string(); }
  std::string printed() const { return text_of(file("printed")); }

  std::vector<run::Json> journal(const std::string& run) const {
    std::vector<run::Json> entries;
    run::read_journal(run::RunFolder::open(state_, run).journal(),
                      [&](const run::Json& entry) { entries.push_back(entry); });
    return entries;
  }

  run::RunState state_of(const std::string& run, std::size_t tasks) const {
    return run::read_run_state(run::RunFolder::open(state_, run).journal(), tasks);
  }

  TemporaryFolder own_;
  std::string state_ = own_.file("state");
};

}  // namespace dovetail::testing
