#include "run/local/task_command.hpp"

#include "run/freshness.hpp"

namespace dovetail::run {

StepCommand command_of(const RunFolder& folder, const Problem& problem,
                       const std::string& run_folder, std::uint32_t task,
                       const TaskStatus& status) {
  const TaskRef ref = problem.task_at(task);
  const Workflow& workflow = problem.workflows()[ref.workflow];
  const TaskExecution& how = workflow.execution(ref.task);
  StepCommand command{.task = task,
                      .attempt = status.attempt,
                      .command = std::string(workflow.run(ref.task)),
                      .folder = directory_of(how, run_folder),
                      .attempt_file = folder.attempt(task, status.attempt),
                      .out_file = folder.log(task, status.attempt, "out"),
                      .err_file = folder.log(task, status.attempt, "err"),
                      .environment = {{"DOVETAIL_PROCESSORS", std::to_string(status.processors)},
                                      {"OMP_NUM_THREADS", std::to_string(status.processors)},
                                      {"DOVETAIL_RUN", folder.id()},
                                      {"DOVETAIL_TASK", std::string(workflow.id(ref.task))},
                                      {"DOVETAIL_ATTEMPT", std::to_string(status.attempt)}},
                      .cores = status.cores,
                      .timeout_seconds = how.timeout_seconds};
  command.environment.insert(command.environment.end(), how.environment.begin(),
                             how.environment.end());
  return command;
}

}  // namespace dovetail::run
