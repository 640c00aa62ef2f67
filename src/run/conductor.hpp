// Executes a run: starts what the plan says when it can, hears what ends, plans again when things
// go otherwise than planned, and writes all of it down before anything comes of it. Whatever
// happens to us, somebody else can go on from the journal.
#pragma once

#include "dovetail/problem.hpp"
#include "run/book.hpp"
#include "run/local/launcher.hpp"
#include "run/run_folder.hpp"
#include "run/run_options.hpp"
#include "run/run_state.hpp"

namespace dovetail::run {

// From where the journal is to the end of the work. Needs the lock on the run, a problem with one
// cluster whose time begins at 0, and a process with one thread; a plan that is given must be
// feasible. The nursery is best made before all that is large. On SIGINT or SIGTERM nothing new is
// started and what runs is waited for; on a second one it is stopped. Throws ExecutionError when
// the journal cannot be written: what runs then goes on, and a later call takes it over.
RunEnd conduct(const RunFolder& folder, const Problem& problem, const RunOptions& options,
               Nursery nursery = {});

}  // namespace dovetail::run
