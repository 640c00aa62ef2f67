// The process between us and one task; see launcher.hpp.
#pragma once

#include "exec/launcher.hpp"

namespace dovetail::exec {

// Runs the command as the supervisor of it, to its end, in a process that was forked for that and
// has nothing else to do. Reports to `reports` as well, should anybody still read there. `lock` is
// closed as soon as the attempt's file says that it has begun.
[[noreturn]] void supervise(const TaskCommand& command, int reports, Descriptor lock) noexcept;

// A report as it travels: one line, of less than the 4096 bytes that a pipe takes as a whole.
std::string format_report(const TaskReport& report);

// Throws ExecutionError when it is none.
TaskReport parse_report(const std::string& line);

}  // namespace dovetail::exec
