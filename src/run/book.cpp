#include "run/book.hpp"

namespace dovetail::run {

Book::Book(const RunFolder& folder, const Problem& problem, const std::string& started_in,
           ClockSource clock, const EntryVisitor& visit)
    : folder_(folder),
      problem_(problem),
      journal_(folder.journal()),
      state_(read_run_state(folder.journal(), problem.task_count(), visit)),
      clock_(state_.last(), std::move(clock)),
      revision_(problem, state_, started_in) {}

void Book::write(const Json& entry) {
  journal_.add(entry);
  state_.apply(entry);
}

bool Book::open(const std::vector<KeptTask>& kept) {
  const bool is_new = !state_.has_begun();
  note(is_new ? "begin" : "resume");
  if (is_new) {
    for (const KeptTask& task : kept) keep(task.task, task.inputs, revision_.definition(task.task));
  }
  return is_new;
}

std::vector<std::uint32_t> Book::tasks_in_order() const {
  std::vector<std::uint32_t> tasks;
  for (std::uint32_t w = 0; w < problem_.workflows().size(); ++w) {
    for (const TaskId id : problem_.workflows()[w].topological_order()) {
      tasks.push_back(static_cast<std::uint32_t>(problem_.number_of({w, id})));
    }
  }
  return tasks;
}

StepCommand Book::command_of(std::uint32_t task, const TaskStatus& status) const {
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
                      .timeout_seconds = how.timeout_seconds};
  command.environment.insert(command.environment.end(), how.environment.begin(),
                             how.environment.end());
  return command;
}

void Book::keep(std::uint32_t task, const std::string& inputs, const std::string& definition) {
  write(kept_entry(stamp(), task, inputs, definition));
}

void Book::ask_again(std::uint32_t task, const std::string& why) {
  write(again_entry(stamp(), task, why));
}

void Book::write_end(std::uint32_t task, const AttemptEnd& end) {
  write(end_entry(stamp(), task, status(task).attempt, end,
                  revision_.missing_output_after(task, end)));
}

void Book::write_lost(std::uint32_t task) {
  write(lost_entry(stamp(), task, status(task).attempt));
}

RunOutcome Book::close(bool is_cancelled, bool is_interrupted) {
  constexpr const char* kNames[] = {"done", "failed", "interrupted", "cancelled"};
  const auto outcome = is_done()        ? RunOutcome::done
                       : is_cancelled   ? RunOutcome::cancelled
                       : is_interrupted ? RunOutcome::interrupted
                                        : RunOutcome::failed;
  note(kNames[static_cast<std::size_t>(outcome)]);
  sync();
  return outcome;
}

bool Book::may_retry(std::uint32_t task) const {
  return status(task).state == TaskState::failed &&
         status(task).failures <= revision_.execution(task).retries;
}

void Book::retry(std::uint32_t task, Time not_before) {
  write(retry_entry(stamp(), task, not_before));
}

}  // namespace dovetail::run
