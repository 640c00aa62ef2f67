#include "cli/federation/federated_run.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <functional>
#include <optional>

#include "cli/federation/experiment_progress.hpp"
#include "cli/federation/server_log.hpp"
#include "dovetail/error.hpp"
#include "dovetail/io.hpp"
#include "federation/client/experiment_run.hpp"
#include "run/interrupts.hpp"
#include "run/mailbox.hpp"
#include "run/run_folder.hpp"

namespace dovetail::cli {

namespace {

using federation::ExperimentFile;
using federation::ExperimentState;

federation::Caller caller_of(const FederationArguments& arguments) {
  if (arguments.keys.empty()) {
    throw InputError("--agent: needs --keys, your certificate, such as --keys keys/alice");
  }
  federation::require_url(arguments.agent, "--agent");
  return federation::Caller(federation::identity(arguments.keys, federation::Role::client));
}

std::string description_of(const ExperimentFile& file, const federation::Caller& caller) {
  federation::Json description = json_of(file);
  description["client"] = caller.self().self.name;
  return description.dump(2) + "\n";
}

// The last experiment with the same description that satisfies the condition.
std::optional<run::RunFolder> last_of(const ExperimentFile& file, const federation::Caller& caller,
                                      const std::function<bool(const ExperimentState&)>& is_it) {
  const std::string text = description_of(file, caller);
  auto known = run::RunFolder::of_workflow(experiments_folder(), file.name);
  std::ranges::reverse(known);
  for (const run::RunFolder& folder : known) {
    if (read_file(folder.description()) != text) continue;
    if (is_it(federation::read_experiment_state(folder, file))) return folder;
  }
  return std::nullopt;
}

std::optional<run::RunFolder> unfinished(const ExperimentFile& file,
                                         const federation::Caller& caller) {
  return last_of(file, caller, &ExperimentState::can_go_on);
}

std::string words_of_holder(const run::RunFolder& folder) {
  const auto holder = run::RunLock::holder(folder);
  return holder ? fmt::format("process {}", holder->pid) : "another process";
}

// An experiment, and the lock that keeps other processes from working on it.
struct OpenExperiment {
  run::RunFolder folder;
  run::RunLock lock;
};

OpenExperiment open_experiment(const ExperimentFile& file, const federation::Caller& caller,
                               bool is_new) {
  const auto last = is_new ? std::nullopt : unfinished(file, caller);
  const auto folder = last ? *last : run::RunFolder::create(experiments_folder(), file.name);
  auto lock = run::RunLock::take(folder);
  if (!lock) {
    throw InputError(
        fmt::format("{} is being run by {}; use --cancel to end it, or --new to begin another",
                    folder.id(), words_of_holder(folder)));
  }
  if (last) {
    tell("{} goes on; use --new to begin another\n", folder.id());
  } else {
    write_file(folder.description(), description_of(file, caller));
  }
  return {folder, std::move(*lock)};
}

// Asks the process that runs the experiment to end, and waits for it.
run::RunLock lock_to_cancel(const run::RunFolder& folder) {
  constexpr useconds_t kPause = 50'000;
  constexpr int kTriesBeforeWord = 200;
  for (int tries = 0;; ++tries, usleep(kPause)) {
    if (auto lock = run::RunLock::take(folder)) return std::move(*lock);
    if (tries == 0) run::post(folder, {{"what", "cancel"}});
    if (tries == kTriesBeforeWord) {
      tell("waiting for {}, which runs it; check that it is not suspended\n",
           words_of_holder(folder));
    }
  }
}

Exit cancel_all(const ExperimentFile& file, const federation::Caller& caller) {
  auto found = unfinished(file, caller);
  if (!found) {
    found =
        last_of(file, caller, [](const ExperimentState& state) { return !state.untold().empty(); });
  }
  if (!found) throw InputError("--cancel: no run of " + file.name + " is in progress");
  const run::RunLock lock = lock_to_cancel(*found);
  const auto untold = federation::cancel_experiment(*found, file, caller);
  for (const std::string& daemon : untold) {
    tell("{} cannot be reached; use --cancel again when it answers\n", daemon);
  }
  if (!untold.empty()) return Exit::outside;
  say("{}: {}\n", found->id(), federation::read_experiment_state(*found, file).outcome());
  return Exit::fine;
}

// An experiment of which no cluster got a part leaves no folder behind.
void forget_if_nothing_was_sent(const run::RunFolder& folder, const ExperimentFile& file) {
  if (!federation::read_experiment_state(folder, file).parts().empty()) return;
  std::error_code ignored;
  std::filesystem::remove_all(std::filesystem::path(folder.journal()).parent_path(), ignored);
}

std::string seconds_text(double seconds) {
  return seconds >= 1e15 ? "never" : fmt::format("{:.1f} s", seconds);
}

// The unfinished experiment that the same command without --dry-run would continue.
void print_continuation(const ExperimentFile& file, const federation::Caller& caller) {
  const auto last = unfinished(file, caller);
  if (!last) return;
  const ExperimentState state = federation::read_experiment_state(*last, file);
  const auto failed = state.failed();
  say("  {} {}: {} of {} done{}\n", last->id(),
      run::RunLock::holder(*last) ? "runs now" : "would go on", state.scenarios_over(),
      counted(state.scenarios().size(), "scenario"),
      failed.empty() ? "" : fmt::format(", {} failed", failed.size()));
  for (const Count number : failed) {
    say("  scenario {} would be tried again after month {}\n", number,
        state.scenarios().at(number).done);
  }
}

// Prints the estimates and how the scenarios would be shared out.
Exit show_offers(const ExperimentFile& file, const FederationArguments& arguments,
                 const federation::Caller& caller) {
  const federation::OfferQuestion question{.service = file.service,
                                           .scenarios = file.scenarios,
                                           .months = file.months,
                                           .parameters = file.parameters,
                                           .workflow = file.workflow};
  const auto asked =
      federation::ask_for_offers(caller, arguments.agent, question, time_ceil(arguments.deadline));
  if (asked.offers.empty()) {
    federation::fail_without_offers(arguments.agent, question, asked.others);
  }
  print_notes(federation::missing_offers(asked.others));
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
  say("{}: {}; how long each cluster takes{}\n\n{}\n{}\n", file.name, words_of_work(file),
      file.scenarios == 1 ? "" : " for 1, 2, ... scenarios", vectors.text(), shares.text(2));
  say("  ends after {}; by round robin {}; nothing is run\n",
      seconds_text(federation::makespan_of(asked.offers, counts)),
      seconds_text(federation::makespan_of(
          asked.offers, federation::share_out(asked.offers, file.scenarios, "round-robin"))));
  print_continuation(file, caller);
  return Exit::fine;
}

Exit run_opened(const run::RunFolder& folder, const ExperimentFile& file,
                const federation::Caller& caller, const FederationArguments& arguments,
                run::Interrupts& interrupts) {
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
       .interrupted = [&] { return !interrupts.take().empty(); }});
  progress.clear();
  if (end == federation::ExperimentEnd::interrupted) {
    forget_if_nothing_was_sent(folder, file);
    tell("{} goes on without this terminal; run the same command to watch it again\n", folder.id());
    return Exit::no;
  }
  const ExperimentState state = federation::read_experiment_state(folder, file);
  print_experiment(state);
  if (end == federation::ExperimentEnd::failed) {
    say("{}: failed; fix the cause, and the same command goes on\n", folder.id());
  } else {
    const bool is_done = end == federation::ExperimentEnd::done;
    say("{}: {}\n", folder.id(), is_done ? "done" : "cancelled");
  }
  return end == federation::ExperimentEnd::done ? Exit::fine : Exit::no;
}

}  // namespace

bool is_ensemble(const std::string& path) {
  try {
    return federation::is_ensemble_file(path);
  } catch (const std::exception&) {
    return false;
  }
}

KnownExperiment::KnownExperiment(const run::RunFolder& run)
    : folder(run),
      state(federation::read_experiment_state(
          run,
          federation::experiment_file_of(federation::Json::parse(read_file(run.description()))))) {}

std::string KnownExperiment::condition() const {
  if (run::RunLock::holder(folder)) return "running";
  return state.outcome().empty() ? "left alone" : state.outcome();
}

std::string experiments_folder() { return run::state_folder() + "/experiments"; }

void FederationArguments::add(CLI::App& command) {
  command.add_option("--agent", agent, "run over the clusters of the agent at this URL");
  command.add_option("--keys", keys, "use this certificate, such as keys/alice (with --agent)");
  command
      .add_option("--answer-within", deadline,
                  "wait this many seconds for answers (with --agent; default: 5)")
      ->check(CLI::Range(0.01, 30.0));
  command
      .add_option("--lost-after", lost_after,
                  "give up a cluster that is silent for this many seconds (with --agent; default: "
                  "30)")
      ->check(CLI::Range(0.1, 1e6));
  command
      .add_option(
          "--look-again", look_again,
          "check every this many seconds whether to move scenarios (with --agent; default: 10)")
      ->check(CLI::Range(0.1, 1e6));
  command
      .add_option("--repartition", repartition,
                  "share out scenarios: greedy, each where it ends earliest (default), or "
                  "round-robin, to compare (with --agent)")
      ->check(CLI::IsMember({"greedy", "round-robin"}));
  command.add_flag("--cancel", cancels,
                   "cancel the run that the same command began (with --agent)");
}

void FederationArguments::require_none() const {
  if (!keys.empty() || cancels) throw InputError("--keys, --cancel: need --agent URL");
}

Exit run_federated(const std::string& path, const FederationArguments& arguments, bool is_new,
                   bool is_dry) {
  std::signal(SIGPIPE, SIG_IGN);
  run::SignalInterrupts interrupts;
  const federation::Caller caller = caller_of(arguments);
  const ExperimentFile file = federation::is_ensemble_file(path)
                                  ? federation::read_experiment(path)
                                  : federation::workflow_experiment(path);
  if (is_dry) return show_offers(file, arguments, caller);
  if (arguments.cancels) return cancel_all(file, caller);
  const OpenExperiment opened = open_experiment(file, caller, is_new);
  const run::RunFolder& folder = opened.folder;
  try {
    return run_opened(folder, file, caller, arguments, interrupts);
  } catch (const std::exception&) {
    forget_if_nothing_was_sent(folder, file);
    throw;
  }
}

}  // namespace dovetail::cli
