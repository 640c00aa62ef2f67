// The graph that a Graphviz DOT file describes: nodes with our attributes, and directed edges.
//
// The parser understands strict and plain digraphs, node and edge statements, chains
// (a -> b -> c), subgraphs as ends of edges ({a b} -> c), default attributes, ports, quoted and
// <html> strings and comments. It ignores attributes that are not ours.
//
//   DotGraph graph = parse_dot("digraph { a [time=60]; a -> b }", "flow.dot");
#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "dovetail/time.hpp"

namespace dovetail::io {

struct DotAttribute {
  std::string value;
  std::size_t line = 0;
};

// Our attributes of a node, an edge or a default. They are views of those in the graph, so that a
// default costs nothing for the many nodes that have it.
class DotAttributes {
 public:
  static constexpr std::array<std::string_view, 7> kKeys = {
      "time", "alpha", "processors", "times", "time_on", "run", "transfer"};
  static bool is_ours(std::string_view key);

  // Null when it is not there.
  const DotAttribute* find(std::string_view key) const;
  // Null removes it. Needs a key of ours.
  void set(std::string_view key, const DotAttribute* attribute);
  // Later attributes replace earlier ones, such as defaults. The ways to give a time exclude each
  // other, so a later one removes the others.
  void merge(const DotAttributes& later);
  // The length of all values together.
  std::size_t bytes() const;

 private:
  std::array<const DotAttribute*, kKeys.size()> values_{};
};

struct DotNode {
  std::string id;
  std::size_t line = 0;
  DotAttributes attributes;
};

struct DotEdge {
  std::size_t from = 0;  // positions in DotGraph::nodes
  std::size_t to = 0;
  Duration transfer = 0;
  std::size_t line = 0;
};

struct DotGraph {
  std::string name;
  std::vector<DotNode> nodes;  // in the order in which they are first named
  std::vector<DotEdge> edges;
  std::deque<DotAttribute> attributes;  // those that nodes refer to; a deque never moves them
};

// Throws InputError with file and line for anything other than a directed graph.
DotGraph parse_dot(std::string_view text, const std::string& file);

}  // namespace dovetail::io
