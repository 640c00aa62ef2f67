// What our own files say about nodes: what a task needs of them, in workflow files, and which ones
// a cluster has, in cluster files.
//
//   spec.needs = read_needs(task);                   // memory: 4G, gpus: 1, ...
//   add_needs(workflow.needs(task), emit, fields);   // the same fields again
//
// Errors are InputErrors with file, line and field.
#pragma once

#include "dovetail/platform.hpp"
#include "dovetail/speedup.hpp"
#include "io/emit.hpp"
#include "io/schema.hpp"

namespace dovetail::io {

// {min: A, max: B}, each optional, from 1 on.
ProcessorRange read_range(const Record& record, Value field);

// memory, memory_per_processor, gpus, nodes and requires of a task.
TaskNeeds read_needs(const Record& task);
void add_needs(const TaskNeeds& needs, const Emitter& emit, Emitter::Fields& fields);

// The processors of a cluster with its nodes: processors; or nodes, cores_per_node,
// memory_per_node and gpus_per_node; or node_types. Nodes that have only cores are not described:
// nothing but processors counts there.
void read_size(const Record& record, Cluster& cluster);
void add_size(const Cluster& cluster, const Emitter& emit, Emitter::Fields& fields);

}  // namespace dovetail::io
