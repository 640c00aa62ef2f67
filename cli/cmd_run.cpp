// dovetail run and resume: a workflow on this machine, for real.
#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <memory>

#include "command.hpp"
#include "describe.hpp"
#include "dovetail/error.hpp"
#include "dovetail/metrics.hpp"
#include "exec/conductor.hpp"
#include "exec/run_facts.hpp"
#include "exec/run_report.hpp"
#include "known_run.hpp"
#include "measured_times.hpp"
#include "previous_run.hpp"
#include "run_description.hpp"
#include "run_progress.hpp"
#include "run_summary.hpp"

namespace dovetail::cli {

namespace {

struct RunArguments {
  ProblemArguments problem = {};
  GoalArguments goal = {};
  double band = 20;  // per cent
  bool keep_going = false;
  bool is_static = false;
  bool is_new = false;
  bool dry_run = false;
};

RunDescription describe_run(const RunArguments& arguments) {
  MeasuredTimes measured(MeasuredTimes::Unknown::is_assumed);
  const Problem problem = arguments.problem.load(
      arguments.goal,
      {.default_seconds = arguments.problem.default_seconds, .missing_time = std::ref(measured)});
  measured.print_notes();
  RunDescription description{.workflows = {problem.workflows().begin(), problem.workflows().end()},
                             .assumed = measured.assumed(),
                             .folder = std::filesystem::current_path().string(),
                             .platform = from_now(problem.platform()),
                             .goal = problem.goal(),
                             .keep_going = arguments.keep_going,
                             .is_static = arguments.is_static,
                             .band = arguments.band / 100};
  if (problem.deadline()) description.deadline = *problem.deadline() - problem.now();
  return description;
}

void print_plan(const Problem& problem, Plan plan) {
  fmt::print("{}\n\n", describe_problem(problem));
  std::ranges::stable_sort(plan.placements, {}, &Placement::start);
  Table table({"  start", "task", "processors", "command"});
  for (const Placement& placed : plan.placements) {
    const Workflow& workflow = problem.workflows()[placed.workflow];
    table.add({"  " + format_duration(placed.start - plan.now),
               problem.task_name(problem.number_of({placed.workflow, placed.task})),
               std::to_string(placed.procs), std::string(workflow.run(placed.task))});
  }
  fmt::print("{}  {} planned by {}; nothing is run\n", table.text(4),
             format_duration(makespan(plan)), plan.algorithm);
}

// What is said at the end.
Exit report(const exec::RunFolder& folder, const Problem& problem, exec::RunOutcome outcome) {
  switch (outcome) {
    case exec::RunOutcome::done:
      fmt::print("{}: {}{} done\n", folder.id(), problem.task_count() == 1 ? "" : "all ",
                 counted(problem.task_count(), "task"));
      return Exit::fine;
    case exec::RunOutcome::failed:
      fmt::print("{}: failed; after a fix run it again, or as it was: dovetail resume {}\n",
                 folder.id(), folder.id());
      return Exit::no;
    case exec::RunOutcome::interrupted:
      fmt::print("{}: interrupted; go on with: dovetail resume {}\n", folder.id(), folder.id());
      return Exit::no;
    case exec::RunOutcome::cancelled:
      fmt::print("{}: cancelled\n", folder.id());
      return Exit::no;
  }
  return Exit::no;
}

// A run is done even if nobody can be told how it went.
void write_report(const exec::RunFolder& folder, const Problem& problem,
                  const exec::RunState& state) {
  try {
    write_file(folder.report(), exec::run_report_html({folder.id(), problem, state, {}}));
    fmt::print("  {} shows how it went\n", folder.report());
  } catch (const ExecutionError& error) {
    fmt::print(stderr, "warning: {}\n", error.what());
  }
}

Exit conduct(const exec::RunFolder& folder, const RunDescription& description,
             exec::RunOptions options, exec::Nursery nursery) {
  const Problem problem = description.problem();
  // Who listens to us may go away; the run goes on.
  std::signal(SIGPIPE, SIG_IGN);
  RunProgress progress(folder, problem);
  options.make_plan = plan_for_run;
  options.processors = problem.platform().clusters().front().processors;
  options.keep_going = description.keep_going;
  options.is_static = description.is_static;
  options.band = description.band;
  options.folder = description.folder;
  options.is_live = progress.is_live();
  options.progress = [&](const auto& state, const auto& dispatcher, Time now) {
    progress.changed(state, dispatcher, now);
  };
  options.ended = [&](std::uint32_t task, const auto& state) { progress.ended(task, state); };
  options.decided = [&](const Evaluation& decision) { progress.decided(decision); };
  options.interrupted = [&](int times, const auto& dispatcher) {
    progress.interrupted(times, dispatcher);
  };
  const exec::RunEnd end = exec::conduct(folder, problem, options, std::move(nursery));
  progress.clear();
  add_to_history(folder, description, problem, end.state);
  if (!end.state.attempts().empty()) {
    fmt::print("{}\n", summary_text(exec::facts_of(problem, end.state)));
    write_report(folder, problem, end.state);
  }
  return report(folder, problem, end.outcome);
}

exec::RunLock lock(const exec::RunFolder& folder) {
  auto taken = exec::RunLock::take(folder);
  if (taken) return std::move(*taken);
  const auto holder = exec::RunLock::holder(folder);
  throw InputError(fmt::format("{} is being run{}", folder.id(),
                               holder ? fmt::format(" by process {}", holder->pid) : ""));
}

// Goes on with the last run, by the workflow as it is now.
Exit go_on(const Continuation& last, const RunDescription& description, exec::Nursery nursery) {
  const exec::RunFolder& folder = *last.run;
  const exec::RunLock own = lock(folder);
  fmt::print(stderr, "{} goes on: {} done before; --new begins from the start\n", folder.id(),
             counted(last.done, "task"));
  const RunDescription continued = description.later(last.clock);
  continued.write(folder);
  return conduct(folder, continued, {.sets_processors = true}, std::move(nursery));
}

Exit no_plan(const RunDescription& description) {
  RunDescription without = description;
  without.goal = Goal::turnaround;
  without.deadline.reset();
  const Plan earliest = plan_for_run(without.problem());
  fmt::print(
      "{}\n\n  no plan found that ends by the deadline, {} from now; the earliest ends in {}\n"
      "  nothing is run\n",
      describe_problem(description.problem()), format_duration(*description.deadline),
      format_duration(makespan(earliest)));
  return Exit::no;
}

Exit run(const RunArguments& arguments) {
  exec::Nursery nursery;  // while we are small
  const RunDescription description = describe_run(arguments);
  const Problem problem = description.problem();
  Continuation last;
  const bool may_go_on = !arguments.is_new && !arguments.dry_run;
  if (may_go_on) last = find_continuation(description, problem);
  if (last.at_work) {
    fmt::print(stderr, "warning: {} runs the same in this folder at the same time\n",
               last.at_work->id());
  }
  if (last.run) return go_on(last, description, std::move(nursery));
  const Plan plan = plan_for_run(problem);
  if (!plan.feasible) return no_plan(description);
  if (arguments.dry_run) {
    print_plan(problem, plan);
    return Exit::fine;
  }
  const auto folder =
      exec::RunFolder::create(exec::state_folder(), description.workflows.front().name());
  const exec::RunLock own = lock(folder);
  description.write(folder);
  return conduct(folder, description, {.first_plan = plan, .kept = last.kept}, std::move(nursery));
}

Exit resume(const std::string& id) {
  exec::Nursery nursery;  // while we are small
  const auto folder = exec::RunFolder::open(exec::state_folder(), id);
  const exec::RunLock own = lock(folder);
  const RunDescription description = RunDescription::read(folder);
  return conduct(folder, description, {}, std::move(nursery));
}

}  // namespace

void add_run(CLI::App& program, Exit& status) {
  CLI::App* command = program.add_subcommand("run", "executes workflows on this machine");
  auto arguments = std::make_shared<RunArguments>();
  arguments->problem.cluster = "local";
  arguments->problem.add_workflows(*command, "WORKFLOW");
  command->add_option("-c,--cluster", arguments->problem.cluster,
                      "local (default), a number of processors, or a cluster file whose "
                      "reservations are left alone");
  command
      ->add_option("-j,--processors", arguments->problem.processors,
                   "processors that may be in use at a time; default: all of the cluster")
      ->check(CLI::Range(1, kMaxProcessors));
  arguments->goal.add(*command);
  command
      ->add_option("--band", arguments->band,
                   "per cent by which a task may be off before the rest is planned again")
      ->check(CLI::Range(0.0, kMaxFactor));
  command->add_flag("--static", arguments->is_static,
                    "keep the plan, also when tasks take longer or shorter");
  command->add_flag("--keep-going", arguments->keep_going,
                    "after a failure, run what does not need the failed task");
  command->add_flag("--new", arguments->is_new,
                    "begin from the start, also if an earlier run is not done");
  command->add_flag("--dry-run", arguments->dry_run, "print the plan and the commands only");
  command->footer(
      "A task finds its processors in DOVETAIL_PROCESSORS and OMP_NUM_THREADS. Ctrl-C waits for\n"
      "what runs, a second one stops it; dovetail resume, or the same run again, goes on.\n"
      "Example: dovetail run flow.yaml -j 8");
  command->callback([arguments, &status] { status = run(*arguments); });
}

void add_resume(CLI::App& program, Exit& status) {
  CLI::App* command =
      program.add_subcommand("resume", "goes on with a run that was interrupted or failed");
  auto id = std::make_shared<std::string>();
  command->add_option("RUN", *id, "as dovetail runs lists it")->required();
  command->footer("Example: dovetail resume flow-3");
  command->callback([id, &status] { status = resume(*id); });
}

}  // namespace dovetail::cli
