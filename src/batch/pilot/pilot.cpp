#include "batch/pilot/pilot.hpp"

#include <poll.h>
#include <stdlib.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <map>

#include "batch/pilot/pilot_tasks.hpp"
#include "batch/pilot/step_backend.hpp"
#include "dovetail/error.hpp"
#include "dovetail/io.hpp"
#include "run/freshness.hpp"
#include "run/local/supervisor.hpp"

namespace dovetail::batch {

namespace {

using run::steady_now;
using run::wall_now;

std::deque<std::string> nodes_to_use(const PilotOrder& order, const JobAllocation& allocation) {
  const auto most = static_cast<std::size_t>(order.spreads ? 1 : std::max<Count>(1, order.nodes));
  const std::size_t count = std::min(most, allocation.nodes.size());
  return {allocation.nodes.begin(), allocation.nodes.begin() + static_cast<long>(count)};
}

class PilotLoop {
 public:
  PilotLoop(const run::RunFolder& folder, const PilotOrder& order, const JobAllocation& allocation,
            const BatchSystem& system, const PilotOptions& options)
      : folder_(folder),
        order_(order),
        options_(options),
        deadline_(steady_now() + allocation.until - wall_now() - options.margin),
        backend_(folder, order, system,
                 {.job_id = allocation.job_id,
                  .until = deadline_,
                  .settle = options.settle,
                  .patience = options.patience}),
        report_(report_file(folder, order.pilot)),
        idle_(nodes_to_use(order, allocation)),
        tasks_(order, static_cast<Count>(idle_.size())),
        pause_(options.first_look) {
    report_.add(begin_entry(allocation.job_id, allocation.nodes));
  }

  std::string run() {
    for (;;) {
      hear();
      if (why_stopping_.empty()) {
        look();
        start();
      }
      report_.sync();
      if (running_.empty() && !may_go_on()) break;
      wait();
    }
    report_.add(over_entry(why()));
    report_.sync();
    return why();
  }

 private:
  struct StartedTask {
    TaskId task = 0;
    std::string node;
  };

  Duration left() const { return deadline_ - steady_now(); }

  bool may_go_on() {
    return why_stopping_.empty() && !idle_.empty() && tasks_.can_start_more(left()) && is_waiting_;
  }

  std::string why() const {
    if (tasks_.are_all_done()) return "done";
    if (!why_stopping_.empty()) return why_stopping_;
    return tasks_.has_failure() ? "failed" : "time";
  }

  void wait() {
    Duration longest = kHour;
    if (why_stopping_.empty()) {
      longest = std::min(longest, left());
      if (is_waiting_ && !idle_.empty()) longest = std::min(longest, next_look_ - steady_now());
    }
    pollfd files[] = {{backend_.descriptor(), POLLIN, 0}, {asked_.descriptor(), POLLIN, 0}};
    poll(files, std::size(files), static_cast<int>(std::max<Duration>(0, longest)));
    if (asked_.take() > 0) stop("asked");
    if (!running_.empty() && left() <= 0) stop("time");
  }

  void stop(const char* why) {
    if (!why_stopping_.empty()) return;
    why_stopping_ = why;
    for (const auto& [task, running] : running_) backend_.stop(task);
  }

  // What other jobs have done since.
  void look() {
    if (idle_.empty() || steady_now() < next_look_) return;
    const auto awaited = tasks_.awaited();
    const auto found = marked_done(folder_, awaited);
    for (const std::uint32_t task : found) tasks_.found_done(task);
    is_waiting_ = found.size() < awaited.size();
    if (!found.empty()) pause_ = options_.first_look;
    next_look_ = steady_now() + pause_;
    pause_ = std::min(2 * pause_, options_.last_look);
  }

  // Everything that is to be started is written down before, all at once.
  void start() {
    std::vector<run::StepCommand> commands;
    while (const auto task = tasks_.start_next(left())) {
      run::StepCommand& command = commands.emplace_back(order_.tasks[*task].command);
      command.node = std::move(idle_.front());
      idle_.pop_front();
      running_[command.task] = {*task, command.node};
      report_.add(entry_of(PilotReport::BegunTask{.task = command.task,
                                                  .attempt = command.attempt,
                                                  .node = command.node,
                                                  .time = wall_now()}));
    }
    report_.sync();
    for (const run::StepCommand& command : commands) backend_.start(command);
  }

  // Marks what is done once that is written down.
  void hear() {
    std::vector<std::uint32_t> done;
    for (const run::StepEnd& end : backend_.ended()) {
      if (conclude(end)) done.push_back(end.task);
    }
    report_.sync();
    for (const std::uint32_t task : done) mark_done(folder_, task);
  }

  // Whether the task is done.
  bool conclude(const run::StepEnd& step) {
    auto [task, node] = std::move(running_.extract(step.task).mapped());
    PilotReport::EndedTask end{.task = step.task, .attempt = step.attempt, .end = step.end};
    if (step.is_success()) end.missing = missing_output(order_.tasks[task]);
    // Of one that is lost it is not for us to say what became of it.
    if (!step.is_lost) report_.add(entry_of(end));
    const bool is_done = step.is_success() && end.missing.empty();
    const bool is_usable = step.node == run::NodeAfterStep::usable;
    if (is_usable) idle_.push_back(std::move(node));
    if (is_done) {
      tasks_.succeed(task);
    } else {
      tasks_.fail(task, is_usable ? PilotTasks::NodeFate::idle : PilotTasks::NodeFate::lost);
    }
    // The job is being ended, and we have not been told yet.
    if (step.node == run::NodeAfterStep::job_is_over) stop("time");
    return is_done;
  }

  const run::RunFolder& folder_;
  const PilotOrder& order_;
  const PilotOptions& options_;
  Time deadline_;  // by the clock that does not jump
  run::SignalFile asked_{SIGTERM, SIGINT, SIGHUP};
  StepBackend backend_;
  run::JournalWriter report_;
  std::deque<std::string> idle_;  // nodes; the one that has been idle for longest comes first
  PilotTasks tasks_;
  std::map<std::uint32_t, StartedTask> running_;  // by the number of the task
  Duration pause_;
  Time next_look_ = 0;
  bool is_waiting_ = false;  // for what other jobs do
  std::string why_stopping_;
};

// --- on the node

// What the task reads is known even if it is changed while the task runs.
void prepare_folder(const PilotTask& task) {
  std::filesystem::create_directories(task.command.folder);
  if (task.inputs.empty()) return;
  TaskExecution reads;
  reads.inputs = task.inputs;
  write_file(inputs_file(task.command.attempt_file),
             run::digest_of_inputs(reads, task.command.folder));
}

// What a task starts by the system's own means stays on its node: other tasks run on the others.
void confine_to_node(const PilotTask& task, const BatchSystem& system) {
  const std::string hosts = task.command.attempt_file + ".hosts";
  for (const auto& [name, value] : system.confined(task.command.processors, hosts)) {
    setenv(name.c_str(), value.c_str(), 1);
  }
}

int write_not_started(const PilotTask& task, const std::string& why) {
  const run::AttemptEnd end = run::AttemptEnd::not_started(why);
  auto file = run::AttemptWriter::create(task.command.attempt_file);
  if (file) file->write_end(end);
  return end.exit_code;
}

}  // namespace

JobAllocation allocation_for(const PilotOrder& order, const BatchSystem& system) {
  JobAllocation allocation = system.allocation();
  // Not every system says when it ends the job. The pilot is the first thing in it, and jobs have
  // whole minutes.
  const Duration minutes = (order.request + kMinute - 1) / kMinute;
  if (allocation.until == kForever) allocation.until = wall_now() + minutes * kMinute;
  allocation.until = std::min(allocation.until, order.until.value_or(kForever));
  return allocation;
}

std::string run_pilot(const run::RunFolder& folder, const PilotOrder& order,
                      const JobAllocation& allocation, const BatchSystem& system,
                      const PilotOptions& options) {
  if (!claim_order(folder, order.pilot)) return "twice";
  return PilotLoop(folder, order, allocation, system, options).run();
}

int run_step(const PilotOrder& order, std::uint32_t task, const BatchSystem& system) {
  constexpr int kBegunBefore = 125;
  const PilotTask* found = order.find(task);
  if (found == nullptr) {
    throw InputError("there is no task " + std::to_string(task) + " in the order of job " +
                     order.job_name);
  }
  std::error_code error;
  if (std::filesystem::exists(found->command.attempt_file, error)) {
    const auto attempt = run::read_attempt(found->command.attempt_file);
    return attempt.end && attempt.end->is_success() ? 0 : kBegunBefore;
  }
  try {
    prepare_folder(*found);
    if (!order.spreads) confine_to_node(*found, system);
  } catch (const std::exception& trouble) {
    return write_not_started(*found, trouble.what());
  }
  return run::supervise_once(found->command).exit_code;
}

}  // namespace dovetail::batch
