#include "batch/job_book.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "batch/job_script.hpp"
#include "dovetail/error.hpp"
#include "dovetail/io.hpp"
#include "run/freshness.hpp"

namespace dovetail::batch {

namespace {

using run::TaskStatus;

// On several nodes a task has a process for each processor, each with one thread.
void tell_nodes(run::StepCommand& command, Count nodes) {
  auto& variables = command.environment;
  const auto threads =
      std::ranges::find(variables, "OMP_NUM_THREADS", &std::pair<std::string, std::string>::first);
  if (nodes > 1 && threads != variables.end()) threads->second = "1";
  variables.insert(variables.begin(), {"DOVETAIL_NODES", std::to_string(nodes)});
}

}  // namespace

JobBook::JobBook(const run::RunFolder& folder, const Problem& problem, const JobRunOptions& options,
                 const BatchSystem& system, PilotStates&& pilots)
    : RunBook(folder, problem, options.folder, options.clock,
              [&](const Json& entry) { pilots.apply(entry); }),
      options_(options),
      system_(system),
      pilots_(std::move(pilots)),
      blocked_(problem.task_count()),
      held_(problem.task_count()) {
  for (const std::uint32_t pilot : pilots_.live()) {
    for (const std::uint32_t task : pilots_.at(pilot).tasks) held_[task] = true;
  }
}

void JobBook::write_job(const Json& entry) {
  write(entry);
  pilots_.apply(entry);
}

Stamp JobBook::stamp_of(WallTime time) const {
  const Stamp now = stamp();
  const WallTime ago = std::max<WallTime>(0, now.time - time);
  return {now.time - ago, std::max<Time>(0, now.at - ago)};
}

void JobBook::take_over(const std::vector<run::KeptTask>& kept) {
  open(kept);
  for (const std::uint32_t task : tasks_in_order()) take_over_task(task);
  update_blocked();
  sync();
}

void JobBook::take_over_task(std::uint32_t task) {
  const bool has_failed = status(task).state == run::TaskState::failed && !held_[task];
  if (has_failed && options_.renews_failures) ask_again(task, "resumed");
  // The journal may have ended between the failure and the decision to try again.
  if (has_failed && !options_.renews_failures && may_retry(task)) retry(task, now());
  if (status(task).state == run::TaskState::done) {
    const std::string why = revision().why_again(task);
    if (!why.empty()) ask_again(task, why);
  }
  set_done_mark(task);
}

// Jobs look only at the mark.
void JobBook::set_done_mark(std::uint32_t task) const {
  if (status(task).state == run::TaskState::done) {
    mark_done(folder_, task);
  } else if (!held_[task]) {
    std::error_code ignored;
    std::filesystem::remove(done_file(folder_, task), ignored);
  }
}

void JobBook::plan(const std::string& reason, const std::vector<planning::Slot>& slots) {
  Time end = 0;
  for (const planning::Slot& slot : slots) end = std::max(end, slot.end);
  const Evaluation decision{.time = now(), .event = reason, .candidate = end, .adopted = true};
  write(run::plan_entry(stamp(), decision, "planned starts", slots));
}

std::uint32_t JobBook::draft(const JobDraft& draft) {
  const std::uint32_t pilot = pilots_.next();
  PilotStatus drafted{.name = pilot_name(options_.token, pilot, 1),
                      .tasks = {draft.tasks.begin(), draft.tasks.end()},
                      .nodes = draft.nodes,
                      .request = draft.limit,
                      .estimated_wait = draft.expected_wait,
                      .planned = draft.planned,
                      .is_reserved = draft.until.has_value()};
  for (const std::uint32_t task : drafted.tasks) {
    drafted.attempts.push_back(status(task).attempt + 1);
    held_[task] = true;
  }
  write_job(submit_entry(stamp(), pilot, drafted));
  write_files(pilot, draft.node, draft.until);
  sync();
  return pilot;
}

void JobBook::draft_again(std::uint32_t pilot) {
  PilotStatus lost = pilots_.at(pilot);
  const PilotOrder before = order(pilot);
  lost.name = pilot_name(options_.token, pilot, lost.tries + 1);
  write_job(submit_entry(stamp(), pilot, lost));
  write_files(pilot, before.node, before.until);
  sync();
}

// What it takes of the job's nodes: all of them when it is alone there.
queue::TaskShare JobBook::share_of(TaskRef ref, const PilotOrder& order) const {
  const TaskTime time = problem_.time(ref.workflow, ref.task, 0);
  if (!order.spreads) {
    NodeType node = order.node;
    node.count = order.nodes;
    const Workflow& workflow = problem_.workflows()[ref.workflow];
    try {
      return queue::share_of(workflow.needs(ref.task), time, node);
    } catch (const InputError& error) {
      throw InputError("task " + std::string(workflow.id(ref.task)) + " " + error.what());
    }
  }
  return {time.floor_allowed(order.nodes * order.node.cores), whole_node(order.node)};
}

PilotTask JobBook::pilot_task(std::uint32_t task, std::uint32_t attempt,
                              const PilotOrder& order) const {
  const TaskRef ref = problem_.task_at(task);
  const Workflow& workflow = problem_.workflows()[ref.workflow];
  const queue::TaskShare share = share_of(ref, order);
  const TaskStatus started{.attempt = attempt, .processors = share.processors};
  PilotTask made{.command = command_of(task, started), .demand = share.demand};
  made.command.name = problem_.task_name(task);
  made.command.processors = share.processors;
  made.command.expected = problem_.time(ref.workflow, ref.task, 0).duration(share.processors);
  tell_nodes(made.command, order.spreads ? order.nodes : share.demand.nodes);
  for (const TaskId before : workflow.predecessors(ref.task)) {
    made.after.push_back(static_cast<std::uint32_t>(problem_.number_of({ref.workflow, before})));
  }
  made.inputs = revision().execution(task).inputs;
  made.command.syncs = options_.syncs;
  return made;
}

void JobBook::write_files(std::uint32_t pilot, const NodeType& node,
                          std::optional<WallTime> until) const {
  const PilotStatus& job = pilots_.at(pilot);
  PilotOrder order{.job_name = job.name,
                   .pilot = pilot,
                   .nodes = job.nodes,
                   .node = node,
                   .request = job.request,
                   .until = until,
                   .picks_longest = options_.how.pick == queue::Pick::longest,
                   .spreads = job.planned.has_value()};
  for (std::size_t i = 0; i < job.tasks.size(); ++i) {
    order.tasks.push_back(pilot_task(job.tasks[i], job.attempts[i], order));
  }
  orders_.erase(pilot);
  JobPlace place{.partition = options_.partition};
  if (job.is_reserved) {
    place.reservation = job.name;
  } else {
    place.begin = job.planned;
  }
  write_job_files(folder_, system_, order, place, options_.program);
}

const PilotOrder& JobBook::order(std::uint32_t pilot) const {
  const auto found = orders_.find(pilot);
  if (found != orders_.end()) return found->second;
  return orders_.emplace(pilot, read_order(order_file(folder_, pilot))).first->second;
}

void JobBook::submitted(std::uint32_t pilot, const std::string& job_id) {
  write_job(submitted_entry(stamp(), pilot, job_id));
  sync();
}

void JobBook::started(std::uint32_t pilot, WallTime when) {
  write_job(job_start_entry(stamp(), pilot, when));
}

void JobBook::released(std::uint32_t pilot) {
  write_job(released_entry(stamp(), pilot));
  sync();
}

void JobBook::hear(std::uint32_t pilot, const PilotReport& report) {
  if (report.began && !pilots_.at(pilot).started) started(pilot, *report.began);
  for (const PilotReport::BegunTask& begun : report.starts) {
    if (status(begun.task).attempt >= begun.attempt) continue;
    const PilotTask* task = order(pilot).find(begun.task);
    start(begun, task == nullptr ? 1 : task->command.processors);
  }
  for (const PilotReport::EndedTask& ended : report.ends) {
    const TaskStatus& known = status(ended.task);
    const bool is_news = known.state == run::TaskState::running && known.attempt == ended.attempt;
    if (is_news) end(ended);
  }
}

void JobBook::start(const PilotReport::BegunTask& start, Count processors) {
  Json entry = run::start_entry(stamp_of(start.time), start.task, start.attempt, processors);
  entry["definition"] = revision().definition(start.task);
  const NodeShare& first = start.on.front();
  entry["node"] = first.node;
  if (!first.cores.empty()) entry["cores"] = first.cores;
  if (!first.gpus.empty()) entry["gpus"] = first.gpus;
  if (start.on.size() > 1) {
    for (const NodeShare& share : start.on) entry["nodes"].push_back(share.node);
  }
  write(entry);
}

void JobBook::end(const PilotReport::EndedTask& ended) {
  // Stopped by its job, whose time was over.
  const bool is_cut = ended.end.cause == run::AttemptEnd::Cause::stopped;
  if (is_cut) return lose(ended.task);
  Json entry =
      run::end_entry(stamp_of(ended.end.time), ended.task, ended.attempt, ended.end, ended.missing);
  std::ifstream inputs(inputs_file(folder_.attempt(ended.task, ended.attempt)));
  if (std::string digest; inputs >> digest) entry["inputs"] = digest;
  write(entry);
  if (may_retry(ended.task)) retry(ended.task, now());
  set_done_mark(ended.task);
  if (status(ended.task).state == run::TaskState::failed) update_blocked();
  if (options_.ended) options_.ended(ended.task, state());
}

void JobBook::lose(std::uint32_t task) {
  if (!is_lost_too_often(task)) return write_lost(task);
  end({.task = task,
       .attempt = status(task).attempt,
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
    if (status(task).state == run::TaskState::running) lose(task);
    held_[task] = false;
  }
  const auto& tasks = pilots_.at(pilot).tasks;
  const bool is_done = std::ranges::none_of(
      tasks, [&](TaskId task) { return state_of(task) == queue::TaskStage::open; });
  write_job(job_end_entry(stamp(), pilot, is_done ? JobEnd::done : end, why, when));
  sync();
}

void JobBook::update_blocked() {
  const Workflow& workflow = problem_.workflows().front();
  for (const TaskId task : workflow.topological_order()) {
    const auto before = workflow.predecessors(task);
    blocked_[task] = status(task).state == run::TaskState::failed ||
                     std::ranges::any_of(before, [&](TaskId other) { return blocked_[other]; });
  }
}

queue::TaskStage JobBook::state_of(TaskId task) const {
  if (status(task).state == run::TaskState::done) return queue::TaskStage::done;
  return held_[task] || blocked_[task] ? queue::TaskStage::held : queue::TaskStage::open;
}

bool JobBook::has_open_tasks() const {
  for (TaskId task = 0; task < problem_.task_count(); ++task) {
    if (state_of(task) == queue::TaskStage::open) return true;
  }
  return false;
}

}  // namespace dovetail::batch
