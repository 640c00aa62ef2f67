#include "cli/run/run_progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "cli/command.hpp"
#include "io/text.hpp"
#include "run/clock.hpp"
#include "run/known_run.hpp"
#include "run/local/launcher.hpp"

namespace dovetail::cli {

namespace {

using run::TaskState;

constexpr Time kRedraw = 100;
// Looking ahead takes at most this share of the time.
constexpr Time kForecastShare = 50;

std::string bar(std::size_t done, std::size_t total) {
  constexpr std::size_t kWidth = 24;
  const std::size_t filled = total == 0 ? kWidth : kWidth * done / total;
  return "|" + std::string(filled, '#') + std::string(kWidth - filled, '.') + "|";
}

}  // namespace

RunProgress::RunProgress(const run::RunFolder& folder, const Problem& problem)
    : folder_(folder), problem_(problem), is_terminal_(isatty(STDERR_FILENO) == 1) {}

void RunProgress::ended(std::uint32_t task, const run::RunState& state) {
  const run::TaskStatus& status = state.tasks()[task];
  if (is_terminal_ && status.has_succeeded) return;
  clear();
  if (status.was_kept) {
    tell("[{}/{}] {} need not be run: its inputs are the same\n", state.count(TaskState::done),
         problem_.task_count(), problem_.task_name(task));
    return;
  }
  tell("[{}/{}] {} {}\n", state.count(TaskState::done), problem_.task_count(),
       problem_.task_name(task), run::end_text(status));
  using Cause = run::AttemptEnd::Cause;
  const Cause cause = status.end.cause;
  if (status.has_succeeded || cause == Cause::stopped) return;
  if (status.state == TaskState::waiting) {
    tell("        it is tried again in {}\n",
         format_duration(std::max<Time>(0, status.not_before - state.last().at)));
  }
  if (cause == Cause::not_started) return;
  const std::string log = folder_.log(task, status.attempt, "err");
  // Enough to see what went wrong.
  for (const std::string& line : io::last_lines(log, 5, 2000)) tell("        | {}\n", line);
  tell("        see {}\n", log);
}

void RunProgress::again(std::uint32_t task, const std::string& why) {
  constexpr int kMostLines = 10;
  if (++tasks_again_ > kMostLines) return;
  clear();
  if (tasks_again_ == kMostLines) return tell("and more\n");
  tell("{} is run again: {}\n", problem_.task_name(task), why);
}

void RunProgress::decided(const Evaluation& decision) {
  next_forecast_ = 0;
  const bool is_news = decision.adopted && decision.current && decision.candidate;
  if (!is_news || *decision.candidate >= *decision.current) return;
  clear();
  tell("planned again: {}; now ends in {} instead of {}\n", decision.event,
       format_duration(*decision.candidate - decision.time),
       format_duration(*decision.current - decision.time));
}

void RunProgress::interrupted(int times, const run::Dispatcher& dispatcher) {
  clear();
  const std::string running = counted(dispatcher.running().size(), "task");
  if (times == 1) {
    tell("nothing more is started; waiting for {}, once more stops what runs\n", running);
  } else {
    tell("stopping {}; what has not ended in {} is killed\n", running,
         format_duration(time_ceil(run::kGraceSeconds)));
  }
}

std::string RunProgress::time_left(const run::Dispatcher& dispatcher, Time now) {
  if (now >= next_forecast_) {
    const auto began = run::steady_now();
    forecast_ = dispatcher.forecast(now);
    next_forecast_ = now + std::max<Time>(1000, kForecastShare * (run::steady_now() - began));
  }
  return format_duration((std::max<Time>(0, forecast_ - now) + kSecond - 1) / kSecond * kSecond);
}

// Once, at the beginning.
void RunProgress::tell_kept(const run::RunState& state) {
  if (std::exchange(has_begun_, true)) return;
  const auto kept = std::ranges::count_if(state.tasks(), &run::TaskStatus::was_kept);
  if (kept == 0) return;
  tell("{} of {} need not be run: their inputs are the same; --new runs all\n", kept,
       counted(problem_.task_count(), "task"));
}

void RunProgress::changed(const run::RunState& state, const run::Dispatcher& dispatcher, Time now) {
  tell_kept(state);
  if (!is_terminal_ || now - drawn_ < kRedraw) return;
  drawn_ = now;
  std::string line =
      fmt::format("{} {}  {}/{} tasks  {} of {} processors  about {} left ", folder_.id(),
                  bar(state.count(TaskState::done), problem_.task_count()),
                  state.count(TaskState::done), problem_.task_count(), dispatcher.in_use(),
                  dispatcher.processors(), time_left(dispatcher, now));
  const auto columns = static_cast<std::size_t>(std::max(20, terminal_columns() - 1));
  for (const std::size_t task : dispatcher.running()) {
    const std::string name = " " + problem_.task_name(task);
    if (line.size() + name.size() > columns) break;
    line += name;
  }
  clear();
  tell("{}", line.substr(0, columns));
  std::fflush(stderr);
  has_line_ = true;
}

void RunProgress::clear() {
  if (has_line_) erase_line();
  has_line_ = false;
}

}  // namespace dovetail::cli
