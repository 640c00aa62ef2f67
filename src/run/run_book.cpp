#include "run/run_book.hpp"

#include <fmt/format.h>

#include <filesystem>

namespace dovetail::run {

namespace {

const char* name_of(RunOutcome outcome) {
  constexpr const char* kNames[] = {"done", "failed", "interrupted", "cancelled"};
  return kNames[static_cast<std::size_t>(outcome)];
}

}  // namespace

RunBook::RunBook(const RunFolder& folder, const Problem& problem, const std::string& started_in,
                 ClockSource clock, const EntryVisitor& visit)
    : folder_(folder),
      problem_(problem),
      journal_(folder.journal()),
      state_(read_run_state(folder.journal(), problem.task_count(), visit)),
      clock_(state_.last(), std::move(clock)),
      revision_(problem, state_, started_in) {}

void RunBook::write(const Json& entry) {
  journal_.add(entry);
  state_.apply(entry);
}

bool RunBook::open(const std::vector<KeptTask>& kept) {
  const bool is_new = !state_.has_begun();
  note(is_new ? "begin" : "resume");
  if (is_new) {
    for (const KeptTask& task : kept) keep(task.task, task.inputs, revision_.definition(task.task));
  }
  return is_new;
}

std::vector<std::uint32_t> RunBook::tasks_in_order() const {
  std::vector<std::uint32_t> tasks;
  for (std::uint32_t w = 0; w < problem_.workflows().size(); ++w) {
    for (const TaskId id : problem_.workflows()[w].topological_order()) {
      tasks.push_back(static_cast<std::uint32_t>(problem_.number_of({w, id})));
    }
  }
  return tasks;
}

StepCommand RunBook::command_of(std::uint32_t task, const TaskStatus& status) const {
  const TaskRef ref = problem_.task_at(task);
  const Workflow& workflow = problem_.workflows()[ref.workflow];
  const TaskExecution& how = workflow.execution(ref.task);
  StepCommand command{.task = task,
                      .attempt = status.attempt,
                      .command = std::string(workflow.run(ref.task)),
                      .folder = revision_.directory(task),
                      .attempt_file = folder_.attempt(task, status.attempt),
                      .out_file = folder_.log(task, status.attempt, "out"),
                      .err_file = folder_.log(task, status.attempt, "err"),
                      .environment = {{"DOVETAIL_PROCESSORS", std::to_string(status.processors)},
                                      {"OMP_NUM_THREADS", std::to_string(status.processors)},
                                      {"DOVETAIL_RUN", folder_.id()},
                                      {"DOVETAIL_TASK", std::string(workflow.id(ref.task))},
                                      {"DOVETAIL_ATTEMPT", std::to_string(status.attempt)}},
                      .cores = status.cores,
                      .origin = {.definition = status.definition,
                                 .inputs = status.inputs,
                                 .processors = status.processors},
                      .timeout_seconds = how.timeout_seconds};
  if (!status.gpus.empty()) {
    const std::string gpus = fmt::format("{}", fmt::join(status.gpus, ","));
    for (const char* name : {"DOVETAIL_GPUS", "CUDA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES"}) {
      command.environment.emplace_back(name, gpus);
    }
  }
  const std::filesystem::path directory = command.folder;
  for (const std::string& output : how.outputs) {
    command.outputs.push_back((directory / output).string());
  }
  command.environment.insert(command.environment.end(), how.environment.begin(),
                             how.environment.end());
  return command;
}

void RunBook::keep(std::uint32_t task, const std::string& inputs, const std::string& definition) {
  write(kept_entry(stamp(), task, inputs, definition));
}

void RunBook::ask_again(std::uint32_t task, const std::string& why) {
  write(again_entry(stamp(), task, why));
}

void RunBook::write_end(std::uint32_t task, const AttemptEnd& end) {
  write(end_entry(stamp(), task, status(task).attempt, end,
                  revision_.missing_output_after(task, end)));
}

void RunBook::write_lost(std::uint32_t task) {
  write(lost_entry(stamp(), task, status(task).attempt));
}

RunOutcome RunBook::close(bool is_cancelled, bool is_interrupted) {
  const auto outcome = is_done()        ? RunOutcome::done
                       : is_cancelled   ? RunOutcome::cancelled
                       : is_interrupted ? RunOutcome::interrupted
                                        : RunOutcome::failed;
  if (outcome != RunOutcome::done) note(name_of(outcome));
  sync();
  return outcome;
}

void write_done(const RunFolder& folder, RunEnd& end) {
  if (end.outcome != RunOutcome::done) return;
  const Json entry = note_entry(RunClock(end.state.last()).stamp(), name_of(end.outcome));
  JournalWriter journal(folder.journal());
  journal.add(entry);
  journal.sync();
  end.state.apply(entry);
}

bool RunBook::may_retry(std::uint32_t task) const {
  return status(task).state == TaskState::failed &&
         status(task).failures <= revision_.execution(task).retries;
}

void RunBook::retry(std::uint32_t task, Time not_before) {
  write(retry_entry(stamp(), task, not_before));
}

}  // namespace dovetail::run
