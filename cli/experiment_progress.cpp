#include "experiment_progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <map>

#include "command.hpp"
#include "exec/clock.hpp"

namespace dovetail::cli {

namespace {

// Months done and to do, by cluster; what nobody has is under "nobody".
std::map<std::string, std::pair<Count, Count>> months_of(const federation::ExperimentState& state) {
  std::map<std::string, std::pair<Count, Count>> months;
  for (const auto& [number, place] : state.scenarios()) {
    auto& [done, all] = months[place.part ? state.parts()[*place.part].daemon : "nobody"];
    done += place.done;
    all += state.file().months;
  }
  return months;
}

std::string line_of(const std::string& id, const federation::ExperimentState& state) {
  const Count all = state.file().scenarios * state.file().months;
  const Count done = state.months_done();
  constexpr Count kWidth = 24;
  const auto filled = static_cast<std::size_t>(kWidth * done / all);
  std::string line = fmt::format("{} |{}{}| {}/{} months", id, std::string(filled, '#'),
                                 std::string(kWidth - filled, '.'), done, all);
  for (const auto& [cluster, months] : months_of(state)) {
    line += fmt::format("  {} {}/{}", cluster, months.first, months.second);
  }
  return line;
}

}  // namespace

void ExperimentProgress::show(const federation::ExperimentState& state) {
  last_ = state;
  const std::string line = line_of(id_, state);
  if (isatty(STDERR_FILENO) == 1) {
    fmt::print(stderr, "\r\033[K{}",
               line.substr(0, static_cast<std::size_t>(terminal_columns()) - 1));
    return;
  }
  const int tenths =
      static_cast<int>(10LL * state.months_done() / (state.file().scenarios * state.file().months));
  if (tenths == tenths_) return;
  tenths_ = tenths;
  fmt::print(stderr, "{}\n", line);
}

void ExperimentProgress::clear() const {
  if (isatty(STDERR_FILENO) == 1) fmt::print(stderr, "\r\033[K");
}

void ExperimentProgress::print_table() const {
  if (!last_) return;
  Table table({"request", "cluster", "scenarios", "estimated", "state"});
  for (std::size_t i = 0; i < last_->parts().size(); ++i) {
    const federation::Part& part = last_->parts()[i];
    const std::size_t kept = last_->of_part(i).size();
    table.add({part.request, part.daemon, fmt::format("{}", part.scenarios.size()),
               fmt::format("{:.1f} s", part.estimate),
               part.is_abandoned              ? "lost"
               : kept < part.scenarios.size() ? fmt::format("{} of them", kept)
                                              : "done"});
  }
  fmt::print("{}\n", table.text(2));
  for (const auto& [number, place] : last_->scenarios()) {
    if (!place.failure.empty()) fmt::print("  scenario {} failed: {}\n", number, place.failure);
  }
  fmt::print("  {} scenarios of {} months after {:.1f} s\n", last_->file().scenarios,
             last_->file().months, to_seconds(exec::wall_now() - last_->began()));
}

}  // namespace dovetail::cli
