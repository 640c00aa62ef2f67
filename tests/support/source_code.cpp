#include "support/source_code.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <regex>
#include <utility>

#include "support/documents.hpp"

namespace dovetail::test {

namespace {

constexpr std::string_view kAnonymous = "(anonymous)";

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Copies code and puts blanks in place of what is no code.
class Blanker {
 public:
  explicit Blanker(const std::string& code) : code_(code), bare_(code) {}

  std::string run() {
    while (at_ < code_.size()) {
      if (starts("//")) {
        blank_to(code_.find('\n', at_));
      } else if (starts("/*")) {
        blank_to(after(code_.find("*/", at_), 2));
      } else if (is_directive()) {
        blank_directive();
      } else if (starts("R\"") && !is_inside_word()) {
        blank_raw();
      } else if (code_[at_] == '"' || (code_[at_] == '\'' && !is_inside_word())) {
        blank_literal(code_[at_]);
      } else {
        ++at_;
      }
    }
    return std::move(bare_);
  }

 private:
  bool starts(std::string_view what) const {
    return std::string_view(code_).substr(at_).starts_with(what);
  }

  // A quote between digits separates them.
  bool is_inside_word() const { return at_ > 0 && is_word(code_[at_ - 1]); }

  static std::size_t after(std::size_t found, std::size_t length) {
    return found == std::string::npos ? found : found + length;
  }

  void blank_to(std::size_t end) {
    for (end = std::min(end, code_.size()); at_ < end; ++at_) {
      if (code_[at_] != '\n') bare_[at_] = ' ';
    }
  }

  bool is_directive() const {
    if (code_[at_] != '#') return false;
    const std::size_t line = at_ == 0 ? std::string::npos : code_.rfind('\n', at_ - 1);
    const std::size_t begin = line == std::string::npos ? 0 : line + 1;
    return code_.find_first_not_of(" \t", begin) == at_;
  }

  void blank_directive() {
    std::size_t end = code_.find('\n', at_);
    while (end != std::string::npos && code_[end - 1] == '\\') end = code_.find('\n', end + 1);
    blank_to(end);
  }

  void blank_raw() {
    const std::size_t open = code_.find('(', at_);
    const std::string close = ")" + code_.substr(at_ + 2, open - at_ - 2) + "\"";
    blank_to(after(code_.find(close, open), close.size()));
  }

  // The quotes stay, so that the literal is still a value.
  void blank_literal(char quote) {
    for (++at_; at_ < code_.size() && code_[at_] != quote; ++at_) {
      const bool is_escape = code_[at_] == '\\';
      bare_[at_] = ' ';
      if (is_escape && ++at_ < code_.size()) bare_[at_] = ' ';
    }
    ++at_;
  }

  const std::string& code_;
  std::string bare_;
  std::size_t at_ = 0;
};

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \n");
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(" \n") - first + 1);
}

std::string on_one_line(const std::string& text) {
  std::string line;
  for (const char c : text) {
    const bool is_blank = c == ' ' || c == '\n';
    if (!is_blank) line += c;
    if (is_blank && !line.ends_with(' ')) line += ' ';
  }
  return line;
}

// Without template <...> in front.
std::string without_template(std::string head) {
  while (head.starts_with("template")) {
    std::size_t depth = 0;
    std::size_t end = head.find('<');
    if (end == std::string::npos) return head;
    for (; end < head.size(); ++end) {
      if (head[end] == '<') ++depth;
      if (head[end] == '>' && --depth == 0) break;
    }
    head = trimmed(head.substr(std::min(end + 1, head.size())));
  }
  return head;
}

// Where the parameters of a function begin: the first parenthesis outside of <...>.
std::size_t parameters_of(const std::string& head) {
  std::size_t angles = 0;
  for (std::size_t i = 0; i < head.size(); ++i) {
    if (head[i] == '<' && i > 0 && is_word(head[i - 1]) &&
        !head.substr(0, i).ends_with("operator")) {
      ++angles;
    }
    if (head[i] == '>' && angles > 0) --angles;
    if (head[i] == '(' && angles == 0)
      return head.substr(0, i).ends_with("operator") ? head.find('(', i + 1) : i;
  }
  return std::string::npos;
}

// The last word, with what qualifies it.
std::string last_name(const std::string& text) {
  static const std::regex kName(R"(((\w+(<[^()]*>)?::)*~?(operator\W{1,3}|\w+))(\[\w*\])?$)");
  std::smatch match;
  const std::string whole = trimmed(text);
  return std::regex_search(whole, match, kName) ? match[1].str() : std::string();
}

// What stands before the end or the body of a declaration.
Declared described(const std::string& whole) {
  using Kind = Declared::Kind;
  const std::string head = without_template(whole);
  static const std::regex kSpace(R"(^(inline )?namespace\b *([\w:]*)$)");
  static const std::regex kType(
      R"(^(struct|class|union|enum( class| struct)?) +([\w:]+)( final)?( *:[^:].*)?$)");
  static const std::regex kAlias(R"(^using +(\w+) *=)");
  std::smatch match;
  Declared made;
  const std::string one_line = on_one_line(head);
  if (std::regex_search(one_line, match, kSpace)) {
    made.kind = Kind::space;
    made.name = match[2];
  } else if (std::regex_search(one_line, match, kType)) {
    made.kind = Kind::type;
    made.name = match[3];
  } else if (std::regex_search(one_line, match, kAlias)) {
    made.name = match[1];
  } else if (!one_line.starts_with("using ") && !one_line.starts_with("static_assert")) {
    const std::size_t begin = parameters_of(one_line);
    const std::size_t value = one_line.find(" = ");
    if (begin < value) {
      made.kind = Kind::function;
      made.name = last_name(one_line.substr(0, begin));
    } else {
      made.name = last_name(one_line.substr(0, std::min(value, one_line.find('{'))));
    }
  }
  return made;
}

// `Name::Name(...) : first_` before the brace of a member's value, rather than of a body.
bool is_member_value(const std::string& head) {
  static const std::regex kInitialisers(R"(\)\s*(noexcept\s*)?:[^:][^;]*\w$)");
  return std::regex_search(head, kInitialisers);
}

class Reader {
 public:
  explicit Reader(const std::string& code) : bare_(bare_code(code)) {}

  std::vector<Declared> run() {
    for (at_ = 0; at_ < bare_.size(); ++at_) {
      const char c = bare_[at_];
      if (c == '\n') ++line_;
      if (inner_ > 0) {
        read_inner(c);
      } else if (c == '{') {
        open();
      } else if (c == '}') {
        close();
      } else if (c == ';' && parens_ == 0) {
        end_declaration();
      } else {
        read_head(c);
      }
    }
    return std::move(found_);
  }

 private:
  // In a body or a value: only its end counts.
  void read_inner(char c) {
    if (c == '{') ++inner_;
    if (c != '}' || --inner_ > 0) return;
    if (!body_) {
      head_ += "{}";
      return;
    }
    body_->last_line = line_;
    found_.push_back(*std::exchange(body_, std::nullopt));
    head_.clear();
  }

  void read_head(char c) {
    if (c == '(') ++parens_;
    if (c == ')') --parens_;
    if (head_.empty() && (c == ' ' || c == '\n')) return;
    if (head_.empty()) head_line_ = line_;
    head_ += c;
    if (head_ == "public:" || head_ == "private:" || head_ == "protected:") head_.clear();
  }

  void open() {
    const std::string head = trimmed(head_);
    Declared made = placed(described(head));
    made.has_body = true;
    const bool is_value =
        parens_ > 0 || made.kind == Declared::Kind::other || is_member_value(head);
    if (is_value || made.kind == Declared::Kind::function || head.starts_with("enum")) {
      if (!is_value) body_ = made;
      inner_ = 1;
      return;
    }
    if (made.kind == Declared::Kind::space && made.name.empty()) made.name = kAnonymous;
    around_.push_back(made);
    head_.clear();
  }

  void close() {
    if (around_.empty()) return;
    Declared made = around_.back();
    around_.pop_back();
    made.last_line = line_;
    found_.push_back(made);
    head_.clear();
  }

  void end_declaration() {
    const std::string head = trimmed(head_);
    head_.clear();
    if (head.empty() || head.starts_with("friend ")) return;
    Declared made = placed(described(head));
    made.last_line = line_;
    found_.push_back(made);
  }

  Declared placed(Declared made) const {
    made.first_line = head_line_;
    for (const Declared& outer : around_) {
      std::string& path = outer.kind == Declared::Kind::space ? made.space : made.type;
      path += (path.empty() ? "" : "::") + outer.name;
    }
    return made;
  }

  const std::string bare_;
  std::vector<Declared> found_;
  std::vector<Declared> around_;  // namespaces and classes that are open
  std::optional<Declared> body_;  // the function whose body is being read
  std::string head_;              // of the declaration that is being read
  std::size_t head_line_ = 1;
  std::size_t line_ = 1;
  std::size_t at_ = 0;
  int parens_ = 0;
  int inner_ = 0;
};

}  // namespace

std::vector<std::string> source_files() {
  const std::vector<std::string> folders = {"include/dovetail", "src", "cli"};
  auto files = documents(folders, ".hpp");
  for (std::string& file : documents(folders, ".cpp")) files.push_back(std::move(file));
  return files;
}

std::string bare_code(const std::string& code) { return Blanker(code).run(); }

std::vector<Declared> declarations(const std::string& code) { return Reader(code).run(); }

}  // namespace dovetail::test
