// The errors that leave the library.
//
// InputError: something from outside (file, option) is wrong. It is thrown at the edge, where the
// input is read or a problem is built, and is caught once, in main. Its text is one line that says
// what, where and what to do. "No fit" or "deadline missed" are ordinary answers, never errors.
// ExecutionError: an outside system (disk, batch system) failed.
#pragma once

#include <stdexcept>
#include <string>

namespace dovetail {

class InputError : public std::runtime_error {
 public:
  explicit InputError(const std::string& message) : std::runtime_error(message) {}

  // "file:line: message"; line 0 leaves the line out.
  InputError(const std::string& file, std::size_t line, const std::string& message)
      : std::runtime_error(file + (line > 0 ? ":" + std::to_string(line) : std::string()) + ": " +
                           message) {}
};

class ExecutionError : public std::runtime_error {
 public:
  explicit ExecutionError(const std::string& message) : std::runtime_error(message) {}
};

}  // namespace dovetail
