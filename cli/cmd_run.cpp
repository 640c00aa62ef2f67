// dovetail run and resume: a workflow on this machine, for real.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <thread>

#include "command.hpp"
#include "describe.hpp"
#include "dovetail/error.hpp"
#include "dovetail/io.hpp"
#include "dovetail/metrics.hpp"
#include "exec/conductor.hpp"
#include "run_description.hpp"

namespace dovetail::cli {

namespace {

struct Arguments {
  std::vector<std::string> workflows = {};
  Count processors = 0;  // 0: all of this machine
  bool keep_going = false;
  bool dry_run = false;
};

Count processors_of_machine() {
  return std::max<Count>(1, static_cast<Count>(std::thread::hardware_concurrency()));
}

RunDescription describe_run(const Arguments& arguments) {
  RunDescription description{
      .workflows = {},
      .folder = std::filesystem::current_path().string(),
      .processors = arguments.processors > 0 ? arguments.processors : processors_of_machine(),
      .keep_going = arguments.keep_going};
  for (const std::string& file : arguments.workflows) {
    description.workflows.push_back(read_workflow(file));
  }
  return description;
}

std::string task_name(const Problem& problem, std::size_t number) {
  const TaskRef ref = problem.task_at(number);
  const Workflow& workflow = problem.workflows()[ref.workflow];
  const std::string id(workflow.id(ref.task));
  return problem.workflows().size() == 1 ? id : workflow.name() + "/" + id;
}

void print_plan(const Problem& problem, Plan plan) {
  fmt::print("{}\n\n", describe_problem(problem));
  std::ranges::stable_sort(plan.placements, {}, &Placement::start);
  Table table({"  start", "task", "processors", "command"});
  for (const Placement& placed : plan.placements) {
    const Workflow& workflow = problem.workflows()[placed.workflow];
    table.add({"  " + format_duration(placed.start - plan.now),
               task_name(problem, problem.number_of({placed.workflow, placed.task})),
               std::to_string(placed.procs), std::string(workflow.run(placed.task))});
  }
  fmt::print("{}  {} planned by {}; nothing is run\n", table.text(4),
             format_duration(makespan(plan)), plan.algorithm);
}

std::string end_text(const exec::AttemptEnd& end) {
  using Cause = exec::AttemptEnd::Cause;
  const std::string length = format_duration(time_ceil(end.seconds));
  switch (end.cause) {
    case Cause::not_started:
      return "could not be started: " + end.why;
    case Cause::timed_out:
      return "was stopped after " + length + ": its time was over";
    case Cause::stopped:
      return "was stopped after " + length;
    case Cause::out_of_memory:
      return "was ended by the system after " + length + ": out of memory";
    case Cause::ended:
      break;
  }
  if (end.signal != 0) return fmt::format("was ended by signal {} after {}", end.signal, length);
  return end.exit_code == 0
             ? "done in " + length
             : fmt::format("failed with exit code {} after {}", end.exit_code, length);
}

// One line that is written over on a terminal, a line for every task elsewhere.
class Progress {
 public:
  Progress(const exec::RunFolder& folder, const Problem& problem)
      : folder_(folder), problem_(problem), is_terminal_(isatty(STDERR_FILENO) == 1) {}

  void ended(std::uint32_t task, const exec::RunState& state) {
    const exec::TaskStatus& status = state.tasks()[task];
    const bool is_failure = status.state == exec::TaskState::failed;
    if (is_terminal_ && !is_failure) return;
    clear();
    fmt::print(stderr, "[{}/{}] {} {}\n", state.count(exec::TaskState::done), problem_.task_count(),
               task_name(problem_, task), end_text(status.end));
    if (is_failure)
      fmt::print(stderr, "        see {}\n", folder_.log(task, status.attempt, "err"));
  }

  void changed(const exec::RunState& state, Count in_use) {
    if (!is_terminal_) return;
    clear();
    fmt::print(stderr, "[{}/{}] {} running on {}", state.count(exec::TaskState::done),
               problem_.task_count(), state.count(exec::TaskState::running),
               counted(static_cast<std::size_t>(in_use), "processor"));
    std::fflush(stderr);
    has_line_ = true;
  }

  void clear() {
    if (has_line_) fmt::print(stderr, "\r\033[K");
    has_line_ = false;
  }

 private:
  const exec::RunFolder& folder_;
  const Problem& problem_;
  bool is_terminal_;
  bool has_line_ = false;
};

Exit conduct(const exec::RunFolder& folder, const RunDescription& description) {
  const Problem problem = description.problem();
  const Plan plan = plan_for_run(problem);
  Progress progress(folder, problem);
  const auto outcome = exec::conduct(
      folder, problem, plan,
      {.processors = description.processors,
       .keep_going = description.keep_going,
       .folder = description.folder,
       .progress = [&](const auto& state, Count in_use) { progress.changed(state, in_use); },
       .ended = [&](std::uint32_t task, const auto& state) { progress.ended(task, state); }});
  progress.clear();
  switch (outcome) {
    case exec::RunOutcome::done:
      fmt::print("{}: all {} done\n", folder.id(), counted(problem.task_count(), "task"));
      return Exit::fine;
    case exec::RunOutcome::failed:
      fmt::print("{}: failed; after a fix: dovetail resume {}\n", folder.id(), folder.id());
      return Exit::no;
    case exec::RunOutcome::interrupted:
      fmt::print("{}: interrupted; go on with: dovetail resume {}\n", folder.id(), folder.id());
      return Exit::no;
  }
  return Exit::no;
}

exec::RunLock lock(const exec::RunFolder& folder) {
  auto taken = exec::RunLock::take(folder);
  if (taken) return std::move(*taken);
  const auto holder = exec::RunLock::holder(folder);
  throw InputError(fmt::format("{} is being run{}", folder.id(),
                               holder ? fmt::format(" by process {}", holder->pid) : ""));
}

Exit run(const Arguments& arguments) {
  const RunDescription description = describe_run(arguments);
  const Problem problem = description.problem();
  if (arguments.dry_run) {
    print_plan(problem, plan_for_run(problem));
    return Exit::fine;
  }
  const auto folder =
      exec::RunFolder::create(exec::state_folder(), description.workflows.front().name());
  description.write(folder);
  const exec::RunLock own = lock(folder);
  return conduct(folder, description);
}

Exit resume(const std::string& id) {
  const auto folder = exec::RunFolder::open(exec::state_folder(), id);
  const exec::RunLock own = lock(folder);
  return conduct(folder, RunDescription::read(folder));
}

}  // namespace

void add_run(CLI::App& program, Exit& status) {
  CLI::App* command = program.add_subcommand("run", "executes workflows on this machine");
  auto arguments = std::make_shared<Arguments>();
  command->add_option("WORKFLOW", arguments->workflows, "workflow files")->required();
  command
      ->add_option("-j,--processors", arguments->processors,
                   "processors that may be in use at a time; default: all of this machine")
      ->check(CLI::Range(1, kMaxProcessors));
  command->add_flag("--keep-going", arguments->keep_going,
                    "after a failure, run what does not need the failed task");
  command->add_flag("--dry-run", arguments->dry_run, "print the plan and the commands only");
  command->footer(
      "A task finds its processors in DOVETAIL_PROCESSORS and OMP_NUM_THREADS. Ctrl-C waits for\n"
      "what runs, a second one stops it; dovetail resume goes on.\n"
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
