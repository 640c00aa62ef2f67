#include "cli/run/run_end.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "cli/plan/fair_table.hpp"
#include "cli/queue/job_output.hpp"
#include "cli/run/run_summary.hpp"
#include "dovetail/error.hpp"
#include "dovetail/io.hpp"
#include "dovetail/planner.hpp"
#include "run/history/measured_times.hpp"
#include "run/report/run_facts.hpp"
#include "run/report/run_report.hpp"

namespace dovetail::cli {

namespace {

// ", 5s after the deadline"; empty when it was met, or there is none.
std::string missed_deadline(const Problem& problem, const run::RunState& state) {
  if (!problem.deadline() || state.last().at <= *problem.deadline()) return {};
  return fmt::format(", {} after the deadline",
                     format_duration(state.last().at - *problem.deadline()));
}

// What is said at the end.
Exit report(const run::RunFolder& folder, const Problem& problem, const run::RunEnd& end) {
  switch (end.outcome) {
    case run::RunOutcome::done:
      say("{}: {}{} done{}\n", folder.id(), problem.task_count() == 1 ? "" : "all ",
          counted(problem.task_count(), "task"), missed_deadline(problem, end.state));
      return Exit::fine;
    case run::RunOutcome::failed:
      say("{}: failed; after a fix run it again, or as it was: dovetail resume {}\n", folder.id(),
          folder.id());
      return Exit::no;
    case run::RunOutcome::interrupted:
      say("{}: interrupted; go on with: dovetail resume {}\n", folder.id(), folder.id());
      return Exit::no;
    case run::RunOutcome::cancelled:
      say("{}: cancelled\n", folder.id());
      return Exit::no;
  }
  return Exit::no;
}

// How the workflows fared beside each other, when all of their tasks were run.
std::string fates_text(const Problem& problem, const run::RunFacts& facts) {
  if (problem.goal() != Goal::fair) return {};
  Plan real{.algorithm = facts.algorithm, .now = problem.now()};
  for (std::uint32_t i = 0; i < problem.workflows().size(); ++i) {
    for (TaskId task = 0; task < problem.workflows()[i].size(); ++task) {
      const planning::Slot& slot = facts.tasks[problem.number_of({i, task})].real;
      if (slot.procs == 0) return {};
      real.placements.push_back(
          {.workflow = i, .task = task, .procs = slot.procs, .start = slot.start, .end = slot.end});
    }
  }
  real.alone = plan(*find_planner("SELFISH_ORDER"), problem).alone;
  return real.alone.empty() ? "" : describe_fates(problem, real) + "\n";
}

batch::PilotStates jobs_of(const run::RunFolder& folder, const run::RunState& state) {
  return state.has_jobs() ? known_jobs(folder) : batch::PilotStates();
}

}  // namespace

void write_report(const run::RunFolder& folder, const Problem& problem,
                  const run::RunState& state) {
  const std::string jobs = jobs_section(jobs_of(folder, state));
  write_file(folder.report(), run::run_report_html({folder.id(), problem, state, {}, jobs}));
}

Exit end_run(const run::RunFolder& folder, const run::RunDescription& description,
             const Problem& problem, run::RunEnd& end) {
  run::add_to_history(folder, description, problem, end.state, print_warning);
  if (!end.state.attempts().empty()) {
    const auto jobs = jobs_of(folder, end.state);
    const run::RunFacts facts = run::facts_of(problem, end.state);
    say("{}\n{}{}{}", summary_text(facts), fates_text(problem, facts), jobs_text(jobs),
        jobs.next() == 0 ? "" : "\n");
    // A run is done even if its report cannot be written.
    try {
      write_report(folder, problem, end.state);
      say("  {} shows how it went\n", folder.report());
    } catch (const ExecutionError& error) {
      print_warning(error.what());
    }
  }
  const Exit exit = report(folder, problem, end);
  // If the reader has gone away, there is no one left to tell.
  if (const int error = output_error(); error != 0 && error != EPIPE) {
    throw ExecutionError("standard output: cannot be written: " + std::string(strerror(error)));
  }
  run::write_done(folder, end);
  return exit;
}

}  // namespace dovetail::cli
