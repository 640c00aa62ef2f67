#include "cli/output.hpp"

#include <fstream>
#include <iterator>
#include <vector>

#include "io/text.hpp"

namespace dovetail::cli {

namespace {

void put_text(std::FILE* file, std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), file);
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

void erase_line() { put_text(stderr, "\r\033[K"); }

void clear_screen() { put_text(stdout, "\033[H\033[2J"); }

}  // namespace dovetail::cli
