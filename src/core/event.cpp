#include "dovetail/event.hpp"

#include <sstream>

namespace dovetail {

namespace {

// "2h" after now, or a date.
std::string moment(const Problem& problem, Time time) {
  return problem.platform().wall_clock() ? format_date(time)
                                         : format_duration(time - problem.now());
}

std::string times(double factor) {
  std::ostringstream text;
  text << " x" << factor;
  return text.str();
}

}  // namespace

std::string describe(const Event& event, const Problem& problem) {
  const std::string& resource = problem.platform().clusters()[event.resource].name;
  const std::string booking = std::to_string(event.procs) + " from " +
                              moment(problem, event.start) + " to " + moment(problem, event.until);
  switch (event.kind) {
    case Event::Kind::join:
      return "join " + resource;
    case Event::Kind::leave:
      return "leave " + resource;
    case Event::Kind::leave_later:
      return "leave " + resource + " at " + moment(problem, event.until);
    case Event::Kind::slow:
      return "slow " + resource + times(event.factor);
    case Event::Kind::reserve:
      return "reserve " + booking;
    case Event::Kind::cancel:
      return "cancel " + booking;
    case Event::Kind::fail:
      return "fail " + std::to_string(event.procs) +
             (event.until < kForever ? " until " + moment(problem, event.until) : "");
    case Event::Kind::late:
      return (event.factor < 1 ? "early " : "late ") + problem.task_name(event.task) +
             times(event.factor);
    case Event::Kind::lost:
      return "lost " + problem.task_name(event.task);
  }
  return {};
}

}  // namespace dovetail
