// The journal of a run: what it says of tasks and jobs, and the records that `show` makes of it.
#include "batch/pilot_state.hpp"
#include "dovetail/io.hpp"
#include "fuzz/fuzz_target.hpp"
#include "run/report/run_record.hpp"

FUZZ_TARGET(journal) {
  using namespace dovetail;
  static const test::FuzzFolder folder;
  static const Problem problem(
      {parse_workflow("tasks:\n- {id: a, time: 1}\n- {id: b, time: 2, after: a}\n"
                      "- {id: c, time: 1, after: a}\n- {id: d, time: 1, after: [b, c]}\n",
                      "flow")},
      Platform::empty(4));
  const std::string file = folder.write("journal", input);
  test::expect_errors([&] {
    const run::RunState state = run::read_run_state(file, problem.task_count());
    run::planned_record(problem, state);
    run::executed_record(problem, state);
  });
  test::expect_errors([&] {
    const batch::PilotStates states = batch::read_pilot_states(file);
    batch::WaitSummary waits;
    for (const batch::PilotStatus& job : states.all()) waits.add(job);
    waits.mean_error();
    states.owner("dovetail-x-1.1");
    states.place_of(1);
  });
}
