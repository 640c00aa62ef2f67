// Users for the jobs of a synthetic log: a few submit many jobs, many submit few, and each user's
// jobs have about the same size.
//
//   Random random(1);
//   std::vector<std::uint32_t> users = draw_users(procs, 50, random);   // 1, the busiest, to 50
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/random.hpp"
#include "dovetail/time.hpp"

namespace dovetail::gen {

// The size class of a job: 1, 2, 3-4, 5-8, 9-16, ... processors are the classes 0, 1, 2, ...
std::size_t size_class(Count procs);

// A user, 1..users, for each job. User r submits about 1/r as many as user 1 (Zipf's law with
// exponent 1). Each belongs to one size class, as far as the classes' shares of the jobs allow.
// Jobs of a class too rare to have its own users go to the users of the nearest smaller class, else
// of the nearest larger one. Needs at least one user, and jobs of at least one processor.
std::vector<std::uint32_t> draw_users(std::span<const Count> procs, std::uint32_t users,
                                      Random& random);

}  // namespace dovetail::gen
