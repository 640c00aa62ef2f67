// run.json, the description of a run.
#include "fuzz/fuzz_target.hpp"
#include "run/run_description.hpp"

FUZZ_TARGET(run_json) {
  using namespace dovetail;
  static const test::FuzzFolder folder;
  static const run::RunFolder own = run::RunFolder::create(folder.path(), "flow");
  std::ofstream(own.description(), std::ios::binary).write(input.data(), std::ssize(input));
  test::expect_errors([&] {
    const run::RunDescription read = run::RunDescription::read(own);
    read.problem();
    read.later(1'000);
    read.check();
  });
}
