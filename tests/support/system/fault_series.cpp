#include "support/system/fault_series.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "support/file_checks.hpp"
#include "support/whole_file.hpp"

namespace dovetail::testing {

namespace {

using Json = nlohmann::ordered_json;

Json json_of(const TrialEnd& end) {
  Json points = Json::array();
  for (const CallPoint& point : end.points) {
    points.push_back(
        {point.call, point.occurrence, static_cast<int>(point.fault.kind), point.fault.error});
  }
  return {{"hit", end.was_hit},
          {"exit", end.exit},
          {"said", end.said},
          {"seconds", end.seconds},
          {"complaints", end.complaints},
          {"points", points}};
}

TrialEnd end_from(const Json& json, const Trial& trial) {
  if (!json.is_object()) {
    return {.trial = trial, .was_hit = true, .exit = "?", .complaints = {"the trial has crashed"}};
  }
  TrialEnd end{.trial = trial,
               .was_hit = json["hit"],
               .exit = json["exit"],
               .said = json["said"],
               .seconds = json["seconds"],
               .complaints = json["complaints"]};
  for (const Json& point : json["points"]) {
    end.points.push_back({.call = point[0],
                          .occurrence = point[1],
                          .fault = {static_cast<Fault::Kind>(point[2].get<int>()), point[3]}});
  }
  return end;
}

std::string text_without_errors(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// A trial in a process of its own, which leaves what it found in the file `end`.
struct RunningTrial {
  std::size_t number = 0;
  std::unique_ptr<TemporaryFolder> folder = std::make_unique<TemporaryFolder>();
};

pid_t begin_trial(const FaultSeries::MakeScene& make, const Trial& trial,
                  const TemporaryFolder& folder) {
  const pid_t child = fork();
  if (child != 0) return child;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  prctl(PR_SET_CHILD_SUBREAPER, 1);  // what loses its parent becomes our child, and is found
  std::filesystem::create_directory(folder.file("scene"));
  const auto scene = make(folder.file("scene"));
  put(folder.file("end"), text_without_errors(json_of(dovetail::testing::play(*scene, trial))));
  std::fflush(nullptr);
  _exit(0);
}

// More than there are cores: a trial mostly waits.
std::size_t trials_at_a_time() { return 3 * std::max(1U, std::thread::hardware_concurrency()); }

bool hangs(const TrialEnd& end) {
  return std::ranges::any_of(end.complaints, [](const std::string& complaint) {
    return complaint.find("hang") != std::string::npos ||
           complaint.find("is left running") != std::string::npos;
  });
}

std::string line_of(const TrialEnd& end) {
  return fmt::format("    {} -> {}: {}", end.trial.text(), end.exit, end.said);
}

// At once: all of a series may take long.
void tell(const TrialEnd& end) {
  if (end.complaints.empty()) return;
  fmt::print("{}\n{}\n", fmt::join(end.complaints, "; "), line_of(end));
  std::fflush(stdout);
}

std::vector<TrialEnd> play_all(const FaultSeries::MakeScene& make, const std::vector<Trial>& trials,
                               std::size_t at_a_time) {
  std::vector<TrialEnd> ends(trials.size());
  std::map<pid_t, RunningTrial> running;
  for (std::size_t next = 0; next < trials.size() || !running.empty();) {
    while (next < trials.size() && running.size() < at_a_time) {
      RunningTrial trial{.number = next++};
      const pid_t process = begin_trial(make, trials[trial.number], *trial.folder);
      running.emplace(process, std::move(trial));
    }
    const auto found = running.find(waitpid(-1, nullptr, 0));
    if (found == running.end()) continue;
    const RunningTrial& trial = found->second;
    const Json json = Json::parse(text_of(trial.folder->file("end")), nullptr, false);
    ends[trial.number] = end_from(json, trials[trial.number]);
    tell(ends[trial.number]);
    running.erase(found);
  }
  return ends;
}

// Without the middle of what a loop repeats many times, such as a question to a batch system.
std::vector<CallPoint> ends_of_loops(std::vector<CallPoint> points) {
  constexpr int kFirst = 10;
  constexpr int kLast = 6;
  std::map<std::string, int> counts;
  for (const CallPoint& point : points) counts[point.call] = point.occurrence;
  std::erase_if(points, [&](const CallPoint& point) {
    return point.occurrence > kFirst && point.occurrence <= counts[point.call] - kLast;
  });
  return points;
}

}  // namespace

std::vector<Trial> FaultSeries::trials(TracedRole role, std::size_t looks) const {
  std::vector<Trial> all;
  for (const TrialEnd& end : play_all(make_, std::vector<Trial>(looks, {.role = role}), 1)) {
    EXPECT_TRUE(end.complaints.empty()) << "without a fault: " << end.complaints.front();
    for (const CallPoint& point : ends_of_loops(end.points)) {
      all.push_back({.kind = Trial::Kind::fault, .role = role, .point = point});
    }
  }
  const auto by_text = [](const Trial& a, const Trial& b) { return a.text() < b.text(); };
  std::ranges::sort(all, by_text);
  const auto same =
      std::ranges::unique(all, [](const Trial& a, const Trial& b) { return a.point == b.point; });
  all.erase(same.begin(), same.end());
  return all;
}

// What hangs may have met a machine with much to do: it is tried again by itself, with more time.
std::vector<TrialEnd> FaultSeries::play(const std::vector<Trial>& trials) const {
  std::vector<TrialEnd> ends = play_all(make_, trials, trials_at_a_time());
  constexpr std::size_t kMostAgain = 30;
  constexpr double kLongPatience = 60;
  std::size_t again = 0;
  for (TrialEnd& end : ends) {
    if (!hangs(end) || again++ >= kMostAgain) continue;
    Trial longer = end.trial;
    longer.patience = kLongPatience;
    end = play_all(make_, {longer}, 1).front();
  }
  return ends;
}

std::vector<Trial> some_of(std::vector<Trial> trials, std::size_t count, unsigned seed) {
  std::mt19937 dice(seed);
  std::ranges::shuffle(trials, dice);
  trials.resize(std::min(count, trials.size()));
  return trials;
}

std::string complaints_of(const std::vector<TrialEnd>& ends) {
  std::map<std::string, std::vector<std::string>> by_complaint;
  for (const TrialEnd& end : ends) {
    if (end.complaints.empty()) continue;
    by_complaint[fmt::format("{}", fmt::join(end.complaints, "; "))].push_back(line_of(end));
  }
  std::string text;
  for (const auto& [complaint, trials] : by_complaint) {
    text += fmt::format("{}: {}\n{}\n", complaint, trials.size(), fmt::join(trials, "\n"));
  }
  return text;
}

std::string counts_of(const std::vector<TrialEnd>& ends) {
  std::map<std::string, int> exits;
  int reached = 0;
  int wrong = 0;
  double seconds = 0;
  for (const TrialEnd& end : ends) {
    if (!end.complaints.empty()) ++wrong;
    seconds = std::max(seconds, end.seconds);
    if (!end.was_hit) continue;
    ++reached;
    ++exits[end.exit];
  }
  std::string text = fmt::format("{} trials, {} reached, {} wrong, {:.1f} s at most", ends.size(),
                                 reached, wrong, seconds);
  for (const auto& [exit, count] : exits) text += fmt::format(", {}: {}", exit, count);
  return text;
}

}  // namespace dovetail::testing
