// The file in which the owner of a cluster says what may run there.
#include "federation/daemon/daemon_file.hpp"
#include "fuzz/fuzz_target.hpp"

FUZZ_TARGET(daemon_file) {
  using namespace dovetail;
  test::expect_errors([&] { federation::parse_daemon(input, "daemon.yaml"); });
}
