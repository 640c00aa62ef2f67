// Runs a program, sees each of its system calls that can fail, and lets one of them fail, or kills
// the process there.
//
// It traces (ptrace) rather than standing in front of the C library (LD_PRELOAD): the library's own
// calls are seen too (streams, spawned processes, folders that are listed), whatever they are
// called in a build with other compile options; a build with sanitizers can be traced as well; and
// the tasks, which the program starts, have nothing of it in their environment.
//
//   CallTracer tracer({.folder = folder, .role = TracedRole::program, .point = point});
//   tracer.start({"dovetail", "run", "flow.yaml"}, {});
//   const TraceEnd end = tracer.follow(10);
//
// One tracer for each process: it waits for any child. The calls before the program's first
// instruction, which are the loader's, are left alone.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/system/system_calls.hpp"

namespace dovetail::testing {

// Whether this machine can do that.
bool can_trace_calls();

enum class TracedRole : std::uint8_t {
  program,  // the process that is started, all of its threads
  helpers,  // what it forks, such as supervisors, until they execute something else
  jobs      // the same program again, started by what it starts, such as the pilot of a job
};

// A call by what it does to what, and which one of those. Numbers in names are replaced by '#', so
// that it is the same call in the next run.
struct CallPoint {
  std::string call;  // "pwrite state/runs/flow-#/journal.ndjson"
  int occurrence = 1;
  Fault fault = {};

  std::string text() const;
  friend bool operator==(const CallPoint&, const CallPoint&) = default;
};

struct TraceEnd {
  int status = 0;  // of the program, as wait() gives it
  bool has_hung = false;
  bool was_hit = false;  // the point was reached
};

struct TraceRequest {
  std::string folder;  // the program's; left out of the names of files
  TracedRole role = TracedRole::program;
  std::optional<CallPoint> point = {};
};

using Words = std::vector<std::string>;
using Variables = std::vector<std::pair<std::string, std::string>>;

// A process in the folder; what it prints is appended to its files `out` and `err`. It waits for
// `gate` to be closed before it begins, if there is one.
pid_t start_program(const std::string& folder, const Words& words, const Variables& variables,
                    int gate = -1);

class CallTracer {
 public:
  explicit CallTracer(TraceRequest request) : request_(std::move(request)) {}

  pid_t start(const Words& words, const Variables& variables);

  // Until the program has ended, or for that many seconds; then it is left as it is.
  TraceEnd follow(double seconds);

  // All points that were seen, each with one fault that may happen there.
  const std::vector<CallPoint>& points() const { return points_; }

 private:
  struct Tracee {
    bool is_counted = false;
    int error = 0;            // that the call shall end with
    std::uint64_t size = 0;   // that was asked for, when it was cut
    std::uint64_t entry = 0;  // while it is in the loader: where that hands over to the program
    long instruction = 0;     // which was there
  };

  bool is_ours(pid_t thread) const;
  void handle_stop(pid_t thread, int status);
  void handle_event(pid_t thread, int event);
  void handle_exec(pid_t thread);
  void stop_at_entry(pid_t thread, Tracee& tracee);
  void begin_program(pid_t thread, Tracee& tracee);
  void handle_call(pid_t thread);
  void enter(pid_t thread, Tracee& tracee, long number, const CallArguments& arguments);
  void leave(pid_t thread, Tracee& tracee) const;
  void inject(pid_t thread, Tracee& tracee, const Fault& fault);
  void resume(pid_t thread, int signal = 0);
  std::string target_of(pid_t thread, CallSight& sight) const;
  std::string plain(const std::string& name) const;

  TraceRequest request_;
  pid_t program_ = 0;
  std::string executable_;  // of the program
  std::map<pid_t, Tracee> tracees_;
  std::map<std::string, int> counts_;
  std::vector<CallPoint> points_;
  bool was_hit_ = false;
};

}  // namespace dovetail::testing
