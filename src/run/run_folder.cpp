#include "run/run_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "dovetail/error.hpp"
#include "io/text.hpp"
#include "run/token.hpp"

namespace dovetail::run {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& path, const std::error_code& error) {
  throw ExecutionError(path + ": cannot be written: " + error.message() +
                       "; DOVETAIL_STATE names another folder");
}

// Commands, environments and logs are for their owner alone, and a lock that others can open they
// can take.
void make_private(const std::string& path) {
  std::error_code error;
  fs::permissions(path, fs::perms::owner_all, error);
  if (error && error != std::errc::operation_not_permitted) fail(path, error);
}

void make_folder(const std::string& path) {
  std::error_code error;
  const bool is_new = fs::create_directories(path, error);
  if (error) fail(path, error);
  if (is_new) make_private(path);
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

std::optional<std::uint32_t> number_in(std::string_view text) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  return is_number ? std::optional(number) : std::nullopt;
}

std::string runs_folder(const std::string& state) { return state + "/runs"; }

bool is_absent(const std::error_code& error) {
  return error == std::errc::no_such_file_or_directory || error == std::errc::not_a_directory;
}

[[noreturn]] void fail_to_read(const std::string& path, const std::error_code& error) {
  throw ExecutionError(path + ": cannot be read: " + error.message());
}

// Empty when there is no such folder. One that cannot be read must not pass for that: what has been
// done would be done again.
std::vector<fs::path> entries_of(const std::string& folder) {
  std::vector<fs::path> entries;
  std::error_code error;
  fs::directory_iterator next(folder, error);
  for (const fs::directory_iterator end; !error && next != end; next.increment(error)) {
    entries.push_back(next->path());
  }
  if (error && !is_absent(error)) fail_to_read(folder, error);
  return entries;
}

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
  make_folder(state);
  make_folder(runs_folder(state));
  make_private(runs_folder(state));  // earlier versions let others read it
  const std::string name = plain_name(workflow);
  // It gets its name when it is whole, so that a folder with that name is.
  const std::string beside = runs_folder(state) + "/.new-" + random_token();
  make_folder(beside + "/attempts");
  make_folder(beside + "/logs");
  make_private(beside);
  for (int number = 1;; ++number) {
    const std::string id = name + "-" + std::to_string(number);
    const std::string path = runs_folder(state) + "/" + id;
    if (std::rename(beside.c_str(), path.c_str()) == 0) return {path, id};
    const int error = errno;
    if (error == EEXIST || error == ENOTEMPTY || error == ENOTDIR) continue;
    std::error_code ignored;
    fs::remove_all(beside, ignored);
    fail(path, {error, std::generic_category()});
  }
}

RunFolder RunFolder::open(const std::string& state, const std::string& id) {
  const std::string path = runs_folder(state) + "/" + id;
  std::error_code error;
  const bool is_name = !id.empty() && id.find('/') == std::string::npos && id.front() != '.';
  const fs::file_status status = fs::status(path, error);
  if (is_name && fs::is_directory(status)) return {path, id};
  if (is_name && !fs::status_known(status)) {
    fail_to_read(path, error);
  }
  io::NearestWord nearest(id);
  for (const RunFolder& run : all(state)) nearest.offer(run.id());
  const std::string guess = nearest.suggestion();
  throw InputError("there is no run " + io::quote(id) +
                   (guess.empty() ? "; dovetail runs lists them" : guess));
}

std::vector<RunFolder> RunFolder::all(const std::string& state) {
  std::vector<std::pair<fs::file_time_type, RunFolder>> found;
  for (const fs::path& path : entries_of(runs_folder(state))) {
    RunFolder run(path.string(), path.filename().string());
    std::error_code error;
    const auto time = fs::last_write_time(run.description(), error);
    if (!error) found.emplace_back(time, std::move(run));
    if (error && !is_absent(error)) fail_to_read(run.description(), error);
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
  const auto number_of = [&](const RunFolder& run) {
    return run.id().starts_with(prefix)
               ? number_in(std::string_view(run.id()).substr(prefix.size()))
               : std::nullopt;
  };
  std::vector<RunFolder> runs = all(state);
  std::erase_if(runs, [&](const RunFolder& run) { return !number_of(run); });
  std::ranges::sort(runs, {}, number_of);  // the machine's clock may have been set back
  return runs;
}

std::string RunFolder::state() const {
  return fs::path(path_).parent_path().parent_path().string();
}

std::string RunFolder::attempt(std::uint32_t task, std::uint32_t attempt) const {
  return path_ + "/attempts/" + std::to_string(task) + "." + std::to_string(attempt);
}

std::vector<std::pair<std::uint32_t, std::uint32_t>> RunFolder::attempts() const {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> found;
  for (const fs::path& path : entries_of(path_ + "/attempts")) {
    const std::string name = path.filename().string();
    const auto dot = std::min(name.find('.'), name.size() - 1);
    const auto task = number_in(std::string_view(name).substr(0, dot));
    const auto attempt = number_in(std::string_view(name).substr(dot + 1));
    if (task && attempt) found.emplace_back(*task, *attempt);
  }
  std::ranges::sort(found);
  return found;
}

std::string RunFolder::log(std::uint32_t task, std::uint32_t attempt, const char* kind) const {
  return path_ + "/logs/" + std::to_string(task) + "." + std::to_string(attempt) + "." + kind;
}

std::optional<RunLock> RunLock::take(const std::string& path) {
  Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!file.is_open()) fail(path, {errno, std::generic_category()});
  // A process that was killed holds it for a moment longer.
  constexpr int kTries = 500;
  for (int i = 0; flock(file.get(), LOCK_EX | LOCK_NB) != 0; ++i) {
    if (i == kTries || holder(path)) return std::nullopt;
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
    fail(path, {errno, std::generic_category()});
  }
  return RunLock(std::move(file));
}

std::optional<ProcessName> RunLock::holder(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  const auto json = nlohmann::ordered_json::parse(text.str(), nullptr, false);
  if (!json.is_object()) return std::nullopt;
  const ProcessName holder{.pid = json.value("pid", 0),
                           .born = json.value("born", std::uint64_t{0}),
                           .boot = json.value("boot", "")};
  return holder.is_well() ? std::optional(holder) : std::nullopt;
}

RunLock RunLock::require(const RunFolder& folder) {
  if (auto taken = take(folder)) return std::move(*taken);
  const auto process = holder(folder);
  throw InputError(folder.id() + " is being run" +
                   (process ? " by process " + std::to_string(process->pid) : ""));
}

RunLock RunLock::before_begin(const std::string& state, const std::string& what) {
  const std::string locks = state + "/beginning";
  make_folder(state);
  make_folder(locks);
  const std::string path = locks + "/" + what;
  if (auto taken = take(path)) return std::move(*taken);
  const auto process = holder(path);
  throw InputError(
      (process ? "process " + std::to_string(process->pid) : std::string("another process")) +
      " is about to run the same in this folder; look at it with dovetail runs, or use --new to "
      "run it a second time all the same");
}

}  // namespace dovetail::run
