#include "dovetail/nodes.hpp"

#include <algorithm>
#include <array>
#include <cassert>

namespace dovetail {
namespace {

Count divided_up(Count value, Count by) { return value / by + (value % by > 0 ? 1 : 0); }

// How many nodes the task may take; none when the least is above the most.
struct NodeLimits {
  Count least = 1;
  Count most = 1;
};

NodeLimits node_limits(const TaskNeeds& needs, Count processors) {
  const Count most = needs.max_nodes > 0 ? needs.max_nodes : processors;
  return {std::max<Count>(needs.min_nodes, 1), std::min(most, processors)};
}

bool has_features(const NodeType& type, const TaskNeeds& needs) {
  return std::ranges::all_of(needs.features, [&](const std::string& feature) {
    return std::ranges::find(type.features, feature) != type.features.end();
  });
}

// What it needs on a node of which it takes that many cores. Not even an idle node has more than
// kMaxMemory.
Bytes memory_on_node(const TaskNeeds& needs, Count cores) {
  const bool is_too_much = needs.memory_per_processor > kMaxMemory / cores;
  return std::max(needs.memory, is_too_much ? kMaxMemory : needs.memory_per_processor * cores);
}

// The most cores that it could use of a node of the type; 0 when it can't run there.
Count most_cores(const TaskNeeds& needs, const NodeType& type) {
  if (type.gpus < needs.gpus || !has_features(type, needs)) return 0;
  if (type.memory == 0) return type.cores;
  if (type.memory < needs.memory) return 0;
  if (needs.memory_per_processor == 0) return type.cores;
  return static_cast<Count>(std::min<Bytes>(type.cores, type.memory / needs.memory_per_processor));
}

}  // namespace

std::optional<NodeDemand> demand_of(const TaskNeeds& needs, Count processors,
                                    std::span<const NodeType> types) {
  assert(processors >= 1 && types.size() <= kMaxNodeTypes);
  const NodeLimits limits = node_limits(needs, processors);
  // A type is of use if the task is spread over at least this many nodes; 0: never.
  std::array<Count, kMaxNodeTypes> spread{};
  for (std::size_t i = 0; i < types.size(); ++i) {
    const Count cores = most_cores(needs, types[i]);
    if (cores > 0) spread[i] = std::max(limits.least, divided_up(processors, cores));
  }
  // More nodes help only where another type comes into use, so these are all numbers to try.
  Count nodes = 0;
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (spread[i] == 0 || spread[i] > limits.most || (nodes > 0 && spread[i] >= nodes)) continue;
    std::int64_t there = 0;
    for (std::size_t j = 0; j < types.size(); ++j) {
      if (spread[j] > 0 && spread[j] <= spread[i]) there += types[j].count;
    }
    if (there >= spread[i]) nodes = spread[i];
  }
  if (nodes == 0) return std::nullopt;

  NodeDemand demand;
  demand.nodes = nodes;
  demand.cores = divided_up(processors, nodes);
  demand.memory = memory_on_node(needs, demand.cores);
  demand.gpus = needs.gpus;
  demand.is_whole = nodes > 1 && needs.min_nodes == 0 && needs.max_nodes == 0;
  demand.types = 0;
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (spread[i] > 0 && spread[i] <= nodes) demand.types |= std::uint64_t{1} << i;
  }
  return demand;
}

namespace {

std::string counted(std::int64_t count, const std::string& thing) {
  return std::to_string(count) + " " + thing + (count == 1 ? "" : "s");
}

std::string listed(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 < words.size() ? ", " : " and ";
    text += words[i];
  }
  return text;
}

// Asks for one thing after the other, and keeps the types that have it. The first thing that none
// has is what is lacking.
class Shortage {
 public:
  Shortage(const TaskNeeds& needs, std::span<const NodeType> types) : needs_(needs) {
    for (const NodeType& type : types) {
      if (type.count > 0) left_.push_back(&type);
    }
  }

  std::string find(Count processors) {
    const NodeLimits limits = node_limits(needs_, processors);
    if (left_.empty()) return "needs a node, but there is none";
    if (needs_.max_nodes > 0 && needs_.min_nodes > needs_.max_nodes) {
      return "needs at least " + counted(needs_.min_nodes, "node") + ", but may take at most " +
             std::to_string(needs_.max_nodes);
    }
    if (limits.least > limits.most) {
      return "needs at least " + counted(limits.least, "node") + ", but has only " +
             counted(processors, "processor") + " to spread over them";
    }
    if (!keep([this](const NodeType& type) { return has_features(type, needs_); },
              listed(needs_.features))) {
      return missing_features();
    }
    if (!keep([this](const NodeType& type) { return type.gpus >= needs_.gpus; },
              counted(needs_.gpus, "gpu"))) {
      return missing_gpus();
    }
    const Bytes memory = memory_on_node(needs_, 1);
    if (!keep([=](const NodeType& type) { return type.memory == 0 || type.memory >= memory; },
              format_size(memory) + " of memory")) {
      return missing_memory(memory);
    }
    return missing_nodes(processors, limits);
  }

 private:
  template <typename Has>
  bool keep(Has has, const std::string& what) {
    std::vector<const NodeType*> having;
    for (const NodeType* type : left_) {
      if (has(*type)) having.push_back(type);
    }
    if (having.empty()) return false;
    if (having.size() < left_.size()) with_.push_back(what);
    left_ = std::move(having);
    return true;
  }

  template <typename Value>
  auto most(Value value) const {
    auto result = value(*left_.front());
    for (const NodeType* type : left_) result = std::max(result, value(*type));
    return result;
  }

  std::string with() const { return with_.empty() ? "" : " with " + listed(with_); }

  // The end of the sentence: the most that the nodes have.
  std::string but_at_most(const std::string& value) const {
    if (with_.empty()) return ", but the nodes with most have " + value;
    return ", but the nodes" + with() + " have at most " + value;
  }

  std::string missing_features() const {
    for (const std::string& feature : needs_.features) {
      const bool is_known = std::ranges::any_of(left_, [&](const NodeType* type) {
        return std::ranges::find(type->features, feature) != type->features.end();
      });
      if (!is_known) return "needs a node with " + feature + ", which no node has";
    }
    return "needs a node with " + listed(needs_.features) + ", but no node has all of these";
  }

  std::string missing_gpus() const {
    const std::string text = "needs " + counted(needs_.gpus, "gpu") + " on a node";
    const Count gpus = most([](const NodeType& type) { return type.gpus; });
    if (gpus == 0) return text + ", but no node" + with() + " has any";
    return text + but_at_most(std::to_string(gpus));
  }

  std::string missing_memory(Bytes memory) const {
    const bool is_for_one = memory > needs_.memory;
    return "needs " + format_size(memory) + " of memory " +
           (is_for_one ? "for each processor" : "on a node") +
           but_at_most(format_size(most([](const NodeType& type) { return type.memory; })));
  }

  // Every type that is left can hold some of it; together they are too few.
  std::string missing_nodes(Count processors, const NodeLimits& limits) const {
    std::int64_t there = 0;
    for (const NodeType* type : left_) there += type->count;
    if (there < limits.least) {
      return "needs " + counted(limits.least, "node") + with() + ", but there " +
             (there == 1 ? "is " : "are ") + std::to_string(there);
    }
    const Count nodes = static_cast<Count>(std::min<std::int64_t>(there, limits.most));
    const Count cores = divided_up(processors, nodes);
    std::int64_t enough = 0;
    for (const NodeType* type : left_) {
      if (most_cores(needs_, *type) >= cores) enough += type->count;
    }
    std::string text = "needs " + counted(cores, "core");
    if (needs_.memory_per_processor > 0) {
      text += " and " + format_size(memory_on_node(needs_, cores)) + " of memory";
    }
    text += nodes == 1 ? " on a node" : " on each of " + std::to_string(nodes) + " nodes";
    if (enough > 0) {
      return text + ", but only " + counted(enough, "node") + (enough == 1 ? " has" : " have") +
             " that";
    }
    if (needs_.memory_per_processor == 0) {
      return text + but_at_most(std::to_string(most([](const NodeType& it) { return it.cores; })));
    }
    const NodeType& nearest = **std::ranges::max_element(
        left_, {}, [this](const NodeType* type) { return most_cores(needs_, *type); });
    return text + ", but the nodes that come nearest have " + counted(nearest.cores, "core") +
           (nearest.memory > 0 ? " and " + format_size(nearest.memory) : "");
  }

  const TaskNeeds& needs_;
  std::vector<const NodeType*> left_;  // never empty when a function asks for the most of it
  std::vector<std::string> with_;      // what all on the left have and others had not
};

}  // namespace

std::string lacking(const TaskNeeds& needs, Count processors, std::span<const NodeType> types) {
  if (demand_of(needs, processors, types)) return {};
  return Shortage(needs, types).find(processors);
}

}  // namespace dovetail
