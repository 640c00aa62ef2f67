// Runs commands that a document shows and compares what they print with what it says they print.
//
// Console notation: a line that begins with "$ " is a command (a backslash at its end continues
// it), the lines up to the next command are what it prints, standard error included:
//
//   $ dovetail check plan.json -w flow.yaml -c 4
//   plan.json: valid: 3 tasks[...]
//   $ dovetail plan missing.yaml -c 4
//   missing.yaml: [...]
//   (exit 2)
//
// "..." alone in a line stands for any number of lines, "[...]" for any text within a line. A last
// line "(exit N)" says how the command ends; without it, it must end with 0. Blank lines at the end
// of the output do not count.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace dovetail::test {

struct Command {
  std::size_t line = 0;  // in the document, counted from 1
  std::string text;
  std::vector<std::string> expected;
  int exit = 0;
};

// A file that is there before the commands that follow it.
struct GivenFile {
  std::string name;
  std::string content;
};

using Action = std::variant<GivenFile, Command>;

// What a document does, in order, and what is wrong with the document itself.
struct Script {
  std::vector<Action> actions;
  std::vector<std::string> problems;
  std::size_t not_run = 0;  // blocks of commands that the document asks not to run
};

// Markdown: ```console blocks are commands; any other block below a comment <!-- file: NAME --> is
// a file. A shell block (sh, bash, shell) that calls dovetail is a problem, since nobody would run
// it.
// <!-- not run: REASON --> above a block of either kind excuses it.
Script parse_markdown(std::string_view text);

// Sections "--- file NAME" and "--- run" (console notation); text before the first one is comment.
Script parse_scenario(std::string_view text);

// Whether lines match the expected ones.
bool matches(const std::vector<std::string>& expected, const std::vector<std::string>& actual);

struct Outcome {
  int exit = 0;  // 128 + n for signal n, 124 when the time was up
  std::string output;
};

// Runs commands in a new directory of its own, with bash, NO_COLOR=1 and dovetail on PATH; the
// directory goes with the object, and so do the runs that dovetail keeps.
class Console {
 public:
  // `program` is what dovetail calls.
  explicit Console(const std::filesystem::path& program);
  ~Console();
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;

  const std::filesystem::path& directory() const { return directory_; }
  void write(const GivenFile& file) const;
  Outcome run(const std::string& command,
              std::chrono::seconds timeout = std::chrono::seconds(60)) const;

 private:
  std::filesystem::path home_;       // holds bin/ and the directory
  std::filesystem::path directory_;  // where commands run
};

// Runs the whole script in a console of its own; one text per difference, "NAME:LINE: ...".
std::vector<std::string> differences(const Script& script, const std::string& name,
                                     const std::filesystem::path& program);

}  // namespace dovetail::test
