// Who uses which cores and GPUs of this machine, and how much of its memory, over all runs of one
// user: leases that the system takes back when their holder is gone, however it ended.
//
//   MachineLeases leases(state + "/leases/" + host);
//   TaskLease lease = leases.begin();
//   if (lease.take_memory(4 * kGibibyte, total) && lease.take_core(3)) start(lease.file());
//
// All leases are locks on parts of one file, which is empty: a byte for every core and GPU, and a
// range as long as the memory. A lease belongs to an open file, and lasts until every process that
// has it has closed it: the supervisor of a task holds it until the task has ended, whatever
// becomes of the process that took it. Nothing is ever stale, as nothing is written.
//
// Where no file can be locked, every lease is granted, and trouble() says why. One call at a time.
#pragma once

#include <memory>
#include <set>
#include <string>

#include "dovetail/nodes.hpp"
#include "run/local/descriptor.hpp"

namespace dovetail::run {

// What one task holds. Each take_ answers false, and takes nothing, when others have it already.
class TaskLease {
 public:
  bool take_core(int core);
  void give_back_cores();
  bool take_gpu(int gpu);

  // All leases of memory together stay within `limit`.
  bool take_memory(Bytes size, Bytes limit);

  // To be kept open as long as the lease shall last; empty when leases cannot be made.
  std::shared_ptr<const Descriptor> file() const { return file_; }

 private:
  friend class MachineLeases;
  TaskLease(std::shared_ptr<const Descriptor> file, std::string& trouble)
      : file_(std::move(file)), trouble_(&trouble) {}
  bool lock(std::int64_t start, std::int64_t length);

  std::shared_ptr<const Descriptor> file_;
  std::string* trouble_;
};

class MachineLeases {
 public:
  // The file is made, with its folder, when it is needed first.
  explicit MachineLeases(std::string path) : path_(std::move(path)) {}

  // One that holds nothing yet. The leases must outlive it.
  TaskLease begin();

  // What all processes hold together.
  Bytes memory_held();
  std::set<int> gpus_held();

  // Why leases cannot be made; empty when they can, as far as is known.
  const std::string& trouble() const { return trouble_; }

 private:
  std::shared_ptr<const Descriptor> open();

  std::string path_;
  std::string trouble_;
  std::shared_ptr<const Descriptor> looking_;  // open for questions; it holds nothing
};

// The file for this machine below a state folder, which several machines may share.
std::string lease_file(const std::string& state);

}  // namespace dovetail::run
