// The power fails while a daemon computes months: no month that was told to be done is missing or
// torn, no request that was accepted is forgotten, and the daemon goes on to the end.
#include <gtest/gtest.h>

#include <filesystem>
#include <thread>

#include "support/power/power_test.hpp"
#include "support/system/real_federation.hpp"

namespace dovetail::testing {
namespace {

namespace fs = std::filesystem;
using federation::Json;

constexpr int kScenarios = 3;
constexpr int kMonths = 6;

class PowerDaemon : public PowerTest<RealFederation> {
 protected:
  void prepare() override {
    write_scripts();
    write_daemon("azur", kScenarios, "0.02");
    fs::create_directory_symlink(lab_.disk() + "/data", file("data"));
  }

  void TearDown() override {
    for (const auto& [name, process] : servers_) stop(process.pid, SIGTERM);
    servers_.clear();
    lab_.close();
    RealFederation::TearDown();
  }

  // A month leaves a number, a field of some pages in a folder, and says that it was computed.
  void write_scripts() const {
    put(file("month.sh"),
        "#!/bin/sh\n"
        "# experiment scenario month previous folder pause\n"
        "mkdir \"$5/fields\"\n"
        "yes \"$2 $3\" | head -c 30000 > \"$5/fields/wind\"\n"
        "echo \"$2 $3\" > \"$5/value\"\n"
        "sleep $6\n"
        "echo \"$2 $3\" >> " +
            file("ran") + "\n");
    put(file("post.sh"),
        "#!/bin/sh\n"
        "# scenario month folder\n"
        "cat \"$3/fields/wind\" > \"$3/archive\"\n");
  }

  static std::string wind(int scenario, int month) {
    const std::string line = std::to_string(scenario) + " " + std::to_string(month) + "\n";
    std::string text;
    while (text.size() < 30'000) text += line;
    return text.substr(0, 30'000);
  }

  std::string month_folder(int scenario, int month) const {
    char name[32];
    std::snprintf(name, sizeof name, "s%d/month-%05d", scenario, month);
    return file("data/alice/e/") + name;
  }

  // What is wrong with a month that should be there; empty: nothing.
  std::string damage(int scenario, int month) const {
    const std::string folder = month_folder(scenario, month);
    if (!fs::is_directory(folder)) return "is missing";
    for (const char* name : {"fields/wind", "archive"}) {
      const bool is_post = std::string(name) == "archive";
      if (is_post && !fs::exists(folder + "/post-done")) continue;
      const std::string found = text_of(folder + "/" + name);
      if (found == wind(scenario, month)) continue;
      return std::string(name) + " has " + std::to_string(found.size()) + " bytes, or wrong ones";
    }
    const std::string value = std::to_string(scenario) + " " + std::to_string(month) + "\n";
    return text_of(folder + "/value") == value ? "" : "its value is wrong";
  }

  static void sync_files(const std::string& folder) {
    for (const auto& entry : fs::directory_iterator(folder)) {
      const run::Descriptor file(open(entry.path().c_str(), O_RDONLY | O_CLOEXEC));
      EXPECT_EQ(fsync(file.get()), 0);
    }
  }

  Json watch(std::int64_t cursor) {
    return call("azur", "watch", {{"request_id", "r1"}, {"cursor", cursor}, {"wait_seconds", 5}});
  }

  void record(std::uint64_t seed, bool writes_back) override;
  void watch_and_note();
  void judge(const PowerCut& cut) override;
  void judge_month(const PowerCut& cut, int scenario, int month);
  void go_on(const PowerCut& cut);

  std::string state() const { return lab_.disk() + "/state"; }

  // When the client heard of it.
  struct Heard {
    std::int64_t accepted = 0;
    std::map<std::pair<int, int>, std::int64_t> months = {};  // by scenario and month
    std::int64_t over = 0;
  };

  Heard heard_;
};

void PowerDaemon::record(std::uint64_t seed, bool writes_back) {
  lab_.begin(seed, writes_back);
  fs::create_directory(lab_.disk() + "/data");
  heard_ = {};
  ASSERT_NO_FATAL_FAILURE(start_daemon("azur", "", state()));
  ASSERT_EQ(call("azur", "submit", order("r1", kScenarios, kMonths))["accepted"], true);
  heard_.accepted = nanoseconds_now();
  watch_and_note();
  stop(servers_.at("azur").pid, SIGTERM);
  servers_.clear();
  lab_.end();
}

void PowerDaemon::watch_and_note() {
  for (std::int64_t cursor = 0; heard_.over == 0;) {
    const Json progress = watch(cursor);
    const std::int64_t now = nanoseconds_now();
    cursor = progress["cursor"].get<std::int64_t>();
    for (const Json& scenario : progress["scenarios"]) {
      ASSERT_NE(scenario["state"], "failed") << progress;
      const int done = scenario["last_completed_month"].get<int>();
      for (int month = 1; month <= done; ++month) {
        heard_.months.try_emplace({scenario["scenario"].get<int>(), month}, now);
      }
    }
    if (progress["over"] == true) heard_.over = now;
  }
}

void PowerDaemon::judge_month(const PowerCut& cut, int scenario, int month) {
  const bool was_told = heard_.months.at({scenario, month}) <= cut.time;
  const bool is_there = fs::exists(month_folder(scenario, month));
  if (!was_told && !is_there) return;
  const std::string wrong = damage(scenario, month);
  const std::string name = month_folder(scenario, month) + " ";
  if (!wrong.empty()) {
    const bool is_post = wrong.starts_with("archive");
    findings_.add(cut, is_post ? "wrong post" : "wrong month", name + wrong);
  }
  if (heard_.over <= cut.time && !fs::exists(month_folder(scenario, month) + "/post-done")) {
    findings_.add(cut, "post forgotten", name);
  }
}

// A new daemon with the state that is left. The same request is sent once more, as a client does
// that has no answer.
void PowerDaemon::go_on(const PowerCut& cut) {
  fs::remove(file("ran"));
  std::set<std::string> before;
  for (const auto& [month, time] : heard_.months) {
    if (time > cut.time) continue;
    before.insert(std::to_string(month.first) + " " + std::to_string(month.second));
  }
  fs::create_directories(lab_.disk() + "/data");
  // The machine's clock was set to another time, as far as certificates allow.
  constexpr const char* kSteps[] = {"0", "-60", "3600"};
  setenv("DOVETAIL_CLOCK_STEP", kSteps[cut.seed % std::size(kSteps)], 1);
  setenv("LD_PRELOAD", DOVETAIL_JUMPING_CLOCK, 1);
  start_daemon("azur", "", state());
  unsetenv("LD_PRELOAD");
  if (HasFatalFailure()) return;
  try {
    if (heard_.accepted <= cut.time) watch(0);
  } catch (const std::exception& error) {
    findings_.add(cut, "request forgotten", error.what());
  }
  try {
    call("azur", "submit", order("r1", kScenarios, kMonths));
    const Json end = watch_to_end("azur", "r1");
    for (const Json& scenario : end["scenarios"]) {
      if (scenario["state"] != "done") findings_.add(cut, "cannot go on", scenario.dump());
    }
  } catch (const std::exception& error) {
    findings_.add(cut, "cannot go on", error.what());
  }
  stop(servers_.at("azur").pid, SIGTERM);
  servers_.clear();
  for (int scenario = 1; scenario <= kScenarios; ++scenario) {
    for (int month = 1; month <= kMonths; ++month) {
      const std::string wrong = damage(scenario, month);
      const std::string name = month_folder(scenario, month) + " ";
      if (!wrong.empty()) findings_.add(cut, "wrong after going on", name + wrong);
    }
  }
  for (const auto& [month, times] : lines_of("ran")) {
    if (before.contains(month)) findings_.add(cut, "computed twice", month);
  }
}

void PowerDaemon::judge(const PowerCut& cut) {
  constexpr int kPause = 10;  // going on takes much longer than looking
  for (int scenario = 1; scenario <= kScenarios; ++scenario) {
    for (int month = 1; month <= kMonths; ++month) judge_month(cut, scenario, month);
  }
  if (cut.number % kPause == kPause - 1) go_on(cut);
}

TEST_P(PowerDaemon, MonthsThatWereToldToBeDoneAreWhole) { expect_right_after_all_cuts("daemons"); }

// The step's end can be on disk when what it wrote is not.
TEST_P(PowerDaemon, AMonthThatEndedWithoutTheDaemonIsNotBelievedAfterACut) {
  write_daemon("azur", 1, "0.3");
  lab_.begin(9, false);
  fs::create_directory(lab_.disk() + "/data");
  ASSERT_NO_FATAL_FAILURE(start_daemon("azur", "", state()));
  call("azur", "submit", order("r1", 1, 1));
  const std::string attempts = state() + "/daemons/runs/azur-1/attempts/";
  const auto first = [&]() -> run::Attempt {
    for (const auto& entry : fs::directory_iterator(attempts)) {
      return run::read_attempt(entry.path().string());
    }
    return {};
  };
  ASSERT_TRUE(comes_true([&] { return fs::exists(attempts) && first().start; })) << log_of("azur");
  stop(servers_.at("azur").pid, SIGKILL);
  servers_.clear();
  ASSERT_TRUE(comes_true([&] { return first().end.has_value(); }));
  sync_files(attempts);
  lab_.end();
  int found = 0;
  lab_.cut(40, [&](const PowerCut& cut) {
    if (!fs::exists(attempts) || !first().end) return;
    ++found;
    ASSERT_NO_FATAL_FAILURE(start_daemon("azur", "", state()));
    watch_to_end("azur", "r1");
    stop(servers_.at("azur").pid, SIGTERM);
    servers_.clear();
    EXPECT_EQ(damage(1, 1), "") << "after seed " << cut.seed;
  });
  EXPECT_GT(found, 0);
}

INSTANTIATE_TEST_SUITE_P(FileSystems, PowerDaemon, kFileSystems, name_of_file_system);

}  // namespace
}  // namespace dovetail::testing
