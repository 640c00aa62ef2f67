// Synthetic batch logs by the model of Lublin and Feitelson (2003): two kinds of jobs, batch and
// interactive, with a daily cycle of arrivals, sizes that favour powers of two, and run times that
// grow with the size.
//
//   Random random(1);
//   std::vector<LublinJob> jobs = lublin_log({.processors = 128, .jobs = 20'000}, random);
//
// The model has no weeks, no users and no requested times.
#pragma once

#include <cstdint>
#include <vector>

#include "core/random.hpp"
#include "dovetail/time.hpp"

namespace dovetail::gen {

// `single` is the fit of one kind of job to the whole sample; `both` mixes batch and interactive.
enum class LublinTypes { single, batch, interactive, both };

struct LublinSpec {
  LublinTypes types = LublinTypes::single;
  Count processors = 128;
  std::uint32_t jobs = 10'000;
};

struct LublinJob {
  Time submit = 0;
  Duration run = 0;  // whole seconds, at least one
  Count procs = 0;
  friend bool operator==(const LublinJob&, const LublinJob&) = default;
};

// In order of submission; time 0 is a midnight. Throws InputError for a spec out of range.
std::vector<LublinJob> lublin_log(const LublinSpec& spec, Random& random);

// Sum of run time x processors over processors x time to the last submission.
double offered_load(const std::vector<LublinJob>& jobs, Count processors);

// Stretches or compresses the submit times so that the offered load becomes `load`. Sizes and run
// times stay; the daily cycle is stretched with the rest.
void scale_to_load(std::vector<LublinJob>& jobs, Count processors, double load);

}  // namespace dovetail::gen
