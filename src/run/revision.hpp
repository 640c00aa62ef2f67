// Whether what was done still counts: a task has to be run again when it, what it reads, what it
// leaves, or what it comes after is not what it was.
//
//   const Revision revision(problem, state, folder);
//   if (std::string why = revision.why_again(task); !why.empty()) ...
#pragma once

#include <cstdint>
#include <string>

#include "dovetail/problem.hpp"
#include "run/run_state.hpp"

namespace dovetail::run {

class Revision {
 public:
  // `folder` is where the run was started. All must outlive it.
  Revision(const Problem& problem, const RunState& state, const std::string& folder)
      : problem_(problem), state_(state), folder_(folder) {}

  // Why a task that is done has to be run again; empty: it has not. One that says what it reads is
  // looked at again when it could start: perhaps that is the same then.
  std::string why_again(std::uint32_t task) const;

  // What it comes after is not done, or not any more; empty: all of it is.
  std::string why_inputs_change(std::uint32_t task) const;

  // Whether its inputs are those that it read, and its outputs are there.
  bool is_fresh(std::uint32_t task) const;

  // Whether it is not what it was when it was started.
  bool has_changed(std::uint32_t task) const;

  // The output that an attempt which ended like that should have left and did not; empty: none.
  std::string missing_output_after(std::uint32_t task, const AttemptEnd& end) const;

  const TaskExecution& execution(std::uint32_t task) const;
  std::string definition(std::uint32_t task) const;
  std::string directory(std::uint32_t task) const;

 private:
  const Problem& problem_;
  const RunState& state_;
  const std::string& folder_;
};

}  // namespace dovetail::run
