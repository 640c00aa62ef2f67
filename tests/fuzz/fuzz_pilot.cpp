// The files between the conductor and its jobs: orders and reports.
#include "batch/pilot/pilot_file.hpp"
#include "fuzz/fuzz_target.hpp"

FUZZ_TARGET(pilot) {
  using namespace dovetail;
  static const test::FuzzFolder folder;
  static const run::RunFolder own = run::RunFolder::create(folder.path(), "flow");
  test::expect_errors([&] { batch::read_order(folder.write("order", input)); });
  test::expect_errors([&] { batch::read_order(folder.write("order", input), 1); });
  std::filesystem::create_directories(
      std::filesystem::path(batch::report_file(own, 0)).parent_path());
  std::ofstream(batch::report_file(own, 0), std::ios::binary)
      .write(input.data(), std::ssize(input));
  test::expect_errors([&] { batch::read_report(own, {.job_name = "j"}); });
}
