#include "batch/pilot/pilot.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <optional>

#include "batch/pilot/pilot_step.hpp"
#include "batch/pilot/pilot_tasks.hpp"

namespace dovetail::batch {

namespace {

using run::steady_now;
using run::wall_now;

// How long a step may take to end, beyond the grace of its task.
constexpr Duration kStepPatience = 5'000;

// What wakes a pilot, as something to read, and the old ways again at the end.
class PilotSignals {
 public:
  PilotSignals() {
    signal(SIGCHLD, SIG_DFL);
    sigset_t set;
    sigemptyset(&set);
    for (const int number : {SIGCHLD, SIGTERM, SIGINT, SIGHUP}) sigaddset(&set, number);
    sigprocmask(SIG_BLOCK, &set, &before_);
    file_ = run::Descriptor(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  }
  ~PilotSignals() { sigprocmask(SIG_SETMASK, &before_, nullptr); }
  PilotSignals(const PilotSignals&) = delete;
  PilotSignals& operator=(const PilotSignals&) = delete;

  // Waits for that long at most, and answers whether one came that asks us to end.
  bool wait(Duration longest) const {
    pollfd ready{.fd = file_.get(), .events = POLLIN, .revents = 0};
    poll(&ready, 1, static_cast<int>(std::clamp<Duration>(longest, 0, kHour)));
    bool asks = false;
    signalfd_siginfo info{};
    while (read(file_.get(), &info, sizeof info) == sizeof info) {
      asks |= info.ssi_signo != SIGCHLD;
    }
    return asks;
  }

 private:
  sigset_t before_{};
  run::Descriptor file_;
};

struct PilotStep {
  TaskId task = 0;
  std::string node = {};
  StepProcess process;
  Time began = 0;
  Time ended = 0;  // of its process; 0: not yet
  Time next_try = 0;
};

std::deque<std::string> nodes_to_use(const PilotOrder& order, const Allocation& allocation) {
  const auto most = static_cast<std::size_t>(order.spreads ? 1 : std::max<Count>(1, order.nodes));
  const std::size_t count = std::min(most, allocation.nodes.size());
  return {allocation.nodes.begin(), allocation.nodes.begin() + static_cast<long>(count)};
}

class Pilot {
 public:
  Pilot(const run::RunFolder& folder, const PilotOrder& order, const Allocation& allocation,
        const BatchSystem& system, const PilotOptions& options)
      : folder_(folder),
        order_(order),
        system_(system),
        options_(options),
        job_id_(allocation.job_id),
        program_(std::filesystem::read_symlink("/proc/self/exe").string()),
        report_(report_file(folder, order.pilot)),
        idle_(nodes_to_use(order, allocation)),
        tasks_(order, static_cast<Count>(idle_.size())),
        deadline_(steady_now() + allocation.until - wall_now() - options.margin),
        pause_(options.first_look) {
    report_.add(begin_entry(allocation.job_id, allocation.nodes));
  }

  std::string run() {
    for (;;) {
      collect();
      if (why_stopping_.empty()) {
        look();
        start();
      }
      report_.sync();
      if (running_.empty() && !may_go_on()) break;
      const bool is_asked = signals_.wait(longest_wait());
      if (is_asked) stop("asked");
      if (!running_.empty() && left() <= 0) stop("time");
      if (!why_stopping_.empty() && steady_now() >= force_at_) end_steps();
    }
    report_.add(over_entry(why()));
    report_.sync();
    return why();
  }

 private:
  Duration left() const { return deadline_ - steady_now(); }

  bool may_go_on() {
    return why_stopping_.empty() && !idle_.empty() && tasks_.can_start_more(left()) && is_waiting_;
  }

  std::string why() const {
    if (tasks_.are_all_done()) return "done";
    if (!why_stopping_.empty()) return why_stopping_;
    return tasks_.has_failure() ? "failed" : "time";
  }

  void stop(const char* why) {
    if (!why_stopping_.empty()) return;
    why_stopping_ = why;
    double grace = 0;
    for (const PilotStep& step : running_) {
      grace = std::max(grace, order_.tasks[step.task].command.grace_seconds);
    }
    force_at_ = steady_now() + time_ceil(grace) + kStepPatience;
    const std::vector<std::string> ask = system_.stop_steps(job_id_);
    if (ask.empty() || order_.spreads) return end_steps();
    if (!running_.empty()) asker_.emplace(ask);
  }

  void end_steps() {
    force_at_ = kForever;
    for (const PilotStep& step : running_) step.process.terminate();
  }

  StepProcess new_step(const std::string& node, const PilotTask& task) const {
    const std::vector<std::string> command = {program_, "step", order_file(folder_, order_.pilot),
                                              std::to_string(task.command.task)};
    if (order_.spreads) return StepProcess(command);
    return StepProcess(system_.step(
        {.node = node, .cores = order_.cores_per_node, .name = task.name, .command = command}));
  }

  Duration longest_wait() const {
    Duration wait = kHour;
    if (why_stopping_.empty()) {
      wait = std::min(wait, std::max<Duration>(0, left()));
      if (is_waiting_ && !idle_.empty()) wait = std::min(wait, next_look_ - steady_now());
    }
    if (!why_stopping_.empty() && force_at_ < kForever) {
      wait = std::min(wait, std::max<Duration>(0, force_at_ - steady_now()));
    }
    for (const PilotStep& step : running_) {
      if (step.ended > 0) wait = std::min(wait, step.next_try - steady_now());
    }
    return wait;
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
    std::vector<std::pair<TaskId, std::string>> chosen;
    while (const auto task = tasks_.start_next(left())) {
      chosen.emplace_back(*task, std::move(idle_.front()));
      idle_.pop_front();
      const run::StepCommand& command = order_.tasks[*task].command;
      report_.add(entry_of(PilotReport::Start{.task = command.task,
                                              .attempt = command.attempt,
                                              .node = chosen.back().second,
                                              .time = wall_now()}));
    }
    report_.sync();
    for (auto& [task, node] : chosen) {
      StepProcess process = new_step(node, order_.tasks[task]);
      running_.push_back({.task = task,
                          .node = std::move(node),
                          .process = std::move(process),
                          .began = steady_now()});
    }
  }

  // What has ended since.
  void collect() {
    std::vector<std::uint32_t> done;
    std::erase_if(running_, [&](PilotStep& step) {
      if (!step.process.exit_code()) return false;
      const PilotTask& task = order_.tasks[step.task];
      const auto attempt = run::read_attempt(task.command.attempt_file);
      if (!is_all_here(task, attempt) && is_too_early(step)) return false;
      if (never_began(step, attempt) && may_try_again(step)) {
        step.process = new_step(step.node, task);
        step.ended = 0;
        return false;
      }
      if (conclude(step, attempt)) done.push_back(task.command.task);
      return true;
    });
    report_.sync();
    for (const std::uint32_t task : done) mark_done(folder_, task);
  }

  static bool is_all_here(const PilotTask& task, const run::Attempt& attempt) {
    return attempt.end && (!attempt.end->is_success() || missing_output(task).empty());
  }

  // Whether the end of the attempt, or an output, may still be on its way from the node.
  bool is_too_early(PilotStep& step) const {
    const Time now = steady_now();
    if (step.ended == 0) step.ended = now;
    const Duration waited = now - step.ended;
    if (waited >= options_.settle) return false;
    step.next_try = now + std::min(options_.settle - waited, std::max<Duration>(20, waited));
    return true;
  }

  static bool never_began(PilotStep& step, const run::Attempt& attempt) {
    return !attempt.start && !attempt.end && *step.process.exit_code() != 0;
  }

  // Steps cannot be started while the batch system is away, however long that is, or a node not
  // quite back.
  bool may_try_again(const PilotStep& step) const {
    const bool is_early =
        steady_now() - step.began < options_.patience || says(step, StepTrouble::away);
    return why_stopping_.empty() && is_early && order_.tasks[step.task].expected <= left();
  }

  bool says(const PilotStep& step, StepTrouble trouble) const {
    return system_.trouble_of(step.process.last_words()) == trouble;
  }

  // Whether the task is done.
  bool conclude(PilotStep& step, const run::Attempt& attempt) {
    const PilotTask& task = order_.tasks[step.task];
    PilotReport::End end{.task = task.command.task, .attempt = task.command.attempt};
    const bool has_not_begun = never_began(step, attempt);
    // The job is being ended, and we have not been told yet.
    if (has_not_begun && says(step, StepTrouble::job_is_over)) stop("time");
    const bool cannot_begin =
        has_not_begun && why_stopping_.empty() && !says(step, StepTrouble::away);
    if (attempt.end) {
      end.end = *attempt.end;
      if (end.end.is_success()) end.missing = missing_output(task);
    } else if (cannot_begin) {
      end.end = run::AttemptEnd::not_started(words_of(step));
    }
    // Of one that began and has no end it is not for us to say what became of it; one that came too
    // late to begin has not failed.
    if (attempt.end || cannot_begin) report_.add(entry_of(end));
    const bool is_done = attempt.end && end.end.is_success() && end.missing.empty();
    // On a node without an end something may still run, or nothing can.
    const auto node = attempt.end ? PilotTasks::NodeFate::idle : PilotTasks::NodeFate::lost;
    is_done ? tasks_.succeed(step.task) : tasks_.fail(step.task, node);
    if (node == PilotTasks::NodeFate::idle) idle_.push_back(std::move(step.node));
    return is_done;
  }

  static std::string words_of(PilotStep& step) {
    const std::string words = step.process.last_words();
    const std::string code = std::to_string(*step.process.exit_code());
    return words.empty() ? "the step ended with exit code " + code : words;
  }

  const run::RunFolder& folder_;
  const PilotOrder& order_;
  const BatchSystem& system_;
  const PilotOptions& options_;
  std::string job_id_;
  std::string program_;  // this one
  PilotSignals signals_;
  run::JournalWriter report_;
  std::deque<std::string> idle_;  // nodes; the one that has been so longest comes first
  PilotTasks tasks_;
  Time deadline_;  // by the clock that does not jump
  Duration pause_;
  Time next_look_ = 0;
  bool is_waiting_ = false;  // for what other jobs do
  std::vector<PilotStep> running_;
  std::string why_stopping_;
  Time force_at_ = kForever;          // when stopping: then steps are ended that do not end
  std::optional<StepProcess> asker_;  // sends SIGTERM to all steps
};

}  // namespace

Allocation allocation_for(const PilotOrder& order, const BatchSystem& system) {
  Allocation allocation = system.allocation();
  // Not every system says when it ends the job. The pilot is the first thing in it, and it has
  // whole minutes.
  const Duration minutes = (order.request + kMinute - 1) / kMinute;
  if (allocation.until == kForever) allocation.until = wall_now() + minutes * kMinute;
  allocation.until = std::min(allocation.until, order.until.value_or(kForever));
  return allocation;
}

std::string run_pilot(const run::RunFolder& folder, const PilotOrder& order,
                      const Allocation& allocation, const BatchSystem& system,
                      const PilotOptions& options) {
  if (!claim_order(folder, order.pilot)) return "twice";
  return Pilot(folder, order, allocation, system, options).run();
}

}  // namespace dovetail::batch
