#include "batch/pilot/pilot.hpp"

#include <poll.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "batch/pilot/node_slots.hpp"
#include "batch/pilot/pilot_tasks.hpp"
#include "batch/pilot/step_backend.hpp"
#include "dovetail/error.hpp"
#include "dovetail/io.hpp"

namespace dovetail::batch {

namespace {

using run::steady_now;
using run::wall_now;

std::vector<std::string> nodes_to_use(const PilotOrder& order, const JobAllocation& allocation) {
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
        slots_(nodes_to_use(order, allocation), order.node),
        tasks_(order, slots_.size()),
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
    std::vector<NodeId> nodes;
    std::vector<NodeShare> shares;  // beside the nodes
  };

  Duration left() const { return deadline_ - steady_now(); }

  bool may_go_on() {
    return why_stopping_.empty() && tasks_.has_room() && tasks_.can_start_more(left()) &&
           is_waiting_;
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
      if (is_waiting_ && tasks_.has_room()) {
        longest = std::min(longest, next_look_ - steady_now());
      }
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
    if (!tasks_.has_room() || steady_now() < next_look_) return;
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
      const PilotTask& starts = order_.tasks[*task];
      const auto nodes = tasks_.nodes_of(*task);
      run::StepCommand& command = commands.emplace_back(starts.command);
      StartedTask& started = running_[command.task];
      started = {*task, {nodes.begin(), nodes.end()}, slots_.take(starts.demand, nodes)};
      for (const NodeShare& share : started.shares) command.nodes.push_back(share.node);
      // Alone in its job, it has what the system gave that.
      if (!order_.spreads) command.cores = started.shares.front().cores;
      if (starts.demand.gpus > 0) command.gpus = started.shares.front().gpus;
      report_.add(entry_of(PilotReport::BegunTask{.task = command.task,
                                                  .attempt = command.attempt,
                                                  .on = started.shares,
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
    const auto [task, nodes, shares] = std::move(running_.extract(step.task).mapped());
    PilotReport::EndedTask end{.task = step.task, .attempt = step.attempt, .end = step.end};
    if (step.is_success()) end.missing = missing_output(order_.tasks[task]);
    // Of one that is lost it is not for us to say what became of it.
    if (!step.is_lost) report_.add(entry_of(end));
    const bool is_done = step.is_success() && end.missing.empty();
    slots_.give_back(nodes, shares);
    if (is_done) {
      tasks_.succeed(task);
    } else if (step.node == run::NodeAfterStep::usable) {
      tasks_.fail(task);
    } else {
      // Of a task on several nodes something may still run on any of them.
      tasks_.fail(task, nodes);
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
  NodeSlots slots_;
  PilotTasks tasks_;
  std::map<std::uint32_t, StartedTask> running_;  // by the number of the task
  Duration pause_;
  Time next_look_ = 0;
  bool is_waiting_ = false;  // for what other jobs do
  std::string why_stopping_;
};

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

}  // namespace dovetail::batch
