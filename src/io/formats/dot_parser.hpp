// The graph that a Graphviz DOT file describes: nodes with our attributes, and directed edges.
//
// The parser understands strict and plain digraphs, node and edge statements, chains
// (a -> b -> c), subgraphs as ends of edges ({a b} -> c), default attributes, ports, quoted and
// <html> strings and comments. It ignores attributes that are not ours.
//
//   DotGraph graph = parse_dot("digraph { a [time=60]; a -> b }", "flow.dot");
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "dovetail/time.hpp"

namespace dovetail::io {

struct DotAttribute {
  std::string value;
  std::size_t line = 0;
};
using DotAttributes = std::map<std::string, DotAttribute, std::less<>>;

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
};

// Throws InputError with file and line for anything other than a directed graph.
DotGraph parse_dot(std::string_view text, const std::string& file);

}  // namespace dovetail::io
