// The journal of a daemon, month by month, and the shorter one that it is replaced by.
#include "federation/daemon/month_state.hpp"
#include "fuzz/fuzz_target.hpp"
#include "run/journal_file.hpp"

FUZZ_TARGET(month_journal) {
  using namespace dovetail;
  static const test::FuzzFolder folder;
  const std::string file = folder.write("journal", input);
  test::expect_errors([&] {
    federation::MonthState state;
    run::read_journal(file, [&](const run::Json& entry) { state.apply(entry); });
    federation::MonthState again;
    for (const run::Json& entry : state.entries()) again.apply(entry);
    state.active_scenarios("climate");
    state.months_left("climate");
  });
}
