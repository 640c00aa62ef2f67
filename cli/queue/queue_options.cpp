#include "cli/queue/queue_options.hpp"

#include <fmt/format.h>

#include "cli/command.hpp"
#include "dovetail/error.hpp"
#include "io/text.hpp"
#include "queue/sim/replay_report.hpp"
#include "queue/sim/rule_names.hpp"

namespace dovetail::cli {

using namespace queue;

void add_log_rules(CLI::App& command, TraceRules& trace) {
  add_choice(command, "--requests,--estimates", trace.requests, names<Requests>(),
             "choose the requested times: real (default), as in the log; accurate, as long as the "
             "job runs");
  add_choice(
      command, "--never-ran", trace.never_ran, names<NeverRan>(),
      "choose what to do with jobs that left the queue before they ran: drop them (default), or "
      "request: run them as long as requested");
  add_choice(
      command, "--overrun", trace.overrun, names<Overrun>(),
      "choose what to do with jobs that ran longer than requested: raise the request (default), "
      "or kill them");
}

void add_policy_rules(CLI::App& command, QueueRules& queue) {
  std::vector<std::pair<std::string, std::string>> choices;
  std::string help = "choose which job starts next";
  for (const PolicyInfo& policy : policies()) {
    choices.emplace_back(policy.name, policy.name);
    help += fmt::format("; {}{}: {}", policy.name, policy.name == queue.policy ? " (default)" : "",
                        policy.help);
  }
  add_choice(command, "--policy", queue.policy, choices, help);
  add_choice(
      command, "--compress", queue.compress, names<Compress>(),
      "choose what conservative does with its plans when a job ends: arrival (default), move "
      "each waiting job in turn as early as it can start; rebuild, plan all anew; none, keep "
      "them");
  command
      .add_option("--depth", queue.depth,
                  "plan a start for this many waiting jobs (with easy); default 1")
      ->check(CLI::Range(1U, 1'000'000'000U).description(""));
  command.add_flag("--contiguous", queue.room.contiguous, "give each job neighbouring nodes");
}

void note_idle_options(const QueueRules& queue) {
  if (queue.depth > 1 && queue.policy != "easy") {
    tell("note: --depth has no effect without --policy easy\n");
  }
  if (queue.compress != Compress::arrival && queue.policy != "conservative") {
    tell("note: --compress has no effect without --policy conservative\n");
  }
}

std::string rules_text(const QueueRules& queue) {
  std::string text = queue.policy;
  if (queue.policy == "conservative" && queue.compress != Compress::arrival) {
    text += ", compression " + name_of(queue.compress);
  }
  if (queue.policy == "easy" && queue.depth > 1) text += fmt::format(", depth {}", queue.depth);
  if (queue.room.contiguous) text += ", neighbouring nodes";
  if (queue.room.cap > 0) {
    text += ", " + counted(static_cast<std::size_t>(queue.room.cap), "job") + " a user at once";
  }
  return text;
}

std::string requests_text(const TraceRules& trace) {
  return trace.requests == Requests::real ? "requests as in the log" : "accurate requests";
}

std::string row(std::string_view name, const std::string& text) {
  return fmt::format("  {:<12}{}\n", name, text);
}

Duration read_length(const std::string& option, const std::string& text, const char* expected) {
  const auto seconds = parse_duration(text);
  if (seconds && *seconds <= kMaxSeconds) return time_ceil(*seconds);
  throw InputError(option + ": expected " + expected + ", found " + io::quote(text));
}

std::string dropped_text(const Dropped& dropped) {
  std::string reasons;
  for (const DropReason& reason : drop_reasons(dropped)) {
    if (reason.lines == 0) continue;
    reasons += fmt::format("{}{} {}", reasons.empty() ? "" : ", ", reason.lines, reason.words);
  }
  return counted(dropped.total(), "line") + ": " + reasons;
}

std::string known_strategies() {
  std::string known;
  for (const StrategyInfo& row : strategies()) {
    known += (known.empty() ? "" : ", ") + std::string(row.name);
  }
  return known;
}

const StrategyInfo& choose_strategy(const std::string& name) {
  const std::string published = io::upper_case(name);
  if (const StrategyInfo* found = find_strategy(published)) return *found;
  io::NearestWord nearest(published);
  for (const StrategyInfo& row : strategies()) nearest.offer(row.name);
  const std::string guess = nearest.suggestion();
  throw InputError("--strategy: there is no " + io::quote(name) +
                   (guess.empty() ? "; the strategies are " + known_strategies() : guess));
}

}  // namespace dovetail::cli
