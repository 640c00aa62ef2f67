// dovetail cancel, resources and explain: runs that go on.
#include <fmt/format.h>
#include <unistd.h>

#include <memory>

#include "batch/described_jobs.hpp"
#include "cli/command.hpp"
#include "cli/queue/job_output.hpp"
#include "dovetail/error.hpp"
#include "run/known_run.hpp"
#include "run/mailbox.hpp"
#include "run/report/run_queries.hpp"

namespace dovetail::cli {

namespace {

// Cancels jobs that came into the queue, or back into it, when the run was over.
Exit remove_leftovers(const run::KnownRun& run) {
  const auto lock = run.description.batch ? run::RunLock::take(run.folder) : std::nullopt;
  const std::size_t found = lock ? batch::cancel(run) : 0;
  const std::string id = run.folder.id();
  if (found == 0) throw InputError(id + " is " + run.condition() + "; there is nothing to cancel");
  say("{}: {} left in the queue, now cancelled\n", id, counted(found, "job"));
  return Exit::fine;
}

// Ends what is left of the run, unless a process works on it.
bool cancelled_here(const run::KnownRun& run) {
  const auto lock = run::RunLock::take(run.folder);
  if (!lock) return false;
  const run::KnownRun now(run.folder);
  const bool is_over = now.state.outcome() == "cancelled" || now.condition() == "done";
  if (!is_over) batch::cancel(now);
  run::Mailbox mailbox(run.folder);  // holds our own request if no process was left to read it
  mailbox.take();
  mailbox.forget();
  return true;
}

void tell_who_works_on(const run::RunFolder& folder) {
  if (const auto holder = run::RunLock::holder(folder)) {
    tell("waiting for process {}, which works on it; if it was halted, continue or kill it\n",
         holder->pid);
  }
}

// The process that works on the run is asked to end it; when there is none, that is done here.
Exit cancel(const std::string& id) {
  const run::KnownRun run(id);
  const std::string condition = run.condition();
  if (condition == "done" || condition == "cancelled") return remove_leftovers(run);
  constexpr useconds_t kPause = 50'000;
  constexpr int kTriesBeforeWord = 100;
  int tries = 0;
  for (bool is_asked = false;; usleep(kPause)) {
    if (cancelled_here(run)) {
      say("{}: {}\n", id, run::KnownRun(run.folder).condition());
      return Exit::fine;
    }
    if (!is_asked) run::post(run.folder, {{"what", "cancel"}});
    is_asked = true;
    if (++tries == kTriesBeforeWord) tell_who_works_on(run.folder);
  }
}

Exit set_resources(const std::string& id, Count processors, bool at_once) {
  const run::KnownRun run(id);
  if (run.condition() == "done") throw InputError(id + " is done; it needs no processors");
  const auto need = run::largest_need(run.problem, run.state);
  if (need && need->processors > processors) {
    throw InputError(fmt::format("-j {}: task \"{}\" needs {}", processors,
                                 run.problem.task_name(need->task),
                                 counted(need->processors, "processor")));
  }
  run::post(run.folder, {{"what", "resources"}, {"processors", processors}, {"now", at_once}});
  const std::string before =
      run.limit() == processors ? "" : fmt::format(" instead of {}", run.limit());
  say("{}: {}{}{}\n", id, counted(processors, "processor"), before,
      run.holder ? "" : ", once the run is resumed");
  return Exit::fine;
}

// A run on a batch system follows jobs, not a plan.
std::vector<std::string> explain_by_jobs(const run::KnownRun& run, std::uint32_t task) {
  auto reasons = run::explain_without_plan(run.problem, run.state, task, run.holder.has_value());
  if (run.state.tasks()[task].state == run::TaskState::waiting) {
    reasons.push_back(known_jobs(run.folder).place_of(task));
  }
  return reasons;
}

Exit explain(const std::string& id, const std::string& name, bool as_json) {
  const run::KnownRun run(id);
  const std::uint32_t task = run.task(name);
  const auto reasons = run.description.batch ? explain_by_jobs(run, task)
                                             : run::explain(run.problem, run.state, task,
                                                            run.limit(), run.holder.has_value());
  const char* state = name_of(run.state.tasks()[task].state);
  if (as_json) {
    const run::Json json = {{"run", id}, {"task", name}, {"state", state}, {"reasons", reasons}};
    say_exact(json.dump(1) + "\n");
    return Exit::fine;
  }
  say("{}: {}\n", run.problem.task_name(task), state);
  if (run.state.tasks()[task].state == run::TaskState::failed) {
    say("  it {}\n", run::end_text(run.state.tasks()[task]));
  }
  for (const std::string& reason : reasons) say("  {}\n", reason);
  return Exit::fine;
}

}  // namespace

void add_cancel(CLI::App& program, Exit& status) {
  CLI::App* command = program.add_subcommand("cancel", "end a run and its tasks");
  auto id = std::make_shared<std::string>();
  command->add_option("RUN", *id, "as dovetail runs lists it")->required();
  command->footer("Example: dovetail cancel flow-3");
  command->callback([id, &status] { status = cancel(*id); });
}

void add_resources(CLI::App& program, Exit& status) {
  CLI::App* command =
      program.add_subcommand("resources", "give a run more or fewer processors while it runs");
  auto id = std::make_shared<std::string>();
  auto processors = std::make_shared<Count>(1);
  auto at_once = std::make_shared<bool>(false);
  command->add_option("RUN", *id, "as dovetail runs lists it")->required();
  command->add_option("-j,--processors", *processors, "use at most this many at a time from now on")
      ->required()
      ->check(CLI::Range(1, kMaxProcessors));
  command->add_flag(
      "--now", *at_once,
      "stop the tasks that started last instead of waiting for them, and run them again later");
  command->footer("Example: dovetail resources flow-3 -j 4");
  command->callback(
      [id, processors, at_once, &status] { status = set_resources(*id, *processors, *at_once); });
}

void add_explain(CLI::App& program, Exit& status) {
  CLI::App* command = program.add_subcommand("explain", "say why a task of a run has not started");
  auto id = std::make_shared<std::string>();
  auto task = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  command->add_option("RUN", *id, "as dovetail runs lists it")->required();
  command->add_option("TASK", *task, "id of the task")->required();
  command->add_flag("--json", *json, "print JSON");
  command->footer("Example: dovetail explain flow-3 solve");
  command->callback([id, task, json, &status] { status = explain(*id, *task, *json); });
}

}  // namespace dovetail::cli
