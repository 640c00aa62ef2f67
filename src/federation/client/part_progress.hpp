// How far a part of an experiment is: a daemon's answer to `watch`, checked.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dovetail/time.hpp"
#include "federation/net/message.hpp"

namespace dovetail::federation {

struct ExperimentPart;

struct ScenarioProgress {
  enum class State : std::uint8_t { active, done, failed, cancelled };

  Count number = 0;
  Count done = 0;        // months
  Count posts_left = 0;  // done months whose post tasks are not
  State state = State::active;
  std::string why = {};

  // Whether the daemon has something left to do for it.
  bool is_open() const {
    return state == State::active || (state == State::done && posts_left > 0);
  }
};

struct PartProgress {
  std::int64_t cursor = 0;
  bool is_over = false;
  std::string folder = {};  // of the experiment's results
  std::vector<ScenarioProgress> scenarios = {};
};

// Reads the answer about a part of an experiment with that many months per scenario. Throws Refusal
// when it is malformed, is not about exactly the scenarios of the part, or contradicts itself: an
// end without all months, or nothing more to hear of a scenario that is not over.
PartProgress read_progress(const Json& answer, const ExperimentPart& part, Count months);

}  // namespace dovetail::federation
