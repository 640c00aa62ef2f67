// Runs the steps of a cluster for real: as processes of this machine (local_executor.hpp) or as
// jobs of Slurm (slurm_executor.hpp). What it has begun goes on without it, and another one adopts
// it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "federation/daemon/service.hpp"

namespace dovetail::federation {

struct StepCommand {
  std::uint32_t number = 0;  // never used twice
  std::string name;          // for people
  Arguments arguments;
  std::string folder;  // in which it runs
  Count processors = 1;
  Duration expected = 0;
  Duration limit = 0;    // then it is ended; 0: never
  bool is_here = false;  // on the daemon's own machine, also where others are jobs
};

struct StepEnd {
  std::uint32_t number = 0;
  enum class How : std::uint8_t { done, failed, stopped, lost } how = How::done;
  double seconds = 0;
  std::string why = {};
};

// Calls come from one thread.
class Executor {
 public:
  virtual ~Executor() = default;

  virtual void start(const StepCommand& command) = 0;

  // One that an earlier process has started, or was about to: it is reported on all the same.
  virtual void adopt(const StepCommand& command) = 0;

  // Asks it to end, which is reported; again is no error.
  virtual void stop(std::uint32_t number) = 0;

  // What has ended since it was last asked. Throws nothing that passes by itself.
  virtual std::vector<StepEnd> ended() = 0;

  // Readable when something may have ended; -1: there is no such thing.
  virtual int descriptor() const = 0;
};

}  // namespace dovetail::federation
