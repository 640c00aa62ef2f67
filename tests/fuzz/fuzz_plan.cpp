// Plan files with their certificates: read, checked against a problem, written and read again.
#include "dovetail/certificate.hpp"
#include "dovetail/check.hpp"
#include "dovetail/io.hpp"
#include "fuzz/fuzz_target.hpp"

FUZZ_TARGET(plan) {
  using namespace dovetail;
  // Those of the plans in the corpus.
  static const Problem problem(
      {parse_workflow("name: demo\ntasks:\n- {id: a, time: 10}\n"
                      "- {id: b, time: 20, alpha: 0.1, after: a}\n- {id: c, time: 5, after: a}\n"
                      "- {id: d, time: 8, after: [b, c]}\n",
                      "flow")},
      parse_platform("clusters:\n- name: kth\n  processors: 4\n  reservations:\n"
                     "  - {start: 5, end: 15, processors: 2}\n",
                     "cluster"));
  PlanRecord record;
  if (!test::expect_errors([&] { record = parse_plan(input, "plan"); })) return;
  check(problem, record);
  if (record.search && record.search->certificate) refute(problem, *record.search->certificate);
  const std::string text = format_plan(record);
  if (format_plan(parse_plan(text, "again")) != text) std::abort();
}
