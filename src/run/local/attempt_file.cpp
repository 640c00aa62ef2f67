#include "run/local/attempt_file.hpp"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>
#include <type_traits>
#include <vector>

#include "dovetail/error.hpp"

namespace dovetail::run {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kHalf = 512;
constexpr std::size_t kMaxWhy = 200;

// Empty when there is no such file or process. Anything else that keeps us from reading must not
// pass for that: a task that cannot be seen would be taken for lost.
std::string read_small(const std::string& path) {
  const auto check = [&](bool is_fine) {
    if (is_fine || errno == ENOENT || errno == ENOTDIR || errno == ESRCH || errno == ESTALE) return;
    throw ExecutionError(path + ": cannot be read: " + std::strerror(errno));
  };
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  check(file.is_open());
  std::string text;
  char piece[4096];
  while (file.is_open()) {
    const ssize_t got = read(file.get(), piece, sizeof piece);
    if (got < 0 && errno == EINTR) continue;
    check(got >= 0);
    if (got <= 0) break;
    text.append(piece, static_cast<std::size_t>(got));
  }
  return text;
}

std::string boot_id() {
  std::string id = read_small("/proc/sys/kernel/random/boot_id");
  while (!id.empty() && id.back() == '\n') id.pop_back();
  return id;
}

// The fields of /proc/PID/stat from the third on: the second is a name in brackets that may hold
// anything.
std::vector<std::string> stat_fields(pid_t pid) {
  const std::string stat = read_small("/proc/" + std::to_string(pid) + "/stat");
  std::istringstream rest(stat.substr(std::min(stat.size(), stat.rfind(')') + 1)));
  return {std::istream_iterator<std::string>(rest), {}};
}

constexpr std::size_t kState = 0;
constexpr std::size_t kFlags = 6;
constexpr std::size_t kBirth = 19;

// Nothing when there is no such process.
std::optional<std::uint64_t> birth_of(pid_t pid) {
  const std::vector<std::string> fields = stat_fields(pid);
  if (fields.size() <= kBirth) return std::nullopt;
  return std::stoull(fields[kBirth]);
}

// Whether only its remains are there.
bool is_dead(pid_t pid) {
  const std::vector<std::string> fields = stat_fields(pid);
  return fields.empty() || fields[kState] == "Z" || fields[kState] == "X";
}

// Whether it has begun to end.
bool is_exiting(pid_t pid) {
  constexpr unsigned long kExiting = 0x4;
  const std::vector<std::string> fields = stat_fields(pid);
  return fields.size() <= kFlags || (std::stoul(fields[kFlags]) & kExiting) != 0;
}

constexpr std::pair<AttemptEnd::Cause, const char*> kCauses[] = {
    {AttemptEnd::Cause::ended, "ended"},
    {AttemptEnd::Cause::timed_out, "timed out"},
    {AttemptEnd::Cause::stopped, "stopped"},
    {AttemptEnd::Cause::out_of_memory, "out of memory"},
    {AttemptEnd::Cause::not_started, "not started"},
    {AttemptEnd::Cause::not_saved, "not saved"}};

const char* name_of(AttemptEnd::Cause cause) {
  for (const auto& [value, name] : kCauses) {
    if (value == cause) return name;
  }
  return "";
}

template <typename Number>
bool read_number(const Json& json, const char* key, Number& number) {
  const auto found = json.find(key);
  if (found == json.end()) return false;
  if (std::is_integral_v<Number> ? !found->is_number_integer() : !found->is_number()) return false;
  number = found->template get<Number>();
  return true;
}

bool read_text(const Json& json, const char* key, std::string& text) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_string()) return false;
  text = found->get<std::string>();
  return true;
}

std::optional<AttemptStart> parse_start(const std::string& text) {
  const Json json = Json::parse(text, nullptr, false);
  AttemptStart start;
  const bool is_whole = json.is_object() && read_number(json, "supervisor", start.supervisor.pid) &&
                        read_number(json, "born", start.supervisor.born) &&
                        read_text(json, "boot", start.supervisor.boot) &&
                        read_number(json, "group", start.group) &&
                        read_number(json, "started", start.time);
  if (!is_whole) return std::nullopt;
  read_text(json, "definition", start.origin.definition);
  read_text(json, "inputs", start.origin.inputs);
  read_number(json, "processors", start.origin.processors);
  return start;
}

bool read_cause(const Json& json, AttemptEnd::Cause& cause) {
  std::string text;
  if (!read_text(json, "cause", text)) return false;
  for (const auto& [value, name] : kCauses) {
    if (text != name) continue;
    cause = value;
    return true;
  }
  return false;
}

std::string line_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Needs a line that is shorter than a half.
std::string half_of(std::string line) {
  assert(line.size() < kHalf);
  line.resize(kHalf, ' ');
  line.back() = '\n';
  return line;
}

// All of it, however often a signal comes in between. Makes only system calls.
bool write_whole(int file, const std::string& text, off_t place) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t wrote =
        pwrite(file, text.data() + done, text.size() - done, place + static_cast<off_t>(done));
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote == 0) errno = ENOSPC;
    if (wrote <= 0) return false;
    done += static_cast<std::size_t>(wrote);
  }
  return true;
}

// Whether SIGKILL has been sent to it.
bool is_being_killed(pid_t pid) {
  constexpr unsigned long kKill = 1UL << (SIGKILL - 1);
  std::ifstream file("/proc/" + std::to_string(pid) + "/status");
  for (std::string name; file >> name;) {
    unsigned long pending = 0;
    if (name != "SigPnd:" && name != "ShdPnd:") continue;
    if (file >> std::hex >> pending && (pending & kKill) != 0) return true;
  }
  return false;
}

}  // namespace

ProcessName ProcessName::self() {
  const pid_t pid = getpid();
  return {pid, birth_of(pid).value_or(0), boot_id()};
}

bool ProcessName::has_its_number() const {
  return pid > 0 && boot == boot_id() && birth_of(pid) == born;
}

bool ProcessName::is_alive() const { return has_its_number() && !is_dead(pid); }

bool ProcessName::is_well() const {
  return is_alive() && !is_exiting(pid) && !is_being_killed(pid);
}

Json json_of(const AttemptEnd& end) {
  Json json = {{"exit", end.exit_code},       {"signal", end.signal},
               {"cause", name_of(end.cause)}, {"ended", end.time},
               {"seconds", end.seconds},      {"cpu_seconds", end.cpu_seconds},
               {"peak_kib", end.peak_kib}};
  if (end.peak_memory > 0) json["peak_memory"] = end.peak_memory;
  if (!end.why.empty()) json["why"] = end.why;
  return json;
}

std::string to_json(const AttemptEnd& end) {
  Json json = json_of(end);
  std::string line = line_of(json);
  // A long reason begins with a path; what went wrong is at its end. How long a character becomes
  // in JSON depends on the character.
  for (std::size_t kept = std::min(end.why.size(), kMaxWhy); line.size() >= kHalf; kept /= 2) {
    json["why"] = "..." + end.why.substr(end.why.size() - kept);
    line = line_of(json);
  }
  return line;
}

std::optional<AttemptEnd> parse_end(const std::string& text) {
  return end_of(Json::parse(text, nullptr, false));
}

std::optional<AttemptEnd> end_of(const Json& json) {
  AttemptEnd end;
  const bool is_whole = json.is_object() && read_number(json, "exit", end.exit_code) &&
                        read_number(json, "signal", end.signal) && read_cause(json, end.cause) &&
                        read_number(json, "ended", end.time) &&
                        read_number(json, "seconds", end.seconds) &&
                        read_number(json, "cpu_seconds", end.cpu_seconds) &&
                        read_number(json, "peak_kib", end.peak_kib);
  if (!is_whole) return std::nullopt;
  read_number(json, "peak_memory", end.peak_memory);
  read_text(json, "why", end.why);
  return end;
}

std::optional<AttemptWriter> AttemptWriter::create(const std::string& path) {
  Descriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file.is_open()) return std::nullopt;
  const std::string room(2 * kHalf, '\n');
  if (write_whole(file.get(), room, 0)) return AttemptWriter(std::move(file));
  const int error = errno;
  file.reset();
  unlink(path.c_str());
  errno = error;
  return std::nullopt;
}

bool AttemptWriter::write_half(const std::string& half, off_t place) const {
  return write_whole(file_.get(), half, place);
}

void AttemptWriter::prepare_start(const ProcessName& supervisor, WallTime time,
                                  const AttemptOrigin& origin) {
  Json json = {{"supervisor", supervisor.pid},
               {"born", supervisor.born},
               {"boot", supervisor.boot},
               {"started", time},
               {"processors", origin.processors}};
  if (!origin.definition.empty()) json["definition"] = origin.definition;
  if (!origin.inputs.empty()) json["inputs"] = origin.inputs;
  start_ = line_of(json);
  start_.back() = ',';
  start_ += "\"group\":" + std::string(std::numeric_limits<pid_t>::digits10 + 1, ' ');
  group_end_ = start_.size();
  start_ = half_of(start_ + "}");
}

bool AttemptWriter::write_start(pid_t group) {
  assert(group > 0 && group_end_ > 0);
  for (std::size_t place = group_end_; group > 0; group /= 10) {
    start_[--place] = static_cast<char>('0' + group % 10);
  }
  return write_half(start_, 0);
}

bool AttemptWriter::write_end(const AttemptEnd& end) {
  return write_half(half_of(to_json(end)), static_cast<off_t>(kHalf));
}

Attempt read_attempt(const std::string& path) {
  const std::string text = read_small(path);
  Attempt attempt;
  if (text.size() < kHalf) return attempt;
  attempt.start = parse_start(text.substr(0, kHalf));
  if (text.size() >= 2 * kHalf) attempt.end = parse_end(text.substr(kHalf, kHalf));
  return attempt;
}

}  // namespace dovetail::run
