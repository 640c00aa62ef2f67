// What is left of a task whose supervisor was killed: its own process dies with the supervisor, but
// not what that had started.
#pragma once

#include <string>

#include "run/local/attempt_file.hpp"

namespace dovetail::run {

// A variable in the environment of all that a supervisor's task starts, "NAME=VALUE", by which it
// is found when it has left the supervisor's session.
std::string mark_of(const ProcessName& supervisor);

// Kills it, and returns when it is gone: all that is in the supervisor's session or has its mark.
// Only what left the session and changed its environment escapes. Does nothing while the supervisor
// lives, or when another process has its number by now.
void end_leftovers(const AttemptStart& start);

}  // namespace dovetail::run
