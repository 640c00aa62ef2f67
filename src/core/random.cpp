#include "core/random.hpp"

#include <bit>
#include <cassert>
#include <cmath>

namespace dovetail {
namespace {

constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15ULL;

// The output function of splitmix64.
std::uint64_t mix(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

}  // namespace

Random::Random(std::uint64_t seed) : seed_(seed), state_() {
  for (std::uint64_t& word : state_) {
    seed += kGolden;
    word = mix(seed);
  }
}

Random Random::split(std::uint64_t stream) const {
  // Both numbers are mixed on their own, so that (1, 2) does not collide with (2, 1) or (0, 3).
  return Random(mix(mix(seed_ + kGolden) + mix(stream + 2 * kGolden) * kGolden));
}

std::uint64_t Random::next() {
  const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
  const std::uint64_t shifted = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

double Random::uniform01() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

double Random::uniform(double lo, double hi) { return lo + (hi - lo) * uniform01(); }

std::uint64_t Random::below(std::uint64_t n) {
  assert(n >= 1);
  // The lowest 2^64 mod n values would make some results likelier than others.
  const std::uint64_t unfair = (0 - n) % n;
  std::uint64_t value = next();
  while (value < unfair) value = next();
  return value % n;
}

double Random::normal() {
  // Marsaglia's polar method. It discards the second value, so that state_ is the whole state.
  while (true) {
    const double x = uniform(-1, 1);
    const double y = uniform(-1, 1);
    const double square = x * x + y * y;
    if (square > 0 && square < 1) return x * std::sqrt(-2 * std::log(square) / square);
  }
}

double Random::gamma(double shape, double scale) {
  assert(shape > 0 && scale > 0);
  if (shape < 1) {
    const double larger = gamma(shape + 1, scale);
    return larger * std::pow(1 - uniform01(), 1 / shape);
  }
  // Marsaglia and Tsang, "A simple method for generating gamma variables", 2000.
  const double d = shape - 1.0 / 3.0;
  const double c = 1 / std::sqrt(9 * d);
  while (true) {
    const double x = normal();
    const double root = 1 + c * x;
    if (root <= 0) continue;
    const double v = root * root * root;
    const double u = 1 - uniform01();
    if (std::log(u) < 0.5 * x * x + d - d * v + d * std::log(v)) return scale * d * v;
  }
}

}  // namespace dovetail
