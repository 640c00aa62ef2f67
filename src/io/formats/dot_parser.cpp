#include "io/formats/dot_parser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

#include "io/formats/dot_lexer.hpp"
#include "io/schema.hpp"
#include "io/text.hpp"

namespace dovetail::io {

namespace {

constexpr std::size_t kMaxSubgraphDepth = 64;

constexpr std::array<std::string_view, 7> kOurs = {"time",    "alpha", "processors", "times",
                                                   "time_on", "run",   "transfer"};

// What `node [...]` and `edge [...]` said, within one pair of braces.
struct Defaults {
  DotAttributes node;
  DotAttributes edge;
};

// Positions of nodes.
using NodeSet = std::vector<std::size_t>;

// Later attributes replace earlier ones, defaults say. The ways to give a time exclude each other,
// so that a later one removes the others.
void merge(DotAttributes& into, const DotAttributes& later) {
  const bool other_model = later.contains("times") || later.contains("time_on");
  if (other_model || later.contains("time")) {
    for (std::string_view key : {"time", "times", "time_on"}) into.erase(std::string(key));
  }
  if (other_model) into.erase("alpha");
  for (const auto& [key, value] : later) into[key] = value;
}

class Parser {
 public:
  Parser(std::string_view text, const std::string& file) : lexer_(text, file) {}

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
      const std::string found =
          token().kind == DotToken::Kind::end ? "the end of the file" : quote(token().text);
      lexer_.fail(token().line, fmt::format("expected {}, found {}", symbol, found));
    }
    lexer_.advance();
  }

  // A name; quoted pieces may be joined with +.
  std::string take_name() {
    if (!token().is_name()) {
      lexer_.fail(token().line, token().kind == DotToken::Kind::end
                                    ? "expected a name, found the end of the file"
                                    : "expected a name, found " + quote(token().text));
    }
    std::string text = token().text;
    lexer_.advance();
    while (token().is("+")) {
      lexer_.advance();
      text += token().text;
      lexer_.advance();
    }
    return text;
  }

  // Braces with statements; answers the nodes that are named inside. The defaults are a copy:
  // what is said inside does not reach outside.
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
      merge(graph_.nodes[last.front()].attributes, attributes);
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

  // :port and :compass point say where an arrow ends in the picture.
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
        const bool ours = std::find(kOurs.begin(), kOurs.end(), key) != kOurs.end();
        if (ours) attributes[key] = {std::move(value), line};
        if (token().is(",") || token().is(";")) lexer_.advance();
      }
      lexer_.advance();
    }
  }

  std::size_t node_number(const std::string& id, std::size_t line, const Defaults& defaults) {
    const auto [found, is_new] = numbers_.emplace(id, graph_.nodes.size());
    if (is_new) graph_.nodes.push_back({id, line, defaults.node});
    return found->second;
  }

  void connect(const NodeSet& from, const NodeSet& to, std::size_t line) {
    // {a b} -> {c d} are four edges; a short file must not become an endless number of them.
    constexpr std::size_t kMaxEdges = 20'000'000;
    if (graph_.edges.size() + from.size() * to.size() > kMaxEdges) {
      lexer_.fail(line, fmt::format("more than {} edges", kMaxEdges));
    }
    for (std::size_t a : from) {
      for (std::size_t b : to) graph_.edges.push_back({a, b, 0, line});
    }
  }

  void set_transfer(std::size_t first_edge, const DotAttributes& attributes) {
    const auto found = attributes.find("transfer");
    if (found == attributes.end()) return;
    const auto seconds = parse_duration(found->second.value);
    if (!seconds) {
      lexer_.fail(found->second.line,
                  "transfer: expected seconds or a duration, found " + quote(found->second.value));
    }
    for (std::size_t i = first_edge; i < graph_.edges.size(); ++i) {
      graph_.edges[i].transfer = milliseconds_up(*seconds);
    }
  }

  DotLexer lexer_;
  DotGraph graph_;
  std::unordered_map<std::string, std::size_t> numbers_;
};

}  // namespace

DotGraph parse_dot(std::string_view text, const std::string& file) {
  return Parser(text, file).parse();
}

}  // namespace dovetail::io
