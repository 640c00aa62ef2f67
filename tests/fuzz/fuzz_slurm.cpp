// What Slurm's commands print, read by every function that reads it.
#include "batch/slurm/slurm_accounting.hpp"
#include "batch/slurm/slurm_text.hpp"
#include "fuzz/fuzz_target.hpp"

FUZZ_TARGET(slurm) {
  using namespace dovetail;
  using namespace dovetail::batch::slurm;
  const auto read = [&](auto parse) { test::expect_errors([&] { parse(input); }); };
  read([](auto text) { parse_jobs(text); });
  read([](auto text) { parse_nodes(text); });
  read([](auto text) { parse_partitions(text); });
  read([](auto text) { parse_reservations(text); });
  read([](auto text) { find_past_job(parse_past_jobs(text), "dv-1"); });
  read([](auto text) { parse_accounting_settings(text); });
  read([](auto text) {
    limits_for({.user = "ann", .partition = "main"}, parse_associations(text), parse_qos(text));
  });
}
