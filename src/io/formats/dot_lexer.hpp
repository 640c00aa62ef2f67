// The tokens of a Graphviz DOT file.
//
//   DotLexer lexer(text, "flow.dot");
//   while (lexer.token().kind != DotToken::Kind::end) lexer.advance();
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace dovetail::io {

struct DotToken {
  // word: an unquoted name or number; text: a quoted or <html> one; symbol: one of { } [ ] = ; , :
  // + and the edge operators -> and --.
  enum class Kind : std::uint8_t { end, word, text, symbol };
  Kind kind = Kind::end;
  std::string text = {};
  std::size_t line = 1;

  bool is_name() const { return kind == Kind::word || kind == Kind::text; }
  bool is(std::string_view symbol) const { return kind == Kind::symbol && text == symbol; }
  // Keywords are words in any case.
  bool is_keyword(std::string_view keyword) const;
};

class DotLexer {
 public:
  // The text must outlive the lexer. Throws InputError, as advance() does, for a character that
  // DOT does not have and for a comment or string that does not end.
  DotLexer(std::string_view text, const std::string& file);

  const DotToken& token() const { return token_; }
  void advance();

  [[noreturn]] void fail(std::size_t line, const std::string& message) const;

 private:
  bool at_end() const { return at_ >= text_.size(); }
  char current() const { return text_[at_]; }
  bool sees(std::string_view wanted) const { return text_.substr(at_).starts_with(wanted); }
  void step();
  void skip_space_and_comments();
  void skip_block_comment();
  void skip_line();
  void read_quoted();
  void read_html();
  void read_word();
  bool read_number();
  void read_symbol();

  std::string_view text_;
  const std::string& file_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  DotToken token_;
};

}  // namespace dovetail::io
