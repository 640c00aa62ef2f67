#include "federated_run.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <optional>

#include "dovetail/error.hpp"
#include "dovetail/io.hpp"
#include "exec/interrupts.hpp"
#include "exec/run_folder.hpp"
#include "experiment_progress.hpp"
#include "federation/experiment_run.hpp"
#include "service.hpp"

namespace dovetail::cli {

namespace {

using federation::ExperimentFile;
using federation::ExperimentState;

std::string experiments_folder() { return exec::state_folder() + "/experiments"; }

federation::Caller caller_of(const FederationArguments& arguments) {
  if (arguments.keys.empty()) {
    throw InputError("--agent: needs --keys, your certificate, such as --keys keys/alice");
  }
  federation::require_url(arguments.agent, "--agent");
  auto self = federation::identity(arguments.keys);
  if (self.self.role != federation::Role::client) {
    throw InputError(self.certificate + ": is not a client's certificate");
  }
  return federation::Caller(std::move(self));
}

// The last one with the same description that has not come to its end.
std::optional<exec::RunFolder> unfinished(const ExperimentFile& file, const std::string& text) {
  auto known = exec::RunFolder::of_workflow(experiments_folder(), file.name);
  std::ranges::reverse(known);
  for (const exec::RunFolder& folder : known) {
    if (read_file(folder.description()) != text) continue;
    if (!federation::read_experiment_state(folder, file).has_ended()) return folder;
  }
  return std::nullopt;
}

std::string description_of(const ExperimentFile& file, const federation::Caller& caller) {
  federation::Json description = json_of(file);
  description["client"] = caller.self().self.name;
  return description.dump(2) + "\n";
}

exec::RunFolder folder_for(const ExperimentFile& file, const federation::Caller& caller,
                           bool is_new) {
  const std::string text = description_of(file, caller);
  if (!is_new) {
    if (auto folder = unfinished(file, text)) {
      fmt::print(stderr, "{} goes on; --new begins another\n", folder->id());
      return *folder;
    }
  }
  auto folder = exec::RunFolder::create(experiments_folder(), file.name);
  write_file(folder.description(), text);
  return folder;
}

exec::RunLock lock_experiment(const exec::RunFolder& folder, const std::string& what_to_do) {
  auto lock = exec::RunLock::take(folder);
  if (lock) return std::move(*lock);
  const auto holder = exec::RunLock::holder(folder);
  throw InputError(fmt::format("{} is being run from here already{}; {}", folder.id(),
                               holder ? fmt::format(", by process {}", holder->pid) : "",
                               what_to_do));
}

Exit cancel_all(const ExperimentFile& file, const federation::Caller& caller) {
  const auto found = unfinished(file, description_of(file, caller));
  if (!found) throw InputError("--cancel: nothing of " + file.name + " is being run");
  const exec::RunFolder& folder = *found;
  // Whoever runs it would give what is cancelled to others.
  const exec::RunLock lock = lock_experiment(folder, "end that one first");
  const auto untold = federation::cancel_experiment(folder, file, caller);
  exec::JournalWriter journal(folder.journal());
  for (const std::string& daemon : untold) {
    fmt::print(stderr, "{} could not be told; try again\n", daemon);
  }
  if (!untold.empty()) return Exit::outside;
  journal.add(federation::over_entry());
  journal.sync();
  fmt::print("{}: cancelled\n", folder.id());
  return Exit::fine;
}

std::string seconds_text(double seconds) {
  return seconds >= 1e15 ? "never" : fmt::format("{:.1f} s", seconds);
}

// Vectors and repartition, and nothing is run.
Exit show_offers(const ExperimentFile& file, const FederationArguments& arguments,
                 const federation::Caller& caller) {
  const auto asked = federation::ask_for_offers(caller, arguments.agent,
                                                {.service = file.service,
                                                 .scenarios = file.scenarios,
                                                 .months = file.months,
                                                 .parameters = file.parameters,
                                                 .workflow = file.workflow},
                                                time_ceil(arguments.deadline));
  for (const auto& refused : asked.others.refused) {
    fmt::print(stderr, "{} does not: {}\n", refused.name, refused.error);
  }
  for (const std::string& late : asked.others.late) {
    fmt::print(stderr, "{} did not answer in time\n", late);
  }
  if (asked.offers.empty()) throw InputError("no daemon offers the service " + file.service);
  const auto counts = federation::share_out(asked.offers, file.scenarios, arguments.repartition);
  std::vector<std::string> header = {"cluster"};
  for (Count k = 1; k <= file.scenarios; ++k) header.push_back(std::to_string(k));
  Table vectors(header);
  Table shares({"cluster", "groups", "scenarios", "ends after"});
  for (std::size_t i = 0; i < asked.offers.size(); ++i) {
    const federation::Offer& offer = asked.offers[i];
    std::vector<std::string> row = {offer.daemon};
    for (const double seconds : offer.makespans) row.push_back(seconds_text(seconds));
    vectors.add(row);
    const auto last = static_cast<std::size_t>(std::max<Count>(counts[i], 1) - 1);
    shares.add(
        {offer.daemon, counts[i] == 0 ? "" : fmt::format("{}", fmt::join(offer.groups[last], "+")),
         std::to_string(counts[i]), counts[i] == 0 ? "" : seconds_text(offer.makespans[last])});
  }
  fmt::print(
      "{}: {} scenarios of {} months of {}; how long each cluster takes for 1, 2, ...\n\n{}\n{}\n",
      file.name, file.scenarios, file.months, file.service, vectors.text(), shares.text(2));
  fmt::print(
      "  ends after {}; by round robin {}; nothing is run\n",
      seconds_text(federation::makespan_of(asked.offers, counts)),
      seconds_text(federation::makespan_of(
          asked.offers, federation::share_out(asked.offers, file.scenarios, "round-robin"))));
  return Exit::fine;
}

}  // namespace

void FederationArguments::add(CLI::App& command) {
  command.add_option("--agent", agent, "run over the clusters that this agent knows: its URL");
  command.add_option("--keys", keys, "with --agent: your certificate, such as keys/alice");
  command.add_option("--answer-within", deadline, "with --agent: seconds for answers (default: 5)")
      ->check(CLI::Range(0.01, 30.0));
  command
      .add_option("--lost-after", lost_after,
                  "with --agent: a cluster that is silent for so many seconds is given up "
                  "(default: 30)")
      ->check(CLI::Range(0.1, 1e6));
  command
      .add_option("--look-again", look_again,
                  "with --agent: seconds between looks at whether to move scenarios (default: 10)")
      ->check(CLI::Range(0.1, 1e6));
  command
      .add_option("--repartition", repartition,
                  "with --agent: greedy, each scenario where it ends earliest (default), or "
                  "round-robin, to compare")
      ->check(CLI::IsMember({"greedy", "round-robin"}));
  command.add_flag("--cancel", cancels, "with --agent: end what the same command has begun");
}

void FederationArguments::require_none() const {
  if (!keys.empty() || cancels) throw InputError("--keys, --cancel: need --agent URL");
}

Exit run_federated(const std::string& path, const FederationArguments& arguments, bool is_new,
                   bool is_dry) {
  std::signal(SIGPIPE, SIG_IGN);
  exec::Interrupts interrupts;
  const federation::Caller caller = caller_of(arguments);
  const ExperimentFile file = federation::is_ensemble_file(path)
                                  ? federation::read_experiment(path)
                                  : federation::workflow_experiment(path);
  if (is_dry) return show_offers(file, arguments, caller);
  if (arguments.cancels) return cancel_all(file, caller);
  const exec::RunFolder folder = folder_for(file, caller, is_new);
  const exec::RunLock lock = lock_experiment(folder, "--new begins another");
  ExperimentProgress progress(folder.id());
  const auto log = service_log();
  const auto end = federation::run_experiment(
      folder, file, caller,
      {.agent = arguments.agent,
       .deadline = time_ceil(arguments.deadline),
       .lost_after = time_ceil(arguments.lost_after),
       .look_again = time_ceil(arguments.look_again),
       .repartition = arguments.repartition,
       .say =
           [&](const std::string& line) {
             progress.clear();
             log(line);
           },
       .progress = [&](const ExperimentState& state) { progress.show(state); },
       .interrupted = [&] { return interrupts.take() > 0; }});
  progress.clear();
  if (end == federation::ExperimentEnd::interrupted) {
    fmt::print(stderr, "{} goes on without this terminal; the same command watches it again\n",
               folder.id());
    return Exit::no;
  }
  progress.print_table();
  const bool is_fine = end == federation::ExperimentEnd::done;
  fmt::print("{}: {}\n", folder.id(), is_fine ? "all months are done" : "failed");
  return is_fine ? Exit::fine : Exit::no;
}

}  // namespace dovetail::cli
