#include "run/report/run_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "draw/gantt/before_after.hpp"
#include "draw/plain_text.hpp"
#include "io/text.hpp"
#include "run/known_run.hpp"

namespace dovetail::run {

namespace {

// Below a tenth of an hour, one decimal of hours is too coarse.
constexpr double kHoursFrom = 360;
constexpr double kSecondsInHour = 3600;

std::string per_cent(double share) { return fmt::format("{:.0f} %", 100 * share); }

std::string one_decimal(double cpu_seconds, bool in_hours) {
  return fmt::format("{:.1f}", in_hours ? cpu_seconds / kSecondsInHour : cpu_seconds);
}

// Runs that are cut into jobs have no plan.
std::string if_planned(const RunFacts& facts, std::string text) {
  return facts.algorithm.empty() ? "-" : std::move(text);
}

SummaryRow turnaround_row(const RunFacts& facts) {
  SummaryRow row{.what = "turn-around",
                 .planned = if_planned(facts, format_duration(facts.turnaround.planned)),
                 .real = format_duration(facts.turnaround.real)};
  const bool is_planned = facts.turnaround.planned > 0;
  if (facts.is_done) {
    if (is_planned) row.note = draw::change_text(facts.turnaround.planned, facts.turnaround.real);
  } else if (facts.expected_end) {
    row.note = "expected " + format_duration(*facts.expected_end);
    if (is_planned) {
      row.note += ", " + draw::change_text(facts.turnaround.planned, *facts.expected_end);
    }
  } else {
    row.note = "not all is done";
  }
  return row;
}

SummaryRow cpu_row(const RunFacts& facts) {
  const bool in_hours = std::max(facts.cpu_seconds.planned, facts.cpu_seconds.real) >= kHoursFrom;
  SummaryRow row{.what = in_hours ? "CPU-hours" : "CPU-seconds",
                 .planned = if_planned(facts, one_decimal(facts.cpu_seconds.planned, in_hours)),
                 .real = one_decimal(facts.cpu_seconds.real, in_hours)};
  if (facts.lost_cpu_seconds > 0) {
    row.note = one_decimal(facts.lost_cpu_seconds, in_hours) + " of them lost";
  }
  if (facts.offered_cpu_seconds > 0) {
    row.note += (row.note.empty() ? "" : ", ") +
                per_cent(facts.used_cpu_seconds / facts.offered_cpu_seconds) + " really computed";
  }
  return row;
}

SummaryRow use_row(const RunFacts& facts) {
  return {.what = "processors in use",
          .planned = if_planned(facts, per_cent(facts.use.planned)),
          .real = per_cent(facts.use.real),
          .note = "of " + io::counted(facts.processors, "processor")};
}

// A mean needs no milliseconds.
Duration rounded(Duration length) {
  constexpr Duration kFrom = 1000;
  constexpr Duration kStep = 100;
  return length < kFrom ? length : (length + kStep / 2) / kStep * kStep;
}

SummaryRow wait_row(const RunFacts& facts) {
  SummaryRow row{.what = "mean wait of a task",
                 .planned = if_planned(facts, format_duration(rounded(facts.wait.planned.mean))),
                 .real = format_duration(rounded(facts.wait.real.mean))};
  const WaitFacts& real = facts.wait.real;
  if (!real.task.empty()) {
    row.note = fmt::format("longest {}, {}", format_duration(rounded(real.longest)),
                           draw::plain_text(real.task));
  }
  return row;
}

void add_plans(const RunFacts& facts, std::vector<std::string>& notes) {
  if (facts.plans_made == 0) return;
  notes.push_back(
      fmt::format("planned again {}, {} adopted",
                  facts.plans_made == 1 ? "once" : io::counted(facts.plans_made, "time"),
                  facts.plans_adopted == 0 ? "none" : std::to_string(facts.plans_adopted)));
}

void add_failures(const RunFacts& facts, std::vector<std::string>& notes) {
  if (facts.vain_attempts == 0) return;
  std::string note = io::counted(facts.vain_attempts, "attempt") + " failed or lost";
  if (facts.tasks_tried_again > 0) {
    note += ", " + io::counted(facts.tasks_tried_again, "task") + " tried again";
  }
  notes.push_back(std::move(note));
}

// For example, the pause between two processes that worked on the run.
void add_idle(const RunFacts& facts, std::vector<std::string>& notes) {
  constexpr Duration kNotable = 1000;
  constexpr Duration kShare = 20;
  if (facts.idle < kNotable || facts.idle * kShare < facts.turnaround.real) return;
  notes.push_back("nothing ran for " + format_duration(facts.idle));
}

// A run that is neither done nor in progress has no known end.
void add_deadline(const RunFacts& facts, std::vector<std::string>& notes) {
  if (!facts.deadline || !(facts.is_done || facts.expected_end)) return;
  const Time end = facts.is_done ? facts.turnaround.real : *facts.expected_end;
  const Duration spare = *facts.deadline - end;
  notes.push_back(fmt::format("deadline {} {}{}", format_duration(*facts.deadline),
                              facts.is_done ? "" : "would be ",
                              spare < 0 ? "missed by " + format_duration(-spare)
                                        : "met with " + format_duration(spare) + " to spare"));
}

}  // namespace

std::string cpu_text(double cpu_seconds) {
  const bool in_hours = cpu_seconds >= kHoursFrom;
  return one_decimal(cpu_seconds, in_hours) + (in_hours ? " CPU-hours" : " CPU-seconds");
}

std::string real_heading(const RunFacts& facts) { return facts.now ? "so far" : "real"; }

std::vector<SummaryRow> summary_rows(const RunFacts& facts) {
  return {turnaround_row(facts), cpu_row(facts), use_row(facts), wait_row(facts)};
}

std::vector<std::string> summary_notes(const RunFacts& facts) {
  std::vector<std::string> notes;
  add_deadline(facts, notes);
  add_plans(facts, notes);
  add_failures(facts, notes);
  if (facts.kept > 0)
    notes.push_back(io::counted(facts.kept, "task") + " kept as nothing had changed");
  add_idle(facts, notes);
  return notes;
}

std::string progress_text(const RunFacts& facts) {
  const std::string tasks = io::counted(std::ssize(facts.tasks), "task");
  if (facts.is_done) return facts.tasks.size() == 1 ? "1 task done" : "all " + tasks + " done";
  std::string text = fmt::format("{} of {} done", facts.done, tasks);
  if (facts.failed > 0) text += fmt::format(", {} failed", facts.failed);
  if (facts.running > 0) text += fmt::format(", {} running", facts.running);
  return text;
}

std::string error_text(const PlannedAndReal<Duration>& time) {
  if (time.planned <= 0) return {};
  const double change = to_seconds(time.real - time.planned) / to_seconds(time.planned);
  const double rounded = std::round(100 * change);
  return rounded == 0 ? "0 %" : fmt::format("{:+.0f} %", rounded);
}

std::string state_text(const TaskFacts& task) {
  return task.state == TaskState::done && task.was_kept ? "kept" : name_of(task.state);
}

std::string processors_text(const TaskFacts& task) {
  const Count planned = task.planned.procs;
  const Count real = task.real.procs;
  if (planned == 0 && real == 0) return {};
  if (planned == 0 || real == 0 || planned == real) return std::to_string(std::max(planned, real));
  return fmt::format("{} -> {}", planned, real);
}

}  // namespace dovetail::run
