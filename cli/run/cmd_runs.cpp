// dovetail runs, status and logs: what is known of runs.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/command.hpp"
#include "cli/federation/experiment_progress.hpp"
#include "cli/federation/federated_run.hpp"
#include "cli/queue/job_output.hpp"
#include "dovetail/error.hpp"
#include "run/known_run.hpp"
#include "run/report/run_queries.hpp"

namespace dovetail::cli {

namespace {

using run::RunFolder;
using run::TaskState;

run::Json task_json(const run::KnownRun& run, std::uint32_t task) {
  const run::TaskStatus& status = run.state.tasks()[task];
  const TaskRef ref = run.problem.task_at(task);
  const Workflow& workflow = run.problem.workflows()[ref.workflow];
  run::Json row = {{"workflow", workflow.name()},
                   {"id", workflow.id(ref.task)},
                   {"state", name_of(status.state)},
                   {"attempts", status.attempt}};
  if (status.attempt > 0) row["processors"] = status.processors;
  if (status.was_kept) row["kept"] = true;
  const bool has_ended = status.state == TaskState::done || status.state == TaskState::failed;
  if (has_ended && !status.was_kept) {
    row["exit"] = status.end.exit_code;
    row["seconds"] = status.end.seconds;
    row["cpu_seconds"] = status.end.cpu_seconds;
    row["peak_kib"] = status.end.peak_kib;
    row["peak_memory"] = status.end.peak();
  }
  if (status.state == TaskState::failed) row["why"] = run::end_text(status);
  if (task < run.state.plan().size() && status.state == TaskState::waiting) {
    row["planned_start"] = to_seconds(run.state.plan()[task].start);
    row["planned_processors"] = run.state.plan()[task].procs;
  }
  return row;
}

run::Json to_json(const run::KnownRun& run) {
  run::Json json = {{"run", run.folder.id()},
                    {"condition", run.condition()},
                    {"processors", run.limit()},
                    {"in_use", run::processors_in_use(run.state)}};
  for (const TaskState state :
       {TaskState::waiting, TaskState::running, TaskState::done, TaskState::failed}) {
    json[name_of(state)] = run.state.count(state);
  }
  const auto blocked = run::blocked_tasks(run.problem, run.state);
  json["tasks"] = run::Json::array();
  for (std::uint32_t task = 0; task < run.state.tasks().size(); ++task) {
    run::Json row = task_json(run, task);
    if (blocked[task]) row["blocked_by"] = run.problem.task_name(*blocked[task]);
    json["tasks"].push_back(std::move(row));
  }
  return json;
}

// Of a task that is running by the journal; perhaps no process works on the run.
bool still_runs(const run::KnownRun& run, std::uint32_t task) {
  if (run.holder) return true;
  const std::uint32_t attempt = run.state.tasks()[task].attempt;
  return run::read_attempt(run.folder.attempt(task, attempt)).still_runs();
}

void print_tasks(const run::KnownRun& run, TaskState state) {
  for (std::uint32_t task = 0; task < run.state.tasks().size(); ++task) {
    const run::TaskStatus& status = run.state.tasks()[task];
    if (status.state != state) continue;
    say("  {:<8} {}", name_of(state), run.problem.task_name(task));
    if (state == TaskState::failed) say(" {}", run::end_text(status));
    if (state == TaskState::running) {
      say(" on {}{}", counted(status.processors, "processor"),
          still_runs(run, task) ? "" : ", has ended since");
    }
    say("\n");
  }
}

void print_blocked(const run::KnownRun& run) {
  const auto blocked = run::blocked_tasks(run.problem, run.state);
  const auto count = static_cast<std::size_t>(
      std::ranges::count_if(blocked, [](auto by) { return by.has_value(); }));
  if (count > 0) say("  behind a failed task: {}\n", counted(count, "task"));
}

run::Json summary_json(const RunFolder& folder) {
  try {
    const run::KnownRun run(folder);
    return {{"run", folder.id()},
            {"condition", run.condition()},
            {"done", run.state.count(TaskState::done)},
            {"failed", run.state.count(TaskState::failed)},
            {"tasks", run.problem.task_count()},
            {"folder", run.description.folder},
            {"began", run.state.began().time},
            {"last", run.state.last().time}};
  } catch (const std::exception& error) {
    return {{"run", folder.id()}, {"condition", "damaged"}, {"why", error.what()}};
  }
}

// The same for an experiment over clusters, whose tasks are its scenarios.
run::Json experiment_json(const RunFolder& folder) {
  try {
    const KnownExperiment known(folder);
    return {{"run", folder.id()},
            {"condition", known.condition()},
            {"experiment", true},
            {"done", known.state.scenarios_over()},
            {"failed", known.state.failed().size()},
            {"tasks", known.state.scenarios().size()},
            {"began", known.state.began()}};
  } catch (const std::exception& error) {
    return {{"run", folder.id()}, {"condition", "damaged"}, {"why", error.what()}};
  }
}

Exit list_runs(bool as_json) {
  run::Json json = run::Json::array();
  Table table({"run", "condition", "began", "done", "failed", "tasks"});
  for (const RunFolder& folder : RunFolder::all(run::state_folder())) {
    json.push_back(summary_json(folder));
  }
  for (const RunFolder& folder : RunFolder::all(experiments_folder())) {
    json.push_back(experiment_json(folder));
  }
  for (const run::Json& run : json) {
    const auto text = [&](const char* key) {
      return run.contains(key) ? std::to_string(run[key].get<std::size_t>()) : "";
    };
    const std::string began =
        run.contains("began") ? format_date(run["began"].get<run::WallTime>()) : "";
    table.add({run["run"].get<std::string>(), run["condition"].get<std::string>(), began,
               text("done"), text("failed"), text("tasks")});
  }
  as_json ? say_exact(json.dump(1) + "\n") : say("{}", table.text(3));
  return Exit::fine;
}

void print_status(const run::KnownRun& run) {
  const bool is_stopping = run.holder && run.state.is_stopping();
  say("{}: {}{}, {} of {} done\n", run.folder.id(), run.condition(),
      is_stopping ? " (nothing more is started)" : "", run.state.count(TaskState::done),
      counted(run.problem.task_count(), "task"));
  if (run.holder) {
    say("  for {}, {} of {} in use\n", format_duration(run::RunClock(run.state.last()).now()),
        run::processors_in_use(run.state), counted(run.limit(), "processor"));
  }
  if (run.condition() != "done") {
    say("{}", jobs_text(known_jobs(run.folder)));
  }
  print_tasks(run, TaskState::running);
  print_tasks(run, TaskState::failed);
  print_blocked(run);
  if (run.condition() != "running" && run.condition() != "done") {
    say("  go on with: dovetail resume {}, or run a changed workflow again\n", run.folder.id());
  }
}

// Nothing unless it is an experiment's, and no run's.
std::optional<RunFolder> experiment_of(const std::string& id) {
  const auto has_it = [&](const std::string& state) {
    const auto all = RunFolder::all(state);
    return std::ranges::find(all, id, &RunFolder::id) != all.end();
  };
  if (has_it(run::state_folder()) || !has_it(experiments_folder())) return std::nullopt;
  return RunFolder::open(experiments_folder(), id);
}

Exit show_experiment(const RunFolder& folder, bool as_json) {
  if (as_json) {
    say_exact(experiment_json(folder).dump(1) + "\n");
    return Exit::fine;
  }
  const KnownExperiment known(folder);
  say("{}: {}, {} of {} done{}\n", folder.id(), known.condition(), known.state.scenarios_over(),
      counted(known.state.scenarios().size(), "scenario"),
      known.state.outcome().empty() ? "; the client that runs it shows its months" : "");
  print_experiment(known.state);
  return Exit::fine;
}

Exit show_status(const std::string& id, bool as_json) {
  if (const auto experiment = experiment_of(id)) return show_experiment(*experiment, as_json);
  const run::KnownRun run(id);
  as_json ? say_exact(to_json(run).dump(1) + "\n") : print_status(run);
  return Exit::fine;
}

// Again at every change, until no process works on it.
Exit watch_status(const std::string& id) {
  constexpr useconds_t kPause = 500'000;
  const bool is_terminal = isatty(STDOUT_FILENO) == 1;
  for (std::string shown;;) {
    const run::KnownRun run(id);
    const std::string now = fmt::format("{} {}", run.state.last().at, run.condition());
    if (now != shown) {
      if (is_terminal) clear_screen();
      print_status(run);
      std::fflush(stdout);
      shown = now;
    }
    if (run.condition() != "running") return Exit::fine;
    usleep(kPause);
  }
}

Exit show_logs(const std::string& id, const std::string& name, std::uint32_t attempt) {
  const run::KnownRun run(id);
  const std::uint32_t task = run.task(name);
  const std::uint32_t last = run.state.tasks()[task].attempt;
  if (last == 0) throw InputError("task \"" + name + "\" has not started");
  if (attempt > last) throw InputError("task \"" + name + "\" had " + counted(last, "attempt"));
  const std::uint32_t shown = attempt == 0 ? last : attempt;
  say_file(run.folder.log(task, shown, "out"));
  say_file(run.folder.log(task, shown, "err"));
  const run::TaskStatus& status = run.state.tasks()[task];
  const bool has_ended = shown == last && status.state != TaskState::running;
  if (has_ended && status.end.cause == run::AttemptEnd::Cause::not_started) {
    tell("{} {}\n", name, run::end_text(status));
  }
  return Exit::fine;
}

}  // namespace

void add_runs(CLI::App& program, Exit& status) {
  CLI::App* command = program.add_subcommand("runs", "list all runs, oldest first");
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "print JSON");
  command->footer("Example: dovetail runs");
  command->callback([json, &status] { status = list_runs(*json); });
}

void add_status(CLI::App& program, Exit& status) {
  CLI::App* command = program.add_subcommand("status", "show how far a run is");
  auto id = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  auto live = std::make_shared<bool>(false);
  command->add_option("RUN", *id, "as dovetail runs lists it")->required();
  CLI::Option* as_json = command->add_flag("--json", *json, "print every task as JSON");
  command->add_flag("--live", *live, "show it again whenever it changes, until the run ends")
      ->excludes(as_json);
  command->footer("Example: dovetail status flow-3");
  command->callback(
      [id, json, live, &status] { status = *live ? watch_status(*id) : show_status(*id, *json); });
}

void add_logs(CLI::App& program, Exit& status) {
  CLI::App* command = program.add_subcommand("logs", "print what a task of a run printed");
  auto id = std::make_shared<std::string>();
  auto task = std::make_shared<std::string>();
  auto attempt = std::make_shared<std::uint32_t>(0);
  command->add_option("RUN", *id, "as dovetail runs lists it")->required();
  command->add_option("TASK", *task, "id of the task")->required();
  command->add_option("--attempt", *attempt, "print this attempt; default: the last one")
      ->check(CLI::PositiveNumber);
  command->footer("Example: dovetail logs flow-3 solve");
  command->callback([id, task, attempt, &status] { status = show_logs(*id, *task, *attempt); });
}

}  // namespace dovetail::cli
