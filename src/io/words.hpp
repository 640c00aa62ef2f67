// Words for people: numbers of things, and the end of what a program printed.
//
//   counted(3, "task")            // "3 tasks"
//   last_lines("logs/17.1.err")   // what went wrong, most likely
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace dovetail::io {

// "1 task", "50 tasks".
std::string counted(std::size_t count, std::string_view noun);

// The last lines of a file such as a log, without blank ones behind them, as far as they are within
// its last bytes; of a single long line, its end. Nothing when the file cannot be read.
std::vector<std::string> last_lines(const std::string& path, std::size_t most = 3,
                                    std::size_t bytes = 300);

}  // namespace dovetail::io
