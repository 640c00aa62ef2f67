// Short numbers that stand for generated data in tests: when the generator's output changes in any
// way, so does the fingerprint (FNV-1a).
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "dovetail/platform.hpp"
#include "dovetail/workflow.hpp"

namespace dovetail::testing {

class Fingerprint {
 public:
  Fingerprint& add(std::int64_t value) {
    for (int shift = 0; shift < 64; shift += 8) {
      hash_ ^= (static_cast<std::uint64_t>(value) >> shift) & 0xFF;
      hash_ *= 1099511628211ULL;
    }
    return *this;
  }
  std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 14695981039346656037ULL;
};

inline std::uint64_t fingerprint(const Workflow& workflow) {
  Fingerprint print;
  for (TaskId task = 0; task < workflow.size(); ++task) {
    print.add(std::llround(1000 * workflow.time(task).seconds()));
    print.add(std::llround(1e6 * workflow.time(task).alpha()));
    for (TaskId next : workflow.successors(task)) print.add(next);
  }
  return print.value();
}

inline std::uint64_t fingerprint(const Cluster& cluster) {
  Fingerprint print;
  print.add(cluster.processors).add(std::llround(1e6 * cluster.free_on_average.value_or(-1)));
  for (const Reservation& r : cluster.reservations) print.add(r.start).add(r.end).add(r.procs);
  return print.value();
}

}  // namespace dovetail::testing
