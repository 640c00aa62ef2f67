#include "run/local/local_room.hpp"

#include <algorithm>

#include "run/local/machine_resources.hpp"

namespace dovetail::run {

namespace {

// Those of the machine, and further numbers when more are to be used.
std::vector<int> numbers_for(Count count, std::vector<int> gpus) {
  for (int number = 0; static_cast<Count>(gpus.size()) < count; ++number) {
    if (std::ranges::find(gpus, number) == gpus.end()) gpus.push_back(number);
  }
  return gpus;
}

}  // namespace

LocalRoom::LocalRoom(Count processors, const MemoryAndGpus& limit, std::string lease_file)
    : cores_(processors), limit_(limit), memory_(limit.memory), leases_(std::move(lease_file)) {
  if (limit == MemoryAndGpus{}) return;
  MachineResources here = MachineResources::read();
  memory_ = std::max(memory_, here.memory);
  gpus_ = numbers_for(limit.gpus, std::move(here.gpus));
}

std::optional<LocalRoom::Share> LocalRoom::take(Count processors, const MemoryAndGpus& room) {
  Share share;
  const bool needs_lease = room.gpus > 0 || (room.memory > 0 && limit_.memory > 0);
  if (!needs_lease && !cores_.has(processors)) return share;
  TaskLease lease = leases_.begin();
  for (const int gpu : gpus_) {
    if (static_cast<Count>(share.gpus.size()) == room.gpus) break;
    if (!gpus_in_use_.contains(gpu) && lease.take_gpu(gpu)) share.gpus.push_back(gpu);
  }
  if (static_cast<Count>(share.gpus.size()) < room.gpus) return std::nullopt;
  const bool counts_memory = room.memory > 0 && limit_.memory > 0;
  if (counts_memory && !lease.take_memory(room.memory, memory_)) return std::nullopt;
  share.cores = cores_.take(processors, lease);
  share.lease = lease.file();
  gpus_in_use_.insert(share.gpus.begin(), share.gpus.end());
  return share;
}

void LocalRoom::take_these(const std::vector<int>& cores, const std::vector<int>& gpus) {
  cores_.take_these(cores);
  gpus_in_use_.insert(gpus.begin(), gpus.end());
}

void LocalRoom::give_back(const std::vector<int>& cores, const std::vector<int>& gpus) {
  cores_.give_back(cores);
  for (const int gpu : gpus) gpus_in_use_.erase(gpu);
}

// The run may use less than the machine has: what others hold of the rest does not matter to it.
MemoryAndGpus LocalRoom::held_by_others(const MemoryAndGpus& ours) {
  MemoryAndGpus held;
  if (limit_.memory > 0) {
    const Bytes theirs = std::max<Bytes>(0, leases_.memory_held() - ours.memory);
    held.memory = std::max<Bytes>(0, theirs - (memory_ - limit_.memory));
  }
  if (limit_.gpus > 0) {
    Count theirs = 0;
    for (const int gpu : leases_.gpus_held()) {
      const bool is_one = std::ranges::find(gpus_, gpu) != gpus_.end();
      if (is_one && !gpus_in_use_.contains(gpu)) ++theirs;
    }
    const Count spare = static_cast<Count>(gpus_.size()) - limit_.gpus;
    held.gpus = std::max<Count>(0, theirs - spare);
  }
  return held;
}

}  // namespace dovetail::run
