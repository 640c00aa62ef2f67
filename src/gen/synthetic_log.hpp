// A log for reservation schedules where no real one is at hand: jobs of the Lublin-Feitelson model,
// run by a plain first come, first served queue.
//
//   Random random(1);
//   ReservationLog log = synthetic_log({.processors = 128, .jobs = 20'000}, random);
#pragma once

#include <span>
#include <vector>

#include "gen/lublin.hpp"
#include "gen/reservations.hpp"

namespace dovetail {

// When an otherwise idle machine would have run the jobs, given by submission: each as early as
// its processors are free, but never before one that was submitted earlier. Plain, but enough for
// realistic waits. Needs every job to fit the machine.
std::vector<BatchJob> first_come_first_served(std::span<const LublinJob> jobs, Count processors);

ReservationLog synthetic_log(const LublinSpec& spec, Random& random);

}  // namespace dovetail
