#include "run/local/leftovers.hpp"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace dovetail::run {

namespace {

// Processes of the session that are no mere remains.
std::vector<pid_t> members(pid_t session) {
  std::vector<pid_t> found;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    const std::string name = entry.path().filename().string();
    if (std::isdigit(static_cast<unsigned char>(name.front())) == 0) continue;
    std::ifstream file(entry.path() / "stat");
    std::string line;
    std::getline(file, line);
    const auto name_end = line.rfind(')');  // the name may hold anything
    if (name_end == std::string::npos) continue;
    std::istringstream rest(line.substr(name_end + 1));
    char state = 0;
    pid_t parent = 0;
    pid_t group = 0;
    pid_t own_session = 0;
    rest >> state >> parent >> group >> own_session;
    if (own_session == session && state != 'Z') found.push_back(std::stoi(name));
  }
  return found;
}

}  // namespace

void end_leftovers(const AttemptStart& start) {
  const pid_t session = start.supervisor.pid;
  // A process that has the number now may have a session of that number, too.
  const bool is_taken = kill(session, 0) == 0 || errno == EPERM;
  const bool may_be_others = session <= 1 || (is_taken && !start.supervisor.has_its_number());
  if (may_be_others || start.supervisor.boot != ProcessName::self().boot) return;
  constexpr int kTries = 1000;
  for (int i = 0; i < kTries; ++i) {
    const std::vector<pid_t> left = members(session);
    const auto ended =
        std::ranges::count_if(left, [](pid_t pid) { return kill(pid, SIGKILL) == 0; });
    if (ended == 0) return;
    usleep(1000);
  }
}

}  // namespace dovetail::run
