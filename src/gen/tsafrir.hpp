// The time limits that users request, by the model of Tsafrir, Etsion and Feitelson (2005): users
// choose few round values, and the longest one that the queue allows is the most popular.
//
//   Random random(1);
//   std::vector<Duration> requests = tsafrir_requests(runs, 64'800'000, {}, random);
//
// Two simple alternatives serve for comparison: exact requests, equal to the run times, and a
// random factor on top of the run time.
//
// All functions treat runs longer than the longest request as that long; cut the jobs to it.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "core/random.hpp"
#include "dovetail/time.hpp"

namespace dovetail::gen {

// The shortest and the longest queue limit that the model accepts.
inline constexpr Duration kMinLongestRequest = 3'600'000;
inline constexpr Duration kMaxLongestRequest = 400LL * 24 * 3'600'000;

// Throws InputError unless the longest request is within these limits.
void check_longest_request(Duration longest);

struct TsafrirOptions {
  // The percentage of jobs that request the longest time; the published value is 21.73. The others
  // share the rest in the published proportions.
  std::optional<double> longest_percent = {};
};

// The number of jobs that request a value.
struct RequestBin {
  Duration request = 0;
  std::size_t jobs = 0;
  friend bool operator==(const RequestBin&, const RequestBin&) = default;
};

// The number of distinct values that this many jobs use: 10, 20, 35, 90, 340 for 20, 200, 1000,
// 10,000, 70,000 jobs, linear in between, 565 from 250,000 on, at least 1.
std::size_t distinct_requests(std::size_t jobs);

// The 20 values that most jobs use, shortest first; the last is the longest request. They are
// round: 5 minutes, 1 hour, 12 hours.
std::vector<Duration> popular_requests(Duration longest);

// The requests of all jobs, by increasing request, each value once. The counts add up to `jobs`.
// Throws InputError for a longest request or a percentage out of range.
std::vector<RequestBin> tsafrir_distribution(std::size_t jobs, Duration longest,
                                             const TsafrirOptions& options, Random& random);

// Gives each run one of the equally many requests at random, but never one shorter than the run.
// Throws InputError when that is not possible.
std::vector<Duration> assign_requests(std::span<const Duration> runs,
                                      std::vector<Duration> requests, Random& random);

// A request for each run, distributed by the model. Throws InputError when too many runs are near
// the longest request to fit under the model's requests.
std::vector<Duration> tsafrir_requests(std::span<const Duration> runs, Duration longest,
                                       const TsafrirOptions& options, Random& random);

// run x (1 + u factor), u uniform in [0, 1), in whole seconds, at most the longest request. With
// `round_up`, rounded up to the next popular value.
struct FactorOptions {
  double factor = 1;
  bool round_up = false;
};
std::vector<Duration> factor_requests(std::span<const Duration> runs, Duration longest,
                                      const FactorOptions& options, Random& random);

}  // namespace dovetail::gen
