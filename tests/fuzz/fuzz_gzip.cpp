// Files that are gzip, or nearly.
#include "dovetail/io.hpp"
#include "fuzz/fuzz_target.hpp"

FUZZ_TARGET(gzip) {
  using namespace dovetail;
  static const test::FuzzFolder folder;
  test::expect_errors([&] { read_file(folder.write("file", input)); });
}
