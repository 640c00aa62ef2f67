// A program that is to survive a fault, what happens beside it, and how to tell that all went well.
// Each scene has a folder and a process of its own.
#pragma once

#include <sys/types.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "support/system/call_tracer.hpp"

namespace dovetail::testing {

using Complaints = std::vector<std::string>;  // what is wrong; empty: nothing is

class FaultScene {
 public:
  explicit FaultScene(std::string folder) : folder_(std::move(folder)) {}
  virtual ~FaultScene() = default;
  FaultScene(const FaultScene&) = delete;
  FaultScene& operator=(const FaultScene&) = delete;

  // Before the command.
  virtual void prepare() = 0;

  // Given again until it succeeds.
  virtual Words command() const = 0;
  // A traced program cannot look for leaks.
  virtual Variables variables() const {
    return {{"DOVETAIL_STATE", file("state")}, {"ASAN_OPTIONS", "detect_leaks=0"}};
  }

  // The command has been started; a scene with a client acts now.
  virtual void started(pid_t /*process*/) {}
  virtual bool is_success(int status) const;

  // Whether the last task has come to its end.
  virtual bool is_last_task_over() const { return false; }

  // Whether the program has said that all is done: then the same command begins anew.
  virtual bool was_end_reported() const { return false; }

  // Whether work that met that fault is rightly done again.
  virtual bool may_repeat_after(const CallPoint& /*point*/) const { return false; }

  // After the end. `may_repeat`: so it is, or a supervisor was killed.
  virtual Complaints complaints(bool may_repeat) = 0;

  const std::string& folder() const { return folder_; }
  std::string file(const std::string& name) const { return folder_ + "/" + name; }

 private:
  std::string folder_;
};

// What is done to the command of a scene.
struct Trial {
  enum class Kind : std::uint8_t {
    nothing,      // it is looked at
    fault,        // at the point
    kill_after,   // it gets SIGKILL after that many microseconds
    kill_at_end,  // the same, after the last task
    twice         // it is given a second time after that many microseconds
  };
  Kind kind = Kind::nothing;
  TracedRole role = TracedRole::program;
  CallPoint point = {};
  long microseconds = 0;
  double patience = 10;  // seconds; a command that takes longer hangs

  std::string text() const;
};

struct TrialEnd {
  Trial trial = {};
  bool was_hit = false;   // the point was reached; the program was there to be killed
  std::string exit = {};  // "exit 3", "signal 9"
  std::string said = {};  // its last line of errors
  double seconds = 0;
  Complaints complaints = {};
  std::vector<CallPoint> points = {};  // of a trial without a fault
};

// Plays a scene in this process, which must have no other children and no threads: the trial, the
// same command again until it succeeds, and the complaints.
TrialEnd play(FaultScene& scene, const Trial& trial);

}  // namespace dovetail::testing
