// Where a run keeps what it knows: its description, its journal, the attempts and the logs of its
// tasks. All of it is text.
//
//   <state>/runs/flow-3/run.json            what is run, and how
//                       journal.ndjson      what was decided and what happened
//                       lock, nursery.lock  held by the process that works on it
//                       attempts/17.1       what the supervisor of task 17's first attempt wrote
//                       logs/17.1.out, logs/17.1.err
//                       mail/               requests to that process (mailbox.hpp)
//                       report.html         how it went
//   <state>/beginning/                      locks of runs that are about to begin
//   <state>/leases/HOST                     what runs use of a machine (local/machine_leases.hpp)
//
// Only their owner may read them: they hold commands, environments and what tasks printed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "run/local/attempt_file.hpp"
#include "run/local/descriptor.hpp"

namespace dovetail::run {

// $DOVETAIL_STATE, else dovetail below $XDG_STATE_HOME or ~/.local/state.
std::string state_folder();

class RunFolder {
 public:
  // Makes a new one, called after the workflow with the first number that is free. Throws
  // ExecutionError when it cannot.
  static RunFolder create(const std::string& state, const std::string& workflow);

  // One that is there. Throws InputError that names the nearest when there is none of that name.
  static RunFolder open(const std::string& state, const std::string& id);

  // All of them, oldest first, and those that are called after a workflow.
  static std::vector<RunFolder> all(const std::string& state);
  static std::vector<RunFolder> of_workflow(const std::string& state, const std::string& workflow);

  const std::string& id() const { return id_; }
  std::string state() const;  // the folder that it is in
  std::string description() const { return path_ + "/run.json"; }
  std::string journal() const { return path_ + "/journal.ndjson"; }
  std::string lock() const { return path_ + "/lock"; }
  std::string nursery_lock() const { return path_ + "/nursery.lock"; }
  std::string mail() const { return path_ + "/mail"; }
  std::string report() const { return path_ + "/report.html"; }
  std::string attempt(std::uint32_t task, std::uint32_t attempt) const;
  // Task and attempt of all attempt files, in order.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> attempts() const;
  std::string log(std::uint32_t task, std::uint32_t attempt, const char* kind) const;

 private:
  RunFolder(std::string path, std::string id) : path_(std::move(path)), id_(std::move(id)) {}

  std::string path_;
  std::string id_;
};

// At most one process works on a run. The lock ends with the process, however that ends.
class RunLock {
 public:
  RunLock() = default;  // of nothing

  void release() { file_.reset(); }

  // Nothing when another process has it.
  static std::optional<RunLock> take(const RunFolder& folder) { return take(folder.lock()); }

  // The same, but throws InputError that names the process which has it.
  static RunLock require(const RunFolder& folder);

  // While a process decides whether to begin or to continue a run, no other process may decide the
  // same: `what` names the workflows and where they run. Throws InputError as require() does.
  static RunLock before_begin(const std::string& state, const std::string& what);

  // The process that has it, as far as is known.
  static std::optional<ProcessName> holder(const RunFolder& folder) {
    return holder(folder.lock());
  }

 private:
  static std::optional<RunLock> take(const std::string& path);
  static std::optional<ProcessName> holder(const std::string& path);

  explicit RunLock(Descriptor file) : file_(std::move(file)) {}
  Descriptor file_;
};

}  // namespace dovetail::run
