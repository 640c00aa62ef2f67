// A small seeded random generator that gives the same numbers on every machine.
//
// The standard library's distributions differ between implementations; these do not (normal and
// gamma are as exact as the C library's logarithm). Streams split off by number are independent, so
// each work item of a parallel study can have its own:
//
//   Random random(42);
//   Random mine = random.split(7);         // depends on 42 and 7, not on what was drawn before
//   double seconds = mine.uniform(60, 36'000);
//
// A generator is a value; two threads may not draw from the same object.
#pragma once

#include <array>
#include <cstdint>

namespace dovetail {

// xoshiro256** by Blackman and Vigna (2018), seeded through splitmix64.
class Random {
 public:
  explicit Random(std::uint64_t seed);

  // A generator for the given stream of this seed. Streams may be split again.
  Random split(std::uint64_t stream) const;

  std::uint64_t next();

  // Uniform in [0, 1), a multiple of 2^-53.
  double uniform01();

  // Uniform in [lo, hi); lo when both are equal.
  double uniform(double lo, double hi);

  // Uniform in 0..n-1, without bias. Needs n >= 1.
  std::uint64_t below(std::uint64_t n);

  // True with the given probability.
  bool chance(double probability) { return uniform01() < probability; }

  // Mean 0, variance 1.
  double normal();

  // Mean shape * scale. Needs both to be positive.
  double gamma(double shape, double scale);

 private:
  std::uint64_t seed_;  // what split() starts from
  std::array<std::uint64_t, 4> state_;
};

}  // namespace dovetail
