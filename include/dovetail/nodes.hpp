// The nodes of a cluster, what a task needs of the nodes that it runs on, and what it takes of
// them.
//
//   const TaskNeeds needs{.memory = 4 * kGibibyte, .gpus = 1};
//   const auto demand = demand_of(needs, 8, types);   // on 8 processors
//   if (!demand) std::cerr << lacking(needs, 8, types);
//
// Values; all functions are pure, and need at most kMaxNodeTypes types.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dovetail/time.hpp"

namespace dovetail {

using Bytes = std::int64_t;

inline constexpr Bytes kMebibyte = Bytes{1} << 20;
inline constexpr Bytes kGibibyte = Bytes{1} << 30;

// The most that a node may have, or a task may need on one.
inline constexpr Bytes kMaxMemory = Bytes{1} << 60;

// The most GPUs that a node may have, or a task may need on one.
inline constexpr Count kMaxGpus = 1'024;

// Nodes that are alike.
struct NodeType {
  Count count = 1;
  Count cores = 1;   // at least 1
  Bytes memory = 0;  // 0: not known, and then not counted
  Count gpus = 0;    // at most kMaxGpus
  std::vector<std::string> features = {};
  friend bool operator==(const NodeType&, const NodeType&) = default;
};

// The most types that a cluster may have: a demand has a bit for each.
inline constexpr std::size_t kMaxNodeTypes = 64;

// What a task needs beside processors, as its file says it.
struct TaskNeeds {
  Bytes memory = 0;                // on each of its nodes; 0: not said
  Bytes memory_per_processor = 0;  // times its cores on a node; 0: not said. The larger one counts
  Count gpus = 0;                  // on each of its nodes
  // How many nodes it may run on, called `nodes` in files; 0: no limit on this side. Both 0: one if
  // it fits into one, else several whole ones.
  Count min_nodes = 0;
  Count max_nodes = 0;
  std::vector<std::string> features = {};  // that each of its nodes must have
  friend bool operator==(const TaskNeeds&, const TaskNeeds&) = default;
};

// What a task takes of nodes: the same of each.
struct NodeDemand {
  Count nodes = 1;
  Count cores = 1;          // of each node
  Bytes memory = 0;         // of each node; 0: it does not count
  Count gpus = 0;           // of each node
  bool is_whole = false;    // nothing else may run on its nodes
  std::uint64_t types = 1;  // bit i: nodes of type i will do
  friend bool operator==(const NodeDemand&, const NodeDemand&) = default;
};

// What a task takes on that many processors, at least 1; nothing when no choice of nodes can hold
// it, even if all are idle. The rule:
// - On k nodes it takes its processors divided by k, rounded up, of each. So k is never above its
//   processors.
// - A node can hold that when its type has the cores, the GPUs, the features and, if known, the
//   memory. k nodes can when the types that can have at least k nodes together.
// - k is the smallest number with which it can be held. With `nodes`, k is one of those it allows,
//   and the task takes a part of each node. Without, it takes a part of one node or, when no node
//   can hold it alone, several whole ones.
std::optional<NodeDemand> demand_of(const TaskNeeds& needs, Count processors,
                                    std::span<const NodeType> types);

// Why demand_of answers nothing, as the end of a sentence that begins with the task: the type of
// node that comes nearest, and what it lacks: "needs 3 gpus on a node, but the nodes with most have
// 2". Empty when it does answer.
std::string lacking(const TaskNeeds& needs, Count processors, std::span<const NodeType> types);

// A size in bytes: "512M", "4G", "1.5T", "100K", or a plain number of bytes. Units are powers of
// 1024, whatever follows them and in capitals or not: "4G", "4GB", "4GiB" and "4 gb" are the same.
// Fractions need a unit and are rounded up to whole bytes. Nothing when it is no size, negative, or
// beyond kMaxMemory.
std::optional<Bytes> parse_size(std::string_view text);

// The shortest text that parse_size reads back as the same size: "4G", "1.5T", "1000". Of equally
// short ones the one without a point. Needs 0 <= size <= kMaxMemory.
std::string format_size(Bytes size);

}  // namespace dovetail
