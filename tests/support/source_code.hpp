// What the files of the source tree declare, read well enough for code that clang-format laid out:
// for tests about names, namespaces and sizes.
//
//   for (const std::string& file : source_files()) {
//     for (const Declared& one : declarations(read_document(file))) ...
#pragma once

#include <string>
#include <vector>

namespace dovetail::test {

// The headers and sources of include, src and cli.
std::vector<std::string> source_files();

// A namespace block, or something that is declared in a namespace or a class.
struct Declared {
  enum class Kind { space, type, function, other };

  Kind kind = Kind::other;
  std::string
      name;  // as written: "time_of", "Calendar::fits", "dovetail::io"; empty if it has none
  std::string space;  // the namespace around it; "::(anonymous)" at its end if it has no name
  std::string type;   // the class around it, or empty
  bool has_body = false;
  std::size_t first_line = 0;  // from 1, of the declaration without its comment
  std::size_t last_line = 0;

  std::size_t lines() const { return last_line - first_line + 1; }
};

// In order of their ends. The inside of functions is left out, and so are macros.
std::vector<Declared> declarations(const std::string& code);

// The code with blanks for comments, the contents of literals and preprocessor lines.
std::string bare_code(const std::string& code);

}  // namespace dovetail::test
