// The system calls that can fail: how each names its file, and which faults it may meet.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace dovetail::testing {

// What is done to one call of a process.
struct Fault {
  enum class Kind : std::uint8_t {
    error,   // it is not made, and fails
    cut,     // it is made for half of its bytes
    killing  // the process gets SIGKILL instead
  };
  Kind kind = Kind::killing;
  int error = 0;

  friend bool operator==(const Fault&, const Fault&) = default;
};

std::string name_of(const Fault& fault);  // "EIO", "short", "kill"

using CallArguments = std::array<std::uint64_t, 6>;

struct SystemCall {
  enum class Target : std::uint8_t { none, descriptor, path };

  long number = 0;
  const char* name = "";
  Target target = Target::none;
  std::size_t argument = 0;             // the one that names the target
  std::vector<int> errors = {};         // whatever the target is
  std::vector<int> file_errors = {};    // of files on disk, also
  std::vector<int> stream_errors = {};  // of pipes and sockets, also
  bool can_be_cut = false;              // the third argument is a number of bytes
};

// Null when it cannot fail in a way that matters.
const SystemCall* find_system_call(long number);

// What is known of one call about to be made.
struct CallSight {
  const SystemCall* call = nullptr;
  CallArguments arguments = {};
  bool is_stream = false;      // its target is a pipe or a socket
  bool does_not_wait = false;  // the target's own flags say so
};

// The faults that the system may really answer such a call with; SIGKILL comes first.
std::vector<Fault> faults_of(const CallSight& sight);

}  // namespace dovetail::testing
