#include "run/local/killed_supervisor.hpp"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace dovetail::run {

namespace {

// The process's session; nothing for one that has ended and is only remains.
std::optional<pid_t> session_of(const std::filesystem::path& process) {
  std::ifstream file(process / "stat");
  std::string line;
  std::getline(file, line);
  const auto name_end = line.rfind(')');  // the name may hold anything
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream rest(line.substr(name_end + 1));
  char state = 0;
  pid_t parent = 0;
  pid_t group = 0;
  pid_t session = 0;
  rest >> state >> parent >> group >> session;
  return state == 'Z' ? std::nullopt : std::optional(session);
}

bool has_mark(const std::filesystem::path& process, const std::string& mark) {
  std::ifstream file(process / "environ");
  for (std::string variable; std::getline(file, variable, '\0');) {
    if (variable == mark) return true;
  }
  return false;
}

// Processes of the supervisor's session, and those with its mark.
std::vector<pid_t> members(const ProcessName& supervisor) {
  const std::string mark = mark_of(supervisor);
  std::vector<pid_t> found;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    const std::string name = entry.path().filename().string();
    if (std::isdigit(static_cast<unsigned char>(name.front())) == 0) continue;
    const std::optional<pid_t> session = session_of(entry.path());
    if (!session) continue;
    if (*session == supervisor.pid || has_mark(entry.path(), mark)) {
      found.push_back(std::stoi(name));
    }
  }
  return found;
}

}  // namespace

std::string mark_of(const ProcessName& supervisor) {
  return "DOVETAIL_SUPERVISOR=" + std::to_string(supervisor.pid) + "." +
         std::to_string(supervisor.born);
}

void end_leftovers(const AttemptStart& start) {
  const pid_t session = start.supervisor.pid;
  // A process that has the number now may have a session of that number, too.
  const bool is_taken = kill(session, 0) == 0 || errno == EPERM;
  const bool may_be_others = session <= 1 || (is_taken && !start.supervisor.has_its_number());
  if (may_be_others || start.supervisor.boot != ProcessName::self().boot) return;
  constexpr int kTries = 1000;
  for (int i = 0; i < kTries; ++i) {
    const std::vector<pid_t> left = members(start.supervisor);
    const auto ended =
        std::ranges::count_if(left, [](pid_t pid) { return kill(pid, SIGKILL) == 0; });
    if (ended == 0) return;
    usleep(1000);
  }
}

}  // namespace dovetail::run
