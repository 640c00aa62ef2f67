#include "batch/conduct.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "batch/desk.hpp"
#include "batch/given_back.hpp"
#include "batch/job_book.hpp"
#include "batch/job_watch.hpp"
#include "batch/planned_starts.hpp"
#include "run/interrupts.hpp"
#include "run/mailbox.hpp"

namespace dovetail::batch {

namespace {

// Jobs in a row that end by themselves without having begun a task; then something is wrong with
// all of them.
constexpr int kMostIdleJobs = 3;

// How long it may take until cancelled jobs are out of the queue, and nodes free of them.
constexpr Duration kClearTime = 30 * kSecond;

// Between two questions to Slurm while something is to be cleared away, or has vanished.
constexpr Duration kSoon = 500;
constexpr Duration kLookAgain = 2 * kSecond;

std::string end_text(const Job& job) {
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

// Whether the job had its chance and did not take it: not when somebody or something ended it.
bool ends_by_itself(JobState state) {
  return state == JobState::completed || state == JobState::failed;
}

// After a crash of the controller, Slurm may hold a job that it thinks has run.
bool is_stuck(const Job& job) {
  return job.state == JobState::pending && job.reason.find("requeued_held") != std::string::npos;
}

// Why a job does not start, and will not unless somebody does something about it.
bool needs_somebody(const Job& job) {
  for (const char* reason :
       {"JobHeld", "PartitionNodeLimit", "PartitionTimeLimit", "PartitionDown", "PartitionInactive",
        "BadConstraints", "AccountNotAllowed", "QOSNotAllowed", "InvalidAccount", "InvalidQOS"}) {
    if (job.reason.find(reason) != std::string::npos) return true;
  }
  return false;
}

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

// Takes what nobody wants any more out of the queue, and gives back nodes, within a time. Answers
// how many jobs it found. Throws Unreachable.
std::size_t clear_away(JobBook& book, JobWatch& watch, Client& client) {
  std::set<std::string> found;
  for (const Time until = book.now() + kClearTime;; ::poll(nullptr, 0, kSoon)) {
    watch.compare(client.jobs());
    client.cancel(watch.unwanted());
    found.insert(watch.unwanted().begin(), watch.unwanted().end());
    const bool is_clear = watch.unwanted().empty() && !watch.expects_latecomers();
    if (is_clear || book.now() >= until) break;
  }
  release_reservations(book, client, kClearTime);
  return found.size();
}

class JobConductor {
 public:
  JobConductor(const run::RunFolder& folder, const Problem& problem, const SlurmRunOptions& options,
               Client& client)
      : folder_(folder),
        problem_(problem),
        options_(options),
        client_(client),
        mailbox_(folder),
        book_(folder, problem, options_),
        watch_(book_, folder),
        desk_(book_, folder, options_, limits_, client, [this] { return is_asked(); }) {
    options_.how.requests = RequestRule::minutes;
    if (!options.reserve) cutting_ = std::make_unique<Cutting>(problem, options);
  }

  run::RunEnd run() {
    book_.take_over(options_.kept);
    hear_requests();
    if (options_.is_dry) return dry_run();
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
    if (!is_interrupted_) clear_up();
    const run::RunOutcome outcome = finish();
    if (!why_given_up_.empty()) throw ExecutionError(why_given_up_);
    return {outcome, std::move(book_).take_state()};
  }

  // In words, what an error leaves behind; empty: nothing.
  std::string left_text() const {
    const std::size_t jobs = book_.pilots().live().size();
    const std::size_t held = book_.pilots().to_release().size();
    if (jobs + held == 0) return {};
    return fmt::format(
        "{} of {} may be there still: dovetail resume {} goes on, dovetail cancel {} "
        "removes them",
        jobs > 0 ? fmt::format("{} jobs", jobs) : fmt::format("{} reservations", held),
        folder_.id(), folder_.id(), folder_.id());
  }

 private:
  void begin_strategy() {
    if (!std::exchange(knows_limits_, true)) read_limits();
    if (options_.reserve) {
      auto planned = std::make_unique<PlannedStarts>(problem_, options_, book_, desk_);
      planned_ = planned.get();
      strategy_ = std::move(planned);
    } else {
      strategy_ = find_strategy(options_.strategy)->make(cutting_->run_times, options_.how);
    }
  }

  void read_limits() {
    try {
      limits_ = client_.user_limits(options_.partition);
    } catch (const Unreachable&) {
      knows_limits_ = false;
      throw;
    }
    const Count most = limits_.max_submit().value_or(0);
    if (most > 0) options_.how.cap = options_.how.cap > 0 ? std::min(options_.how.cap, most) : most;
  }

  // What a strategy does needs Slurm. When that does not answer, takes no more jobs for now, or has
  // no nodes for them, or when somebody wants a word with us, it is decided later what to do about
  // what is there by then.
  template <typename Decision>
  void decide(Decision decision) {
    if (is_undecided_) return;
    is_undecided_ = true;
    try {
      decision();
      is_undecided_ = false;
      obstacle_.clear();
    } catch (const Unreachable& error) {
      lose_sight(error);
    } catch (const TooManyJobs& error) {
      wait_for(fmt::format("{}; waiting for room", error.what()));
    } catch (const NotNow& error) {
      desk_.forget_queue();
      wait_for(fmt::format("{}; waiting for it", error.what()));
    } catch (const Interrupted&) {
      next_question_ = book_.now();
    }
  }

  void wait_for(const std::string& obstacle) {
    if (obstacle != obstacle_) say(obstacle);
    obstacle_ = obstacle;
  }

  void lose_sight(const Unreachable& error) {
    if (!was_unreachable_) say(fmt::format("{}; jobs go on, asking again", error.what()));
    was_unreachable_ = true;
  }

  run::RunEnd dry_run() {
    begin_strategy();
    strategy_->begin(desk_);
    return {run::RunOutcome::interrupted, std::move(book_).take_state()};
  }

  // The strategy of whoever decided before us is not known: what runs is new to ours.
  void begin() {
    if (is_stopping()) return cancel_waiting();
    begin_strategy();
    const std::vector<LivePilot> live = desk_.live();
    const bool is_free = live.empty() || planned_ != nullptr;
    if (is_free && book_.has_open_tasks()) return strategy_->begin(desk_);
    for (const LivePilot& pilot : live) {
      if (pilot.start) return strategy_->started(desk_, pilot.id);
    }
  }

  bool is_stopping() const {
    return is_cancelled_ || !why_given_up_.empty() || (book_.has_failed() && !options_.keep_going);
  }

  bool is_over() const {
    return book_.pilots().live().empty() && (is_stopping() || !book_.has_open_tasks());
  }

  // Whether somebody wants a word with us while we submit.
  bool is_asked() {
    pollfd files[] = {{interrupts_.descriptor(), POLLIN, 0}, {mailbox_.descriptor(), POLLIN, 0}};
    return ::poll(files, std::size(files), 0) > 0;
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
    if (is_cancelled_) {
      for (const std::uint32_t pilot : book_.pilots().live()) {
        book_.cancel(pilot, "the run is cancelled");
      }
    }
    book_.sync();
    mailbox_.forget();
  }

  void hear_running_jobs() {
    for (const std::uint32_t pilot : book_.pilots().live()) {
      const PilotStatus& status = book_.pilots().at(pilot);
      if (status.is_live() && status.stage != PilotStage::drafted) hear(pilot);
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
      const std::vector<JobNews> news = watch_.compare(client_.jobs());
      if (std::exchange(was_unreachable_, false)) say("Slurm answers again");
      for (const JobNews& one : news) {
        if (one.what != JobNews::What::gone) take(one);
      }
      if (std::exchange(is_undecided_, false)) decide([&] { begin(); });
      for (const JobNews& one : news) {
        if (one.what == JobNews::What::gone) look_for(one.pilot);
      }
      client_.cancel(watch_.unwanted());
      release_reservations(book_, client_, 0);
    } catch (const Unreachable& error) {
      lose_sight(error);
    }
    if (watch_.misses_some()) {
      next_question_ = std::min(next_question_, book_.now() + kLookAgain);
    }
  }

  void take(const JobNews& news) {
    const std::uint32_t pilot = news.pilot;
    if (!book_.pilots().at(pilot).is_live()) return;
    const Job& job = news.job;
    if (book_.pilots().at(pilot).job_id != job.id) book_.submitted(pilot, job.id);
    if (news.what == JobNews::What::over) return end(pilot, job.state, end_text(job), job.end);
    if (news.what == JobNews::What::waits) return hear_of_waiting(pilot, job);
    if (book_.pilots().at(pilot).started) return;
    book_.started(pilot, job.start.value_or(run::wall_now()));
    begun(pilot);
  }

  void hear_of_waiting(std::uint32_t pilot, const Job& job) {
    if (is_stuck(job)) return end(pilot, JobState::unknown, job.reason);
    if (needs_somebody(job) && told_[pilot] != job.reason) {
      told_[pilot] = job.reason;
      say(fmt::format("job {}: Slurm does not start it: {}; see scontrol show job {}", pilot,
                      job.reason, job.id));
    }
    if (planned_ != nullptr && !is_stopping()) {
      decide([&] { planned_->waits(pilot, job.start); });
    }
  }

  // Not in the queue: it has ended so long ago that Slurm forgot it, was lost, or never got there.
  void look_for(std::uint32_t pilot) {
    const PilotStatus& status = book_.pilots().at(pilot);
    if (!status.is_live()) return;
    const auto past = client_.past_job(status.name, status.submitted);
    if (past && batch::is_over(past->state))
      return end(pilot, past->state, end_text(*past), past->end);
    if (hear(pilot).began) return end(pilot, JobState::unknown, "Slurm does not know it any more");
    // Its time may be over, and its nodes not reserved; or nobody wants it any more.
    if (status.planned || is_stopping()) return end(pilot, JobState::unknown, "Slurm has lost it");
    decide([&] {
      say(fmt::format("job {}: Slurm has lost it; submitted again", pilot));
      book_.draft_again(pilot);
      desk_.submit_script(pilot);
    });
  }

  void end(std::uint32_t pilot, JobState state, const std::string& said,
           std::optional<WallTime> when = {}) {
    const PilotReport report = hear(pilot);
    const std::string why = report.over == "time" ? "its time was over" : said;
    if (!report.starts.empty()) {
      idle_jobs_ = 0;
    } else if (ends_by_itself(state)) {
      ++idle_jobs_;
    }
    book_.over(pilot, report.began || batch::is_over(state) ? JobEnd::unfinished : JobEnd::lost,
               why, when);
    const bool leaves_work = book_.pilots().at(pilot).end != JobEnd::done;
    desk_.forget_queue();
    if (leaves_work) say(fmt::format("job {}: {}, not all of its tasks are done", pilot, why));
    if (idle_jobs_ >= kMostIdleJobs && why_given_up_.empty()) give_up(pilot);
    if (is_stopping()) return cancel_waiting();
    decide([&] {
      strategy_->ended(desk_, pilot, leaves_work ? PilotOutcome::expired : PilotOutcome::done);
      // A strategy that thinks that it has submitted everything does not know of tasks to be tried
      // again.
      if (book_.pilots().live().empty() && book_.has_open_tasks()) strategy_->begin(desk_);
    });
  }

  // Jobs that run go on.
  void give_up(std::uint32_t pilot) {
    why_given_up_ = fmt::format(
        "{} jobs in a row ended without having run a task; see {}, then go on with: dovetail "
        "resume {}",
        kMostIdleJobs, output_file(folder_, pilot), folder_.id());
  }

  // Nothing new is begun; jobs that run go on.
  void cancel_waiting() {
    for (const LivePilot& pilot : desk_.live()) {
      if (!pilot.start) desk_.cancel(pilot.id);
    }
  }

  // At the end. What stays ends by itself.
  void clear_up() {
    try {
      clear_away(book_, watch_, client_);
    } catch (const Unreachable& error) {
      say(fmt::format("{}; when it does, dovetail cancel {} removes what may be left", error.what(),
                      folder_.id()));
    }
    for (const std::uint32_t pilot : book_.pilots().to_release()) {
      say(
          fmt::format("reservation {0} is still there; it ends by itself, or remove it with: "
                      "scontrol delete ReservationName={0}",
                      book_.pilots().at(pilot).name));
    }
  }

  run::RunOutcome finish() {
    const bool is_done = book_.state().count(run::TaskState::done) == problem_.task_count();
    const auto outcome = is_done           ? run::RunOutcome::done
                         : is_cancelled_   ? run::RunOutcome::cancelled
                         : is_interrupted_ ? run::RunOutcome::interrupted
                                           : run::RunOutcome::failed;
    book_.note(run::name_of(outcome));
    book_.sync();
    return outcome;
  }

  void say(const std::string& news) const {
    if (options_.say) options_.say(news);
  }

  const run::RunFolder& folder_;
  const Problem& problem_;
  SlurmRunOptions options_;  // with no more jobs than the user may have
  UserLimits limits_;
  Client& client_;
  run::Interrupts interrupts_;
  run::Mailbox mailbox_;
  JobBook book_;
  JobWatch watch_;
  SlurmDesk desk_;
  std::unique_ptr<Cutting> cutting_;  // not for planned starts
  std::unique_ptr<Strategy> strategy_;
  PlannedStarts* planned_ = nullptr;           // if that is the strategy
  std::map<std::uint32_t, std::string> told_;  // by pilot: why it does not start
  Time next_question_ = 0;
  int idle_jobs_ = 0;
  bool knows_limits_ = false;
  bool was_unreachable_ = false;
  // What comes next, as nobody has decided yet, or Slurm was away or full. Without a strategy this
  // is so, too.
  bool is_undecided_ = true;
  std::string obstacle_;  // to a decision, as it was told
  std::string why_given_up_;
  bool is_interrupted_ = false;
  bool is_cancelled_ = false;
};

}  // namespace

run::RunEnd conduct(const run::RunFolder& folder, const Problem& problem,
                    const SlurmRunOptions& options, Client& client) {
  JobConductor conductor(folder, problem, options, client);
  try {
    return conductor.run();
  } catch (const std::exception&) {
    const std::string left = options.is_dry ? "" : conductor.left_text();
    if (!left.empty() && options.say) options.say(left);
    throw;
  }
}

std::size_t cancel(const run::RunFolder& folder, const Problem& problem,
                   const SlurmRunOptions& options, Client& client) {
  JobBook book(folder, problem, options);
  JobWatch watch(book, folder);
  for (const std::uint32_t pilot : book.pilots().live()) book.cancel(pilot, "the run is cancelled");
  const std::size_t found = clear_away(book, watch, client);
  if (book.state().outcome() != "done") book.note("cancelled");
  book.sync();
  return found;
}

}  // namespace dovetail::batch
