// dovetail run and resume: a workflow on this machine, for real.
#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <memory>

#include "batch/described_jobs.hpp"
#include "batch/table.hpp"
#include "cli/command.hpp"
#include "cli/federation/federated_run.hpp"
#include "cli/plan/describe.hpp"
#include "cli/plan/fair_table.hpp"
#include "cli/queue/job_output.hpp"
#include "cli/run/batch_run.hpp"
#include "cli/run/room_options.hpp"
#include "cli/run/run_end.hpp"
#include "cli/run/run_progress.hpp"
#include "dovetail/error.hpp"
#include "dovetail/metrics.hpp"
#include "run/conductor.hpp"
#include "run/history/measured_times.hpp"
#include "run/known_run.hpp"
#include "run/previous_run.hpp"
#include "run/run_description.hpp"

namespace dovetail::cli {

namespace {

struct RunArguments {
  ProblemArguments problem = {};
  GoalArguments goal = {};
  RoomArguments room = {};
  BatchArguments batch = {};
  FederationArguments federation = {};
  double band = 20;  // per cent
  double stability = planning::kStability;
  bool no_sync = false;
  bool keep_going = false;
  bool is_static = false;
  bool is_new = false;
  bool dry_run = false;
};

// A date is by this machine's clock, unless the cluster has a clock of its own.
GoalArguments goal_from_now(GoalArguments goal, const ProblemArguments& problem) {
  const auto date = goal.deadline ? parse_date(*goal.deadline) : std::nullopt;
  if (!date) return goal;
  const Platform platform =
      problem.known_platform ? *problem.known_platform : read_platform(problem.cluster);
  if (platform.wall_clock()) return goal;
  const double left = *date - to_seconds(run::wall_now());
  if (left <= 0) throw InputError("--deadline: " + *goal.deadline + " is over");
  goal.deadline = fmt::format("{:.3f}", left);
  return goal;
}

std::string current_folder() {
  std::error_code error;
  const std::filesystem::path path = std::filesystem::current_path(error);
  if (error) throw InputError("the current folder is not there any more");
  return path.string();
}

// A run, and the cluster's picture that it is decided by, if it is on a batch system.
struct DescribedRun {
  run::RunDescription description;
  std::optional<batch::ClusterPicture> picture = {};
};

DescribedRun describe_run(const RunArguments& arguments) {
  std::optional<BatchPlace> place = arguments.batch.place(arguments.problem.cluster);
  if (!place) arguments.batch.require_none();
  ProblemArguments asked = arguments.problem;
  if (place) asked.known_platform = batch::platform_of(place->picture, place->partition);
  run::MeasuredTimes measured(
      run::MeasuredTimes::Unknown::is_assumed,
      place ? run::BatchDescription::machine_of(place->system, *asked.known_platform)
            : run::machine_name(),
      print_warning);
  const Problem problem =
      asked.load(goal_from_now(arguments.goal, asked),
                 {.default_seconds = asked.default_seconds, .missing_time = std::ref(measured)});
  print_notes(measured.notes());
  const std::string title(place ? batch::system_named(place->system).title : "");
  if (place && problem.goal() == Goal::fair) {
    throw InputError("--goal fair: on " + title +
                     " every workflow is cut into jobs by itself; leave it out");
  }
  if (place) require_ready(problem.workflows(), "a run on " + title);
  run::RunDescription description{
      .workflows = run::from_now(problem.workflows(), problem.now()),
      .assumed = measured.assumed(),
      .folder = current_folder(),
      .platform = place ? *asked.known_platform : run::from_now(problem.platform()),
      .goal = problem.goal(),
      .syncs = !arguments.no_sync,
      .keep_going = arguments.keep_going,
      .is_static = arguments.is_static,
      .band = arguments.band / 100,
      .stability = arguments.stability};
  if (!place) {
    description.limit = arguments.room.limit(description.platform);
    description.limits_memory = arguments.room.limits_memory;
  }
  if (problem.deadline()) description.deadline = *problem.deadline() - problem.now();
  if (place) description.batch = arguments.batch.describe(description, *place);
  const bool is_planned_again = arguments.is_static || arguments.band != RunArguments{}.band ||
                                arguments.stability != RunArguments{}.stability ||
                                asked.processors > 0 || arguments.room.are_given();
  if (place && is_planned_again) {
    tell(
        "note: --static, --band, --stability, -j, --memory, --gpus and --memory-limit have no "
        "effect on {}\n",
        title);
  }
  DescribedRun run{std::move(description)};
  if (place) run.picture = std::move(place->picture);
  return run;
}

// The first line of a command, which may be a whole script.
std::string first_line(std::string_view command) {
  const auto begin = std::min(command.find_first_not_of(" \t\n"), command.size());
  const auto end = command.find('\n', begin);
  const bool is_all = end == std::string_view::npos ||
                      command.find_first_not_of(" \t\n", end) == std::string_view::npos;
  return std::string(command.substr(begin, end - begin)) + (is_all ? "" : " ...");
}

void print_plan(const Problem& problem, Plan plan) {
  say("{}\n\n", describe_problem(problem));
  std::ranges::stable_sort(plan.placements, {}, &Placement::start);
  Table table({"  start", "task", "processors", "command"});
  for (const Placement& placed : plan.placements) {
    const Workflow& workflow = problem.workflows()[placed.workflow];
    table.add({"  " + format_duration(placed.start - plan.now),
               problem.task_name(problem.number_of({placed.workflow, placed.task})),
               std::to_string(placed.procs), first_line(workflow.run(placed.task))});
  }
  say("{}", table.text(4));
  if (problem.goal() == Goal::fair) say("\n{}\n", describe_fates(problem, plan));
  say("  {} planned by {}; nothing is run\n", format_duration(makespan(plan)), plan.algorithm);
}

// What the same command without --dry-run would have to go on with.
void print_continuation(const run::Continuation& last) {
  if (last.at_work) say("  {} runs the same in this folder now\n", last.at_work->id());
  if (last.run) {
    say("  {} would go on, of which {} done already\n", last.run->id(),
        last.done == 1 ? "1 task is" : fmt::format("{} tasks are", last.done));
  }
  if (!last.kept.empty()) {
    say("  up to {} of them would not be run again, if their inputs are the same\n",
        last.kept.size());
  }
}

Exit conduct(const run::RunFolder& folder, const run::RunDescription& description,
             run::RunOptions options, std::shared_ptr<run::Nursery> nursery) {
  const Problem problem = description.problem();
  if (description.batch) return conduct_jobs(folder, description, problem, options.kept);
  if (description.limits_memory) tell("{}\n", memory_limit_note());
  // The reader of our output may go away; the run goes on.
  std::signal(SIGPIPE, SIG_IGN);
  RunProgress progress(folder, problem);
  options.is_live = progress.is_live();
  options.progress = [&](const auto& state, const auto& dispatcher, Time now) {
    progress.changed(state, dispatcher, now);
  };
  options.ended = [&](std::uint32_t task, const auto& state) { progress.ended(task, state); };
  options.again = [&](std::uint32_t task, const auto& why) { progress.again(task, why); };
  options.decided = [&](const Evaluation& decision) { progress.decided(decision); };
  options.warned = [&](const std::string& what) {
    progress.clear();
    print_warning(what);
  };
  options.interrupted = [&](int times, const auto& dispatcher) {
    progress.interrupted(times, dispatcher);
  };
  run::RunEnd end = [&] {  // signals do again what they did when it is over
    run::SignalInterrupts interrupts;
    return run::conduct(folder, problem, options, nursery, interrupts);
  }();
  nursery.reset();
  progress.clear();
  return end_run(folder, description, problem, end);
}

std::string jobs_left(const run::RunFolder& folder) {
  const batch::PilotStates jobs = known_jobs(folder);
  return jobs.live().empty() && jobs.to_release().empty() ? ""
                                                          : "has jobs on " + batch::system_titles();
}

// Goes on with the last run, by the workflow as it is now.
Exit go_on(const run::Continuation& last, const run::RunDescription& description,
           std::shared_ptr<run::Nursery> nursery, run::RunLock& beginning) {
  const run::RunFolder& folder = *last.run;
  const run::RunLock lock = run::RunLock::require(folder);
  beginning.release();
  tell("{} goes on: {} done before; --new begins from the start\n", folder.id(),
       counted(last.done, "task"));
  const run::RunDescription continued = description.later(last.clock);
  continued.write(folder);
  run::RunOptions options = continued.options();
  options.sets_processors = true;
  return conduct(folder, continued, std::move(options), std::move(nursery));
}

Exit no_plan(const run::RunDescription& description,
             const std::optional<batch::ClusterPicture>& picture) {
  if (!description.deadline) {
    say("{}\n\n  no plan found: no room was found for the tasks before the cluster leaves\n"
        "  nothing is run\n",
        describe_problem(description.problem()));
    return Exit::no;
  }
  run::RunDescription without = description;
  without.goal = Goal::turnaround;
  without.deadline.reset();
  const Problem problem = without.problem();
  const Duration earliest =
      picture ? *planned_time(without, problem, *picture) : makespan(run::plan_for_run(problem));
  say("{}\n\n  no plan found that ends by the deadline, {} from now; the earliest ends in {}\n"
      "  nothing is run\n",
      describe_problem(description.problem()), format_duration(*description.deadline),
      format_duration(earliest));
  return Exit::no;
}

Exit run_as_jobs(const RunArguments& arguments, const run::RunDescription& description,
                 const Problem& problem, const batch::ClusterPicture& picture,
                 const run::Continuation& last, run::RunLock& beginning) {
  const bool is_planned = !description.batch->reserve.empty();
  batch::require_possible(description, problem, picture);
  if (is_planned && !planned_time(description, problem, picture)) {
    return no_plan(description, picture);
  }
  if (!is_planned && description.deadline) {
    tell("note: jobs are cut without a look at the deadline; --reserve plans for it\n");
  }
  if (arguments.dry_run) return write_scripts(description, problem, picture);
  const run::OwnRun own = run::begin_run(run::state_folder(), description);
  beginning.release();
  return conduct_jobs(own.folder, description, problem, last.kept, picture);
}

// With --agent, each cluster's daemon decides.
void require_no_other_options(const CLI::App& command) {
  for (const char* option : {"--cluster", "--processors", "--memory", "--gpus", "--memory-limit",
                             "--goal", "--deadline", "--partition", "--strategy", "--reserve",
                             "--max-jobs", "--band", "--static", "--keep-going", "--no-sync"}) {
    if (command.count(option) > 0) {
      throw InputError(std::string(option) +
                       ": has no meaning with --agent, where each cluster's daemon decides; leave "
                       "it out");
    }
  }
}

Exit run_over_clusters(const RunArguments& arguments) {
  if (arguments.problem.workflows.size() != 1) {
    throw InputError("--agent: one ensemble or workflow is run at a time");
  }
  return run_federated(arguments.problem.workflows.front(), arguments.federation, arguments.is_new,
                       arguments.dry_run);
}

// An ensemble gets a better error than that it is no workflow.
DescribedRun describe_workflows(const RunArguments& arguments) {
  try {
    return describe_run(arguments);
  } catch (const InputError&) {
    for (const std::string& path : arguments.problem.workflows) {
      if (!is_ensemble(path)) continue;
      throw InputError(path +
                       ": is an ensemble: dovetail run needs --agent URL and --keys for it, and "
                       "dovetail ensemble plans it");
    }
    throw;
  }
}

Exit run(const RunArguments& arguments, const CLI::App& command) {
  if (command.count("--agent") > 0) {
    require_no_other_options(command);
    return run_over_clusters(arguments);
  }
  arguments.federation.require_none();
  auto nursery = std::make_shared<run::Nursery>();  // while the process is small
  const auto [description, picture] = describe_workflows(arguments);
  description.check();
  const Problem problem = description.problem();
  // From before planning on, so that the same command twice at once does not run tasks twice.
  run::RunLock beginning;
  if (!arguments.is_new && !arguments.dry_run) beginning = run::lock_beginning(description);
  run::Continuation last;
  if (!arguments.is_new)
    last = run::find_continuation(description, problem, jobs_left, print_warning);
  if (last.at_work && !arguments.dry_run) {
    throw InputError(fmt::format(
        "{0} runs the same in this folder now; look at it with dovetail status {0} --live, or use "
        "--new to run it a second time all the same",
        last.at_work->id()));
  }
  if (last.run && !arguments.dry_run)
    return go_on(last, description, std::move(nursery), beginning);
  if (picture) return run_as_jobs(arguments, description, problem, *picture, last, beginning);
  const Plan plan = run::plan_for_run(problem);
  if (!plan.feasible) return no_plan(description, picture);
  if (arguments.dry_run) {
    print_plan(problem, plan);
    print_continuation(last);
    return Exit::fine;
  }
  const run::OwnRun own = run::begin_run(run::state_folder(), description);
  beginning.release();
  run::RunOptions options = description.options();
  options.first_plan = plan;
  options.kept = last.kept;
  return conduct(own.folder, description, std::move(options), std::move(nursery));
}

Exit resume(const std::string& id) {
  auto nursery = std::make_shared<run::Nursery>();  // while the process is small
  const auto folder = run::RunFolder::open(run::state_folder(), id);
  const run::RunLock lock = run::RunLock::require(folder);
  const run::KnownRun known(folder);
  if (known.condition() == "done") {
    say("{} is done; to bring it up to date run its workflow again\n", id);
    return Exit::fine;
  }
  return conduct(folder, known.description, known.description.options(), std::move(nursery));
}

}  // namespace

void add_run(CLI::App& program, Exit& status) {
  CLI::App* command =
      program.add_subcommand("run", "execute workflows on this machine, on " +
                                        batch::system_titles() + " or over clusters");
  auto arguments = std::make_shared<RunArguments>();
  arguments->problem.cluster = "local";
  arguments->problem.add_workflows(*command, "WORKFLOW");
  command->add_option("-c,--cluster", arguments->problem.cluster,
                      "run on local (default), " + batch::system_names() +
                          ", a number of processors, or the cluster of a file, whose reservations "
                          "are left alone");
  command
      ->add_option("-j,--processors", arguments->problem.processors,
                   "use at most this many processors at a time; default: all of the cluster")
      ->check(CLI::Range(1, kMaxProcessors));
  arguments->room.add(*command);
  arguments->goal.add(*command);
  arguments->batch.add(*command);
  arguments->federation.add(*command);
  command
      ->add_option("--band", arguments->band,
                   "plan the rest again when a task is off by more than this per cent")
      ->check(CLI::Range(0.0, kMaxFactor));
  add_stability(*command, arguments->stability);
  command->add_flag("--static", arguments->is_static,
                    "keep the plan even when tasks take longer or shorter");
  command->add_flag("--no-sync", arguments->no_sync,
                    "save time: do not wait until outputs are on disk; a power cut may lose those "
                    "of finished tasks");
  command->add_flag("--keep-going", arguments->keep_going, "run what does not need a failed task");
  command->add_flag("--new", arguments->is_new, "begin anew even if an earlier run is not done");
  command->add_flag("--dry-run", arguments->dry_run, "print the plan and the commands only");
  command->footer(
      "A task finds its processors in DOVETAIL_PROCESSORS and OMP_NUM_THREADS. Ctrl-C waits for\n"
      "what runs, a second one stops it; dovetail resume, or the same run again, continues.\n"
      "On " +
      batch::system_titles() +
      " jobs run on their own: you can log out.\n"
      "Over the clusters of a federation: --agent and --keys (docs/federation.md).\n"
      "Example: dovetail run flow.yaml -j 8\n"
      "         dovetail run ensemble.yaml --agent https://127.0.0.1:7700 --keys keys/alice");
  command->callback([arguments, command, &status] { status = run(*arguments, *command); });
}

void add_resume(CLI::App& program, Exit& status) {
  CLI::App* command =
      program.add_subcommand("resume", "continue a run that was interrupted or failed");
  auto id = std::make_shared<std::string>();
  command->add_option("RUN", *id, "as dovetail runs lists it")->required();
  command->footer("Example: dovetail resume flow-3");
  command->callback([id, &status] { status = resume(*id); });
}

}  // namespace dovetail::cli
