// Gives back the nodes that were reserved for jobs of a run.
#pragma once

#include "batch/job_book.hpp"
#include "batch/system.hpp"

namespace dovetail::batch {

// Of jobs that are over. It may take that long, as nodes are not free at once when a job is ended;
// what is left then ends by itself. Throws Unreachable.
void release_reservations(JobBook& book, BatchSystem& system, const JobRunOptions& options,
                          Duration patience);

}  // namespace dovetail::batch
