// The only way from the program to its standard output and standard error. What people read may
// quote names, messages and logs of others: here it loses what could steer a terminal. Results go
// to standard output (`say`), everything else to standard error (`tell`).
//
//   say("{}: {} done\n", name, count);
//   say_exact(document.dump(1) + "\n");   // JSON stays as it is
//
// Neither throws when it cannot be written: what is told is not worth stopping for, and whether the
// results could be written is checked once, at the end of the program.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

namespace dovetail::cli {

// Controls other than ends of lines and tabs, and marks that reorder text, become U+FFFD.
void print_safely(std::FILE* file, std::string_view text);

template <typename... Arguments>
void say(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  print_safely(stdout, fmt::format(format, std::forward<Arguments>(arguments)...));
}

template <typename... Arguments>
void tell(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  print_safely(stderr, fmt::format(format, std::forward<Arguments>(arguments)...));
}

// For programs, and for logs that were asked for: byte by byte.
void say_exact(std::string_view text);
void say_file(const std::string& path);

// Flushes standard output. Answers the error number of the first write to it that failed, or 0.
int output_error();

// Our own controls: the line that the cursor is in, on standard error, and the whole screen, on
// standard output, become empty.
void erase_line();
void clear_screen();

}  // namespace dovetail::cli
