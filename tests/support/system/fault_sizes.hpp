// How much of the series of faults is played: a sample, or all of it with DOVETAIL_FAULTS=all.
#pragma once

#include <stdlib.h>

#include <cstring>

namespace dovetail::testing {

inline bool plays_all_faults() {
  const char* const which = getenv("DOVETAIL_FAULTS");
  return which != nullptr && std::strcmp(which, "all") == 0;
}

// The sample's; another one gives another sample.
inline unsigned fault_seed() {
  const char* const text = getenv("DOVETAIL_FAULTS_SEED");
  return text == nullptr ? 1U : static_cast<unsigned>(atoi(text));
}

}  // namespace dovetail::testing
