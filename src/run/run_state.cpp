#include "run/run_state.hpp"

#include <algorithm>
#include <cmath>

namespace dovetail::run {

namespace {

Json entry_of(const Stamp& now, const std::string& what) {
  return {{"time", now.time}, {"at", now.at}, {"what", what}};
}

Json entry_of(const Stamp& now, const char* what, std::uint32_t task) {
  Json entry = entry_of(now, what);
  entry["task"] = task;
  return entry;
}

Json entry_of(const Stamp& now, const char* what, std::uint32_t task, std::uint32_t attempt) {
  Json entry = entry_of(now, what, task);
  entry["attempt"] = attempt;
  return entry;
}

// An end that cannot be read is no success.
AttemptEnd unknown_end() {
  return {.exit_code = 1, .cause = AttemptEnd::Cause::not_started, .why = "its end is not known"};
}

Json time_or_null(const std::optional<Time>& time) { return time ? Json(*time) : Json(); }

std::optional<Time> time_at(const Json& entry, const char* key) {
  const auto found = entry.find(key);
  if (found == entry.end() || !found->is_number_integer()) return std::nullopt;
  return found->get<Time>();
}

std::optional<std::size_t> moved_at(const Json& entry) {
  const auto found = entry.find("moved");
  if (found == entry.end() || !found->is_number_unsigned()) return std::nullopt;
  return found->get<std::size_t>();
}

}  // namespace

Json start_entry(const Stamp& now, std::uint32_t task, std::uint32_t attempt, Count processors) {
  Json entry = entry_of(now, "start", task, attempt);
  entry["processors"] = processors;
  return entry;
}

Json end_entry(const Stamp& now, std::uint32_t task, std::uint32_t attempt, const AttemptEnd& end,
               const std::string& missing) {
  Json entry = entry_of(now, "end", task, attempt);
  entry.update(json_of(end));
  if (!missing.empty()) entry["missing"] = missing;
  return entry;
}

Json lost_entry(const Stamp& now, std::uint32_t task, std::uint32_t attempt) {
  return entry_of(now, "lost", task, attempt);
}

Json retry_entry(const Stamp& now, std::uint32_t task, Time at) {
  Json entry = entry_of(now, "retry", task);
  entry["not_before"] = at;
  return entry;
}

Json again_entry(const Stamp& now, std::uint32_t task, const std::string& why) {
  Json entry = entry_of(now, "again", task);
  entry["why"] = why;
  return entry;
}

Json kept_entry(const Stamp& now, std::uint32_t task, const std::string& inputs,
                const std::string& definition) {
  Json entry = entry_of(now, "kept", task);
  entry["inputs"] = inputs;
  entry["definition"] = definition;
  return entry;
}

Json plan_entry(const Stamp& now, const Evaluation& decision, const std::string& algorithm,
                std::span<const planning::Slot> slots) {
  Json entry = entry_of(now, "plan");
  entry["reason"] = decision.event;
  entry["current"] = time_or_null(decision.current);
  entry["candidate"] = time_or_null(decision.candidate);
  entry["adopted"] = decision.adopted;
  if (decision.moved) entry["moved"] = *decision.moved;
  if (!decision.adopted) return entry;
  entry["algorithm"] = algorithm;
  Json tasks = Json::array();
  for (std::size_t task = 0; task < slots.size(); ++task) {
    const planning::Slot& slot = slots[task];
    if (slot.procs > 0) tasks.push_back({task, slot.procs, slot.start, slot.end});
  }
  entry["tasks"] = std::move(tasks);
  return entry;
}

Json resources_entry(const Stamp& now, Count processors) {
  Json entry = entry_of(now, "resources");
  entry["processors"] = processors;
  return entry;
}

Json note_entry(const Stamp& now, const std::string& what) { return entry_of(now, what); }

void RunState::apply(const Json& entry) {
  last_ = {entry.value("time", WallTime{0}), entry.value("at", Time{0})};
  if (began_.time == 0) began_ = last_;
  const std::string what = entry.value("what", "");
  if (what == "plan") {
    take_plan(entry);
  } else if (what == "resources") {
    processors_ = std::clamp(entry.value("processors", Count{1}), Count{1}, kMaxProcessors);
  } else if (what == "done" || what == "failed" || what == "interrupted" || what == "cancelled") {
    outcome_ = what;
  } else if (what == "stopping") {
    is_stopping_ = true;
  } else if (what == "resume") {
    outcome_.clear();
    is_stopping_ = false;
  }
  if (entry.contains("pilot")) has_jobs_ = true;
  const auto task = entry.value("task", tasks_.size());
  if (task < tasks_.size()) apply_to_task(what, entry, static_cast<std::uint32_t>(task));
}

void RunState::apply_to_task(const std::string& what, const Json& entry, std::uint32_t task) {
  TaskStatus& status = tasks_[task];
  if (what == "start") {
    start(status, entry);
  } else if (what == "end") {
    end(task, entry);
  } else if (what == "lost") {
    remember(task, false, 0);
    ++status.losses;
    set(status, TaskState::waiting);
  } else if (what == "retry") {
    status.not_before = entry.value("not_before", Time{0});
    set(status, TaskState::waiting);
  } else if (what == "again") {
    status.again = status.state == TaskState::done ? entry.value("why", "") : "";
    status.failures = 0;
    status.losses = 0;
    status.not_before = 0;
    status.was_kept = false;
    set(status, TaskState::waiting);
  } else if (what == "kept") {
    status.inputs = entry.value("inputs", "");
    status.definition = entry.value("definition", "");
    status.was_kept = true;
    status.has_succeeded = true;
    set(status, TaskState::done);
  }
}

void RunState::start(TaskStatus& status, const Json& entry) {
  set(status, TaskState::running);
  status.attempt = std::max(status.attempt, entry.value("attempt", 0U));
  status.processors = entry.value("processors", Count{0});
  status.started = last_.at;
  status.cores = entry.value("cores", std::vector<int>());
  status.gpus = entry.value("gpus", std::vector<int>());
  status.inputs = entry.value("inputs", "");
  status.definition = entry.value("definition", "");
  status.was_kept = false;
  status.has_succeeded = false;
}

void RunState::end(std::uint32_t task, const Json& entry) {
  TaskStatus& status = tasks_[task];
  status.end = end_of(entry).value_or(unknown_end());
  status.losses = 0;
  status.missing = entry.value("missing", "");
  status.inputs = entry.value("inputs", status.inputs);
  status.has_succeeded = status.end.is_success() && status.missing.empty();
  const bool was_stopped = status.end.cause == AttemptEnd::Cause::stopped;
  remember(task, status.has_succeeded, status.end.seconds);
  set(status, status.has_succeeded ? TaskState::done
              : was_stopped        ? TaskState::waiting
                                   : TaskState::failed);
  if (status.state == TaskState::failed) ++status.failures;
}

// It may have ended long before that was noticed: `seconds` is how long it really ran.
void RunState::remember(std::uint32_t task, bool succeeded, double seconds) {
  const TaskStatus& status = tasks_[task];
  const Time heard = std::max(last_.at, status.started);
  const Time length = static_cast<Time>(std::llround(seconds * 1000));
  attempts_.push_back({.task = task,
                       .attempt = status.attempt,
                       .processors = status.processors,
                       .started = status.started,
                       .ended = seconds > 0 ? std::min(heard, status.started + length) : heard,
                       .time = seconds > 0 ? status.end.time : last_.time,
                       .seconds = seconds,
                       .cpu_seconds = seconds > 0 ? status.end.cpu_seconds : 0,
                       .peak_kib = seconds > 0 ? status.end.peak_kib : 0,
                       .peak_memory = seconds > 0 ? status.end.peak() : 0,
                       .succeeded = succeeded});
}

void RunState::take_plan(const Json& entry) {
  decisions_.push_back({.time = last_.at,
                        .event = entry.value("reason", ""),
                        .candidate = time_at(entry, "candidate"),
                        .current = time_at(entry, "current"),
                        .adopted = entry.value("adopted", false),
                        .moved = moved_at(entry)});
  if (!decisions_.back().adopted || !entry.contains("tasks")) return;
  algorithm_ = entry.value("algorithm", "");
  plan_.resize(tasks_.size());
  for (const Json& row : entry["tasks"]) {
    const bool is_slot = row.is_array() && row.size() == 4 && row[0] < tasks_.size();
    if (is_slot) plan_[row[0].get<std::size_t>()] = {row[1], row[2], row[3]};
  }
  if (first_plan_.empty()) first_plan_ = plan_;
}

void RunState::set(TaskStatus& status, TaskState state) {
  --counts_[static_cast<std::size_t>(status.state)];
  ++counts_[static_cast<std::size_t>(state)];
  status.state = state;
}

RunState read_run_state(const std::string& journal, std::size_t tasks, const EntryVisitor& visit) {
  RunState state(tasks);
  read_journal(journal, [&](const Json& entry) {
    state.apply(entry);
    if (visit) visit(entry);
  });
  return state;
}

}  // namespace dovetail::run
