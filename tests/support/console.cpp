#include "support/console.hpp"

#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <regex>
#include <sstream>
#include <stdexcept>

namespace dovetail::test {

namespace fs = std::filesystem;

namespace {

struct Line {
  std::size_t number = 0;
  std::string text;
};

using Lines = std::vector<Line>;

Lines split(std::string_view text) {
  Lines lines;
  std::istringstream stream{std::string(text)};
  for (std::string line; std::getline(stream, line);) lines.push_back({lines.size() + 1, line});
  return lines;
}

std::vector<std::string> output_lines(const std::string& output) {
  std::vector<std::string> lines;
  for (Line& line : split(output)) lines.push_back(std::move(line.text));
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

std::string joined(const std::vector<std::string>& lines, const char* indent = "") {
  std::string text;
  for (const std::string& line : lines) text += indent + line + "\n";
  return text;
}

std::string content_of(const Lines& lines) {
  std::string text;
  for (const Line& line : lines) text += line.text + "\n";
  return text;
}

std::string at_line(std::size_t number, const std::string& message) {
  return std::to_string(number) + ": " + message;
}

// Takes the "(exit N)" off the end of what a command is expected to print.
void finish(Command& command) {
  auto& lines = command.expected;
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  static const std::regex kExit("\\(exit ([0-9]{1,3})\\)");
  std::smatch match;
  if (lines.empty() || !std::regex_match(lines.back(), match, kExit)) return;
  command.exit = std::stoi(match[1]);
  lines.pop_back();
}

void add_console(const Lines& lines, Script& script) {
  std::optional<Command> command;
  const auto flush = [&] {
    if (!command) return;
    finish(*command);
    script.actions.emplace_back(*command);
    command.reset();
  };
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].text.starts_with("$ ")) {
      flush();
      command = Command{.line = lines[i].number, .text = lines[i].text.substr(2), .expected = {}};
      while (command->text.ends_with('\\') && i + 1 < lines.size()) {
        command->text += "\n" + lines[++i].text;
      }
    } else if (command) {
      command->expected.push_back(lines[i].text);
    } else if (!lines[i].text.empty()) {
      script.problems.push_back(at_line(lines[i].number, "output without a command before it"));
    }
  }
  flush();
}

void add_file(const std::string& name, const Lines& lines, std::size_t number, Script& script) {
  const fs::path path = name;
  if (path.is_absolute() || name.find("..") != std::string::npos) {
    script.problems.push_back(at_line(number, "the file " + name + " is outside the directory"));
    return;
  }
  script.actions.emplace_back(GivenFile{name, content_of(lines)});
}

// A fenced block of Markdown, and the comment above it that says what it is for.
struct Block {
  std::size_t number = 0;  // line of the opening fence
  std::string language;
  std::string file;      // <!-- file: NAME -->
  bool not_run = false;  // <!-- not run: REASON -->
  Lines lines;
};

class MarkdownParser {
 public:
  Script parse(std::string_view text) && {
    for (const Line& line : split(text)) block_ ? inside(line) : outside(line);
    if (block_) script_.problems.push_back(at_line(block_->number, "this block is not closed"));
    return std::move(script_);
  }

 private:
  void outside(const Line& line) {
    static const std::regex kOpening("( *)(`{3,})([A-Za-z0-9_+-]*)[^`]*");
    std::smatch match;
    if (std::regex_match(line.text, match, kOpening)) {
      indent_ = static_cast<std::size_t>(match[1].length());
      fence_ = match[2];
      block_ = Block{.number = line.number, .language = match[3], .file = {}, .lines = {}};
      take_comment();
    }
    if (line.text.find_first_not_of(" \t") != std::string::npos) above_ = line.text;
  }

  void take_comment() {
    static const std::regex kFile(" *<!-- file: ([^ ]+) -->");
    static const std::regex kNotRun(" *<!-- not run: [^ ].* -->");
    std::smatch match;
    if (std::regex_match(above_, match, kFile)) block_->file = match[1];
    block_->not_run = std::regex_match(above_, kNotRun);
  }

  void inside(const Line& line) {
    const auto first = line.text.find_first_not_of(' ');
    const std::string trimmed = first == std::string::npos ? "" : line.text.substr(first);
    if (trimmed.starts_with(fence_) && trimmed.find_first_not_of('`') == std::string::npos) {
      close();
      return;
    }
    const std::size_t skipped = std::min({indent_, first, line.text.size()});
    block_->lines.push_back({line.number, line.text.substr(skipped)});
  }

  void close() {
    const Block block = std::move(*block_);
    block_.reset();
    above_.clear();
    const bool shell =
        block.language == "sh" || block.language == "bash" || block.language == "shell";
    const bool console = block.language == "console";
    if (block.not_run && (shell || console)) {
      ++script_.not_run;
    } else if (console) {
      add_console(block.lines, script_);
    } else if (!block.file.empty()) {
      add_file(block.file, block.lines, block.number, script_);
    } else if (shell && content_of(block.lines).find("dovetail") != std::string::npos) {
      script_.problems.push_back(at_line(
          block.number, "a ```" + block.language +
                            " block calls dovetail and would never be run; "
                            "make it ```console, or put <!-- not run: REASON --> above it"));
    }
  }

  Script script_;
  std::optional<Block> block_;
  std::string fence_;
  std::size_t indent_ = 0;
  std::string above_;  // the last line with text before the block
};

// "[...]" stands for any text.
bool line_matches(std::string_view pattern, std::string_view line) {
  constexpr std::string_view kAny = "[...]";
  auto any = pattern.find(kAny);
  if (any == std::string_view::npos) return pattern == line;
  if (!line.starts_with(pattern.substr(0, any))) return false;
  line.remove_prefix(any);
  pattern.remove_prefix(any + kAny.size());
  while ((any = pattern.find(kAny)) != std::string_view::npos) {
    const auto found = line.find(pattern.substr(0, any));
    if (found == std::string_view::npos) return false;
    line.remove_prefix(found + any);
    pattern.remove_prefix(any + kAny.size());
  }
  return line.ends_with(pattern);
}

std::optional<std::string> difference(const Command& command, const Outcome& outcome) {
  const auto actual = output_lines(outcome.output);
  const bool same = matches(command.expected, actual);
  if (same && command.exit == outcome.exit) return std::nullopt;
  std::string text = "$ " + command.text + "\n";
  if (!same) text += "  expected:\n" + joined(command.expected, "    ");
  text += "  printed:\n" + joined(actual, "    ");
  if (command.exit != outcome.exit) {
    text += "  expected exit " + std::to_string(command.exit) + ", found " +
            std::to_string(outcome.exit) + "\n";
  }
  return text;
}

fs::path new_directory() {
  std::string name = (fs::temp_directory_path() / "dovetail-console-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make " + name);
  return name;
}

std::string quoted(const fs::path& path) { return "'" + path.string() + "'"; }

}  // namespace

Script parse_markdown(std::string_view text) { return MarkdownParser().parse(text); }

Script parse_scenario(std::string_view text) {
  static const std::regex kSection("--- (?:(run)|file ([^ ]+))");
  Script script;
  Lines section;
  std::smatch head;
  std::string head_text;
  std::size_t head_line = 0;
  const auto flush = [&] {
    if (head_line == 0) return;
    if (head[1].matched) {
      add_console(section, script);
    } else {
      add_file(head[2], section, head_line, script);
    }
  };
  for (const Line& line : split(text)) {
    if (!line.text.starts_with("---")) {
      section.push_back(line);
      continue;
    }
    flush();
    section.clear();
    head_text = line.text;
    head_line = std::regex_match(head_text, head, kSection) ? line.number : 0;
    if (head_line == 0) {
      script.problems.push_back(
          at_line(line.number, "expected \"--- file NAME\" or \"--- run\", found " + line.text));
    }
  }
  flush();
  return script;
}

bool matches(const std::vector<std::string>& expected, const std::vector<std::string>& actual) {
  constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  // The usual matching of wildcards: on a mismatch the last "..." takes one line more.
  std::size_t e = 0, a = 0, any = kNone, resume = 0;
  while (a < actual.size()) {
    if (e < expected.size() && expected[e] == "...") {
      any = e++;
      resume = a;
    } else if (e < expected.size() && line_matches(expected[e], actual[a])) {
      ++e;
      ++a;
    } else if (any != kNone) {
      e = any + 1;
      a = ++resume;
    } else {
      return false;
    }
  }
  while (e < expected.size() && expected[e] == "...") ++e;
  return e == expected.size();
}

Console::Console(const fs::path& program) : home_(new_directory()), directory_(home_ / "work") {
  fs::create_directory(directory_);
  fs::create_directory(home_ / "bin");
  fs::create_symlink(program, home_ / "bin" / "dovetail");
}

Console::~Console() {
  std::error_code ignored;
  fs::remove_all(home_, ignored);
}

void Console::write(const GivenFile& file) const {
  const fs::path path = directory_ / file.name;
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << file.content;
}

Outcome Console::run(const std::string& command, std::chrono::seconds timeout) const {
  // The command goes through a file, so that it needs no quoting here.
  const fs::path script = home_ / "command";
  std::ofstream(script) << command << "\n";
  const std::string call = "cd " + quoted(directory_) + " && PATH=" + quoted(home_ / "bin") +
                           ":\"$PATH\" DOVETAIL_STATE=" + quoted(home_ / "state") +
                           " NO_COLOR=1 LC_ALL=C exec timeout -k 5 " +
                           std::to_string(timeout.count()) + " bash " + quoted(script) +
                           " </dev/null 2>&1";
  FILE* pipe = popen(call.c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("cannot start a shell");
  Outcome outcome;
  std::array<char, 65536> buffer;
  while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    outcome.output.append(buffer.data(), count);
  }
  const int status = pclose(pipe);
  outcome.exit = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return outcome;
}

std::vector<std::string> differences(const Script& script, const std::string& name,
                                     const fs::path& program) {
  std::vector<std::string> found;
  for (const std::string& problem : script.problems) found.push_back(name + ":" + problem);
  const Console console(program);
  for (const Action& action : script.actions) {
    if (const auto* file = std::get_if<GivenFile>(&action)) {
      console.write(*file);
      continue;
    }
    const auto& command = std::get<Command>(action);
    if (const auto text = difference(command, console.run(command.text))) {
      found.push_back(name + ":" + at_line(command.line, *text));
    }
  }
  return found;
}

}  // namespace dovetail::test
