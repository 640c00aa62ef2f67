// How long planning takes: Tables 9 and 10 of Aida and Casanova, measured here and now.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "study/turnaround.hpp"

namespace dovetail {

// BL_CPAR with each bound, each plan made from nothing, in this thread's processor time: once over
// the numbers of tasks, once over the densities, for `workflows` workflows on each of the
// platforms.
std::vector<TimingTable> measure_run_times(std::uint64_t seed, std::size_t workflows,
                                           std::span<const Platform> platforms);

}  // namespace dovetail
