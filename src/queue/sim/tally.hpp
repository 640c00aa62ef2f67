// How often which value occurred, for exact quantiles of long streams of values that repeat.
//
//   Tally waits;
//   for (const JobRecord& job : jobs) waits.add(job.start - job.submit);
//   Duration typical = waits.median();
//
// Needs memory for the different values, not for all of them: waits are whole seconds, and many
// jobs do not wait at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dovetail/time.hpp"

namespace dovetail {

class Tally {
 public:
  void add(Duration value);

  std::uint64_t count() const { return count_; }

  // The smallest value that at least this share of all values does not exceed (nearest rank). Needs
  // 0 < share <= 1; 0 when there are no values.
  Duration quantile(double share);

  // The middle value, or the mean of the two in the middle; 0 when there are no values.
  double median();

  Duration largest() { return quantile(1); }

 private:
  struct TallyEntry {
    Duration value;
    std::uint64_t times;
  };

  void sort_in();
  // The value of that rank, counted from 1.
  Duration at(std::uint64_t rank);

  static constexpr std::size_t kRecent = 1U << 14U;
  std::vector<TallyEntry> entries_;  // by value, each once
  std::vector<Duration> recent_;     // not yet among them
  std::uint64_t count_ = 0;
};

}  // namespace dovetail
