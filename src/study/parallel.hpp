// Runs numbered items on one thread or many, each exactly once.
//
//   parallel_for(items.size(), 0, [&](std::size_t i) { results[i] = solve(items[i]); });
#pragma once

#include <cstddef>
#include <functional>

namespace dovetail::study {

// Receives how many items are done, of how many; never called by two threads at once.
using Progress = std::function<void(std::size_t done, std::size_t total)>;

// Calls work(0) .. work(count - 1), each exactly once, on `threads` threads (0: as many as the
// machine has), and returns when all are done. Work on different items must not modify shared data.
// The first exception stops the distribution of items and is rethrown here.
void parallel_for(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& work,
                  const Progress& progress = {});

}  // namespace dovetail::study
