#include "run/report/run_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <initializer_list>
#include <tuple>
#include <vector>

#include "draw/gantt/before_after.hpp"
#include "draw/plain_text.hpp"
#include "io/text.hpp"
#include "run/local/memory_and_gpus.hpp"
#include "run/report/run_facts.hpp"
#include "run/report/run_record.hpp"
#include "run/report/run_words.hpp"

namespace dovetail::run {

namespace {

constexpr const char* kNone = "\u2013";

std::string safe(std::string_view text) { return draw::escape_markup(draw::plain_text(text)); }

std::string section(std::string_view heading, std::string_view content) {
  return fmt::format("<section><h2>{}</h2>\n{}</section>\n", heading, content);
}

std::string table(std::string_view name, std::initializer_list<std::string_view> columns,
                  const std::string& rows) {
  std::string head;
  for (const std::string_view column : columns) head += fmt::format("<th>{}</th>", column);
  return fmt::format(
      "<div class=\"table-box {}\"><table>\n<thead><tr>{}</tr></thead>\n<tbody>\n{}</tbody>\n"
      "</table></div>\n",
      name, head, rows);
}

std::string row(std::initializer_list<std::string_view> cells, std::string_view style = {}) {
  std::string out = style.empty() ? "<tr>" : fmt::format("<tr class=\"{}\">", style);
  for (const std::string_view cell : cells) out += fmt::format("<td>{}</td>", safe(cell));
  return out + "</tr>\n";
}

std::string summary_section(const RunFacts& facts) {
  std::string rows;
  for (const SummaryRow& line : summary_rows(facts)) {
    rows += row({line.what, line.planned, line.real, line.note});
  }
  return section("Planned against real",
                 table("summary", {"", "Planned", facts.now ? "So far" : "Real", ""}, rows));
}

std::string kinds_section(const RunFacts& facts) {
  const bool any_timed =
      std::ranges::any_of(facts.kinds, [](const KindFacts& kind) { return kind.timed > 0; });
  if (!any_timed || facts.kinds.size() == facts.tasks.size()) return {};
  std::string rows;
  for (const KindFacts& kind : facts.kinds) {
    const auto mean = [&](Duration sum) {
      return kind.timed == 0 ? kNone : format_duration(sum / static_cast<Duration>(kind.timed));
    };
    rows += row({kind.kind, std::to_string(kind.tasks),
                 facts.algorithm.empty() ? kNone : mean(kind.time.planned), mean(kind.time.real),
                 error_text(kind.time)});
  }
  return section(
      "Kinds of tasks",
      table("kinds", {"Kind", "Tasks", "Planned mean time", "Real mean time", "Longer by"}, rows));
}

struct SlotTexts {
  std::string start = kNone;
  std::string end = kNone;
  std::string time = kNone;

  explicit SlotTexts(const planning::Slot& slot) {
    if (slot.procs == 0) return;
    start = format_duration(slot.start);
    end = format_duration(slot.end);
    time = format_duration(slot.end - slot.start);
  }
};

std::string exit_text(const TaskFacts& task) {
  const AttemptEnd& end = *task.end;
  if (!task.missing.empty()) return "output missing";
  switch (end.cause) {
    case AttemptEnd::Cause::timed_out:
      return "time was over";
    case AttemptEnd::Cause::stopped:
      return "stopped";
    case AttemptEnd::Cause::out_of_memory:
      return "out of memory";
    case AttemptEnd::Cause::not_started:
      return "not started";
    case AttemptEnd::Cause::not_saved:
      return "not saved";
    case AttemptEnd::Cause::ended:
      break;
  }
  return end.signal != 0 ? fmt::format("signal {}", end.signal) : std::to_string(end.exit_code);
}

std::string task_row(const TaskFacts& task) {
  const SlotTexts planned(task.planned);
  SlotTexts real(task.real);
  if (task.state == TaskState::running) real.end = kNone;
  const bool is_over = task.end.has_value();
  const auto seconds = is_over ? std::llround(1000 * task.end->cpu_seconds) : 0;
  const Bytes peak = is_over ? task.end->peak() : 0;
  const bool is_timed = task.state == TaskState::done && task.real.procs > 0;
  const std::string error =
      is_timed
          ? error_text({task.planned.end - task.planned.start, task.real.end - task.real.start})
          : "";
  return row(
      {task.name, state_text(task), processors_text(task), planned.start, planned.end, planned.time,
       real.start, real.end, real.time, error, task.wait ? format_duration(*task.wait) : kNone,
       std::to_string(task.attempts), is_over ? exit_text(task) : kNone,
       is_over ? format_duration(seconds) : kNone, is_over && peak > 0 ? memory_text(peak) : kNone},
      task.state == TaskState::failed ? "failed" : "");
}

// All tasks in order; of very many, only those that a reader looks for.
std::vector<const TaskFacts*> listed_tasks(const RunFacts& facts) {
  constexpr std::size_t kMost = 2000;
  std::vector<const TaskFacts*> tasks;
  for (const TaskFacts& task : facts.tasks) tasks.push_back(&task);
  if (tasks.size() <= kMost) return tasks;
  const auto interest = [](const TaskFacts* task) {
    return std::tuple(task->state == TaskState::failed, task->attempts > 1,
                      task->real.end - task->real.start);
  };
  std::ranges::stable_sort(tasks, std::greater{}, interest);
  tasks.resize(kMost);
  std::ranges::sort(tasks);
  return tasks;
}

std::string tasks_section(const RunFacts& facts) {
  const std::vector<const TaskFacts*> tasks = listed_tasks(facts);
  std::string rows;
  for (const TaskFacts* task : tasks) rows += task_row(*task);
  const std::string title = tasks.size() == facts.tasks.size()
                                ? "Tasks"
                                : fmt::format("{} of {} tasks: failed, tried again, longest",
                                              tasks.size(), facts.tasks.size());
  return section(title, table("tasks",
                              {"Task", "State", "Processors", "Planned start", "end", "time",
                               "Real start", "end", "time", "Longer by", "Waited", "Attempts",
                               "Exit code", "CPU time", "Peak memory"},
                              rows));
}

std::vector<std::string> chart_facts(Duration turnaround, double cpu_seconds, std::size_t tasks) {
  return {"turn-around " + format_duration(turnaround), cpu_text(cpu_seconds),
          io::counted(tasks, "task")};
}

std::vector<std::string> before_facts(const RunFacts& facts, std::size_t drawn) {
  if (drawn == 0) return {"there is no plan"};
  return chart_facts(facts.turnaround.planned, facts.cpu_seconds.planned, drawn);
}

std::vector<std::string> after_facts(const RunFacts& facts, std::size_t drawn) {
  const SummaryRow turnaround = summary_rows(facts).front();
  if (facts.now) {
    return {"as it went until now, then as expected", turnaround.note,
            cpu_text(facts.cpu_seconds.real) + " so far"};
  }
  if (facts.turnaround.real == 0 && !facts.is_done) return {"nothing has run"};
  std::vector<std::string> words =
      chart_facts(facts.turnaround.real, facts.cpu_seconds.real - facts.lost_cpu_seconds, drawn);
  if (facts.lost_cpu_seconds > 0) words[1] += " + " + cpu_text(facts.lost_cpu_seconds) + " lost";
  if (!facts.is_done) words[0] = "last end after " + format_duration(facts.turnaround.real);
  if (!turnaround.note.empty()) words.insert(words.begin() + 1, turnaround.note);
  return words;
}

std::string title_of(const ReportedRun& run, const RunFacts& facts) {
  std::string title = draw::plain_text(run.name);
  if (!facts.algorithm.empty()) title += ", planned by " + draw::plain_text(facts.algorithm);
  return "Run " + title;
}

// The two pictures of a run and the texts about them.
struct Report {
  explicit Report(const ReportedRun& run)
      : facts(facts_of(run.problem, run.state, run.now)),
        before(planned_record(run.problem, run.state)),
        after(shown_record(run)),
        text{.title = title_of(run, facts),
             .facts = summary_notes(facts),
             .has_before = !run.state.first_plan().empty() || run.state.attempts().empty(),
             .before_facts = run::before_facts(facts, before.tasks.size()),
             .after_facts = run::after_facts(facts, after.tasks.size()),
             .after_heading = facts.now ? "As it goes" : "As it went",
             .lost = "failed or lost",
             .now = facts.now} {
    text.facts.insert(text.facts.begin(), progress_text(facts));
  }

  RunFacts facts;
  PlanRecord before;
  PlanRecord after;
  draw::BeforeAfterText text;
};

}  // namespace

PlanRecord shown_record(const ReportedRun& run) {
  return run.now ? outlook_record(run.problem, run.state, *run.now)
                 : executed_record(run.problem, run.state);
}

std::string run_report_html(const ReportedRun& run) {
  Report report(run);
  report.text.more = summary_section(report.facts) + run.more + kinds_section(report.facts) +
                     tasks_section(report.facts);
  return draw::before_after_page(report.before, report.after, report.text);
}

std::string run_report_svg(const ReportedRun& run) {
  const Report report(run);
  return draw::before_after_picture(report.before, report.after, report.text);
}

}  // namespace dovetail::run
