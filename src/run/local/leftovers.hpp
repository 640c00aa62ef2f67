// What is left of a task whose supervisor was killed: its own process dies with the supervisor, but
// not what that had started.
#pragma once

#include "run/local/attempt_file.hpp"

namespace dovetail::run {

// Kills it, and returns when it is gone. A supervisor begins a session of its own, in which all of
// its task stays unless it leaves on purpose. Does nothing while the supervisor lives, or when
// another process has its number by now.
void end_leftovers(const AttemptStart& start);

}  // namespace dovetail::run
