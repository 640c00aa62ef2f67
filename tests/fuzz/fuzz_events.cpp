// Event files, for a cluster and for a pool.
#include "dovetail/io.hpp"
#include "fuzz/fuzz_target.hpp"

FUZZ_TARGET(events) {
  using namespace dovetail;
  static const Workflow flow = parse_workflow(
      "{\"tasks\":[{\"id\":\"a\",\"time\":10},{\"id\":\"b\",\"time\":10,\"after\":\"a\"}]}", "f");
  static const Problem cluster({flow}, Platform::empty(8));
  static const Problem pool(
      {flow}, Platform(0, {{.name = "r1", .processors = 1}, {.name = "r2", .processors = 1}}));
  for (const Problem* problem : {&cluster, &pool}) {
    test::expect_errors([&] { parse_events(input, "events", *problem); });
  }
}
