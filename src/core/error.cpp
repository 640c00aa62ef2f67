#include "dovetail/error.hpp"

namespace dovetail {

namespace {

std::string at_place(const std::string& file, std::size_t line, const std::string& message) {
  std::string text = file;
  if (line > 0) text.append(":").append(std::to_string(line));
  return text.append(": ").append(message);
}

}  // namespace

InputError::InputError(const std::string& file, std::size_t line, const std::string& message)
    : std::runtime_error(at_place(file, line, message)) {}

}  // namespace dovetail
