#include "cli/run/run_summary.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/command.hpp"
#include "cli/queue/job_output.hpp"
#include "draw/plain_text.hpp"
#include "run/clock.hpp"
#include "run/report/run_words.hpp"

namespace dovetail::cli {

namespace {

using run::KindFacts;
using run::PlannedAndReal;
using run::RunFacts;
using run::TaskFacts;
using run::TaskState;
using Json = nlohmann::ordered_json;

constexpr std::size_t kMostRows = 15;

std::string facts_block(const RunFacts& facts) {
  Table numbers({"", "planned", run::real_heading(facts)});
  const auto rows = run::summary_rows(facts);
  for (const run::SummaryRow& row : rows) numbers.add({"  " + row.what, row.planned, row.real});
  // Notes stand at the left of their column, unlike numbers.
  std::string text = numbers.text(1);
  std::size_t line = 0;
  for (const run::SummaryRow& row : rows) {
    line = text.find('\n', line) + 1;
    if (row.note.empty()) continue;
    text.insert(text.find('\n', line), "   " + row.note);
  }
  const auto notes = run::summary_notes(facts);
  return text + (notes.empty() ? "" : fmt::format("  {}\n", fmt::join(notes, "; ")));
}

bool is_timed(const TaskFacts& task) {
  return task.state == TaskState::done && task.real.procs > 0 && task.planned.procs > 0;
}

PlannedAndReal<Duration> time_of(const TaskFacts& task) {
  return {task.planned.end - task.planned.start, task.real.end - task.real.start};
}

std::string tasks_table(const RunFacts& facts) {
  Table table({"  task", "processors", "planned", run::real_heading(facts), "error", ""});
  for (const TaskFacts& task : facts.tasks) {
    const auto time = time_of(task);
    const bool is_fine = task.state == TaskState::done && !task.was_kept;
    std::string state = is_fine ? "" : run::state_text(task);
    if (task.attempts > 1) {
      state += (state.empty() ? "" : ", ") + counted(task.attempts, "attempt");
    }
    table.add({"  " + draw::plain_text(task.name), run::processors_text(task),
               task.planned.procs > 0 ? format_duration(time.planned) : "-",
               task.real.procs > 0 ? format_duration(time.real) : "-",
               is_timed(task) ? run::error_text(time) : "", state});
  }
  return table.text(1);
}

// Those that took most of the time.
std::string kinds_table(const RunFacts& facts) {
  std::vector<KindFacts> kinds = facts.kinds;
  std::ranges::stable_sort(kinds, std::greater(), [](const auto& kind) { return kind.time.real; });
  const std::size_t shown = std::min(kinds.size(), kMostRows);
  Table table({"  kind", "tasks", "planned mean", "real mean", "error"});
  for (std::size_t i = 0; i < shown; ++i) {
    const KindFacts& kind = kinds[i];
    const auto mean = [&](Duration sum) {
      return kind.timed == 0 ? "-" : format_duration(sum / static_cast<Duration>(kind.timed));
    };
    table.add({"  " + draw::plain_text(kind.kind), std::to_string(kind.tasks),
               facts.algorithm.empty() ? "-" : mean(kind.time.planned), mean(kind.time.real),
               run::error_text(kind.time)});
  }
  const std::string rest =
      shown < kinds.size() ? fmt::format("  and {} more\n", counted(kinds.size() - shown, "kind"))
                           : "";
  return table.text(1) + rest;
}

Json seconds(const PlannedAndReal<Duration>& time) {
  return {{"planned", to_seconds(time.planned)}, {"real", to_seconds(time.real)}};
}

Json slot_json(const planning::Slot& slot) {
  if (slot.procs == 0) return nullptr;
  return {
      {"start", to_seconds(slot.start)}, {"end", to_seconds(slot.end)}, {"processors", slot.procs}};
}

Json wait_json(const run::WaitFacts& wait) {
  return {{"mean", to_seconds(wait.mean)},
          {"longest", to_seconds(wait.longest)},
          {"task", wait.task.empty() ? Json() : Json(draw::plain_text(wait.task))}};
}

Json task_json(const TaskFacts& task) {
  Json json = {{"id", draw::plain_text(task.name)},
               {"state", run::state_text(task)},
               {"planned", slot_json(task.planned)},
               {"real", slot_json(task.real)},
               {"attempts", task.attempts},
               {"wait", task.wait ? Json(to_seconds(*task.wait)) : Json()}};
  if (task.end) {
    json["exit"] = task.end->exit_code;
    json["cpu_seconds"] = task.end->cpu_seconds;
    json["peak_kib"] = task.end->peak_kib;
    json["peak_memory"] = task.end->peak();
  }
  return json;
}

Json kind_json(const KindFacts& kind) {
  Json json = {{"kind", draw::plain_text(kind.kind)}, {"tasks", kind.tasks}, {"timed", kind.timed}};
  json["seconds"] = seconds(kind.time);
  return json;
}

}  // namespace

run::ReportedRun reported(const run::KnownRun& run) {
  run::ReportedRun report{.name = run.folder.id(), .problem = run.problem, .state = run.state};
  report.more = jobs_section(known_jobs(run.folder));
  if (run.condition() == "running") report.now = run::RunClock(run.state.last()).now();
  return report;
}

std::string summary_text(const RunFacts& facts) {
  const bool is_small = facts.tasks.size() <= kMostRows;
  return facts_block(facts) + "\n" + (is_small ? tasks_table(facts) : kinds_table(facts));
}

Json to_json(const RunFacts& facts) {
  Json json = {
      {"algorithm", draw::plain_text(facts.algorithm)},
      {"processors", facts.processors},
      {"goes_on", facts.now.has_value()},
      {"expected_end", facts.expected_end ? Json(to_seconds(*facts.expected_end)) : Json()},
      {"turnaround", seconds(facts.turnaround)},
      {"cpu_hours",
       {{"planned", facts.cpu_seconds.planned / 3600},
        {"real", facts.cpu_seconds.real / 3600},
        {"lost", facts.lost_cpu_seconds / 3600},
        {"computed", facts.used_cpu_seconds / 3600}}},
      {"use", {{"planned", facts.use.planned}, {"real", facts.use.real}}},
      {"wait", {{"planned", wait_json(facts.wait.planned)}, {"real", wait_json(facts.wait.real)}}},
      {"idle", to_seconds(facts.idle)},
      {"plans", {{"made", facts.plans_made}, {"adopted", facts.plans_adopted}}},
      {"done", facts.done},
      {"kept", facts.kept},
      {"failed", facts.failed},
      {"running", facts.running},
      {"waiting", facts.waiting},
      {"vain_attempts", facts.vain_attempts},
      {"tasks_tried_again", facts.tasks_tried_again},
      {"kinds", Json::array()},
      {"tasks", Json::array()}};
  for (const KindFacts& kind : facts.kinds) json["kinds"].push_back(kind_json(kind));
  for (const TaskFacts& task : facts.tasks) json["tasks"].push_back(task_json(task));
  return json;
}

}  // namespace dovetail::cli
