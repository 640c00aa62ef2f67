// What the tests of studies share.
#pragma once

#include <algorithm>
#include <string>

#include "study/study.hpp"

namespace dovetail::testing {

inline constexpr std::size_t kDefaultApplication = 2;  // 50 tasks

// Two applications (10 and 50 tasks) on the synthetic log: 18 scenarios of two instances.
template <typename Options>
Options small_study() {
  Options options;
  options.synthetic = true;
  options.timing = false;
  options.applications = {0, kDefaultApplication};
  options.workflows = 1;
  options.start_times = 2;
  options.taggings = 1;
  return options;
}

inline std::size_t line_count(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace dovetail::testing
