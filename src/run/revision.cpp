#include "run/revision.hpp"

#include "run/freshness.hpp"

namespace dovetail::run {

std::string Revision::why_again(std::uint32_t task) const {
  if (has_changed(task)) return "it changed";
  const std::string why = why_inputs_change(task);
  if (!why.empty()) return why;
  return is_fresh(task) ? "" : "its inputs or outputs changed";
}

std::string Revision::why_inputs_change(std::uint32_t task) const {
  const TaskRef ref = problem_.task_at(task);
  const Workflow& workflow = problem_.workflows()[ref.workflow];
  for (const TaskId before : workflow.predecessors(ref.task)) {
    const std::size_t number = problem_.number_of({ref.workflow, before});
    if (state_.tasks()[number].state != TaskState::done) {
      return problem_.task_name(number) + " is run again";
    }
  }
  return {};
}

bool Revision::is_fresh(std::uint32_t task) const {
  return is_up_to_date(execution(task), directory(task), state_.tasks()[task].inputs);
}

bool Revision::has_changed(std::uint32_t task) const {
  return state_.tasks()[task].definition != definition(task);
}

std::string Revision::missing_output_after(std::uint32_t task, const AttemptEnd& end) const {
  if (!end.is_success()) return {};
  return missing_output(execution(task), directory(task)).value_or("");
}

const TaskExecution& Revision::execution(std::uint32_t task) const {
  const TaskRef ref = problem_.task_at(task);
  return problem_.workflows()[ref.workflow].execution(ref.task);
}

std::string Revision::definition(std::uint32_t task) const {
  const TaskRef ref = problem_.task_at(task);
  return definition_of(problem_.workflows()[ref.workflow], ref.task);
}

std::string Revision::directory(std::uint32_t task) const {
  return directory_of(execution(task), folder_);
}

}  // namespace dovetail::run
