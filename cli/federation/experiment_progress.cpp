#include "cli/federation/experiment_progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <map>

#include "cli/command.hpp"
#include "run/clock.hpp"

namespace dovetail::cli {

namespace {

// Months done and to do, by cluster.
std::map<std::string, std::pair<Count, Count>> months_of(const federation::ExperimentState& state) {
  std::map<std::string, std::pair<Count, Count>> months;
  for (const auto& [number, place] : state.scenarios()) {
    auto& [done, all] = months[place.part ? state.parts()[*place.part].daemon : "unassigned"];
    done += place.done;
    all += state.file().months;
  }
  return months;
}

// Post tasks of finished months that are not done.
Count posts_left(const federation::ExperimentState& state) {
  Count left = 0;
  for (const auto& [number, place] : state.scenarios()) left += place.posts_left;
  return left;
}

const char* unit_of(const federation::ExperimentState& state) {
  return state.file().workflow.is_null() ? "months" : "workflows";
}

std::string line_of(const std::string& id, const federation::ExperimentState& state) {
  const Count all = state.file().scenarios * state.file().months;
  const Count done = state.months_done();
  constexpr Count kWidth = 24;
  const auto filled = static_cast<std::size_t>(kWidth * done / all);
  std::string line = fmt::format("{} |{}{}| {}/{} {}", id, std::string(filled, '#'),
                                 std::string(kWidth - filled, '.'), done, all, unit_of(state));
  for (const auto& [cluster, months] : months_of(state)) {
    line += fmt::format("  {} {}/{}", cluster, months.first, months.second);
  }
  const Count posts = posts_left(state);
  if (posts > 0) line += fmt::format("  {} to do", counted(posts, "post task"));
  return line;
}

// The fate of a part, in a word or two.
std::string fate_of(const federation::ExperimentState& state, std::size_t number) {
  const federation::ExperimentPart& part = state.parts()[number];
  if (!part.abandoned.empty()) return part.abandoned;
  std::size_t done = 0;
  std::size_t failed = 0;
  const std::vector<Count> kept = state.of_part(number);
  for (const Count scenario : kept) {
    const federation::Place& place = state.scenarios().at(scenario);
    done += place.is_over ? 1 : 0;
    failed += place.failure.empty() ? 0 : 1;
  }
  const std::size_t all = part.scenarios.size();
  std::vector<std::string> words;
  const auto add = [&](std::size_t count, const char* what) {
    if (count == all) words.push_back(what);
    if (count > 0 && count < all) words.push_back(fmt::format("{} {}", count, what));
  };
  add(done, "done");
  add(failed + part.failures, "failed");
  add(kept.size() - done - failed, state.outcome() == "cancelled" ? "cancelled" : "not done");
  add(all - kept.size() - part.failures, "moved");
  return fmt::format("{}", fmt::join(words, ", "));
}

// Scenarios by the cluster and the folder where their results are.
void print_places(const federation::ExperimentState& state) {
  std::map<std::pair<std::string, std::string>, std::vector<Count>> places;
  for (const auto& [number, place] : state.scenarios()) {
    if (!place.part || place.folder.empty()) continue;
    places[{state.parts()[*place.part].daemon, place.folder}].push_back(number);
  }
  for (const auto& [place, scenarios] : places) {
    say("  results of {} {}: on {} in {}\n", scenarios.size() == 1 ? "scenario" : "scenarios",
        fmt::join(scenarios, ", "), place.first, place.second);
  }
}

}  // namespace

void ExperimentProgress::show(const federation::ExperimentState& state) {
  const std::string line = line_of(id_, state);
  if (isatty(STDERR_FILENO) == 1) {
    erase_line();
    tell("{}", line.substr(0, static_cast<std::size_t>(terminal_columns()) - 1));
    return;
  }
  // A line for every tenth of the months, and then of the post tasks.
  const Count all = state.file().scenarios * state.file().months;
  const bool has_months = state.months_done() < all;
  const std::string step =
      has_months ? fmt::format("{} months", 10LL * state.months_done() / all)
                 : fmt::format("{} posts", (10LL * posts_left(state) + all - 1) / all);
  if (step == shown_) return;
  shown_ = step;
  tell("{}\n", line);
}

void ExperimentProgress::clear() const {
  if (isatty(STDERR_FILENO) == 1) erase_line();
}

std::string words_of_work(const federation::ExperimentFile& file) {
  if (!file.workflow.is_null()) return "a workflow";
  return fmt::format("{} of {} of {}", counted(file.scenarios, "scenario"),
                     counted(file.months, "month"), file.service);
}

void print_experiment(const federation::ExperimentState& state) {
  Table table({"request", "cluster", "scenarios", "estimated", "state"});
  for (std::size_t i = 0; i < state.parts().size(); ++i) {
    const federation::ExperimentPart& part = state.parts()[i];
    table.add({part.request, part.daemon, fmt::format("{}", part.scenarios.size()),
               fmt::format("{:.1f} s", part.estimate), fate_of(state, i)});
  }
  say("{}\n", table.text(2));
  print_places(state);
  for (const Count number : state.failed()) {
    say("  scenario {} failed: {}\n", number, state.scenarios().at(number).failure);
  }
  say("  {} after {:.1f} s\n", words_of_work(state.file()),
      to_seconds((state.ended() > 0 ? state.ended() : run::wall_now()) - state.began()));
}

}  // namespace dovetail::cli
