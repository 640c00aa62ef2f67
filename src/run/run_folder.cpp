#include "run/run_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "dovetail/error.hpp"
#include "io/text.hpp"

namespace dovetail::run {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& path, const std::error_code& error) {
  throw ExecutionError(path + ": cannot be written: " + error.message() +
                       "; DOVETAIL_STATE names another folder");
}

void make_folder(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) fail(path, error);
}

// What is easy to type and safe in a path.
std::string plain_name(const std::string& name) {
  std::string plain;
  for (const char c : name.substr(0, 40)) {
    const bool is_plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
    plain += is_plain ? c : '-';
  }
  return plain.empty() || plain.front() == '-' ? "run" + plain : plain;
}

std::string runs_folder(const std::string& state) { return state + "/runs"; }

}  // namespace

std::string state_folder() {
  if (const char* own = std::getenv("DOVETAIL_STATE"); own != nullptr && *own != '\0') return own;
  if (const char* xdg = std::getenv("XDG_STATE_HOME"); xdg != nullptr && *xdg == '/') {
    return std::string(xdg) + "/dovetail";
  }
  const char* home = std::getenv("HOME");
  if (home == nullptr || *home == '\0') {
    throw ExecutionError("there is no home folder for runs; set DOVETAIL_STATE to a folder");
  }
  return std::string(home) + "/.local/state/dovetail";
}

RunFolder RunFolder::create(const std::string& state, const std::string& workflow) {
  make_folder(runs_folder(state));
  const std::string name = plain_name(workflow);
  for (int number = 1;; ++number) {
    const std::string id = name + "-" + std::to_string(number);
    const std::string path = runs_folder(state) + "/" + id;
    std::error_code error;
    if (!fs::create_directory(path, error)) {
      if (error) fail(path, error);
      continue;
    }
    make_folder(path + "/attempts");
    make_folder(path + "/logs");
    return {path, id};
  }
}

RunFolder RunFolder::open(const std::string& state, const std::string& id) {
  const std::string path = runs_folder(state) + "/" + id;
  std::error_code error;
  const bool is_name = !id.empty() && id.find('/') == std::string::npos && id.front() != '.';
  if (is_name && fs::is_directory(path, error)) return {path, id};
  io::NearestWord nearest(id);
  for (const RunFolder& run : all(state)) nearest.offer(run.id());
  const std::string guess = nearest.suggestion();
  throw InputError("there is no run " + io::quote(id) +
                   (guess.empty() ? "; dovetail runs lists them" : guess));
}

std::vector<RunFolder> RunFolder::all(const std::string& state) {
  std::vector<std::pair<fs::file_time_type, RunFolder>> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(runs_folder(state), error)) {
    RunFolder run(entry.path().string(), entry.path().filename().string());
    const auto time = fs::last_write_time(run.description(), error);
    if (!error) found.emplace_back(time, std::move(run));
  }
  std::ranges::sort(found, {},
                    [](const auto& run) { return std::pair(run.first, run.second.id()); });
  std::vector<RunFolder> runs;
  for (auto& run : found) runs.push_back(std::move(run.second));
  return runs;
}

std::vector<RunFolder> RunFolder::of_workflow(const std::string& state,
                                              const std::string& workflow) {
  const std::string prefix = plain_name(workflow) + "-";
  std::vector<RunFolder> runs = all(state);
  std::erase_if(runs, [&](const RunFolder& run) {
    const auto number = run.id().find_last_not_of("0123456789");
    return number == std::string::npos || run.id().substr(0, number + 1) != prefix;
  });
  return runs;
}

std::string RunFolder::attempt(std::uint32_t task, std::uint32_t attempt) const {
  return path_ + "/attempts/" + std::to_string(task) + "." + std::to_string(attempt);
}

std::string RunFolder::log(std::uint32_t task, std::uint32_t attempt, const char* kind) const {
  return path_ + "/logs/" + std::to_string(task) + "." + std::to_string(attempt) + "." + kind;
}

std::optional<RunLock> RunLock::take(const RunFolder& folder) {
  Descriptor file(::open(folder.lock().c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  if (!file.is_open()) fail(folder.lock(), {errno, std::generic_category()});
  // A process that was killed holds it for a moment longer.
  constexpr int kTries = 500;
  for (int i = 0; flock(file.get(), LOCK_EX | LOCK_NB) != 0; ++i) {
    if (i == kTries || holder(folder)) return std::nullopt;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  char host[256] = {};
  gethostname(host, sizeof host - 1);
  const ProcessName self = ProcessName::self();
  const std::string text =
      nlohmann::ordered_json{
          {"host", host}, {"pid", self.pid}, {"born", self.born}, {"boot", self.boot}}
          .dump() +
      "\n";
  // Only for people and for dovetail cancel: the lock itself is the system's.
  if (ftruncate(file.get(), 0) != 0 || pwrite(file.get(), text.data(), text.size(), 0) < 0) {
    fail(folder.lock(), {errno, std::generic_category()});
  }
  return RunLock(std::move(file));
}

RunLock RunLock::require(const RunFolder& folder) {
  if (auto taken = take(folder)) return std::move(*taken);
  const auto process = holder(folder);
  throw InputError(folder.id() + " is being run" +
                   (process ? " by process " + std::to_string(process->pid) : ""));
}

std::optional<ProcessName> RunLock::holder(const RunFolder& folder) {
  std::ifstream file(folder.lock());
  const auto json = nlohmann::ordered_json::parse(file, nullptr, false);
  if (!json.is_object()) return std::nullopt;
  const ProcessName holder{.pid = json.value("pid", 0),
                           .born = json.value("born", std::uint64_t{0}),
                           .boot = json.value("boot", "")};
  return holder.is_well() ? std::optional(holder) : std::nullopt;
}

}  // namespace dovetail::run
