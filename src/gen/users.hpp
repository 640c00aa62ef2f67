// Users for the jobs of a synthetic log: few submit much, many submit little, and everybody keeps
// to jobs of about one size.
//
//   Random random(1);
//   std::vector<std::uint32_t> users = draw_users(procs, 50, random);   // 1, the busiest, to 50
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/random.hpp"
#include "dovetail/time.hpp"

namespace dovetail {

// Jobs of one size class: 1, 2, 3-4, 5-8, 9-16, ... processors are the classes 0, 1, 2, ...
std::size_t size_class(Count procs);

// A user, 1..users, for each job. User r submits about 1/r as many as user 1 (Zipf's law with
// exponent 1). Each belongs to one size class, as far as the classes' shares of the jobs allow;
// the jobs of a class too rare to have users of its own go to those of the nearest smaller one,
// or else larger one. Needs at least one user, and jobs of at least one processor.
std::vector<std::uint32_t> draw_users(std::span<const Count> procs, std::uint32_t users,
                                      Random& random);

}  // namespace dovetail
