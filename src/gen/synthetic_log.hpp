// A log for reservation schedules when no real one is available: jobs of the Lublin-Feitelson
// model, run by a simple first come, first served queue.
//
//   Random random(1);
//   ReservationLog log = synthetic_log({.processors = 128, .jobs = 20'000}, random);
#pragma once

#include <span>
#include <vector>

#include "gen/lublin.hpp"
#include "gen/reservations.hpp"

namespace dovetail::gen {

// Runs the jobs, sorted by submission, on an otherwise idle machine: each as early as its
// processors are free, but never before one submitted earlier. This is simple, but gives realistic
// waits. Needs every job to fit the machine.
std::vector<BatchJob> first_come_first_served(std::span<const LublinJob> jobs, Count processors);

ReservationLog synthetic_log(const LublinSpec& spec, Random& random);

}  // namespace dovetail::gen
