#include "cli/output.hpp"

#include <atomic>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <vector>

#include "io/text.hpp"

namespace dovetail::cli {

namespace {

std::atomic<int> first_error{0};

void keep_error() {
  int none = 0;
  first_error.compare_exchange_strong(none, errno);
}

void put_text(std::FILE* file, std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), file) < text.size() && file == stdout) keep_error();
}

}  // namespace

// One write, so that the lines of several threads stay whole.
void print_safely(std::FILE* file, std::string_view text) { put_text(file, io::plain_lines(text)); }

void say_exact(std::string_view text) { put_text(stdout, text); }

void say_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<char> piece(std::size_t{1} << 16U);
  while (file.read(piece.data(), std::ssize(piece)) || file.gcount() > 0) {
    put_text(stdout, {piece.data(), static_cast<std::size_t>(file.gcount())});
  }
}

int output_error() {
  if (std::fflush(stdout) != 0) keep_error();
  return first_error;
}

void erase_line() { put_text(stderr, "\r\033[K"); }

void clear_screen() { put_text(stdout, "\033[H\033[2J"); }

}  // namespace dovetail::cli
