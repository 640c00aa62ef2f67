#include "exec/run_state.hpp"

#include <algorithm>

namespace dovetail::exec {

namespace {

Json entry_of(WallTime now, const char* what, std::uint32_t task, std::uint32_t attempt) {
  return {{"time", now}, {"what", what}, {"task", task}, {"attempt", attempt}};
}

// An end that cannot be read is no success.
AttemptEnd unknown_end() {
  return {.exit_code = 1, .cause = AttemptEnd::Cause::not_started, .why = "its end is not known"};
}

}  // namespace

Json start_entry(WallTime now, std::uint32_t task, std::uint32_t attempt, std::int32_t processors) {
  Json entry = entry_of(now, "start", task, attempt);
  entry["processors"] = processors;
  return entry;
}

Json end_entry(WallTime now, std::uint32_t task, std::uint32_t attempt, const AttemptEnd& end) {
  Json entry = entry_of(now, "end", task, attempt);
  entry.update(Json::parse(to_json(end)));
  return entry;
}

Json lost_entry(WallTime now, std::uint32_t task, std::uint32_t attempt) {
  return entry_of(now, "lost", task, attempt);
}

Json note_entry(WallTime now, const std::string& what) { return {{"time", now}, {"what", what}}; }

void RunState::apply(const Json& entry) {
  last = entry.value("time", WallTime{0});
  if (began == 0) began = last;
  const std::string what = entry.value("what", "");
  const auto task = entry.value("task", tasks_.size());
  if (task >= tasks_.size()) return;
  TaskStatus& status = tasks_[task];
  status.attempt = std::max(status.attempt, entry.value("attempt", 0U));
  if (what == "start") {
    set(status, TaskState::running);
    status.processors = entry.value("processors", 0);
    status.started = last;
  } else if (what == "lost") {
    set(status, TaskState::waiting);
  } else if (what == "end") {
    status.end = parse_end(entry.dump()).value_or(unknown_end());
    const bool was_stopped = status.end.cause == AttemptEnd::Cause::stopped;
    set(status, status.end.is_success() ? TaskState::done
                : was_stopped           ? TaskState::waiting
                                        : TaskState::failed);
  } else if (what == "again" && status.state == TaskState::failed) {
    set(status, TaskState::waiting);
  }
}

void RunState::set(TaskStatus& status, TaskState state) {
  --counts_[static_cast<std::size_t>(status.state)];
  ++counts_[static_cast<std::size_t>(state)];
  status.state = state;
}

}  // namespace dovetail::exec
