// What a function gives for each item of a range, as a vector.
//
//   const std::vector<std::string> names = mapped(clusters, &Cluster::name);
#pragma once

#include <functional>
#include <ranges>
#include <vector>

namespace dovetail {

template <std::ranges::input_range Items, typename Function>
auto mapped(Items&& items, Function function) {
  using Result = std::invoke_result_t<Function&, std::ranges::range_reference_t<Items>>;
  std::vector<std::remove_cvref_t<Result>> results;
  for (auto&& item : items) results.push_back(std::invoke(function, item));
  return results;
}

}  // namespace dovetail
