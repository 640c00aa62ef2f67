// The errors that leave the library.
//
// InputError: input from outside (file, option) is wrong. It is thrown where the input is read or a
// problem is built, and caught once, in main. Its text is one line that says what is wrong, where,
// and what to do. "No fit" or "deadline missed" are ordinary answers, never errors.
// ExecutionError: an outside system (disk, batch system) failed.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>

namespace dovetail {

class InputError : public std::runtime_error {
 public:
  explicit InputError(const std::string& message) : std::runtime_error(message) {}

  // "file:line: message"; line 0 leaves the line out.
  InputError(const std::string& file, std::size_t line, const std::string& message);
};

class ExecutionError : public std::runtime_error {
 public:
  explicit ExecutionError(const std::string& message) : std::runtime_error(message) {}
};

// Whether a name contains characters that would break the lines of messages, tables and pictures,
// or control a terminal. Workflows and platforms reject such names.
inline bool has_control_characters(std::string_view name) {
  return std::any_of(name.begin(), name.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

}  // namespace dovetail
