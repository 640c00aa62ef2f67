// Logs as `replay` and `queue` take them: SWF or JSON, gzipped or plain.
#include "fuzz/fuzz_target.hpp"
#include "queue/sim/trace.hpp"

FUZZ_TARGET(trace) {
  using namespace dovetail;
  static const test::FuzzFolder folder;
  test::expect_errors([&] { queue::read_trace(folder.write("log", input), {.nodes = 100}); });
}
