#include "exec/conductor.hpp"

#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "dovetail/error.hpp"
#include "exec/clock.hpp"
#include "exec/dispatcher.hpp"
#include "exec/launcher.hpp"

namespace dovetail::exec {

namespace {

// Interrupts as something to read, and the old ways again at the end.
class Interrupts {
 public:
  Interrupts() {
    sigemptyset(&set_);
    sigaddset(&set_, SIGINT);
    sigaddset(&set_, SIGTERM);
    sigprocmask(SIG_BLOCK, &set_, &before_);
    file_ = Descriptor(signalfd(-1, &set_, SFD_CLOEXEC | SFD_NONBLOCK));
  }
  ~Interrupts() { sigprocmask(SIG_SETMASK, &before_, nullptr); }
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  int descriptor() const { return file_.get(); }
  int take() {
    int count = 0;
    signalfd_siginfo info{};
    while (read(file_.get(), &info, sizeof info) == sizeof info) ++count;
    return count;
  }

 private:
  sigset_t set_{};
  sigset_t before_{};
  Descriptor file_;
};

// The cores that we may use, one of them to every processor that a task gets.
class Cores {
 public:
  explicit Cores(Count processors) {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) != 0) return;
    for (int core = 0; core < CPU_SETSIZE; ++core) {
      if (CPU_ISSET(static_cast<std::size_t>(core), &set)) free_.push_back(core);
    }
    // With more processors than cores nobody can have a core alone.
    if (static_cast<Count>(free_.size()) < processors) free_.clear();
    std::ranges::reverse(free_);
  }

  std::vector<int> take(Count count) {
    std::vector<int> cores;
    while (static_cast<Count>(cores.size()) < count && !free_.empty()) {
      cores.push_back(free_.back());
      free_.pop_back();
    }
    return cores;
  }
  void give_back(const std::vector<int>& cores) {
    free_.insert(free_.end(), cores.rbegin(), cores.rend());
  }

 private:
  std::vector<int> free_;
};

// How long to wait where nobody tells us.
constexpr int kPatienceMs = 200;

class Conductor {
 public:
  Conductor(const RunFolder& folder, const Problem& problem, const Plan& plan,
            const RunOptions& options)
      : folder_(folder),
        problem_(problem),
        options_(options),
        launcher_(folder.nursery_lock()),
        journal_(folder.journal()),
        state_(problem.task_count()),
        dispatcher_(problem, plan, options.processors),
        cores_(options.processors) {}

  RunOutcome run() {
    take_over();
    for (;;) {
      start_tasks();
      if (options_.progress) options_.progress(state_, dispatcher_.in_use());
      if (dispatcher_.running() == 0) break;
      wait();
    }
    const bool is_done = state_.count(TaskState::done) == problem_.task_count();
    note(is_done ? "done" : interrupts_seen_ > 0 ? "interrupted" : "failed");
    journal_.sync();
    if (is_done) return RunOutcome::done;
    return interrupts_seen_ > 0 ? RunOutcome::interrupted : RunOutcome::failed;
  }

 private:
  void write(const Json& entry) {
    journal_.add(entry);
    state_.apply(entry);
  }
  void note(const std::string& what) { write(note_entry(wall_now(), what)); }

  // From the journal and from what supervisors wrote since its last entry.
  void take_over() {
    read_journal(folder_.journal(), [&](const Json& entry) { state_.apply(entry); });
    note(state_.began == 0 ? "begin" : "resume");
    std::vector<TaskStatus> known = state_.tasks();
    // In an order in which predecessors come first.
    for (std::uint32_t w = 0; w < problem_.workflows().size(); ++w) {
      for (const TaskId id : problem_.workflows()[w].topological_order()) {
        const auto task = static_cast<std::uint32_t>(problem_.number_of({w, id}));
        take_over(task, known[task]);
      }
    }
    journal_.sync();
  }

  void take_over(std::uint32_t task, const TaskStatus& status) {
    if (status.state == TaskState::failed) run_again(task);
    if (status.state == TaskState::done) dispatcher_.adopt_success(task);
    if (status.state != TaskState::running) return;
    Attempt attempt = read_attempt(folder_.attempt(task, status.attempt));
    auto supervisor = watch(attempt);
    // It may have written the end since we looked.
    if (!attempt.end && !supervisor) {
      attempt = read_attempt(folder_.attempt(task, status.attempt));
    }
    if (attempt.end) {
      write(end_entry(wall_now(), task, status.attempt, *attempt.end));
      if (attempt.end->is_success()) dispatcher_.adopt_success(task);
      if (state_.tasks()[task].state == TaskState::failed) run_again(task);
    } else if (supervisor) {
      dispatcher_.adopt_running(task, status.processors, steady_now());
      adopted_[task] = std::move(*supervisor);
    } else {
      write(lost_entry(wall_now(), task, status.attempt));
    }
  }

  // A supervisor that we did not start.
  struct Adopted {
    ProcessName supervisor = {};
    Descriptor file = {};  // readable when it has ended; not open where the system has no such file

    bool has_ended() const {
      pollfd poll_file{file.get(), POLLIN, 0};
      return file.is_open() ? poll(&poll_file, 1, 0) != 0 : !supervisor.is_alive();
    }
  };

  // Nothing when it has ended.
  static std::optional<Adopted> watch(const Attempt& attempt) {
    if (!attempt.start) return std::nullopt;
    const ProcessName& supervisor = attempt.start->supervisor;
    // Opened before it is asked for: nobody else can have its number then.
    Descriptor file(static_cast<int>(syscall(SYS_pidfd_open, supervisor.pid, 0)));
    if (!supervisor.is_alive()) return std::nullopt;
    return Adopted{supervisor, std::move(file)};
  }

  void run_again(std::uint32_t task) {
    write({{"time", wall_now()}, {"what", "again"}, {"task", task}});
  }

  void start_tasks() {
    std::vector<TaskCommand> commands;
    if (!is_stopping()) {
      for (const std::size_t task : dispatcher_.start(steady_now())) {
        commands.push_back(command_of(static_cast<std::uint32_t>(task)));
        write(start_entry(wall_now(), commands.back().task, commands.back().attempt,
                          dispatcher_.processors_of(task)));
      }
    }
    // What is not on disk must not happen.
    journal_.sync();
    for (const TaskCommand& command : commands) launcher_.start(command);
  }

  bool is_stopping() const {
    if (interrupts_seen_ > 0) return true;
    return !options_.keep_going && state_.count(TaskState::failed) > 0;
  }

  TaskCommand command_of(std::uint32_t task) {
    const TaskRef ref = problem_.task_at(task);
    const Workflow& workflow = problem_.workflows()[ref.workflow];
    const std::uint32_t attempt = state_.tasks()[task].attempt + 1;
    const std::string processors = std::to_string(dispatcher_.processors_of(task));
    held_[task] = cores_.take(dispatcher_.processors_of(task));
    return {.task = task,
            .attempt = attempt,
            .command = std::string(workflow.run(ref.task)),
            .folder = options_.folder,
            .attempt_file = folder_.attempt(task, attempt),
            .out_file = folder_.log(task, attempt, "out"),
            .err_file = folder_.log(task, attempt, "err"),
            .environment = {{"DOVETAIL_PROCESSORS", processors},
                            {"OMP_NUM_THREADS", processors},
                            {"DOVETAIL_RUN", folder_.id()},
                            {"DOVETAIL_TASK", std::string(workflow.id(ref.task))},
                            {"DOVETAIL_ATTEMPT", std::to_string(attempt)}},
            .cores = held_[task]};
  }

  void wait() {
    std::vector<pollfd> files = {{launcher_.descriptor(), POLLIN, 0},
                                 {interrupts_.descriptor(), POLLIN, 0}};
    int patience = -1;
    for (const auto& [task, adopted] : adopted_) {
      if (adopted.file.is_open()) files.push_back({adopted.file.get(), POLLIN, 0});
      if (!adopted.file.is_open()) patience = kPatienceMs;
    }
    if (interrupts_seen_ > 1) patience = kPatienceMs;
    poll(files.data(), files.size(), patience);
    interrupts_seen_ += interrupts_.take();
    if (interrupts_seen_ > 1) stop_tasks();
    for (const TaskReport& report : launcher_.reports())
      end(report.task, report.attempt, report.end);
    hear_adopted();
  }

  void end(std::uint32_t task, std::uint32_t attempt, const AttemptEnd& how) {
    write(end_entry(wall_now(), task, attempt, how));
    cores_.give_back(held_[task]);
    held_.erase(task);
    dispatcher_.end(task, how.is_success());
    if (options_.ended) options_.ended(task, state_);
  }

  // Of tasks that were running when we came their supervisors do not tell us.
  void hear_adopted() {
    for (auto next = adopted_.begin(); next != adopted_.end();) {
      const auto task = next->first;
      if (!next->second.has_ended()) {
        ++next;
        continue;
      }
      next = adopted_.erase(next);
      const std::uint32_t attempt = state_.tasks()[task].attempt;
      const Attempt known = read_attempt(folder_.attempt(task, attempt));
      if (known.end) {
        end(task, attempt, *known.end);
      } else {
        write(lost_entry(wall_now(), task, attempt));
        dispatcher_.retry(task);
      }
    }
  }

  // Again and again until they have ended: one that was only just started has nobody to ask yet.
  void stop_tasks() {
    for (std::uint32_t task = 0; task < state_.tasks().size(); ++task) {
      const TaskStatus& status = state_.tasks()[task];
      if (status.state != TaskState::running) continue;
      const Attempt attempt = read_attempt(folder_.attempt(task, status.attempt));
      if (attempt.start && !attempt.end) stop(*attempt.start);
    }
  }

  const RunFolder& folder_;
  const Problem& problem_;
  const RunOptions& options_;
  Launcher launcher_;  // before signals are blocked and files are opened, which it would inherit
  Interrupts interrupts_;
  JournalWriter journal_;
  RunState state_;
  Dispatcher dispatcher_;
  Cores cores_;
  std::map<std::uint32_t, std::vector<int>> held_;  // cores, by task
  std::map<std::uint32_t, Adopted> adopted_;        // by task
  int interrupts_seen_ = 0;
};

}  // namespace

RunOutcome conduct(const RunFolder& folder, const Problem& problem, const Plan& plan,
                   const RunOptions& options) {
  return Conductor(folder, problem, plan, options).run();
}

}  // namespace dovetail::exec
