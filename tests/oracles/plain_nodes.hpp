// A slow and simple judge of plans on nodes: it fills a table of every node at every moment at
// which something begins. Shares no code with the library's packer, placement or checker.
#pragma once

#include <string>
#include <vector>

namespace dovetail::plain {

struct NodeSize {
  long cores = 0;
  long memory = 0;  // 0: not counted
  long gpus = 0;
};

// What something takes of some nodes from begin to end.
struct NodeUse {
  std::string name;
  long begin = 0;
  long end = 0;
  std::vector<unsigned> nodes;
  long cores = 0;
  long memory = 0;
  long gpus = 0;
  bool is_whole = false;
};

// The first overbooking, in words; empty when there is none.
inline std::string find_overbooked_node(const std::vector<NodeSize>& sizes,
                                        const std::vector<NodeUse>& uses) {
  for (const NodeUse& moment : uses) {
    const long now = moment.begin;
    for (unsigned node = 0; node < sizes.size(); ++node) {
      NodeSize left = sizes[node];
      int tasks = 0;
      bool is_whole = false;
      for (const NodeUse& use : uses) {
        if (use.begin > now || use.end <= now) continue;
        for (const unsigned taken : use.nodes) {
          if (taken != node) continue;
          left.cores -= use.cores;
          left.memory -= use.memory;
          left.gpus -= use.gpus;
          is_whole = is_whole || use.is_whole;
          ++tasks;
        }
      }
      const bool lacks_memory = sizes[node].memory > 0 && left.memory < 0;
      if (left.cores < 0 || left.gpus < 0 || lacks_memory || (is_whole && tasks > 1)) {
        return "node " + std::to_string(node) + " at " + std::to_string(now) + ", when " +
               moment.name + " starts";
      }
    }
  }
  return {};
}

}  // namespace dovetail::plain
