#include "dovetail/event.hpp"

#include <sstream>

namespace dovetail {

namespace {

std::string task_name(const Problem& problem, TaskId number) {
  for (const Workflow& workflow : problem.workflows()) {
    if (number < workflow.size()) {
      const std::string id(workflow.id(number));
      return problem.workflows().size() == 1 ? id : workflow.name() + "/" + id;
    }
    number -= static_cast<TaskId>(workflow.size());
  }
  return {};
}

std::string times(double factor) {
  std::ostringstream text;
  text << " x" << factor;
  return text.str();
}

}  // namespace

std::string describe(const Event& event, const Problem& problem) {
  const std::string& resource = problem.platform().clusters()[event.resource].name;
  const std::string booking = std::to_string(event.procs) + " from " + format_seconds(event.start) +
                              " to " + format_seconds(event.until);
  switch (event.kind) {
    case Event::Kind::join:
      return "join " + resource;
    case Event::Kind::leave:
      return "leave " + resource;
    case Event::Kind::leave_later:
      return "leave " + resource + " at " + format_seconds(event.until);
    case Event::Kind::slow:
      return "slow " + resource + times(event.factor);
    case Event::Kind::reserve:
      return "reserve " + booking;
    case Event::Kind::cancel:
      return "cancel " + booking;
    case Event::Kind::fail:
      return "fail " + std::to_string(event.procs) +
             (event.until < kForever ? " until " + format_seconds(event.until) : "");
    case Event::Kind::late:
      return (event.factor < 1 ? "early " : "late ") + task_name(problem, event.task) +
             times(event.factor);
    case Event::Kind::lost:
      return "lost " + task_name(problem, event.task);
  }
  return {};
}

}  // namespace dovetail
