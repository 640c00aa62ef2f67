// Logs of batch systems in the Standard Workload Format.
#include "fuzz/fuzz_target.hpp"
#include "io/formats/swf.hpp"

FUZZ_TARGET(swf) {
  using namespace dovetail;
  test::expect_errors([&] {
    const io::SwfLog log = io::parse_swf(input, "log");
    log.header.integer("MaxProcs");
    io::format_swf(log);
  });
}
