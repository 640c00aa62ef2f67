#include "batch/job_book.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "batch/job_script.hpp"
#include "dovetail/io.hpp"
#include "run/freshness.hpp"
#include "run/local/task_command.hpp"

namespace dovetail::batch {

namespace {

using run::TaskStatus;

// Times in a row that a task may be cut short, by the end of its job or a crash.
constexpr std::uint32_t kMostLosses = 2;

// A task over several nodes has processes there, not threads: as many as processors by default, so
// that each has one.
void tell_nodes(run::StepCommand& command, Count nodes) {
  auto& variables = command.environment;
  const auto threads =
      std::ranges::find(variables, "OMP_NUM_THREADS", &std::pair<std::string, std::string>::first);
  if (nodes > 1 && threads != variables.end()) threads->second = "1";
  variables.insert(variables.begin(), {"DOVETAIL_NODES", std::to_string(nodes)});
}

}  // namespace

JobBook::JobBook(const run::RunFolder& folder, const Problem& problem, const JobRunOptions& options,
                 const BatchSystem& system)
    : folder_(folder),
      problem_(problem),
      options_(options),
      system_(system),
      journal_(folder.journal()),
      state_(run::read_run_state(folder.journal(), problem.task_count())),
      pilots_(read_pilot_states(folder.journal())),
      clock_(state_.last(), options.clock),
      revision_(problem, state_, options.folder),
      blocked_(problem.task_count()),
      held_(problem.task_count()) {
  for (const std::uint32_t pilot : pilots_.live()) {
    for (const std::uint32_t task : pilots_.at(pilot).tasks) held_[task] = true;
  }
}

void JobBook::write(const Json& entry) {
  journal_.add(entry);
  state_.apply(entry);
  pilots_.apply(entry);
}

Stamp JobBook::stamp_of(WallTime time) const {
  const Stamp now = clock_.stamp();
  const WallTime ago = std::max<WallTime>(0, now.time - time);
  return {now.time - ago, std::max<Time>(0, now.at - ago)};
}

void JobBook::take_over(const std::vector<run::KeptTask>& kept) {
  const bool is_new = !state_.has_begun();
  note(is_new ? "begin" : "resume");
  if (is_new) {
    for (const run::KeptTask& task : kept) {
      write(
          run::kept_entry(clock_.stamp(), task.task, task.inputs, revision_.definition(task.task)));
    }
  }
  // In an order in which predecessors come first.
  for (const TaskId task : problem_.workflows().front().topological_order()) take_over_task(task);
  update_blocked();
  sync();
}

void JobBook::take_over_task(std::uint32_t task) {
  const TaskStatus& status = state_.tasks()[task];
  if (status.state == run::TaskState::failed && !held_[task]) {
    write(run::again_entry(clock_.stamp(), task, "resumed"));
  }
  if (status.state == run::TaskState::done) {
    const std::string why = revision_.why_again(task);
    if (!why.empty()) write(run::again_entry(clock_.stamp(), task, why));
  }
  set_done_mark(task);
}

// Jobs look at nothing else.
void JobBook::set_done_mark(std::uint32_t task) const {
  if (state_.tasks()[task].state == run::TaskState::done) {
    mark_done(folder_, task);
  } else if (!held_[task]) {
    std::error_code ignored;
    std::filesystem::remove(done_file(folder_, task), ignored);
  }
}

void JobBook::plan(const std::string& reason, const std::vector<Slot>& slots) {
  Time end = 0;
  for (const Slot& slot : slots) end = std::max(end, slot.end);
  const Evaluation decision{.time = now(), .event = reason, .candidate = end, .adopted = true};
  write(run::plan_entry(clock_.stamp(), decision, "planned starts", slots));
}

std::uint32_t JobBook::draft(const JobDraft& draft) {
  const std::uint32_t pilot = pilots_.next();
  PilotStatus status{.name = pilot_name(options_.token, pilot, 1),
                     .tasks = {draft.tasks.begin(), draft.tasks.end()},
                     .nodes = draft.nodes,
                     .request = draft.limit,
                     .estimated_wait = draft.expected_wait,
                     .planned = draft.planned,
                     .is_reserved = draft.until.has_value()};
  for (const std::uint32_t task : status.tasks) {
    status.attempts.push_back(state_.tasks()[task].attempt + 1);
    held_[task] = true;
  }
  write(submit_entry(clock_.stamp(), pilot, status));
  write_files(pilot, draft.cores_per_node, draft.until);
  sync();
  return pilot;
}

void JobBook::draft_again(std::uint32_t pilot) {
  PilotStatus status = pilots_.at(pilot);
  const PilotOrder before = order(pilot);
  status.name = pilot_name(options_.token, pilot, status.tries + 1);
  write(submit_entry(clock_.stamp(), pilot, status));
  write_files(pilot, before.cores_per_node, before.until);
  sync();
}

PilotTask JobBook::pilot_task(std::uint32_t task, std::uint32_t attempt, Count nodes,
                              Count cores) const {
  const TaskRef ref = problem_.task_at(task);
  const Workflow& workflow = problem_.workflows()[ref.workflow];
  const TaskTime time = problem_.time(ref.workflow, ref.task, 0);
  const TaskStatus started{.attempt = attempt, .processors = time.floor_allowed(nodes * cores)};
  PilotTask made{.name = problem_.task_name(task),
                 .command = command_of(folder_, problem_, options_.folder, task, started),
                 .processors = started.processors,
                 .expected = time.duration(started.processors)};
  tell_nodes(made.command, nodes);
  for (const TaskId before : workflow.predecessors(ref.task)) {
    made.after.push_back(static_cast<std::uint32_t>(problem_.number_of({ref.workflow, before})));
  }
  made.inputs = revision_.execution(task).inputs;
  const std::filesystem::path directory = made.command.folder;
  for (const std::string& output : revision_.execution(task).outputs) {
    made.outputs.push_back((directory / output).string());
  }
  return made;
}

void JobBook::write_files(std::uint32_t pilot, Count cores_per_node,
                          std::optional<WallTime> until) const {
  const PilotStatus& status = pilots_.at(pilot);
  PilotOrder order{.job_name = status.name,
                   .pilot = pilot,
                   .nodes = status.nodes,
                   .cores_per_node = cores_per_node,
                   .request = status.request,
                   .until = until,
                   .picks_longest = options_.how.pick == Pick::longest,
                   .spreads = status.planned.has_value()};
  for (std::size_t i = 0; i < status.tasks.size(); ++i) {
    order.tasks.push_back(pilot_task(status.tasks[i], status.attempts[i],
                                     order.spreads ? status.nodes : 1, cores_per_node));
  }
  std::filesystem::create_directories(
      std::filesystem::path(order_file(folder_, pilot)).parent_path());
  write_order(order_file(folder_, pilot), order);
  orders_.erase(pilot);
  JobPlace place{.partition = options_.partition};
  if (status.is_reserved) {
    place.reservation = status.name;
  } else {
    place.begin = status.planned;
  }
  write_file(script_file(folder_, pilot), job_script(system_, order, place,
                                                     {.program = options_.program,
                                                      .order = order_file(folder_, pilot),
                                                      .output = output_file(folder_, pilot)}));
}

const PilotOrder& JobBook::order(std::uint32_t pilot) const {
  const auto found = orders_.find(pilot);
  if (found != orders_.end()) return found->second;
  return orders_.emplace(pilot, read_order(order_file(folder_, pilot))).first->second;
}

void JobBook::submitted(std::uint32_t pilot, const std::string& job_id) {
  write(submitted_entry(clock_.stamp(), pilot, job_id));
  sync();
}

void JobBook::started(std::uint32_t pilot, WallTime when) {
  write(job_start_entry(clock_.stamp(), pilot, when));
}

void JobBook::released(std::uint32_t pilot) {
  write(released_entry(clock_.stamp(), pilot));
  sync();
}

void JobBook::hear(std::uint32_t pilot, const PilotReport& report) {
  if (report.began && !pilots_.at(pilot).started) started(pilot, *report.began);
  for (const PilotReport::Start& begun : report.starts) {
    if (state_.tasks()[begun.task].attempt >= begun.attempt) continue;
    const auto& tasks = order(pilot).tasks;
    const auto task = std::ranges::find_if(
        tasks, [&](const PilotTask& other) { return other.command.task == begun.task; });
    start(begun, task == tasks.end() ? 1 : task->processors);
  }
  for (const PilotReport::End& ended : report.ends) {
    const TaskStatus& status = state_.tasks()[ended.task];
    const bool is_news = status.state == run::TaskState::running && status.attempt == ended.attempt;
    if (is_news) end(ended);
  }
}

void JobBook::start(const PilotReport::Start& start, Count processors) {
  Json entry = run::start_entry(stamp_of(start.time), start.task, start.attempt, processors);
  entry["definition"] = revision_.definition(start.task);
  entry["node"] = start.node;
  write(entry);
}

void JobBook::end(const PilotReport::End& ended) {
  // Stopped by its job, whose time was over: its own would not have been enough either.
  const bool is_cut = ended.end.cause == run::AttemptEnd::Cause::stopped;
  if (is_cut) return lose(ended.task);
  Json entry =
      run::end_entry(stamp_of(ended.end.time), ended.task, ended.attempt, ended.end, ended.missing);
  std::ifstream inputs(inputs_file(folder_, ended.task, ended.attempt));
  if (std::string digest; inputs >> digest) entry["inputs"] = digest;
  write(entry);
  const TaskStatus& status = state_.tasks()[ended.task];
  const bool may_try = status.failures <= revision_.execution(ended.task).retries;
  if (status.state == run::TaskState::failed && may_try) {
    write(run::retry_entry(clock_.stamp(), ended.task, now()));
  }
  set_done_mark(ended.task);
  if (status.state == run::TaskState::failed) update_blocked();
  if (options_.ended) options_.ended(ended.task, state_);
}

void JobBook::lose(std::uint32_t task) {
  const TaskStatus& status = state_.tasks()[task];
  if (status.losses < kMostLosses) {
    return write(run::lost_entry(clock_.stamp(), task, status.attempt));
  }
  end({.task = task,
       .attempt = status.attempt,
       .end = run::AttemptEnd::not_started(
           "it was cut short again and again; is its time long enough?")});
}

void JobBook::cancel(std::uint32_t pilot, const std::string& why) {
  claim_order(folder_, pilot);
  hear(pilot, read_report(folder_, order(pilot)));
  over(pilot, JobEnd::cancelled, why);
}

void JobBook::over(std::uint32_t pilot, JobEnd end, const std::string& why,
                   std::optional<WallTime> when) {
  for (const std::uint32_t task : pilots_.at(pilot).tasks) {
    if (state_.tasks()[task].state == run::TaskState::running) lose(task);
    held_[task] = false;
  }
  const auto& tasks = pilots_.at(pilot).tasks;
  const bool is_done = std::ranges::none_of(
      tasks, [&](TaskId task) { return state_of(task) == dovetail::TaskState::open; });
  write(job_end_entry(clock_.stamp(), pilot, is_done ? JobEnd::done : end, why, when));
  sync();
}

void JobBook::update_blocked() {
  const Workflow& workflow = problem_.workflows().front();
  for (const TaskId task : workflow.topological_order()) {
    const auto before = workflow.predecessors(task);
    blocked_[task] = state_.tasks()[task].state == run::TaskState::failed ||
                     std::ranges::any_of(before, [&](TaskId other) { return blocked_[other]; });
  }
}

dovetail::TaskState JobBook::state_of(TaskId task) const {
  if (state_.tasks()[task].state == run::TaskState::done) return dovetail::TaskState::done;
  return held_[task] || blocked_[task] ? dovetail::TaskState::held : dovetail::TaskState::open;
}

bool JobBook::has_open_tasks() const {
  for (TaskId task = 0; task < problem_.task_count(); ++task) {
    if (state_of(task) == dovetail::TaskState::open) return true;
  }
  return false;
}

}  // namespace dovetail::batch
