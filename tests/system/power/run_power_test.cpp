// The power fails while a workflow is run: no task that the journal calls done has lost what it
// wrote, no run that had begun is forgotten, and the run can be continued to its end.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <sstream>

#include "run/known_run.hpp"
#include "support/power/power_test.hpp"
#include "support/system/real_run.hpp"
#include "support/task_runner.hpp"

namespace dovetail::testing {
namespace {

namespace fs = std::filesystem;
using run::TaskState;

// What a task leaves: files below its folder, with their sizes.
struct PowerTask {
  std::string id;
  std::vector<std::pair<std::string, std::size_t>> files;
  std::string output;  // declared: the files themselves when empty, else their folder
  bool is_renamed = false;
  std::string after = {};
};

const std::vector<PowerTask> kTasks = {
    {"byte", {{"byte", 1}}, ""},
    {"line", {{"line", 100}}, "", true},
    {"sector", {{"sub/sector", 512}}, ""},
    {"page", {{"sub/deep/page", 4096}}, "", true, "byte"},
    {"pages", {{"pages", 10'000}}, "", false, "byte"},
    {"pair", {{"pair/a", 700}, {"pair/b", 70'000}}, "", false, "line"},
    {"tree", {{"tree/1", 10}, {"tree/2", 9000}, {"tree/sub/3", 300}}, "tree", false, "sector"},
    {"large", {{"large", 300'000}}, "", false, "page"},
    {"moved", {{"moved/large", 200'000}}, "", true, "pages"},
    {"megabyte", {{"sub/megabyte", 1'048'576}}, "", false, "pair"},
    {"forest", {{"forest/a/1", 5000}, {"forest/b/2", 1}}, "forest", true, "tree"},
    {"last", {{"last", 33'000}}, "", false, "large"}};

std::string content_of(const std::string& file, std::size_t size) {
  std::string text;
  while (text.size() < size) text += file + "\n";
  return text.substr(0, size);
}

class PowerRun : public PowerTest<RealRun> {
 protected:
  void prepare() override {
    state_ = lab_.disk() + "/state";
    write_workflow();
  }

  std::string marks() const { return file("marks"); }
  std::string result(const std::string& name) const { return lab_.disk() + "/work/" + name; }

  // The marks lie on another disk: they say when a task was begun in truth.
  void write_workflow() const {
    std::string text = "name: flow\ntasks:\n";
    for (const PowerTask& task : kTasks) {
      text += "  - id: " + task.id + "\n    time: 1\n    directory: lab/disk/work\n    outputs: [";
      std::string run = "echo $DOVETAIL_TASK $(date +%s%N) >> " + marks();
      for (const auto& [name, size] : task.files) {
        if (task.output.empty()) text += name + ", ";
        const std::string written = name + (task.is_renamed ? ".new" : "");
        run += "; mkdir -p $(dirname " + name + "); yes " + name + " | head -c " +
               std::to_string(size) + " > " + written;
        if (task.is_renamed) run += "; mv " + written + " " + name;
      }
      text += task.output + "]\n    run: '" + run + "; sleep 0.01'\n";
      if (!task.after.empty()) text += "    after: [" + task.after + "]\n";
    }
    write("flow.yaml", text);
  }

  // When each task was begun, as often as it was.
  std::map<std::string, std::vector<std::int64_t>> begun() const {
    std::map<std::string, std::vector<std::int64_t>> times;
    std::istringstream lines(text_of(marks()));
    std::string task;
    for (std::int64_t time = 0; lines >> task >> time;) times[task].push_back(time);
    return times;
  }

  // What is wrong with the files of a task; empty: nothing.
  std::string damage(const PowerTask& task) const {
    for (const auto& [name, size] : task.files) {
      const std::string found = text_of(result(name));
      if (found == content_of(name, size)) continue;
      return name +
             (fs::exists(result(name)) ? " has " + std::to_string(found.size()) + " of " +
                                             std::to_string(size) + " bytes"
                                       : " is missing") +
             (found.size() == size ? ", of which some are wrong" : "");
    }
    return "";
  }

  // The newest run; nothing when there is none.
  std::optional<run::KnownRun> newest() const {
    const auto runs = run::RunFolder::all(state_);
    if (runs.empty()) return std::nullopt;
    return run::KnownRun(runs.back());
  }

  // A task as the journal and the disk show it after the cut.
  struct Seen {
    TaskState state = TaskState::waiting;
    std::string damage = {};
  };
  using AllSeen = std::map<std::string, Seen>;  // by task; empty when there is no run

  void record(std::uint64_t seed, bool writes_back) override;
  void judge(const PowerCut& cut) override;
  AllSeen look(const PowerCut& cut);
  void judge_task(const PowerCut& cut, const PowerTask& task, const Seen& seen);
  void go_on(const PowerCut& cut, const AllSeen& before);
  void judge_again(const PowerCut& cut, const PowerTask& task, const Seen& before);
  int begin_again(const PowerCut& cut) const;

  std::map<std::string, std::vector<std::int64_t>> first_;  // marks of the recorded run
  std::int64_t told_done_ = 0;
};

void PowerRun::record(std::uint64_t seed, bool writes_back) {
  fs::remove(marks());
  lab_.begin(seed, writes_back);
  ASSERT_EQ(dovetail({"run", "flow.yaml", "-j", "2"}), 0) << printed();
  told_done_ = nanoseconds_now();
  lab_.end();
  first_ = begun();
  ASSERT_EQ(first_.size(), kTasks.size());
}

PowerRun::AllSeen PowerRun::look(const PowerCut& cut) {
  AllSeen all;
  try {
    const auto known = newest();
    for (const PowerTask& task : kTasks) {
      if (!known) continue;
      all[task.id] = {known->state.tasks()[known->task(task.id)].state, damage(task)};
    }
  } catch (const std::exception& error) {
    all.clear();
    findings_.add(cut, "unreadable", error.what());
  }
  return all;
}

void PowerRun::judge_task(const PowerCut& cut, const PowerTask& task, const Seen& seen) {
  const bool is_done = seen.state == TaskState::done;
  if (first_.at(task.id).front() <= cut.time && seen.state == TaskState::waiting) {
    findings_.add(cut, "start forgotten", task.id + " had begun");
  }
  if (told_done_ <= cut.time && !is_done) {
    findings_.add(cut, "end forgotten", task.id + " was told to be done");
  }
  if (is_done && !seen.damage.empty()) {
    findings_.add(cut, "done with a wrong output", task.id + ": " + seen.damage);
  }
}

// The same command, or resume, after the clock was set to another time; its exit code.
int PowerRun::begin_again(const PowerCut& cut) const {
  constexpr const char* kSteps[] = {"0", "-86400", "86400", "-3", "-100000000"};
  const Environment clock = {
      {"LD_PRELOAD", DOVETAIL_JUMPING_CLOCK},
      {"DOVETAIL_CLOCK_STEP", kSteps[static_cast<std::size_t>(cut.seed) % std::size(kSteps)]}};
  fs::remove(marks());
  fs::remove(file("printed"));
  // The same command after a run that reported its end is another run.
  const bool is_known = fs::exists(state_ + "/runs/flow-1/run.json");
  const bool was_over = text_of(state_ + "/runs/flow-1/journal.ndjson").find("\"what\":\"done\"") !=
                        std::string::npos;
  return is_known && (was_over || cut.seed % 2 == 0)
             ? dovetail({"resume", "flow-1"}, clock)
             : dovetail({"run", "flow.yaml", "-j", "2"}, clock);
}

void PowerRun::judge_again(const PowerCut& cut, const PowerTask& task, const Seen& before) {
  const std::string wrong = damage(task);
  const bool was_begun = begun().contains(task.id);
  if (!wrong.empty()) findings_.add(cut, "wrong after going on", task.id + ": " + wrong);
  if (!wrong.empty() && before.state == TaskState::running && !was_begun) {
    findings_.add(cut, "adopted with a wrong output", task.id + ": " + wrong);
  }
  if (before.state == TaskState::done && before.damage.empty() && was_begun) {
    findings_.add(cut, "run twice", task.id + ": " + printed());
  }
}

void PowerRun::go_on(const PowerCut& cut, const AllSeen& before) {
  const int code = begin_again(cut);
  if (code != 0 || printed().find("internal error") != std::string::npos) {
    findings_.add(cut, "cannot go on", "exit " + std::to_string(code) + ": " + printed());
  }
  for (const PowerTask& task : kTasks) {
    const auto seen = before.find(task.id);
    judge_again(cut, task, seen == before.end() ? Seen() : seen->second);
  }
}

void PowerRun::judge(const PowerCut& cut) {
  constexpr int kPause = 3;  // going on takes longer than looking
  const AllSeen seen = look(cut);
  for (const PowerTask& task : kTasks) {
    if (!seen.empty()) {
      judge_task(cut, task, seen.at(task.id));
    } else if (first_.at(task.id).front() <= cut.time) {
      findings_.add(cut, "run forgotten", task.id + " had begun");
    }
  }
  if (cut.number % kPause == kPause - 1) go_on(cut, seen);
}

TEST_P(PowerRun, WhatIsDoneAfterACutIsRight) { expect_right_after_all_cuts("runs"); }

// Its supervisor wrote down how it ended; that can be on disk when what it wrote is not.
TEST_P(PowerRun, ATaskThatEndedWithoutDovetailIsNotBelievedAfterACut) {
  write("alone.yaml",
        "name: alone\ntasks:\n  - {id: byte, time: 1, directory: lab/disk/work, outputs: byte, "
        "run: 'sleep 0.2; echo byte | head -c 1 > byte'}\n");
  const auto alone = [&] { return run::RunFolder::open(state_, "alone-1"); };
  lab_.begin(7, false);
  const pid_t child = begin({"run", "alone.yaml"});
  ASSERT_TRUE(comes_true([&] {
    return !run::RunFolder::all(state_).empty() && run::read_attempt(alone().attempt(0, 1)).start;
  })) << printed();
  kill(child, SIGKILL);
  wait_for(child);
  ASSERT_TRUE(comes_true([&] { return run::read_attempt(alone().attempt(0, 1)).end; }));
  {
    const run::Descriptor attempt(open(alone().attempt(0, 1).c_str(), O_RDONLY));
    ASSERT_EQ(fsync(attempt.get()), 0);
  }
  lab_.end();
  int found = 0;
  lab_.cut(40, [&](const PowerCut& cut) {
    if (run::RunFolder::all(state_).empty() || !run::read_attempt(alone().attempt(0, 1)).end) {
      return;
    }
    ++found;
    EXPECT_EQ(dovetail({"resume", "alone-1"}), 0) << printed();
    EXPECT_EQ(text_of(result("byte")), "b") << "after seed " << cut.seed;
  });
  EXPECT_GT(found, 0);
}

INSTANTIATE_TEST_SUITE_P(FileSystems, PowerRun, kFileSystems, name_of_file_system);

}  // namespace
}  // namespace dovetail::testing
