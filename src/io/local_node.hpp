// The machine that Dovetail runs on, as a node: its hardware threads, its memory and its GPUs.
//
//   const NodeType here = local_node();
//
// GPUs are counted as the system shows them: NVIDIA's by their device files, AMD's by the nodes of
// their driver's topology. What cannot be read counts as not there, and unknown memory as 0.
#pragma once

#include <filesystem>

#include "dovetail/nodes.hpp"

namespace dovetail::io {

// `root` is the folder in which proc, dev and sys are; tests have their own.
NodeType local_node(const std::filesystem::path& root = "/");

}  // namespace dovetail::io
