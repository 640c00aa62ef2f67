// Names that no other process will choose, such as those of jobs and requests.
#pragma once

#include <fmt/format.h>

#include <random>
#include <string>

namespace dovetail::run {

// Eight hexadecimal digits from the system's random numbers.
inline std::string random_token() { return fmt::format("{:08x}", std::random_device()()); }

}  // namespace dovetail::run
