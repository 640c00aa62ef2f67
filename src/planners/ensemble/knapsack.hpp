// The knapsack of group sizes, solved exactly for every limit of groups at once.
//
// Source: Caniou et al. 2009, equations 6 to 8: of all groups that fit into the processors, at most
// `limit` of them, those that compute most months a second. Ties: more months a second, then fewer
// processors, then the larger size list, read from its largest size.
//
//   const Knapsack knapsack(sizes, 53, 10);
//   knapsack.groups(10);   // 9 9 7 7 7 7 7
//
// A dynamic programme over (groups, processors) of O(limit x processors x sizes) steps. Rates 1/T
// are compared exactly: as whole numbers over a common multiple of all times, of as many 64-bit
// words as it takes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dovetail/ensemble.hpp"

namespace dovetail::planning {

class Knapsack {
 public:
  // Needs a size that fits.
  Knapsack(std::span<const GroupTime> sizes, Count processors, Count limit);

  // Sizes, largest first, of at most `limit` groups; needs 1 <= limit <= the constructor's. Rising
  // limits never give fewer months a second.
  std::vector<Count> groups(Count limit) const;

  // Limits beyond this one change nothing.
  Count useful_limit() const { return limit_; }

 private:
  // Groups and processors of a list.
  struct Used {
    Count groups = 0;
    Count processors = 0;
  };

  void solve();
  std::vector<Count> list_of(Used used) const;
  bool is_preferred(Used candidate, Used best) const;

  std::vector<GroupTime> sizes_;
  Count processors_;
  Count limit_;
  bool is_saturated_;  // every group can have the fastest size, and nothing was solved
  // By groups - 1, then processors: the largest size of the best list of exactly these numbers of
  // both, as a position in sizes_; kNoSize: there is no such list.
  std::vector<std::uint16_t> largest_;
  std::vector<Used> best_;  // by limit - 1
};

}  // namespace dovetail::planning
