// What executes steps: processes of this machine (local/process_backend.hpp), jobs of a batch
// system (batch/job_backend.hpp), the nodes of the job that we are in
// (batch/pilot/step_backend.hpp), or a daemon (federation/daemon/workflow_backend.hpp). A step is
// one attempt of a task of a run, a month of an ensemble, or a whole workflow. Unless it runs
// inside a job, it goes on when the process that started it is gone, and a
// later process adopts it.
//
//   backend.start(command);
//   poll(backend.descriptor()); for (const StepEnd& end : backend.ended()) ...
//
// One call at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dovetail/time.hpp"
#include "run/local/attempt_file.hpp"

namespace dovetail::run {

// How long a task that is asked to end may take before it is killed.
inline constexpr double kGraceSeconds = 10;

struct StepCommand {
  std::uint32_t task = 0;  // at most one step of a task runs at a time
  std::uint32_t attempt = 0;
  std::string command = {};  // for /bin/sh -c
  // What the command finds as "$@". They are never read as shell text, wherever they come from.
  std::vector<std::string> arguments = {};
  std::string folder = {};        // in which it runs
  std::string attempt_file = {};  // where its start and its end are written down
  std::string out_file = {};
  std::string err_file = {};
  std::vector<std::pair<std::string, std::string>> environment =
      {};                       // added to that of this process
  std::vector<int> cores = {};  // empty: anywhere
  // Paths that it must leave. They are on disk before its end is written down, unless `syncs` is
  // false.
  std::vector<std::string> outputs = {};
  bool syncs = true;
  AttemptOrigin origin = {};
  double timeout_seconds = 0;  // 0: none
  double grace_seconds = kGraceSeconds;
  // The most memory that it may use, in bytes; 0: any. In a control group below that one, or, if
  // that is empty, by the address space of each of its processes and by looking now and then.
  std::int64_t memory_limit = 0;
  std::string memory_group = {};
  // Of what it may use of this machine (local/machine_leases.hpp): kept open until it has ended.
  std::shared_ptr<const Descriptor> lease = {};
  // For back ends that ask a batch system for room.
  std::string name = {};  // for people
  Count processors = 1;
  Duration expected = 0;
  // For steps inside a job: the nodes of that job that it has, and the numbers of the GPUs that it
  // has on the first, where the command runs. `cores` are of that node, too.
  std::vector<std::string> nodes = {};
  std::vector<int> gpus = {};
};

// Whether more steps can start on the node of a step that has ended.
enum class NodeAfterStep : std::uint8_t {
  usable,
  lost,         // something may still run there, or nothing can be started
  job_is_over,  // the batch system is ending the whole job
};

struct StepEnd {
  std::uint32_t task = 0;
  std::uint32_t attempt = 0;
  AttemptEnd end = {};
  bool is_lost = false;  // how it ended is not known; end.why says what happened
  NodeAfterStep node = NodeAfterStep::usable;  // for steps inside a job

  bool is_success() const { return !is_lost && end.is_success(); }

  static StepEnd lost(std::uint32_t task, std::uint32_t attempt, const std::string& why) {
    return {.task = task, .attempt = attempt, .end = AttemptEnd::not_started(why), .is_lost = true};
  }
};

class Backend {
 public:
  virtual ~Backend() = default;

  virtual void start(const StepCommand& command) = 0;

  // Takes over a step that an earlier process has started, or was about to start. If it is over
  // and that can be found out at once, the next ended() reports it.
  virtual void adopt(const StepCommand& command) = 0;

  // Asks the step of a task to end, which is reported. Asking again is no error.
  virtual void stop(std::uint32_t task) = 0;

  // The steps that have ended since the last call; each is reported once. A lost step runs no
  // more. Throws ExecutionError only for what will not pass by itself.
  virtual std::vector<StepEnd> ended() = 0;

  // Readable when ended() may have something to report or to do.
  virtual int descriptor() const = 0;
};

}  // namespace dovetail::run
