// Numbers in the order of what they stand for.
//
//   order_by<TaskId>(slots.size(), [&](TaskId task) { return slots[task].start; })
#pragma once

#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>

namespace dovetail {

// 0 .. count - 1 by key; equal keys to the lower number.
template <typename Number, typename Key, typename Less = std::ranges::less>
std::vector<Number> order_by(std::size_t count, const Key& key, const Less& less = {}) {
  std::vector<Number> order(count);
  std::iota(order.begin(), order.end(), Number{0});
  std::ranges::sort(order, [&](Number a, Number b) {
    return less(key(a), key(b)) || (a < b && !less(key(b), key(a)));
  });
  return order;
}

}  // namespace dovetail
