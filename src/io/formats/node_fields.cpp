#include "io/formats/node_fields.hpp"

#include <fmt/format.h>

namespace dovetail::io {

namespace {

Bytes find_size(const Record& record, std::string_view key) {
  const auto field = record.find(key);
  return field ? record.size(*field) : 0;
}

// One feature, or a list of them.
std::vector<std::string> read_features(const Record& record, std::string_view key) {
  std::vector<std::string> features;
  const auto field = record.find(key);
  if (!field) return features;
  const auto add = [&](Value item) {
    features.emplace_back(record.text(item));
    if (features.back().empty()) {
      record.fail(*field, "expected the name of a feature, found empty text");
    }
  };
  if (field->kind() == ValueKind::sequence) {
    for (Value item : field->items()) add(item);
  } else {
    add(*field);
  }
  return features;
}

std::string names(const std::vector<std::string>& features, const Emitter& emit) {
  std::vector<std::string> items;
  for (const std::string& feature : features) items.push_back(emit.text(feature));
  return emit.list(items);
}

std::string nodes_text(const TaskNeeds& needs, const Emitter& emit) {
  if (needs.min_nodes == needs.max_nodes) return std::to_string(needs.min_nodes);
  Emitter::Fields range{{"min", std::to_string(needs.min_nodes)}};
  if (needs.max_nodes != kMaxProcessors) {
    range.emplace_back("max", std::to_string(needs.max_nodes));
  }
  return emit.mapping(range);
}

// How many processors the nodes have together.
std::int64_t cores_of(const std::vector<NodeType>& types) {
  std::int64_t cores = 0;
  for (const NodeType& type : types) cores += std::int64_t{type.count} * type.cores;
  return cores;
}

void set_processors(const Record& record, Value field, std::int64_t processors, Cluster& cluster) {
  if (processors > kMaxProcessors) {
    record.fail(field, fmt::format("{} processors in all; at most {} are allowed", processors,
                                   kMaxProcessors));
  }
  cluster.processors = static_cast<Count>(processors);
}

NodeType read_node_type(const Record& entry) {
  entry.only({"count", "cores", "memory", "gpus", "features"});
  return {.count = entry.find_count("count", 1).value_or(1),
          .cores = entry.count(entry.need("cores"), 1),
          .memory = find_size(entry, "memory"),
          .gpus = entry.find_count("gpus", 0).value_or(0),
          .features = read_features(entry, "features")};
}

void read_node_types(const Record& record, Value list, Cluster& cluster) {
  for (const char* other :
       {"processors", "nodes", "cores_per_node", "memory_per_node", "gpus_per_node"}) {
    const auto field = record.find(other);
    if (field) record.fail(*field, fmt::format("give \"node_types\" or \"{}\", not both", other));
  }
  for (Value item : record.list(list)) {
    if (cluster.node_types.size() == kMaxNodeTypes) {
      record.fail_at(item.line(), fmt::format("node_types: at most {} are allowed", kMaxNodeTypes));
    }
    cluster.node_types.push_back(read_node_type(Record(item, record)));
  }
  if (cluster.node_types.empty()) record.fail(list, "expected at least one type of node");
  set_processors(record, list, cores_of(cluster.node_types), cluster);
}

void read_equal_nodes(const Record& record, Value nodes, Cluster& cluster) {
  const NodeType type{.count = record.count(nodes, 1),
                      .cores = cluster.cores_per_node,
                      .memory = find_size(record, "memory_per_node"),
                      .gpus = record.find_count("gpus_per_node", 0).value_or(0)};
  set_processors(record, nodes, cores_of({type}), cluster);
  if (record.find("memory_per_node") || record.find("gpus_per_node")) cluster.node_types = {type};
}

std::string node_types_text(const std::vector<NodeType>& types, const Emitter& emit) {
  std::vector<std::string> items;
  for (const NodeType& type : types) {
    Emitter::Fields fields{{"count", std::to_string(type.count)},
                           {"cores", std::to_string(type.cores)}};
    if (type.memory != 0) fields.emplace_back("memory", emit.size(type.memory));
    if (type.gpus != 0) fields.emplace_back("gpus", std::to_string(type.gpus));
    if (!type.features.empty()) fields.emplace_back("features", names(type.features, emit));
    items.push_back(emit.mapping(fields));
  }
  if (emit.json()) return emit.list(items);
  std::string block;
  for (const std::string& item : items) block += "\n      - " + item;
  return block;
}

}  // namespace

ProcessorRange read_range(const Record& record, Value field) {
  const Record range(field, record);
  range.only({"min", "max"});
  ProcessorRange processors;
  processors.min = range.find_count("min", 1).value_or(1);
  if (const auto max = range.find("max")) {
    processors.max = range.count(*max, 1);
    if (processors.max < processors.min) {
      range.fail(*max, fmt::format("{} is below min {}", processors.max, processors.min));
    }
  }
  return processors;
}

TaskNeeds read_needs(const Record& task) {
  TaskNeeds needs{.memory = find_size(task, "memory"),
                  .memory_per_processor = find_size(task, "memory_per_processor"),
                  .gpus = task.find_count("gpus", 0).value_or(0),
                  .features = read_features(task, "requires")};
  if (needs.memory != 0 && needs.memory_per_processor != 0) {
    task.fail(*task.find("memory_per_processor"),
              "give \"memory\" or \"memory_per_processor\", not both");
  }
  if (const auto field = task.find("nodes")) {
    if (field->kind() == ValueKind::mapping) {
      const auto [min, max] = read_range(task, *field);
      needs.min_nodes = min;
      needs.max_nodes = max == 0 ? kMaxProcessors : max;
    } else {
      needs.min_nodes = needs.max_nodes = task.count(*field, 1);
    }
  }
  return needs;
}

void add_needs(const TaskNeeds& needs, const Emitter& emit, Emitter::Fields& fields) {
  if (needs.memory != 0) fields.emplace_back("memory", emit.size(needs.memory));
  if (needs.memory_per_processor != 0) {
    fields.emplace_back("memory_per_processor", emit.size(needs.memory_per_processor));
  }
  if (needs.gpus != 0) fields.emplace_back("gpus", std::to_string(needs.gpus));
  if (needs.min_nodes != 0) fields.emplace_back("nodes", nodes_text(needs, emit));
  if (!needs.features.empty()) fields.emplace_back("requires", names(needs.features, emit));
}

void read_size(const Record& record, Cluster& cluster) {
  if (const auto types = record.find("node_types")) return read_node_types(record, *types, cluster);
  const auto processors = record.find("processors");
  const auto nodes = record.find("nodes");
  cluster.cores_per_node = record.find_count("cores_per_node", 1).value_or(1);
  if (processors && nodes) record.fail(*nodes, "give \"processors\" or \"nodes\", not both");
  if (nodes) return read_equal_nodes(record, *nodes, cluster);
  if (!processors) {
    record.fail_at(record.line(),
                   "its size is missing; give \"processors\", or \"nodes\" and "
                   "\"cores_per_node\"");
  }
  for (const char* key : {"memory_per_node", "gpus_per_node"}) {
    const auto field = record.find(key);
    if (field) record.fail(*field, "it goes with \"nodes\", not with \"processors\"");
  }
  cluster.processors = record.count(*processors, 1);
}

void add_size(const Cluster& cluster, const Emitter& emit, Emitter::Fields& fields) {
  const std::vector<NodeType>& types = cluster.node_types;
  if (types.size() > 1 || (types.size() == 1 && !types.front().features.empty())) {
    fields.emplace_back("node_types", node_types_text(types, emit));
    return;
  }
  if (types.empty()) {
    fields.emplace_back("processors", std::to_string(cluster.processors));
  } else {
    fields.emplace_back("nodes", std::to_string(types.front().count));
  }
  if (cluster.cores_per_node != 1) {
    fields.emplace_back("cores_per_node", std::to_string(cluster.cores_per_node));
  }
  if (types.empty()) return;
  const NodeType& type = types.front();
  if (type.memory != 0) fields.emplace_back("memory_per_node", emit.size(type.memory));
  // One of the two says that the nodes are described.
  if (type.gpus != 0 || type.memory == 0) {
    fields.emplace_back("gpus_per_node", std::to_string(type.gpus));
  }
}

}  // namespace dovetail::io
