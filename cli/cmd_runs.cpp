// dovetail runs, status and logs: what is known of runs.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "command.hpp"
#include "dovetail/error.hpp"
#include "exec/run_state.hpp"
#include "run_description.hpp"

namespace dovetail::cli {

namespace {

using exec::RunFolder;
using exec::RunState;
using exec::TaskState;

// A run as far as its journal tells.
struct KnownRun {
  explicit KnownRun(const RunFolder& run)
      : folder(run), problem(RunDescription::read(run).problem()), state(problem.task_count()) {
    exec::read_journal(run.journal(), [&](const exec::Json& entry) { state.apply(entry); });
    holder = exec::RunLock::holder(run);
  }

  // In one word.
  std::string condition() const {
    if (state.count(TaskState::done) == problem.task_count()) return "done";
    if (holder) return "running";
    return state.count(TaskState::failed) > 0 ? "failed" : "interrupted";
  }

  RunFolder folder;
  Problem problem;
  RunState state;
  std::optional<exec::ProcessName> holder;
};

const char* name_of(TaskState state) {
  switch (state) {
    case TaskState::waiting:
      return "waiting";
    case TaskState::running:
      return "running";
    case TaskState::done:
      return "done";
    case TaskState::failed:
      return "failed";
  }
  return "";
}

exec::Json to_json(const KnownRun& run) {
  exec::Json json = {{"run", run.folder.id()}, {"condition", run.condition()}};
  for (const TaskState state :
       {TaskState::waiting, TaskState::running, TaskState::done, TaskState::failed}) {
    json[name_of(state)] = run.state.count(state);
  }
  json["tasks"] = exec::Json::array();
  for (std::uint32_t task = 0; task < run.state.tasks().size(); ++task) {
    const exec::TaskStatus& status = run.state.tasks()[task];
    const TaskRef ref = run.problem.task_at(task);
    const Workflow& workflow = run.problem.workflows()[ref.workflow];
    exec::Json row = {{"workflow", workflow.name()},
                      {"id", workflow.id(ref.task)},
                      {"state", name_of(status.state)},
                      {"attempts", status.attempt}};
    if (status.attempt > 0) row["processors"] = status.processors;
    if (status.state == TaskState::done || status.state == TaskState::failed) {
      row["exit"] = status.end.exit_code;
      row["seconds"] = status.end.seconds;
    }
    json["tasks"].push_back(std::move(row));
  }
  return json;
}

void print_tasks(const KnownRun& run, TaskState state) {
  for (std::uint32_t task = 0; task < run.state.tasks().size(); ++task) {
    const exec::TaskStatus& status = run.state.tasks()[task];
    if (status.state != state) continue;
    const TaskRef ref = run.problem.task_at(task);
    fmt::print("  {:<8} {}", name_of(state), run.problem.workflows()[ref.workflow].id(ref.task));
    if (state == TaskState::failed) fmt::print(", exit code {}", status.end.exit_code);
    fmt::print("\n");
  }
}

Exit list_runs(bool as_json) {
  exec::Json json = exec::Json::array();
  Table table({"run", "condition", "done", "failed", "tasks"});
  for (const RunFolder& folder : RunFolder::all(exec::state_folder())) {
    const KnownRun run(folder);
    const auto text = [&](TaskState state) { return std::to_string(run.state.count(state)); };
    table.add({folder.id(), run.condition(), text(TaskState::done), text(TaskState::failed),
               std::to_string(run.problem.task_count())});
    json.push_back({{"run", folder.id()},
                    {"condition", run.condition()},
                    {"done", run.state.count(TaskState::done)},
                    {"failed", run.state.count(TaskState::failed)},
                    {"tasks", run.problem.task_count()}});
  }
  as_json ? fmt::print("{}\n", json.dump(1)) : fmt::print("{}", table.text(2));
  return Exit::fine;
}

Exit show_status(const std::string& id, bool as_json) {
  const KnownRun run(RunFolder::open(exec::state_folder(), id));
  if (as_json) {
    fmt::print("{}\n", to_json(run).dump(1));
    return Exit::fine;
  }
  fmt::print("{}: {}, {} of {} done\n", id, run.condition(), run.state.count(TaskState::done),
             counted(run.problem.task_count(), "task"));
  print_tasks(run, TaskState::running);
  print_tasks(run, TaskState::failed);
  if (run.condition() == "failed" || run.condition() == "interrupted") {
    fmt::print("  go on with: dovetail resume {}\n", id);
  }
  return Exit::fine;
}

void print_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (file && file.peek() != std::ifstream::traits_type::eof()) std::cout << file.rdbuf();
}

Exit show_logs(const std::string& id, const std::string& task_id) {
  const KnownRun run(RunFolder::open(exec::state_folder(), id));
  for (std::uint32_t task = 0; task < run.state.tasks().size(); ++task) {
    const TaskRef ref = run.problem.task_at(task);
    const Workflow& workflow = run.problem.workflows()[ref.workflow];
    if (task_id != workflow.id(ref.task) &&
        task_id != workflow.name() + "/" + std::string(workflow.id(ref.task))) {
      continue;
    }
    const std::uint32_t attempt = run.state.tasks()[task].attempt;
    if (attempt == 0) throw InputError("task \"" + task_id + "\" has not started");
    print_file(run.folder.log(task, attempt, "out"));
    print_file(run.folder.log(task, attempt, "err"));
    return Exit::fine;
  }
  throw InputError("run " + id + " has no task \"" + task_id + "\"");
}

}  // namespace

void add_runs(CLI::App& program, Exit& status) {
  CLI::App* command = program.add_subcommand("runs", "all runs, oldest first");
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "as JSON");
  command->footer("Example: dovetail runs");
  command->callback([json, &status] { status = list_runs(*json); });
}

void add_status(CLI::App& program, Exit& status) {
  CLI::App* command = program.add_subcommand("status", "how far a run is");
  auto id = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  command->add_option("RUN", *id, "as dovetail runs lists it")->required();
  command->add_flag("--json", *json, "every task, as JSON");
  command->footer("Example: dovetail status flow-3");
  command->callback([id, json, &status] { status = show_status(*id, *json); });
}

void add_logs(CLI::App& program, Exit& status) {
  CLI::App* command = program.add_subcommand("logs", "what a task of a run printed");
  auto id = std::make_shared<std::string>();
  auto task = std::make_shared<std::string>();
  command->add_option("RUN", *id, "as dovetail runs lists it")->required();
  command->add_option("TASK", *task, "id of the task; its last attempt is shown")->required();
  command->footer("Example: dovetail logs flow-3 solve");
  command->callback([id, task, &status] { status = show_logs(*id, *task); });
}

}  // namespace dovetail::cli
