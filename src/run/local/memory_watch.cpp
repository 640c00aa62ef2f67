#include "run/local/memory_watch.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "run/local/descriptor.hpp"

namespace dovetail::run {

namespace {

// Between two looks lies a quarter of the task's time so far, within these bounds, and at least
// this multiple of the processor time of the last look.
constexpr double kShortestPause = 0.1;
constexpr double kLongestPause = 1;
constexpr double kTimesCost = 100;

// What a process group starts without end is not followed to its end.
constexpr std::size_t kMostProcesses = 10'000;

// Empty when the process is gone or not ours.
std::string read_small(const std::string& path) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  char piece[4096];
  ssize_t got = 0;
  while (file.is_open() && (got = read(file.get(), piece, sizeof piece)) > 0) {
    text.append(piece, static_cast<std::size_t>(got));
  }
  return text;
}

std::string folder_of(std::int64_t process) { return "/proc/" + std::to_string(process); }

// The number at the front, after blanks, which is taken off; nothing when there is none.
std::optional<std::int64_t> take_number(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_of("0123456789"), text.size()));
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

// Each thread of a process has children of its own.
void add_children(std::int64_t process, std::vector<std::int64_t>& found) {
  const std::string threads = folder_of(process) + "/task";
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir(threads.c_str()), &closedir);
  if (!folder) return;
  while (const dirent* entry = readdir(folder.get())) {
    if (std::isdigit(static_cast<unsigned char>(entry->d_name[0])) == 0) continue;
    const std::string children = read_small(threads + "/" + entry->d_name + "/children");
    std::string_view rest = children;
    while (const auto child = take_number(rest)) found.push_back(*child);
  }
}

std::vector<std::int64_t> processes_below(std::int64_t process) {
  std::vector<std::int64_t> found;
  add_children(process, found);
  for (std::size_t i = 0; i < found.size() && found.size() < kMostProcesses; ++i) {
    add_children(found[i], found);
  }
  return found;
}

// All that is in memory, also what it shares with others.
std::int64_t resident_memory(std::int64_t process) {
  static const std::int64_t page = sysconf(_SC_PAGESIZE);
  const std::string text = read_small(folder_of(process) + "/statm");
  std::string_view rest = text;
  take_number(rest);  // all that it might use
  return take_number(rest).value_or(0) * page;
}

// Its share of what is in memory; nothing where we may not ask.
std::optional<std::int64_t> shared_out_memory(std::int64_t process) {
  const std::string text = read_small(folder_of(process) + "/smaps_rollup");
  const auto line = text.find("\nPss:");
  if (line == std::string::npos) return std::nullopt;
  std::string_view rest = std::string_view(text).substr(line);
  const auto kib = take_number(rest);
  return kib ? std::optional(*kib * 1024) : std::nullopt;
}

// Of this process, in seconds: on a busy machine a look takes longer, but costs no more.
double processor_time() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

}  // namespace

std::int64_t memory_below(std::int64_t process, std::int64_t known) {
  const std::vector<std::int64_t> processes = processes_below(process);
  std::int64_t sum = 0;
  for (const std::int64_t one : processes) sum += resident_memory(one);
  // Asking for shares takes the system much longer.
  if (sum <= known || processes.size() == 1) return sum;
  sum = 0;
  for (const std::int64_t one : processes) {
    const auto share = shared_out_memory(one);
    sum += share ? *share : resident_memory(one);
  }
  return sum;
}

void MemoryWatch::look(double elapsed) {
  const double began = processor_time();
  current_ = memory_below(getpid(), peak_);
  peak_ = std::max(peak_, current_);
  const double cost = processor_time() - began;
  const double pause = std::clamp(elapsed / 4, kShortestPause, kLongestPause);
  next_look_ = elapsed + std::max(pause, kTimesCost * cost);
}

}  // namespace dovetail::run
