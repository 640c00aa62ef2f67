// What the supervisor of a task leaves on disk about one attempt: its processes, and how it ended.
//
// The file is given its room when the attempt begins, so that the end can be written even when the
// disk is full by then. Each half is written in one go: a reader finds it as a whole, or nothing.
//
//   0    {"supervisor":4711,"born":8812345,"boot":"2c1f...","started":1763287200123,"group": 4712}
//   512  {"exit":0,"signal":0,"cause":"ended","ended":...,"seconds":...,"cpu_seconds":...,
//         "peak_kib":...,"peak_memory":...}
#pragma once

#include <sys/types.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "dovetail/time.hpp"
#include "run/clock.hpp"
#include "run/local/descriptor.hpp"

namespace dovetail::run {

// A process that can be told from a later one with the same number.
struct ProcessName {
  pid_t pid = 0;
  std::uint64_t born = 0;  // clock ticks after the start of the machine
  std::string boot = {};   // which start of the machine

  // The process that asks.
  static ProcessName self();

  // Whether that very process still runs.
  bool is_alive() const;

  // The same, or it has ended and its parent has not noticed: its number is not taken again yet.
  bool has_its_number() const;

  // It still runs, and has not been killed: one that was may take a moment to be gone.
  bool is_well() const;
};

// What an attempt was started with, as in the journal: should entries of the journal be lost, the
// attempt can still be taken over.
struct AttemptOrigin {
  std::string definition = {};  // digest of what the task does
  std::string inputs = {};      // digest of what it read; empty: it names no inputs
  Count processors = 1;
};

struct AttemptStart {
  ProcessName supervisor = {};
  pid_t group = 0;  // the task's processes, as far as they did not leave it
  WallTime time = 0;
  AttemptOrigin origin = {};
};

struct AttemptEnd {
  enum class Cause : std::uint8_t {
    ended,
    timed_out,
    stopped,
    out_of_memory,
    not_started,
    not_saved,  // it ended well, but its outputs could not be written to disk
  };

  int exit_code = 0;  // 128 + signal when a signal ended it
  int signal = 0;
  Cause cause = Cause::ended;
  std::string why = {};  // not_started, not_saved: what went wrong
  WallTime time = 0;
  double seconds = 0;  // by a clock that does not jump
  double cpu_seconds = 0;
  std::int64_t peak_kib = 0;     // of its largest process
  std::int64_t peak_memory = 0;  // bytes, of all its processes at a time; 0: not measured

  bool is_success() const { return cause == Cause::ended && exit_code == 0; }

  // The most memory that it is known to have used, in bytes.
  std::int64_t peak() const {
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / 1024;
    return std::max(peak_memory, std::clamp<std::int64_t>(peak_kib, 0, kMost) * 1024);
  }

  // It could not be started, now, and why.
  static AttemptEnd not_started(const std::string& why) {
    return {.exit_code = 127, .cause = Cause::not_started, .why = why, .time = wall_now()};
  }
};

// A reader that finds a start and no end, and then that the supervisor is not alive, must read
// again: the end may have been written in between. If there still is none, the supervisor was
// killed.
struct Attempt {
  std::optional<AttemptStart> start = {};
  std::optional<AttemptEnd> end = {};

  bool still_runs() const { return start && !end && start->supervisor.is_alive(); }
};

// One line of less than 512 bytes: of a long `why` the last part is kept.
std::string to_json(const AttemptEnd& end);

// Nothing unless it is a whole end: what cannot be read must not pass for a success. Other keys
// beside those of the end are passed over.
std::optional<AttemptEnd> parse_end(const std::string& text);

// The same without text in between. Here `why` may be of any length.
nlohmann::ordered_json json_of(const AttemptEnd& end);
std::optional<AttemptEnd> end_of(const nlohmann::ordered_json& json);

// The supervisor's side. Needs the file not to exist: an attempt begins once.
class AttemptWriter {
 public:
  // Nothing when there is such a file already or it cannot be made; errno says why.
  static std::optional<AttemptWriter> create(const std::string& path);

  // Both halves are written once, as a half that is written over could be read as a mixture of the
  // two. False when it could not be written; errno says why.
  //
  // The start comes in two steps: all but the group is made ready first, so that the second step
  // is safe in a process that shares its memory with its parent.
  void prepare_start(const ProcessName& supervisor, WallTime time, const AttemptOrigin& origin);
  bool write_start(pid_t group);

  bool write_end(const AttemptEnd& end);

 private:
  explicit AttemptWriter(Descriptor file) : file_(std::move(file)) {}
  bool write_half(const std::string& half, off_t place) const;
  Descriptor file_;
  std::string start_;          // a whole half, with room for the group
  std::size_t group_end_ = 0;  // of that room
};

// Empty when there is no such file, or it is not an attempt's. Throws ExecutionError when the file
// is there and cannot be read.
Attempt read_attempt(const std::string& path);

}  // namespace dovetail::run
