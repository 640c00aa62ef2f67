// The journal of an experiment over several clusters, at its client.
#include "federation/client/experiment.hpp"
#include "fuzz/fuzz_target.hpp"

FUZZ_TARGET(experiment) {
  using namespace dovetail;
  static const test::FuzzFolder folder;
  const federation::ExperimentFile file{
      .name = "test", .scenarios = 3, .months = 5, .service = "climate"};
  const std::string journal = folder.write("journal", input);
  test::expect_errors([&] {
    federation::ExperimentState state(file);
    run::read_journal(journal, [&](const run::Json& entry) {
      try {
        state.apply(entry);
      } catch (const std::out_of_range&) {
        // A scenario or a part that it does not have.
      } catch (const std::bad_optional_access&) {
      }
    });
    state.months_done();
    state.months_left(state.unfinished());
    state.untold();
  });
}
