#include <set>

#include "federation/client/experiment_run.hpp"
#include "federation/client/part_watcher.hpp"
#include "run/journal_file.hpp"
#include "run/mailbox.hpp"

namespace dovetail::federation {

std::vector<std::string> cancel_experiment(const run::RunFolder& folder, const ExperimentFile& file,
                                           const Caller& caller) {
  ExperimentState state = read_experiment_state(folder, file);
  run::JournalWriter journal(folder.journal());
  const auto write = [&](const Json& entry) {
    journal.add(entry);
    journal.sync();
    state.apply(entry);
  };
  // Written first, so that no other process resumes it.
  if (state.outcome() != "done") write(journal_entry("over", {{"outcome", "cancelled"}}));
  std::set<std::string> untold;
  constexpr double kSeconds = 10;
  for (const std::size_t number : state.untold()) {
    const ExperimentPart& part = state.parts()[number];
    if (untold.contains(part.daemon)) continue;
    try {
      caller.post({part.url, Role::daemon, part.daemon}, "/v1/cancel",
                  {{"request_id", part.request}}, kSeconds);
    } catch (const NoAnswer&) {
      untold.insert(part.daemon);
      continue;
    } catch (const Denied& denied) {
      // Else the daemon never received it.
      if (is_passing(denied)) {
        untold.insert(part.daemon);
        continue;
      }
    }
    write(journal_entry("told", {{"part", number}}));
  }
  run::Mailbox mailbox(folder);
  mailbox.take();
  mailbox.forget();
  return {untold.begin(), untold.end()};
}

}  // namespace dovetail::federation
