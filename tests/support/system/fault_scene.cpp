#include "support/system/fault_scene.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>

#include "support/whole_file.hpp"

namespace dovetail::testing {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

std::string prefix_of(TracedRole role) {
  if (role == TracedRole::program) return {};
  return role == TracedRole::helpers ? "helper: " : "job: ";
}

std::string exit_text(int status) {
  return WIFSIGNALED(status) ? fmt::format("signal {}", WTERMSIG(status))
                             : fmt::format("exit {}", WEXITSTATUS(status));
}

std::string last_line(const std::string& path) {
  std::ifstream file(path);
  std::string last;
  for (std::string line; std::getline(file, line);) last = line;
  return last;
}

std::vector<pid_t> children_of(const std::string& process) {
  std::vector<pid_t> all;
  std::error_code error;
  for (const auto& task :
       std::filesystem::directory_iterator("/proc/" + process + "/task", error)) {
    std::ifstream file(task.path() / "children");
    for (pid_t child = 0; file >> child;) all.push_back(child);
  }
  return all;
}

void kill_below(const std::string& process) {
  for (const pid_t child : children_of(process)) {
    kill_below(std::to_string(child));
    kill(child, SIGKILL);
  }
}

// "dovetail(epoll_wait) sh(wait4)": what still runs below this process, and where it waits.
std::string descendants(const std::string& process = "self") {
  std::string text;
  for (const pid_t child : children_of(process)) {
    const std::string place = "/proc/" + std::to_string(child);
    std::string name = text_of(place + "/comm");
    if (!name.empty()) name.pop_back();
    text += fmt::format("{}({}) ", name, text_of(place + "/wchan"));
    text += descendants(std::to_string(child));
  }
  return text;
}

void end_descendants() {
  while (!children_of("self").empty()) {
    kill_below("self");
    while (waitpid(-1, nullptr, WNOHANG | __WALL) > 0) {
    }
    usleep(1000);
  }
}

// Whether the condition came true in time. What ends meanwhile is waited for by the condition.
template <typename Condition>
bool comes_in_time(double patience, Condition condition) {
  for (const auto begin = Clock::now(); !condition();) {
    if (seconds_since(begin) > patience) return false;
    usleep(500);
  }
  return true;
}

// Its status, or nothing when it hangs.
std::optional<int> wait_for_end(pid_t process, double patience) {
  int status = 0;
  const bool has_ended =
      comes_in_time(patience, [&] { return waitpid(process, &status, WNOHANG) == process; });
  return has_ended ? std::optional(status) : std::nullopt;
}

// Whether the exit code says what happened. A file that the user named may be one that cannot be
// read, a folder one that cannot be made, and a task fails when its inputs cannot be read, when it
// cannot be started, when its process is killed, and when its outputs cannot be saved.
bool is_right_code(int code, const std::string& errors) {
  const bool has_failed_task = errors.find("could not be started") != std::string::npos ||
                               errors.find("was ended by signal 9") != std::string::npos ||
                               errors.find("cannot be written to disk") != std::string::npos;
  const bool is_own_file = errors.find("cannot be read") != std::string::npos ||
                           errors.find("/keys/") != std::string::npos ||
                           errors.find(": data: ") != std::string::npos;
  const bool is_of_state = errors.find("/state/") != std::string::npos;
  return code == 3 || (code == 1 && has_failed_task) || (code == 2 && is_own_file && !is_of_state);
}

// What the program must never do, whatever the fault.
void judge(const FaultScene& scene, const TraceEnd& end, bool was_killed, Complaints& complaints) {
  const std::string errors = text_of(scene.file("err"));
  if (end.has_hung) complaints.push_back("hangs");
  if (errors.find("internal error") != std::string::npos) complaints.push_back("internal error");
  if (end.has_hung || was_killed || scene.is_success(end.status)) return;
  const int code = WIFEXITED(end.status) ? WEXITSTATUS(end.status) : -1;
  if (!is_right_code(code, errors)) complaints.push_back("ends by " + exit_text(end.status));
  if (code == 3 && errors.empty()) complaints.push_back("exit 3 without a message");
}

// A process that is watched, killed or left alone, as the trial says.
TraceEnd play_trial(FaultScene& scene, const Trial& trial, TrialEnd& result) {
  const bool is_traced = trial.kind == Trial::Kind::nothing || trial.kind == Trial::Kind::fault;
  if (is_traced) {
    CallTracer tracer(
        {scene.folder(), trial.role,
         trial.kind == Trial::Kind::fault ? std::optional(trial.point) : std::nullopt});
    scene.started(tracer.start(scene.command(), scene.variables()));
    TraceEnd end = tracer.follow(trial.patience);
    result.points = tracer.points();
    return end;
  }
  const pid_t process = start_program(scene.folder(), scene.command(), scene.variables());
  scene.started(process);
  pid_t second = 0;
  if (trial.kind == Trial::Kind::kill_at_end) {
    comes_in_time(trial.patience, [&] { return scene.is_last_task_over(); });
  }
  usleep(static_cast<useconds_t>(trial.microseconds));
  if (trial.kind == Trial::Kind::twice) {
    second = start_program(scene.folder(), scene.command(), scene.variables());
  } else {
    kill(process, SIGKILL);
  }
  TraceEnd end;
  const auto status = wait_for_end(process, trial.patience);
  const auto other = second == 0 ? status : wait_for_end(second, trial.patience);
  end.has_hung = !status || !other;
  // Of two at once, one may be refused: it does not matter which.
  end.status = other && scene.is_success(*other) ? *other : status.value_or(0);
  end.was_hit = trial.kind == Trial::Kind::twice || WIFSIGNALED(end.status);
  return end;
}

// The same command without a fault. Its first answer may be that something of before still runs.
Complaints try_again(FaultScene& scene, double patience) {
  constexpr int kTries = 3;
  std::optional<int> status;
  for (int i = 0; i < kTries; ++i) {
    if (i > 0) usleep(300'000);
    const pid_t process = start_program(scene.folder(), scene.command(), scene.variables());
    scene.started(process);
    status = wait_for_end(process, patience);
    if (!status) return {"the same command again hangs"};
    if (scene.is_success(*status)) return {};
  }
  return {fmt::format("the same command again: {}", exit_text(*status))};
}

}  // namespace

bool FaultScene::is_success(int status) const {
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

std::string Trial::text() const {
  switch (kind) {
    case Kind::nothing:
      return "nothing";
    case Kind::fault:
      return prefix_of(role) + point.text();
    case Kind::kill_after:
      return fmt::format("killed after {} ms", microseconds / 1000);
    case Kind::kill_at_end:
      return fmt::format("killed {} ms after the last task", microseconds / 1000);
    case Kind::twice:
      return fmt::format("started again after {} ms", microseconds / 1000);
  }
  return {};
}

TrialEnd play(FaultScene& scene, const Trial& trial) {
  TrialEnd result{.trial = trial};
  scene.prepare();
  const auto begin = Clock::now();
  const TraceEnd end = play_trial(scene, trial, result);
  result.seconds = seconds_since(begin);
  result.was_hit = end.was_hit;
  result.exit = end.has_hung ? "hangs" : exit_text(end.status);
  result.said = end.has_hung ? descendants() : last_line(scene.file("err"));
  const bool kills =
      trial.kind == Trial::Kind::kill_after || trial.kind == Trial::Kind::kill_at_end ||
      (trial.kind == Trial::Kind::fault && trial.point.fault.kind == Fault::Kind::killing);
  const bool was_killed = kills && end.was_hit && trial.role == TracedRole::program;
  judge(scene, end, was_killed, result.complaints);
  if (end.has_hung) end_descendants();
  const bool is_over = !end.has_hung && scene.is_success(end.status);
  if (!is_over && !scene.was_end_reported()) {
    for (std::string& one : try_again(scene, trial.patience))
      result.complaints.push_back(std::move(one));
  }
  const bool is_quiet =
      comes_in_time(trial.patience, [] { return waitpid(-1, nullptr, WNOHANG | __WALL) < 0; });
  if (!is_quiet) result.complaints.push_back("something is left running");
  end_descendants();
  const bool may_repeat = end.has_hung || (kills && trial.role != TracedRole::program) ||
                          (trial.kind == Trial::Kind::fault && scene.may_repeat_after(trial.point));
  for (std::string& one : scene.complaints(may_repeat)) result.complaints.push_back(std::move(one));
  std::ranges::sort(result.complaints);
  const auto same = std::ranges::unique(result.complaints);
  result.complaints.erase(same.begin(), same.end());
  return result;
}

}  // namespace dovetail::testing
