#include "io/formats/dot_parser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "dovetail/error.hpp"
#include "io/schema.hpp"
#include "io/text.hpp"

namespace dovetail::io {

namespace {

constexpr std::size_t kMaxSubgraphDepth = 64;

// A short file could make any number of edges and of texts: {a b} -> {c d} makes four edges, and
// every node has the defaults. So it may make what it could have written out itself, several times,
// and this on top. Together they keep a file of a megabyte far below 256 MB.
constexpr std::size_t kFreeEdges = 500'000;
constexpr std::size_t kFreeDefaultBytes = std::size_t{8} << 20U;
constexpr std::size_t kMostDefaultsPerByte = 16;

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
  bool is_keyword(std::string_view keyword) const {
    return kind == Kind::word && upper_case(text) == upper_case(keyword);
  }
};

// Letters, underscore, and every byte of a character beyond ASCII.
bool starts_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

// Splits the text of a file into tokens. Throws InputError for a character that DOT does not have
// and for a comment or string that does not end.
class DotLexer {
 public:
  // The text must outlive the lexer.
  DotLexer(std::string_view text, const std::string& file) : text_(text), file_(file) { advance(); }

  const DotToken& token() const { return token_; }

  void advance() {
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

  [[noreturn]] void fail(std::size_t line, const std::string& message) const {
    throw InputError(file_, line, message);
  }

 private:
  bool at_end() const { return at_ >= text_.size(); }
  char current() const { return text_[at_]; }
  bool sees(std::string_view wanted) const { return text_.substr(at_).starts_with(wanted); }

  void step() {
    if (current() == '\n') ++line_;
    ++at_;
  }

  // Adds the current character to the token.
  void take() {
    token_.text += current();
    step();
  }

  void skip_space_and_comments() {
    while (!at_end()) {
      const bool line_start = at_ == 0 || text_[at_ - 1] == '\n';
      if (current() == ' ' || current() == '\t' || current() == '\r' || current() == '\n') {
        step();
      } else if (sees("//") || (line_start && current() == '#')) {
        while (!at_end() && current() != '\n') step();
      } else if (sees("/*")) {
        const std::size_t begin = line_;
        at_ += 2;
        while (!at_end() && !sees("*/")) step();
        if (at_end()) fail(begin, "this comment does not end; add */");
        at_ += 2;
      } else {
        return;
      }
    }
  }

  // \" is a quote and \\ a backslash; a backslash at the end of a line joins it with the next one.
  // Other backslashes stay: they are escapes of labels, which we do not read.
  void read_quoted() {
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
      take();
    }
    if (at_end()) fail(token_.line, "this string does not end; add a quote");
    step();
  }

  // Reads the text between balanced angle brackets.
  void read_html() {
    token_.kind = DotToken::Kind::text;
    std::size_t depth = 1;
    step();
    while (!at_end()) {
      if (current() == '<') ++depth;
      if (current() == '>' && --depth == 0) break;
      take();
    }
    if (at_end()) fail(token_.line, "this <html> string does not end; add >");
    step();
  }

  void read_word() {
    token_.kind = DotToken::Kind::word;
    while (!at_end() && (starts_word(current()) || is_digit(current()))) take();
  }

  // An optional minus, digits, an optional fraction.
  bool read_number() {
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

  void read_symbol() {
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

  std::string_view text_;
  const std::string& file_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  DotToken token_;
};

// The defaults that `node [...]` and `edge [...]` set within one pair of braces.
struct Defaults {
  DotAttributes node;
  DotAttributes edge;
};

// Positions of nodes.
using NodeSet = std::vector<std::size_t>;

class DotParser {
 public:
  DotParser(std::string_view text, const std::string& file)
      : lexer_(text, file), text_bytes_(text.size()) {}

  DotGraph parse() {
    if (token().is_keyword("strict")) lexer_.advance();
    if (token().is_keyword("graph")) {
      lexer_.fail(token().line, "an undirected graph has no order; expected a digraph with ->");
    }
    if (!token().is_keyword("digraph")) {
      lexer_.fail(token().line, "expected \"digraph\", found " + quote(token().text));
    }
    lexer_.advance();
    if (token().is_name()) graph_.name = take_name();
    Defaults defaults;
    parse_block(defaults, 0);
    if (token().kind != DotToken::Kind::end) {
      lexer_.fail(token().line, "the graph has ended; found " + quote(token().text));
    }
    return std::move(graph_);
  }

 private:
  const DotToken& token() const { return lexer_.token(); }

  void expect(std::string_view symbol) {
    if (!token().is(symbol)) {
      lexer_.fail(token().line, fmt::format("expected {}, found {}", symbol, found()));
    }
    lexer_.advance();
  }

  std::string found() const {
    return token().kind == DotToken::Kind::end ? "the end of the file" : quote(token().text);
  }

  // A name; quoted pieces may be joined with +.
  std::string take_name() {
    if (!token().is_name()) lexer_.fail(token().line, "expected a name, found " + found());
    std::string text = token().text;
    lexer_.advance();
    while (token().is("+")) {
      lexer_.advance();
      text += token().text;
      lexer_.advance();
    }
    return text;
  }

  // Braces with statements; returns the nodes that are named inside. Takes a copy of the defaults,
  // since statements inside do not change them outside.
  NodeSet parse_block(Defaults defaults, std::size_t depth) {
    if (depth > kMaxSubgraphDepth) {
      lexer_.fail(token().line,
                  fmt::format("subgraphs are nested more than {} deep", kMaxSubgraphDepth));
    }
    expect("{");
    NodeSet members;
    while (!token().is("}")) {
      const NodeSet named = parse_statement(defaults, depth);
      members.insert(members.end(), named.begin(), named.end());
      if (token().is(";") || token().is(",")) lexer_.advance();
    }
    lexer_.advance();
    return members;
  }

  NodeSet parse_statement(Defaults& defaults, std::size_t depth) {
    if (token().is(";")) return {};
    for (auto [keyword, target] :
         {std::pair("node", &defaults.node), std::pair("edge", &defaults.edge),
          std::pair("graph", static_cast<DotAttributes*>(nullptr))}) {
      if (!token().is_keyword(keyword)) continue;
      lexer_.advance();
      DotAttributes ignored;
      parse_attributes(target == nullptr ? ignored : *target);
      return {};
    }
    return parse_nodes_or_edges(defaults, depth);
  }

  // a [..], a = b, or a -> {b c} -> d [..].
  NodeSet parse_nodes_or_edges(const Defaults& defaults, std::size_t depth) {
    const std::size_t line = token().line;
    const bool is_block = token().is("{") || token().is_keyword("subgraph");
    NodeSet last;
    if (is_block) {
      last = parse_subgraph(defaults, depth);
    } else {
      const std::string first = take_name();
      if (token().is("=")) {
        lexer_.advance();
        take_name();
        return {};
      }
      skip_port();
      last = {node_number(first, line, defaults)};
    }
    NodeSet all = last;
    const std::size_t first_edge = graph_.edges.size();
    bool is_edge = false;
    while (token().is("->") || token().is("--")) {
      if (token().is("--")) {
        lexer_.fail(token().line, "-- is for undirected graphs; expected ->");
      }
      is_edge = true;
      lexer_.advance();
      const NodeSet next = parse_operand(defaults, depth);
      connect(last, next, line);
      all.insert(all.end(), next.begin(), next.end());
      last = next;
    }
    DotAttributes attributes = is_edge ? defaults.edge : DotAttributes();
    parse_attributes(attributes);
    if (is_edge) {
      set_transfer(first_edge, attributes);
    } else if (!is_block) {
      graph_.nodes[last.front()].attributes.merge(attributes);
    }
    return all;
  }

  NodeSet parse_operand(const Defaults& defaults, std::size_t depth) {
    if (token().is("{") || token().is_keyword("subgraph")) return parse_subgraph(defaults, depth);
    const std::size_t line = token().line;
    const std::string id = take_name();
    skip_port();
    return {node_number(id, line, defaults)};
  }

  NodeSet parse_subgraph(const Defaults& defaults, std::size_t depth) {
    if (token().is_keyword("subgraph")) {
      lexer_.advance();
      if (token().is_name()) take_name();
    }
    return parse_block(defaults, depth + 1);
  }

  // Skips :port and :compass, which say where an arrow ends in a picture.
  void skip_port() {
    while (token().is(":")) {
      lexer_.advance();
      take_name();
    }
  }

  // Any number of [key=value, ...] lists; only our keys are kept.
  void parse_attributes(DotAttributes& attributes) {
    while (token().is("[")) {
      lexer_.advance();
      while (!token().is("]")) {
        const std::size_t line = token().line;
        const std::string key = take_name();
        std::string value = "true";
        if (token().is("=")) {
          lexer_.advance();
          value = take_name();
        }
        if (DotAttributes::is_ours(key)) {
          graph_.attributes.push_back({std::move(value), line});
          attributes.set(key, &graph_.attributes.back());
        }
        if (token().is(",") || token().is(";")) lexer_.advance();
      }
      lexer_.advance();
    }
  }

  std::size_t node_number(const std::string& id, std::size_t line, const Defaults& defaults) {
    const auto [found, is_new] = numbers_.emplace(id, graph_.nodes.size());
    if (!is_new) return found->second;
    default_bytes_ += defaults.node.bytes();
    if (default_bytes_ > kFreeDefaultBytes + kMostDefaultsPerByte * text_bytes_) {
      lexer_.fail(line, "the defaults of `node` are too long for that many nodes; use shorter ones");
    }
    graph_.nodes.push_back({id, line, defaults.node});
    return found->second;
  }

  void connect(const NodeSet& from, const NodeSet& to, std::size_t line) {
    // An edge that is written out takes more than a byte.
    const std::size_t most = kFreeEdges + text_bytes_;
    if (graph_.edges.size() + from.size() * to.size() > most) {
      lexer_.fail(line, fmt::format("sets of nodes make more than {} edges; use fewer", most));
    }
    for (std::size_t a : from) {
      for (std::size_t b : to) graph_.edges.push_back({a, b, 0, line});
    }
  }

  void set_transfer(std::size_t first_edge, const DotAttributes& attributes) {
    const DotAttribute* found = attributes.find("transfer");
    if (found == nullptr) return;
    const auto seconds = parse_duration(found->value);
    if (!seconds) {
      lexer_.fail(found->line,
                  "transfer: expected seconds or a duration, found " + quote(found->value));
    }
    for (std::size_t i = first_edge; i < graph_.edges.size(); ++i) {
      graph_.edges[i].transfer = milliseconds_up(*seconds);
    }
  }

  DotLexer lexer_;
  std::size_t text_bytes_;
  std::size_t default_bytes_ = 0;
  DotGraph graph_;
  std::unordered_map<std::string, std::size_t> numbers_;
};

std::size_t position_of(std::string_view key) {
  const auto& keys = DotAttributes::kKeys;
  return static_cast<std::size_t>(std::ranges::find(keys, key) - keys.begin());
}

}  // namespace

bool DotAttributes::is_ours(std::string_view key) { return position_of(key) < kKeys.size(); }

const DotAttribute* DotAttributes::find(std::string_view key) const {
  return values_[position_of(key)];
}

void DotAttributes::set(std::string_view key, const DotAttribute* attribute) {
  values_[position_of(key)] = attribute;
}

void DotAttributes::merge(const DotAttributes& later) {
  const bool other_model = later.find("times") != nullptr || later.find("time_on") != nullptr;
  if (other_model || later.find("time") != nullptr) {
    for (const std::string_view key : {"time", "times", "time_on"}) set(key, nullptr);
  }
  if (other_model) set("alpha", nullptr);
  for (std::size_t i = 0; i < values_.size(); ++i) {
    if (later.values_[i] != nullptr) values_[i] = later.values_[i];
  }
}

std::size_t DotAttributes::bytes() const {
  std::size_t sum = 0;
  for (const DotAttribute* value : values_) sum += value == nullptr ? 0 : value->value.size();
  return sum;
}

DotGraph parse_dot(std::string_view text, const std::string& file) {
  return DotParser(text, file).parse();
}

}  // namespace dovetail::io
