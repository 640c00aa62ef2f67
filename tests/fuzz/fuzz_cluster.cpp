// Cluster files. What is read can be written, and read again.
#include <optional>

#include "dovetail/io.hpp"
#include "fuzz/fuzz_target.hpp"

FUZZ_TARGET(cluster) {
  using namespace dovetail;
  std::optional<Platform> platform;
  if (!test::expect_errors([&] { platform = parse_platform(input, "cluster"); })) return;
  const std::string json = format_platform(*platform, true);
  if (format_platform(parse_platform(json, "again"), true) != json) std::abort();
}
