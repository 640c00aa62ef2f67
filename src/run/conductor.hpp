// Executes a run: starts what the plan says when it can, notices what ends, plans again when things
// go otherwise than planned, and writes all of it down before anything comes of it. Whatever
// happens to this process, another one can go on from the journal.
#pragma once

#include "dovetail/problem.hpp"
#include "run/interrupts.hpp"
#include "run/local/launcher.hpp"
#include "run/run_book.hpp"
#include "run/run_folder.hpp"
#include "run/run_options.hpp"
#include "run/run_state.hpp"

namespace dovetail::run {

// Continues from the end of the journal to the end of the work, or until an interrupt. Needs the
// lock on the run and a problem with one cluster whose time begins at 0; a plan that is given must
// be feasible. Several runs may be conducted at once, each in its own thread, from one nursery.
// Throws ExecutionError when the journal cannot be written: what runs then goes on, and a later
// call takes it over.
RunEnd conduct(const RunFolder& folder, const Problem& problem, const RunOptions& options,
               std::shared_ptr<Nursery> nursery, Interrupts& interrupts);

// Ends what still runs of a run that no process works on, and writes down that it is cancelled.
// `started_in`: where the run was started. Needs the lock on the run.
void cancel(const RunFolder& folder, const Problem& problem, const std::string& started_in);

}  // namespace dovetail::run
