// Ensemble files.
#include "fuzz/fuzz_target.hpp"
#include "io/formats/ensemble_file.hpp"

FUZZ_TARGET(ensemble) {
  using namespace dovetail;
  for (const bool wall_clock : {false, true}) {
    test::expect_errors([&] { io::parse_ensemble(input, "ensemble", wall_clock); });
  }
}
