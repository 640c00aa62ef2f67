// What this machine gives the tasks of one run: cores, memory and GPUs, of which no other run has
// any at the same time (machine_leases.hpp).
//
//   LocalRoom room(processors, {.memory = limit, .gpus = 2}, lease_file(state));
//   if (auto share = room.take(2, {.memory = kGibibyte, .gpus = 1})) start(*share);
//   room.give_back(share->cores, share->gpus);      // when the task has ended
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "run/local/cores.hpp"
#include "run/local/machine_leases.hpp"
#include "run/local/memory_and_gpus.hpp"

namespace dovetail::run {

class LocalRoom {
 public:
  // What one task has.
  struct Share {
    std::vector<int> cores = {};                   // empty: it runs on any
    std::vector<int> gpus = {};                    // their numbers
    std::shared_ptr<const Descriptor> lease = {};  // to be held while it runs; may be empty
  };

  // `limit`: what all tasks of the run may take together. Other runs may have more.
  LocalRoom(Count processors, const MemoryAndGpus& limit, std::string lease_file);
  LocalRoom(const LocalRoom&) = delete;
  LocalRoom& operator=(const LocalRoom&) = delete;

  void set_processors(Count processors) { cores_.set_processors(processors); }

  // Nothing when other runs have the memory or the GPUs. Cores are given as long as there are any.
  std::optional<Share> take(Count processors, const MemoryAndGpus& room);

  // A task that runs already has these.
  void take_these(const std::vector<int>& cores, const std::vector<int>& gpus);

  // Its lease ends by itself.
  void give_back(const std::vector<int>& cores, const std::vector<int>& gpus);

  // What other runs hold, when the tasks of this one hold `ours`.
  MemoryAndGpus held_by_others(const MemoryAndGpus& ours);

  // Why leases cannot be made; empty when they can. Then nothing is known of other runs.
  const std::string& trouble() const { return leases_.trouble(); }

 private:
  Cores cores_;
  MemoryAndGpus limit_;
  Bytes memory_;               // of the machine, or what the run may use if that is more
  std::vector<int> gpus_;      // those that the run may use any of
  std::set<int> gpus_in_use_;  // by the tasks of the run
  MachineLeases leases_;
};

}  // namespace dovetail::run
