// What this machine has beside processors: memory and GPUs.
//
//   const MachineResources here = MachineResources::read();
//   here.memory;   // of the machine, or what its containers leave of it
//   here.gpus;     // the numbers of /dev/nvidia0, /dev/nvidia1, ...
#pragma once

#include <string>
#include <vector>

#include "dovetail/nodes.hpp"

namespace dovetail::run {

struct MachineResources {
  Bytes memory = 0;  // 0: not known
  std::vector<int> gpus = {};

  // CUDA_VISIBLE_DEVICES chooses among the GPUs, as far as it has numbers. `root` is a folder that
  // stands for /, for tests.
  static MachineResources read(const std::string& root = "");
};

}  // namespace dovetail::run
