// Six tasks on this machine, from the start or resumed; each leaves a line in `trace` when it
// begins and one when it ends.
#pragma once

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <sstream>

#include "run/local/attempt_file.hpp"
#include "support/system/fault_scene.hpp"
#include "support/whole_file.hpp"
#include "test_places.hpp"

namespace dovetail::testing {

class RunScene : public FaultScene {
 public:
  using FaultScene::FaultScene;

  void prepare() override {
    put(file("seed"), "seed\n");
    put(file("go"), "");
    put(file("flow.yaml"), workflow());
  }

  Words command() const override { return {DOVETAIL_PROGRAM, "run", "flow.yaml", "-c", "2"}; }

  bool is_last_task_over() const override {
    return text_of(file("trace")).find("end f") != std::string::npos;
  }

  bool was_end_reported() const override {
    return text_of(file("out")).find("all 6 tasks done") != std::string::npos;
  }

  // Each task has completed once, `c` after one failure; all outputs are right. If a supervisor was
  // killed before it wrote down how its attempt ended, that attempt does not count: its task dies
  // with the supervisor and is run again, also if its command had come to its end. Nor does one whose
  // outputs could not be written to disk: its task has failed.
  Complaints complaints(bool may_repeat) override {
    Complaints wrong;
    const std::map<std::string, int> trace = lines_of("trace");
    const auto count = [&](const std::string& line) {
      const auto found = trace.find(line);
      return found == trace.end() ? 0 : found->second;
    };
    for (std::uint32_t task = 0; task < kTasks; ++task) {
      const std::string name(1, static_cast<char>('a' + task));
      const auto [unsaved, without_end] = attempts_that_do_not_count(task);
      const int free = unsaved + (may_repeat ? without_end : 0);
      const int ends = count("end " + name);
      const int begins = count("begin " + name) - (name == "c" ? 1 : 0);
      if (ends == 0) wrong.push_back("a task never completed");
      if (ends > 1 + free) wrong.push_back("a task completed twice");
      if (ends == 1 && begins > 1 + free) wrong.push_back("a task began twice");
      if (ends == 1 && begins < 1) wrong.push_back("the task that fails once did not fail");
    }
    for (const auto& [name, text] : outputs()) {
      if (text_of(file(name)) != text) wrong.push_back("an output is not what it should be");
    }
    return wrong;
  }

 protected:
  static constexpr std::uint32_t kTasks = 6;

  // a -> b -> d, a -> c, a -> e; all -> f. Two say what they read and write, the others do not.
  virtual std::string workflow() const {
    const auto task = [](const std::string& id, const std::string& work, const std::string& more) {
      return "  - {id: " + id + ", time: 0.1, run: 'echo begin " + id + " >> trace; " + work +
             "; echo end " + id + " >> trace'" + more + "}\n";
    };
    return "name: flow\ntasks:\n" +
           task("a", "cat seed > a.out", ", inputs: [seed], outputs: [a.out]") +
           task("b", "sleep 0.02; (cat a.out; echo b) > b.out",
                ", after: [a], inputs: [a.out], outputs: [b.out]") +
           task("c", "test -e tried || { touch tried; exit 1; }; echo c > c.out",
                ", after: [a], retries: 1") +
           task("d", "until test -e go; do sleep 0.01; done; echo d > d.out", ", after: [b]") +
           task("e", "sleep 0.03; echo e > e.out", ", after: [a]") +
           task("f", "cat b.out c.out d.out e.out > f.out", ", after: [c, d, e], outputs: [f.out]");
  }

  static std::map<std::string, std::string> outputs() {
    return {{"a.out", "seed\n"}, {"b.out", "seed\nb\n"}, {"f.out", "seed\nb\nc\nd\ne\n"}};
  }

  std::map<std::string, int> lines_of(const std::string& name) const {
    std::map<std::string, int> times;
    std::istringstream lines(text_of(file(name)));
    for (std::string line; std::getline(lines, line);) ++times[line];
    return times;
  }

  struct Discounted {
    int unsaved = 0;      // outputs could not be written to disk
    int without_end = 0;  // no supervisor saw them to their end
  };

  Discounted attempts_that_do_not_count(std::uint32_t task) const {
    Discounted count;
    std::error_code error;
    for (const auto& run : std::filesystem::directory_iterator(file("state/runs"), error)) {
      for (const auto& attempt :
           std::filesystem::directory_iterator(run.path() / "attempts", error)) {
        if (attempt.path().stem() != std::to_string(task)) continue;
        const auto end = run::read_attempt(attempt.path().string()).end;
        if (!end) ++count.without_end;
        if (end && end->cause == run::AttemptEnd::Cause::not_saved) ++count.unsaved;
      }
    }
    return count;
  }
};

// The same run, killed when `d` has begun; that task ends while the run is resumed or before.
class ResumeScene : public RunScene {
 public:
  using RunScene::RunScene;

  void prepare() override {
    RunScene::prepare();
    std::filesystem::remove(file("go"));
    const pid_t process = start_program(folder(), RunScene::command(), variables());
    while (text_of(file("trace")).find("begin d") == std::string::npos) usleep(500);
    kill(process, SIGKILL);
    waitpid(process, nullptr, 0);
    for (const char* name : {"out", "err"}) std::filesystem::remove(file(name));
    put(file("go"), "");
  }

  Words command() const override { return {DOVETAIL_PROGRAM, "resume", "flow-1"}; }
  bool was_end_reported() const override { return false; }  // it may be given again
};

// The same, and it goes on because `run` is given again.
class SecondRunScene : public ResumeScene {
 public:
  using ResumeScene::ResumeScene;

  Words command() const override { return RunScene::command(); }
  bool was_end_reported() const override { return RunScene::was_end_reported(); }
};

}  // namespace dovetail::testing
