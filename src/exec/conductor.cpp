#include "exec/conductor.hpp"

#include <poll.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>

#include "dovetail/error.hpp"
#include "exec/adopted.hpp"
#include "exec/clock.hpp"
#include "exec/cores.hpp"
#include "exec/freshness.hpp"
#include "exec/interrupts.hpp"
#include "exec/launcher.hpp"
#include "exec/leftovers.hpp"
#include "exec/mailbox.hpp"
#include "exec/monitor.hpp"
#include "exec/replanner.hpp"
#include "exec/run_picture.hpp"
#include "exec/task_command.hpp"

namespace dovetail::exec {

namespace {

// How long to wait where nobody tells us.
constexpr Duration kPatience = 200;

// Between two plans: never more often than that, and never more than a tenth of the time.
constexpr Duration kPause = 250;
constexpr double kPlanningShare = 0.1;

// Before a task is tried again: a second, then twice as long every time, up to a minute.
Duration back_off(std::uint32_t failures) {
  return 1000 * std::min<Duration>(60, Duration{1} << std::min(failures - 1, 6U));
}

class Conductor {
 public:
  Conductor(const RunFolder& folder, const Problem& problem, const RunOptions& options,
            Nursery nursery)
      : folder_(folder),
        problem_(problem),
        options_(options),
        launcher_(folder.nursery_lock(), std::move(nursery)),
        mailbox_(folder),
        journal_(folder.journal()),
        state_(read_state(folder, problem)),
        clock_(state_.last()),
        dispatcher_(problem, state_.processors().value_or(options.processors)),
        cores_(dispatcher_.processors()),
        monitor_(problem, options.band),
        replanner_(problem, options.make_plan) {}

  RunEnd run() {
    take_over();
    make_first_plan();
    for (;;) {
      start_tasks();
      ask_for_plan();
      if (options_.progress) options_.progress(state_, dispatcher_, clock_.now());
      if (is_over()) break;
      wait();
    }
    const RunOutcome outcome = finish();
    return {outcome, std::move(state_)};
  }

 private:
  static RunState read_state(const RunFolder& folder, const Problem& problem) {
    RunState state(problem.task_count());
    read_journal(folder.journal(), [&](const Json& entry) { state.apply(entry); });
    return state;
  }

  void write(const Json& entry) {
    journal_.add(entry);
    state_.apply(entry);
  }
  void note(const std::string& what) { write(note_entry(clock_.stamp(), what)); }

  const TaskExecution& execution(std::uint32_t task) const {
    const TaskRef ref = problem_.task_at(task);
    return problem_.workflows()[ref.workflow].execution(ref.task);
  }
  std::string definition(std::uint32_t task) const {
    const TaskRef ref = problem_.task_at(task);
    return definition_of(problem_.workflows()[ref.workflow], ref.task);
  }
  std::string directory(std::uint32_t task) const {
    return directory_of(execution(task), options_.folder);
  }

  // ---- What was there before us ----

  // From the journal and from what supervisors wrote since its last entry.
  void take_over() {
    const bool is_new = !state_.has_begun();
    note(is_new ? "begin" : "resume");
    follow_known_plan();
    if (!is_new && options_.sets_processors) set_processors(options_.processors, false);
    if (is_new) {
      for (const KeptTask& kept : options_.kept) {
        write(kept_entry(clock_.stamp(), kept.task, kept.inputs, definition(kept.task)));
      }
    }
    // In an order in which predecessors come first.
    for (std::uint32_t w = 0; w < problem_.workflows().size(); ++w) {
      for (const TaskId id : problem_.workflows()[w].topological_order()) {
        take_over(static_cast<std::uint32_t>(problem_.number_of({w, id})));
      }
    }
    hear_requests();
    journal_.sync();
    if (!is_new) add_reason("resumed");
    if (!state_.plan().empty() && !fits_known_plan()) {
      reasons_.emplace_back("the plan does not fit any more");
    }
  }

  // As far as it is still possible.
  void follow_known_plan() {
    std::vector<Slot> slots = state_.plan();
    for (std::size_t task = 0; task < slots.size(); ++task) {
      if (!is_planned(problem_, state_, task)) slots[task] = {};
    }
    dispatcher_.follow(slots);
  }

  bool fits_known_plan() const {
    for (std::size_t task = 0; task < state_.plan().size(); ++task) {
      const bool waits = state_.tasks()[task].state == TaskState::waiting;
      if (waits && !is_planned(problem_, state_, task)) return false;
    }
    return true;
  }

  void take_over(std::uint32_t task) {
    const TaskStatus status = state_.tasks()[task];
    const bool has_failed = status.state == TaskState::failed ||
                            (status.state == TaskState::waiting && status.failures > 0);
    if (has_failed) ask_again(task, "resumed");
    if (status.state == TaskState::running) take_over_attempt(task, status);
    if (state_.tasks()[task].state != TaskState::done) return;
    if (const std::string why = why_again(task); !why.empty()) {
      ask_again(task, why);
    } else {
      dispatcher_.adopt_success(task);
    }
  }

  void take_over_attempt(std::uint32_t task, const TaskStatus& status) {
    dispatcher_.adopt_running(task, status.processors, status.started);
    Attempt attempt = read_attempt(folder_.attempt(task, status.attempt));
    auto supervisor = Adopted::watch(attempt);
    // It may have written the end since we looked.
    if (!attempt.end && !supervisor) {
      attempt = read_attempt(folder_.attempt(task, status.attempt));
    }
    if (!attempt.end && supervisor) {
      cores_.take_these(status.cores);
      monitor_.started(task, status.started, status.processors, dispatcher_.length_of(task));
      adopted_.emplace(task, std::move(*supervisor));
      if (has_changed(task) || !why_inputs_change(task).empty()) stop_stale(task);
      return;
    }
    dispatcher_.retry(task);
    if (!attempt.end) {
      if (attempt.start) end_leftovers(*attempt.start);
      return write(lost_entry(clock_.stamp(), task, status.attempt));
    }
    write_end(task, status.attempt, *attempt.end);
    if (state_.tasks()[task].state == TaskState::failed) ask_again(task, "resumed");
  }

  void ask_again(std::uint32_t task, const std::string& why) {
    write(again_entry(clock_.stamp(), task, why));
  }

  // It was begun with what is no longer so.
  void stop_stale(std::uint32_t task) {
    stale_.insert(task);
    stop_task(task);
  }

  // Why a task that is done has to be run again; empty: it has not. One that says what it reads is
  // looked at again when it could start: perhaps that is the same then.
  std::string why_again(std::uint32_t task) const {
    if (has_changed(task)) return "it changed";
    const std::string why = why_inputs_change(task);
    if (!why.empty()) return why;
    return is_fresh(task) ? "" : "its inputs or outputs changed";
  }

  std::string why_inputs_change(std::uint32_t task) const {
    const TaskRef ref = problem_.task_at(task);
    const Workflow& workflow = problem_.workflows()[ref.workflow];
    for (const TaskId before : workflow.predecessors(ref.task)) {
      const std::size_t number = problem_.number_of({ref.workflow, before});
      if (state_.tasks()[number].state != TaskState::done) {
        return problem_.task_name(number) + " is run again";
      }
    }
    return {};
  }

  bool is_fresh(std::uint32_t task) const {
    return is_up_to_date(execution(task), directory(task), state_.tasks()[task].inputs);
  }

  // ---- Starting ----

  void start_tasks() {
    std::vector<TaskCommand> commands;
    while (!is_stopping()) {
      const std::vector<std::size_t> tasks = dispatcher_.start(clock_.now());
      if (tasks.empty()) break;
      for (const std::size_t task : tasks) {
        if (auto command = prepare(static_cast<std::uint32_t>(task))) {
          commands.push_back(std::move(*command));
        }
      }
    }
    // What is not on disk must not happen.
    journal_.sync();
    for (const TaskCommand& command : commands) launcher_.start(command);
  }

  // Writes down that it starts; nothing when it need not or cannot.
  std::optional<TaskCommand> prepare(std::uint32_t task) {
    const TaskStatus& status = state_.tasks()[task];
    const bool says_what_it_reads = !execution(task).inputs.empty();
    if (says_what_it_reads && status.has_succeeded && !has_changed(task) && is_fresh(task)) {
      write(kept_entry(clock_.stamp(), task, status.inputs, status.definition));
      dispatcher_.end(task, true);
      if (options_.ended) options_.ended(task, state_);
      return std::nullopt;
    }
    const std::uint32_t attempt = status.attempt + 1;
    const Count procs = dispatcher_.processors_of(task);
    Json entry = start_entry(clock_.stamp(), task, attempt, procs);
    entry["definition"] = definition(task);
    try {
      if (says_what_it_reads) entry["inputs"] = digest_of_inputs(execution(task), directory(task));
      if (!execution(task).directory.empty()) {
        std::filesystem::create_directories(directory(task));
      }
    } catch (const std::exception& error) {
      write(entry);
      end(task, attempt, not_started(error.what()));
      return std::nullopt;
    }
    const std::vector<int> cores = cores_.take(procs);
    if (!cores.empty()) entry["cores"] = cores;
    write(entry);
    monitor_.started(task, clock_.now(), procs, dispatcher_.length_of(task));
    return command_of(folder_, problem_, options_.folder, task, state_.tasks()[task]);
  }

  static AttemptEnd not_started(const std::string& why) {
    return {
        .exit_code = 127, .cause = AttemptEnd::Cause::not_started, .why = why, .time = wall_now()};
  }

  bool has_changed(std::uint32_t task) const {
    return state_.tasks()[task].definition != definition(task);
  }

  // ---- Ending ----

  void write_end(std::uint32_t task, std::uint32_t attempt, const AttemptEnd& how) {
    const auto missing =
        how.is_success() ? missing_output(execution(task), directory(task)) : std::nullopt;
    write(end_entry(clock_.stamp(), task, attempt, how, missing.value_or("")));
  }

  void end(std::uint32_t task, std::uint32_t attempt, const AttemptEnd& how) {
    cores_.give_back(state_.tasks()[task].cores);
    write_end(task, attempt, how);
    const TaskStatus& status = state_.tasks()[task];
    if (stale_.erase(task) > 0) {
      ask_again(task, "what it was begun with has changed");
      monitor_.stopped(task);
      dispatcher_.retry(task);
    } else if (status.state == TaskState::done) {
      dispatcher_.end(task, true);
      const auto reason = monitor_.ended(task, std::llround(how.seconds * 1000));
      if (reason) add_reason(*reason);
    } else {
      monitor_.stopped(task);
      fail(task, status);
    }
    if (options_.ended) options_.ended(task, state_);
  }

  void fail(std::uint32_t task, const TaskStatus& status) {
    if (status.state != TaskState::failed) return dispatcher_.retry(task);  // it was stopped
    const bool others_failed = !options_.keep_going && state_.count(TaskState::failed) > 1;
    const bool may_retry = !others_failed && interrupts_seen_ == 0;
    if (status.failures > execution(task).retries || !may_retry) {
      dispatcher_.end(task, false);
      return add_reason(problem_.task_name(task) + " failed");
    }
    const Time not_before = clock_.now() + back_off(status.failures);
    write(retry_entry(clock_.stamp(), task, not_before));
    dispatcher_.retry(task, not_before);
    add_reason(problem_.task_name(task) + " failed and is tried again");
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
      known.end ? end(task, attempt, *known.end) : lose(task);
    }
  }

  // Its supervisor was killed. Once or twice that may happen to any task; then it is the task's
  // doing.
  void lose(std::uint32_t task) {
    constexpr std::uint32_t kLosses = 2;
    const TaskStatus& status = state_.tasks()[task];
    const Attempt attempt = read_attempt(folder_.attempt(task, status.attempt));
    if (attempt.start) end_leftovers(*attempt.start);
    if (status.losses >= kLosses) {
      return end(task, status.attempt, not_started("its supervisor was killed again and again"));
    }
    cores_.give_back(status.cores);
    write(lost_entry(clock_.stamp(), task, status.attempt));
    dispatcher_.retry(task);
    monitor_.stopped(task);
    add_reason(problem_.task_name(task) + " was lost");
  }

  // ---- Planning ----

  void add_reason(std::string reason) {
    if (!options_.is_static) reasons_.push_back(std::move(reason));
  }

  void make_first_plan() {
    if (!state_.plan().empty()) return;
    const Plan made = options_.first_plan ? *options_.first_plan : options_.make_plan(problem_);
    if (!made.feasible) throw ExecutionError("there is no plan that ends by the deadline");
    NewPlan plan{.decision = {.event = "start", .adopted = true},
                 .algorithm = made.algorithm,
                 .slots = std::vector<Slot>(problem_.task_count())};
    for (const Placement& placed : made.placements) {
      const std::size_t task = problem_.number_of({placed.workflow, placed.task});
      if (state_.tasks()[task].state != TaskState::waiting) continue;
      plan.slots[task] = {placed.procs, placed.start, placed.end};
      plan.decision.candidate = std::max(plan.decision.candidate.value_or(0), placed.end);
    }
    take(plan);
    if (state_.count(TaskState::done) > 0) add_reason("what is done already");
  }

  void take(const NewPlan& plan) {
    Evaluation decision = plan.decision;
    if (!plan.trouble.empty()) decision.event += "; no plan: " + plan.trouble;
    // Only what is new: plans may be large.
    std::vector<Slot> news = plan.slots;
    for (std::size_t task = 0; task < news.size(); ++task) {
      const bool is_known = task < state_.plan().size() && news[task] == state_.plan()[task];
      const bool waits = state_.tasks()[task].state == TaskState::waiting;
      if (is_known || !waits) news[task] = {};
    }
    write(plan_entry(clock_.stamp(), decision, plan.algorithm, news));
    // A plan that is kept takes as long as is known by now.
    dispatcher_.follow(plan.slots);
    if (options_.decided) options_.decided(state_.decisions().back());
  }

  void ask_for_plan() {
    const bool has_question = !reasons_.empty() && !replanner_.is_busy() && !is_stopping();
    if (!has_question || clock_.now() < next_plan_) return;
    if (state_.count(TaskState::waiting) == 0) return reasons_.clear();
    RunPicture now = picture_of(problem_, state_, dispatcher_, monitor_, clock_.now());
    now.reason = reasons_.front();
    const std::size_t others = reasons_.size() - 1;
    if (others > 0) now.reason += ", and " + std::to_string(others) + " more";
    reasons_.clear();
    replanner_.ask(std::move(now));
  }

  void hear_planner() {
    const auto plan = replanner_.answer();
    if (!plan) return;
    // There may be more or fewer processors by now: then that is a question of its own.
    if (plan->processors != dispatcher_.processors()) return;
    const auto pause = static_cast<Duration>(plan->seconds * 1000 / kPlanningShare);
    next_plan_ = clock_.now() + std::max(kPause, pause);
    take(*plan);
  }

  void look_for_late_tasks() {
    for (const Monitor::Late& late : monitor_.late(clock_.now())) {
      if (!dispatcher_.running().contains(late.task)) continue;
      dispatcher_.expect(late.task, late.end);
      add_reason(late.reason);
    }
  }

  // ---- Waiting, and what others ask ----

  bool is_stopping() const {
    if (interrupts_seen_ > 0) return true;
    return !options_.keep_going && state_.count(TaskState::failed) > 0;
  }

  bool is_over() const {
    if (!dispatcher_.running().empty()) return false;
    return is_stopping() || dispatcher_.ready() == 0 || is_stuck();
  }

  // Nothing runs, nothing can start, and nobody is thinking about it.
  bool is_stuck() const {
    return dispatcher_.next_chance(clock_.now()) == kForever && reasons_.empty() &&
           !replanner_.is_busy();
  }

  void wait() {
    std::vector<pollfd> files = {{launcher_.descriptor(), POLLIN, 0},
                                 {interrupts_.descriptor(), POLLIN, 0},
                                 {mailbox_.descriptor(), POLLIN, 0},
                                 {replanner_.descriptor(), POLLIN, 0}};
    bool is_told = interrupts_seen_ < 2 && !has_surplus();
    for (const auto& [task, adopted] : adopted_) {
      const auto file = adopted.descriptor();
      if (file) files.push_back({*file, POLLIN, 0});
      is_told = is_told && file;
    }
    poll(files.data(), files.size(), patience(is_told));
    if (const int news = interrupts_.take(); news > 0) {
      interrupts_seen_ += news;
      if (options_.interrupted) options_.interrupted(interrupts_seen_, dispatcher_);
    }
    hear_requests();
    if (interrupts_seen_ > 1) stop_tasks();
    if (has_surplus()) stop_surplus();
    for (const TaskReport& report : launcher_.reports()) {
      report.is_lost ? lose(report.task) : end(report.task, report.attempt, report.end);
    }
    hear_adopted();
    look_for_late_tasks();
    hear_planner();
  }

  // Until something has to be looked at though nobody tells us.
  int patience(bool is_told) const {
    const Time now = clock_.now();
    Time next = std::min(monitor_.next_check(), dispatcher_.next_chance(now));
    if (!is_told) next = std::min(next, now + kPatience);
    if (!reasons_.empty() && !replanner_.is_busy() && !is_stopping()) {
      next = std::min(next, next_plan_);
    }
    const Time longest = options_.is_live ? 1000 : 3'600'000;
    return static_cast<int>(std::clamp<Time>(next - now, 0, longest));
  }

  void hear_requests() {
    const std::vector<Json> requests = mailbox_.take();
    for (const Json& request : requests) {
      const std::string what = text_in(request, "what");
      if (what == "cancel") {
        is_cancelled_ = true;
        interrupts_seen_ = std::max(interrupts_seen_, 2);
      } else if (what == "resources" && request.contains("processors") &&
                 request.at("processors").is_number_integer()) {
        set_processors(request.at("processors").get<Count>(),
                       request.contains("now") && request.at("now") == true);
      }
    }
    if (requests.empty()) return;
    journal_.sync();
    mailbox_.forget();
  }

  static std::string text_in(const Json& request, const char* key) {
    const auto found = request.find(key);
    return found != request.end() && found->is_string() ? found->get<std::string>() : "";
  }

  void set_processors(Count processors, bool at_once) {
    stops_surplus_ = at_once;
    if (processors < 1 || processors == dispatcher_.processors()) return;
    reasons_.push_back(std::to_string(processors) + " processors instead of " +
                       std::to_string(dispatcher_.processors()));
    next_plan_ = 0;
    write(resources_entry(clock_.stamp(), processors));
    dispatcher_.set_processors(processors);
    cores_.set_processors(processors);
  }

  bool has_surplus() const {
    return stops_surplus_ && dispatcher_.in_use() > dispatcher_.processors();
  }

  // Those that started last, until the others have no more than there is; they are run again later.
  void stop_surplus() {
    std::vector<std::size_t> running(dispatcher_.running().begin(), dispatcher_.running().end());
    std::ranges::sort(running, std::ranges::greater{},
                      [&](std::size_t task) { return state_.tasks()[task].started; });
    Count surplus = dispatcher_.in_use() - dispatcher_.processors();
    for (const std::size_t task : running) {
      if (surplus <= 0) break;
      surplus -= state_.tasks()[task].processors;
      stop_task(static_cast<std::uint32_t>(task));
    }
  }

  void stop_task(std::uint32_t task) const {
    const Attempt attempt = read_attempt(folder_.attempt(task, state_.tasks()[task].attempt));
    if (attempt.start && !attempt.end) stop(*attempt.start);
  }

  // Again and again until they have ended: one that was only just started has nobody to ask yet.
  void stop_tasks() const {
    for (const std::size_t task : dispatcher_.running()) {
      stop_task(static_cast<std::uint32_t>(task));
    }
  }

  RunOutcome finish() {
    const auto outcome = state_.count(TaskState::done) == problem_.task_count() ? RunOutcome::done
                         : is_cancelled_        ? RunOutcome::cancelled
                         : interrupts_seen_ > 0 ? RunOutcome::interrupted
                                                : RunOutcome::failed;
    constexpr const char* kNames[] = {"done", "failed", "interrupted", "cancelled"};
    note(kNames[static_cast<std::size_t>(outcome)]);
    journal_.sync();
    return outcome;
  }

  const RunFolder& folder_;
  const Problem& problem_;
  const RunOptions& options_;
  Launcher launcher_;  // before signals are blocked, threads begin and files are opened
  Interrupts interrupts_;
  Mailbox mailbox_;
  JournalWriter journal_;
  RunState state_;
  RunClock clock_;
  Dispatcher dispatcher_;
  Cores cores_;
  Monitor monitor_;
  Replanner replanner_;
  std::set<std::uint32_t> stale_;             // those that run and will have to be run again
  std::map<std::uint32_t, Adopted> adopted_;  // by task
  std::vector<std::string> reasons_;          // to plan again
  Time next_plan_ = 0;                        // not before
  bool stops_surplus_ = false;                // tasks with more processors than there are by now
  int interrupts_seen_ = 0;
  bool is_cancelled_ = false;
};

}  // namespace

RunEnd conduct(const RunFolder& folder, const Problem& problem, const RunOptions& options,
               Nursery nursery) {
  return Conductor(folder, problem, options, std::move(nursery)).run();
}

}  // namespace dovetail::exec
