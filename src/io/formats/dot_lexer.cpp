#include "io/formats/dot_lexer.hpp"

#include "dovetail/error.hpp"
#include "io/text.hpp"

namespace dovetail::io {

namespace {

// Letters, underscore, and every byte of a character beyond ASCII.
bool starts_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

bool DotToken::is_keyword(std::string_view keyword) const {
  if (kind != Kind::word || text.size() != keyword.size()) return false;
  for (std::size_t i = 0; i < keyword.size(); ++i) {
    if (lower(text[i]) != keyword[i]) return false;
  }
  return true;
}

DotLexer::DotLexer(std::string_view text, const std::string& file) : text_(text), file_(file) {
  advance();
}

void DotLexer::fail(std::size_t line, const std::string& message) const {
  throw InputError(file_, line, message);
}

void DotLexer::step() {
  if (current() == '\n') ++line_;
  ++at_;
}

void DotLexer::skip_line() {
  while (!at_end() && current() != '\n') step();
}

void DotLexer::skip_block_comment() {
  const std::size_t begin = line_;
  while (!at_end() && !sees("*/")) step();
  if (at_end()) fail(begin, "this comment does not end; add */");
  at_ += 2;
}

void DotLexer::skip_space_and_comments() {
  while (!at_end()) {
    const bool line_start = at_ == 0 || text_[at_ - 1] == '\n';
    if (current() == ' ' || current() == '\t' || current() == '\r' || current() == '\n') {
      step();
    } else if (sees("//") || (line_start && current() == '#')) {
      skip_line();
    } else if (sees("/*")) {
      at_ += 2;
      skip_block_comment();
    } else {
      return;
    }
  }
}

void DotLexer::advance() {
  skip_space_and_comments();
  token_ = {.kind = DotToken::Kind::end, .line = line_};
  if (at_end()) return;
  if (current() == '"') {
    read_quoted();
  } else if (current() == '<') {
    read_html();
  } else if (starts_word(current())) {
    read_word();
  } else if (!read_number()) {
    read_symbol();
  }
}

// \" is a quote and \\ a backslash; a backslash at the end of a line joins it with the next one.
// Other backslashes stay, since the escapes of labels are no business of ours.
void DotLexer::read_quoted() {
  token_.kind = DotToken::Kind::text;
  step();
  while (!at_end() && current() != '"') {
    if (sees("\\\"") || sees("\\\\")) {
      ++at_;
    } else if (sees("\\\n")) {
      ++at_;
      step();
      continue;
    }
    token_.text += current();
    step();
  }
  if (at_end()) fail(token_.line, "this string does not end; add a quote");
  step();
}

// Between balanced angle brackets, which do not belong to the text.
void DotLexer::read_html() {
  token_.kind = DotToken::Kind::text;
  std::size_t depth = 1;
  step();
  while (!at_end()) {
    if (current() == '<') ++depth;
    if (current() == '>' && --depth == 0) break;
    token_.text += current();
    step();
  }
  if (at_end()) fail(token_.line, "this <html> string does not end; add >");
  step();
}

void DotLexer::read_word() {
  token_.kind = DotToken::Kind::word;
  while (!at_end() && (starts_word(current()) || is_digit(current()))) {
    token_.text += current();
    ++at_;
  }
}

// An optional minus, digits, an optional fraction.
bool DotLexer::read_number() {
  std::size_t end = at_ + (current() == '-' ? 1 : 0);
  std::size_t digits = 0;
  bool point = false;
  while (end < text_.size() && (is_digit(text_[end]) || (text_[end] == '.' && !point))) {
    point = point || text_[end] == '.';
    digits += is_digit(text_[end]) ? 1 : 0;
    ++end;
  }
  if (digits == 0) return false;
  token_.kind = DotToken::Kind::word;
  token_.text = text_.substr(at_, end - at_);
  at_ = end;
  return true;
}

void DotLexer::read_symbol() {
  token_.kind = DotToken::Kind::symbol;
  for (std::string_view symbol : {"->", "--", "{", "}", "[", "]", "=", ";", ",", ":", "+"}) {
    if (!sees(symbol)) continue;
    token_.text = symbol;
    at_ += symbol.size();
    return;
  }
  fail(line_, "unexpected character " + quote(text_.substr(at_, 1)) +
                  "; put names with such characters between quotes");
}

}  // namespace dovetail::io
