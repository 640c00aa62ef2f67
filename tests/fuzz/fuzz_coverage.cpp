// Coverage for libFuzzer from the compiler that builds everything else. clang 14, which Debian 12
// has, does not compile the ranges of its standard library, and libFuzzer does not take what g++
// gives it, a call at every edge: here these calls become counters that it takes. The linker sends
// them here (--wrap).
#include <cstddef>
#include <cstdint>

extern "C" void __sanitizer_cov_8bit_counters_init(std::uint8_t* begin, std::uint8_t* end);

namespace {

// More edges than a reader has, and few enough to be looked at after every run.
constexpr std::size_t kBits = 15;
std::uint8_t counters[std::size_t{1} << kBits];

const bool is_known = [] {
  __sanitizer_cov_8bit_counters_init(counters, counters + sizeof counters);
  return true;
}();

}  // namespace

// Without a call of its own at every edge.
extern "C" __attribute__((no_sanitize_coverage)) void __wrap___sanitizer_cov_trace_pc() {
  const auto place = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
  ++counters[(place * 0x9E3779B97F4A7C15U) >> (64 - kBits)];
}
