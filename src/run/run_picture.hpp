// A run as whoever plans has to see it: what is done, what runs and until when, what waits.
#pragma once

#include "run/dispatcher.hpp"
#include "run/monitor.hpp"
#include "run/replanner.hpp"
#include "run/run_state.hpp"

namespace dovetail::run {

// Whether the plan in force has a place for the task that it can have: one that was to be left out
// and has to be run after all is in no plan, and what a task may have can have been changed.
bool is_planned(const Problem& problem, const RunState& state, std::size_t task);

// Without the reason.
RunPicture picture_of(const Problem& problem, const RunState& state, const Dispatcher& dispatcher,
                      const Monitor& monitor, Time now);

}  // namespace dovetail::run
