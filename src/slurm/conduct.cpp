#include "slurm/conduct.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "exec/interrupts.hpp"
#include "exec/mailbox.hpp"
#include "slurm/desk.hpp"
#include "slurm/job_book.hpp"
#include "slurm/planned_starts.hpp"

namespace dovetail::slurm {

namespace {

// A job that is not in the queue may be on its way there, or the controller may not have found it
// again yet: it is gone when so many answers, so far apart, do not have it.
constexpr int kMissingAnswers = 3;
constexpr Duration kMissingTime = 6 * kSecond;

// Jobs in a row that end without having done anything; then something is wrong with all of them.
constexpr int kMostIdleJobs = 3;

// How long nodes may take to be free of a job that has ended, so that they can be given back.
constexpr Duration kReleaseTime = 30 * kSecond;

struct Missing {
  int answers = 0;
  Time since = 0;
};

// What a strategy of the table works on.
struct Cutting {
  Cutting(const Problem& problem, const SlurmRunOptions& options)
      : tasks(problem.workflows().front(), problem.platform().clusters().front()),
        run_times(tasks, options.how.pick) {}
  Cutting(const Cutting&) = delete;
  Cutting& operator=(const Cutting&) = delete;

  LeveledTasks tasks;
  RunTimes run_times;
};

class JobConductor {
 public:
  JobConductor(const exec::RunFolder& folder, const Problem& problem,
               const SlurmRunOptions& options, Client& client)
      : folder_(folder),
        problem_(problem),
        options_(options),
        limits_(client.user_limits(options.partition)),
        client_(client),
        mailbox_(folder),
        book_(folder, problem, options_),
        desk_(book_, folder, options_, limits_, client) {
    const Count most = limits_.max_submit().value_or(0);
    if (most > 0) options_.how.cap = options_.how.cap > 0 ? std::min(options_.how.cap, most) : most;
    if (!options.reserve) cutting_ = std::make_unique<Cutting>(problem, options);
    begin_strategy();
  }

  exec::RunEnd run() {
    book_.take_over(options_.kept);
    hear_requests();
    if (options_.is_dry) return dry_run();
    is_undecided_ = true;
    ask_slurm();
    while (!is_over()) {
      wait();
      if (interrupts_.take() > 0) is_interrupted_ = true;
      hear_requests();
      if (is_interrupted_) break;
      hear_running_jobs();
      if (book_.now() >= next_question_) ask_slurm();
      book_.sync();
    }
    if (!is_interrupted_) give_back_nodes();
    const exec::RunOutcome outcome = finish();
    return {outcome, std::move(book_).take_state()};
  }

 private:
  void begin_strategy() {
    if (options_.reserve) {
      auto planned = std::make_unique<PlannedStarts>(problem_, options_, book_, desk_);
      planned_ = planned.get();
      strategy_ = std::move(planned);
    } else {
      strategy_ = find_strategy(options_.strategy)->make(cutting_->run_times, options_.how);
    }
  }

  // What a strategy does needs Slurm. When that does not answer, or takes no more jobs for now, it
  // is decided later what to do about what is there by then.
  template <typename Decision>
  void decide(Decision decision) {
    if (is_undecided_) return;
    try {
      decision();
      was_full_ = false;
    } catch (const Unreachable& error) {
      is_undecided_ = true;
      lose_sight(error);
    } catch (const TooManyJobs& error) {
      is_undecided_ = true;
      if (!std::exchange(was_full_, true)) say(fmt::format("{}; waiting for room", error.what()));
    }
  }

  void lose_sight(const Unreachable& error) {
    if (!was_unreachable_) say(fmt::format("{}; jobs go on, asking again", error.what()));
    was_unreachable_ = true;
  }

  exec::RunEnd dry_run() {
    strategy_->begin(desk_);
    return {exec::RunOutcome::interrupted, std::move(book_).take_state()};
  }

  // The strategy of whoever decided before us is not known: what runs is new to ours.
  void begin() {
    if (is_stopping()) return cancel_waiting();
    const std::vector<LivePilot> live = desk_.live();
    const bool is_free = live.empty() || planned_ != nullptr;
    if (is_free && book_.has_open_tasks()) return strategy_->begin(desk_);
    for (const LivePilot& pilot : live) {
      if (pilot.start) return strategy_->started(desk_, pilot.id);
    }
  }

  bool is_stopping() const { return is_cancelled_ || (book_.has_failed() && !options_.keep_going); }

  bool is_over() const { return book_.pilots().live().empty() && !may_go_on(); }

  bool may_go_on() const {
    return !is_stopping() && book_.has_open_tasks() && idle_jobs_ < kMostIdleJobs;
  }

  void wait() {
    pollfd files[] = {{interrupts_.descriptor(), POLLIN, 0}, {mailbox_.descriptor(), POLLIN, 0}};
    const Time left = std::min(options_.look, next_question_ - book_.now());
    ::poll(files, std::size(files), static_cast<int>(std::max<Time>(left, 10)));
  }

  void hear_requests() {
    for (const Json& request : mailbox_.take()) {
      if (request.value("what", "") == "cancel") is_cancelled_ = true;
    }
    const bool is_open = is_cancelled_ && !book_.pilots().live().empty();
    if (is_open && book_.now() >= next_cancel_) {
      try {
        cancel_jobs("the run is cancelled");
      } catch (const Unreachable& error) {
        next_cancel_ = book_.now() + options_.poll;
        return lose_sight(error);  // the letter stays
      }
    }
    book_.sync();
    mailbox_.forget();
  }

  void hear_running_jobs() {
    for (const std::uint32_t pilot : book_.pilots().live()) {
      if (book_.pilots().at(pilot).stage != PilotStage::submitted) hear(pilot);
    }
  }

  // What it wrote down; a job that began without Slurm having told us has begun.
  PilotReport hear(std::uint32_t pilot) {
    const bool was_waiting = !book_.pilots().at(pilot).started;
    PilotReport report = read_report(folder_, book_.order(pilot));
    book_.hear(pilot, report);
    if (was_waiting && report.began) begun(pilot);
    return report;
  }

  void begun(std::uint32_t pilot) {
    const PilotStatus& status = book_.pilots().at(pilot);
    say(fmt::format("job {}: started after {}", pilot,
                    format_duration(*status.started - status.submitted)));
    book_.sync();
    if (!is_stopping()) decide([&] { strategy_->started(desk_, pilot); });
  }

  // Without an answer nothing is known and nothing changes.
  void ask_slurm() {
    next_question_ = book_.now() + options_.poll;
    try {
      std::vector<Job> jobs = client_.jobs();
      if (std::exchange(was_unreachable_, false)) say("Slurm answers again");
      look_at_jobs(std::move(jobs));
      if (std::exchange(is_undecided_, false)) {
        begin_strategy();
        decide([&] { begin(); });
      }
      release_reservations(book_, client_, 0);
    } catch (const Unreachable& error) {
      lose_sight(error);
    }
  }

  // One answer for all jobs.
  void look_at_jobs(std::vector<Job> jobs) {
    std::map<std::string, Job> by_name;
    running_.clear();
    for (Job& job : jobs) {
      if (job.state == JobState::running) running_.insert(job.id);
      by_name.insert_or_assign(job.name, std::move(job));
    }
    for (const std::uint32_t pilot : book_.pilots().live()) {
      if (!book_.pilots().at(pilot).is_live()) continue;  // ended by what came before
      const auto found = by_name.find(book_.pilots().at(pilot).name);
      found == by_name.end() ? look_for(pilot) : update(pilot, found->second);
    }
  }

  void update(std::uint32_t pilot, const Job& job) {
    missing_.erase(pilot);
    const PilotStatus& status = book_.pilots().at(pilot);
    if (status.job_id != job.id) book_.submitted(pilot, job.id);
    if (job.state == JobState::running && !status.started) {
      book_.started(pilot, job.start.value_or(exec::wall_now()));
      begun(pilot);
    }
    // After a crash of the controller, Slurm may hold a job that it thinks has run.
    const bool is_stuck =
        job.state == JobState::pending && job.reason.find("requeued_held") != std::string::npos;
    if (is_stuck) client_.cancel({job.id});
    if (planned_ != nullptr && job.state == JobState::pending && !is_stopping()) {
      decide([&] { planned_->waits(pilot, job.start); });
      if (!status.is_live()) return;
    }
    if (!slurm::is_over(job.state) && !is_stuck) return;
    // One that was thought to be lost may have come back, and has begun the work before this one.
    const std::string worker = read_report(folder_, book_.order(pilot)).job_id;
    if (worker != job.id && running_.contains(worker)) return;
    end(pilot, is_stuck ? job.reason : end_text(job));
  }

  static std::string end_text(const Job& job) {
    switch (job.state) {
      case JobState::completed:
        return "completed";
      case JobState::timeout:
        return "its time was over";
      case JobState::out_of_memory:
        return "out of memory";
      case JobState::node_fail:
        return "a node failed";
      case JobState::cancelled:
        return "cancelled by somebody else";
      case JobState::preempted:
        return "preempted";
      default:
        return job.reason.empty() || job.reason == "None" ? "failed" : "failed: " + job.reason;
    }
  }

  // Not in the queue: it has ended so long ago that Slurm forgot it, was lost, or never got there.
  void look_for(std::uint32_t pilot) {
    Missing& missing = missing_[pilot];
    if (missing.answers++ == 0) missing.since = book_.now();
    if (missing.answers < kMissingAnswers || book_.now() - missing.since < kMissingTime) {
      next_question_ = std::min(next_question_, book_.now() + kMissingTime / kMissingAnswers);
      return;
    }
    missing_.erase(pilot);
    const PilotStatus& status = book_.pilots().at(pilot);
    const auto past = client_.past_job(status.name, status.submitted);
    if (past && slurm::is_over(past->state)) return update(pilot, *past);
    const PilotReport report = hear(pilot);
    if (report.began) return end(pilot, "Slurm does not know it any more");
    // Its time may be over, and its nodes not reserved.
    if (status.planned) return end(pilot, "Slurm has lost it");
    say(fmt::format("job {}: Slurm has lost it; submitted again", pilot));
    book_.draft_again(pilot);
    desk_.submit_script(pilot);
  }

  void end(std::uint32_t pilot, const std::string& why) {
    const PilotReport report = hear(pilot);
    const std::vector<std::uint32_t> tasks = book_.pilots().at(pilot).tasks;
    const bool has_worked = !report.ends.empty();
    idle_jobs_ = has_worked ? 0 : idle_jobs_ + 1;
    book_.over(pilot, JobEnd::unfinished, why);
    const bool leaves_work = std::ranges::any_of(
        tasks, [&](TaskId task) { return book_.state_of(task) == dovetail::TaskState::open; });
    desk_.forget_queue();
    if (leaves_work) say(fmt::format("job {}: {}, not all of its tasks are done", pilot, why));
    if (idle_jobs_ >= kMostIdleJobs) return give_up(pilot);
    if (is_stopping()) return decide([&] { cancel_waiting(); });
    decide([&] {
      strategy_->ended(desk_, pilot, leaves_work ? PilotOutcome::expired : PilotOutcome::done);
      // A strategy that thinks that it has submitted everything does not know of tasks to be tried
      // again.
      if (book_.pilots().live().empty() && book_.has_open_tasks()) strategy_->begin(desk_);
    });
  }

  void give_up(std::uint32_t pilot) {
    cancel_jobs("given up");
    throw ExecutionError(fmt::format(
        "{} jobs in a row ended without having run a task; see {}, then go on with: dovetail "
        "resume {}",
        kMostIdleJobs, output_file(folder_, pilot), folder_.id()));
  }

  // Nothing new is begun; jobs that run go on.
  void cancel_waiting() {
    for (const LivePilot& pilot : desk_.live()) {
      if (!pilot.start) desk_.cancel(pilot.id);
    }
  }

  void cancel_jobs(const std::string& why) {
    std::vector<std::string> ids;
    for (const std::uint32_t pilot : book_.pilots().live()) {
      if (!book_.pilots().at(pilot).job_id.empty()) ids.push_back(book_.pilots().at(pilot).job_id);
    }
    client_.cancel(ids);
    for (const std::uint32_t pilot : book_.pilots().live()) {
      book_.hear(pilot, read_report(folder_, book_.order(pilot)));
      book_.over(pilot, JobEnd::cancelled, why);
    }
  }

  // At the end; those that stay end by themselves.
  void give_back_nodes() {
    try {
      release_reservations(book_, client_, kReleaseTime);
    } catch (const Unreachable& error) {
      lose_sight(error);
    }
    for (const std::uint32_t pilot : book_.pilots().to_release()) {
      say(
          fmt::format("reservation {0} is still there; it ends by itself, or remove it with: "
                      "scontrol delete ReservationName={0}",
                      book_.pilots().at(pilot).name));
    }
  }

  exec::RunOutcome finish() {
    const bool is_done = book_.state().count(exec::TaskState::done) == problem_.task_count();
    const auto outcome = is_done           ? exec::RunOutcome::done
                         : is_cancelled_   ? exec::RunOutcome::cancelled
                         : is_interrupted_ ? exec::RunOutcome::interrupted
                                           : exec::RunOutcome::failed;
    book_.note(exec::name_of(outcome));
    book_.sync();
    return outcome;
  }

  void say(const std::string& news) const {
    if (options_.say) options_.say(news);
  }

  const exec::RunFolder& folder_;
  const Problem& problem_;
  SlurmRunOptions options_;  // with no more jobs than the user may have
  UserLimits limits_;
  Client& client_;
  exec::Interrupts interrupts_;
  exec::Mailbox mailbox_;
  JobBook book_;
  SlurmDesk desk_;
  std::unique_ptr<Cutting> cutting_;  // not for planned starts
  std::unique_ptr<Strategy> strategy_;
  PlannedStarts* planned_ = nullptr;          // if that is the strategy
  std::map<std::uint32_t, Missing> missing_;  // by pilot
  std::set<std::string> running_;             // ids of jobs of everybody, by the last answer
  Time next_question_ = 0;
  Time next_cancel_ = 0;
  int idle_jobs_ = 0;
  bool was_unreachable_ = false;
  bool was_full_ = false;
  bool is_undecided_ = false;  // what comes next, as Slurm was away or full
  bool is_interrupted_ = false;
  bool is_cancelled_ = false;
};

}  // namespace

exec::RunEnd conduct(const exec::RunFolder& folder, const Problem& problem,
                     const SlurmRunOptions& options, Client& client) {
  return JobConductor(folder, problem, options, client).run();
}

void cancel(const exec::RunFolder& folder, const Problem& problem, const SlurmRunOptions& options,
            Client& client) {
  JobBook book(folder, problem, options);
  std::map<std::string, std::string> ids;  // by name
  for (const Job& job : client.jobs()) {
    if (!is_over(job.state)) ids[job.name] = job.id;
  }
  std::vector<std::string> ours;
  for (const std::uint32_t pilot : book.pilots().live()) {
    if (const auto found = ids.find(book.pilots().at(pilot).name); found != ids.end()) {
      ours.push_back(found->second);
    }
  }
  client.cancel(ours);
  for (const std::uint32_t pilot : book.pilots().live()) {
    book.hear(pilot, read_report(folder, book.order(pilot)));
    book.over(pilot, JobEnd::cancelled, "the run is cancelled");
  }
  release_reservations(book, client, kReleaseTime);
  book.note("cancelled");
  book.sync();
}

}  // namespace dovetail::slurm
