#include "batch/conduct.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "batch/desk.hpp"
#include "batch/job_book.hpp"
#include "batch/job_script.hpp"
#include "batch/job_watch.hpp"
#include "batch/planned_starts.hpp"
#include "run/run_requests.hpp"

namespace dovetail::batch {

namespace {

// After this many jobs in a row that ended without beginning a task, something is wrong with all.
constexpr int kMostIdleJobs = 3;

// How long it may take until cancelled jobs are out of the queue, and nodes free of them.
constexpr Duration kClearTime = 30 * kSecond;

// Between two questions while something is to be cleared away.
constexpr Duration kSoon = 500;

std::string end_text(const ClusterJob& job) {
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
      return "cancelled from outside";
    case JobState::preempted:
      return "preempted";
    default:
      return job.reason.empty() ? "failed" : "failed: " + job.reason;
  }
}

// Whether the job ended on its own, rather than by a cancellation, a failed node or the like.
bool ends_by_itself(JobState state) {
  return state == JobState::completed || state == JobState::failed;
}

// What a strategy of the table works on.
struct StrategyInputs {
  StrategyInputs(const Problem& problem, const JobRunOptions& options)
      : tasks(problem.workflows().front(), problem.platform().clusters().front()),
        run_times(tasks, options.how.pick) {}
  StrategyInputs(const StrategyInputs&) = delete;
  StrategyInputs& operator=(const StrategyInputs&) = delete;

  queue::LeveledTasks tasks;
  queue::RunTimes run_times;
};

// Takes unwanted jobs out of the queue and gives back reserved nodes, for at most kClearTime.
// Answers how many jobs it found. Throws Unreachable.
std::size_t clear_away(JobBook& book, JobWatch& watch, BatchSystem& system,
                       const JobRunOptions& options) {
  std::set<std::string> found;
  for (const Time until = book.now() + kClearTime;; options.wait({}, kSoon)) {
    watch.compare(system.jobs());
    system.cancel(watch.unwanted());
    found.insert(watch.unwanted().begin(), watch.unwanted().end());
    const bool is_clear = watch.unwanted().empty() && !watch.expects_latecomers();
    if (is_clear || book.now() >= until) break;
  }
  release_reservations(book, system, options, kClearTime);
  return found.size();
}

class JobConductor {
 public:
  JobConductor(const run::RunFolder& folder, const Problem& problem, const JobRunOptions& options,
               BatchSystem& system, run::Interrupts& interrupts)
      : folder_(folder),
        problem_(problem),
        options_(options),
        system_(system),
        requests_(folder, interrupts),
        book_(folder, problem, options_, system),
        watch_(book_, folder, options_.clock),
        desk_(book_, folder, options_, limits_, system, [this] { return is_asked(); }) {
    options_.how.requests = queue::RequestRule::minutes;
    if (!options.reserve) inputs_ = std::make_unique<StrategyInputs>(problem, options);
  }

  run::RunEnd run() {
    book_.take_over(options_.kept);
    hear_requests();
    if (options_.is_dry) return dry_run();
    if (!is_interrupted()) ask_system();
    while (!is_interrupted() && !is_over()) {
      wait();
      hear_requests();
      if (is_interrupted()) break;
      hear_running_jobs();
      if (book_.now() >= next_question_) ask_system();
      book_.sync();
    }
    if (!is_interrupted()) clear_up();
    const run::RunOutcome outcome = book_.close(requests_.is_cancelled(), is_interrupted());
    if (!why_given_up_.empty()) throw ExecutionError(why_given_up_);
    return {outcome, std::move(book_).take_state()};
  }

  // What an error leaves behind, in words; empty: nothing.
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
    if (!knows_limits_) read_limits();
    if (options_.reserve) {
      auto planned = std::make_unique<PlannedStarts>(problem_, options_, book_, desk_);
      planned_ = planned.get();
      strategy_ = std::move(planned);
    } else {
      strategy_ = queue::find_strategy(options_.strategy)->make(inputs_->run_times, options_.how);
    }
  }

  void read_limits() {
    limits_ = system_.limits(options_.partition, desk_.picture().partitions);
    knows_limits_ = true;
    const Count most = limits_.max_submit().value_or(0);
    if (most > 0) options_.how.cap = options_.how.cap > 0 ? std::min(options_.how.cap, most) : most;
  }

  // A strategy's decisions need the batch system. When that does not answer, takes no more jobs for
  // now, or has no nodes for them, or when a control message is waiting, the decision is made
  // later, by what is there then.
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

  // What the strategy of an earlier process decided is not known: what runs is new to this one.
  void begin() {
    if (is_stopping()) return cancel_waiting();
    begin_strategy();
    const std::vector<queue::LivePilot> live = desk_.live();
    const bool is_free = live.empty() || planned_ != nullptr;
    if (is_free && book_.has_open_tasks()) return strategy_->begin(desk_);
    for (const queue::LivePilot& pilot : live) {
      if (pilot.start) return strategy_->started(desk_, pilot.id);
    }
  }

  bool is_stopping() const {
    return requests_.is_cancelled() || !why_given_up_.empty() ||
           (book_.has_failed() && !options_.keep_going);
  }

  bool is_over() const {
    return book_.pilots().live().empty() && (is_stopping() || !book_.has_open_tasks());
  }

  // Jobs need no conductor: any interrupt but a cancellation leaves them to themselves.
  bool is_interrupted() const { return requests_.stops() > 0 || requests_.is_leaving(); }

  // Whether an interrupt or a control message is waiting while jobs are submitted.
  bool is_asked() const {
    auto files = requests_.files();
    return ::poll(files.data(), files.size(), 0) > 0;
  }

  void wait() {
    auto files = requests_.files();
    const Time left = std::min(options_.look, next_question_ - book_.now());
    options_.wait(files, std::max<Time>(left, 10));
  }

  void hear_requests() {
    requests_.hear();
    if (requests_.is_cancelled()) {
      for (const std::uint32_t pilot : book_.pilots().live()) {
        book_.cancel(pilot, "the run is cancelled");
      }
    }
    book_.sync();
    requests_.forget();
  }

  void hear_running_jobs() {
    for (const std::uint32_t pilot : book_.pilots().live()) {
      const PilotStatus& status = book_.pilots().at(pilot);
      if (status.is_live() && status.stage != PilotStage::drafted) hear(pilot);
    }
  }

  // Reads what the job wrote down; by that it may have begun before the system says so.
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

  // Without an answer nothing changes.
  void ask_system() {
    next_question_ = book_.now() + options_.poll;
    try {
      const std::vector<JobNews> news = watch_.compare(system_.jobs());
      if (std::exchange(was_unreachable_, false))
        say(fmt::format("{} answers again", system_.title()));
      for (const JobNews& one : news) {
        if (one.what != JobNews::What::gone) take(one);
      }
      if (std::exchange(is_undecided_, false)) decide([&] { begin(); });
      for (const JobNews& one : news) {
        if (one.what == JobNews::What::gone) look_for(one.number);
      }
      system_.cancel(watch_.unwanted());
      release_reservations(book_, system_, options_, 0);
    } catch (const Unreachable& error) {
      lose_sight(error);
    }
    if (watch_.misses_some()) {
      next_question_ = std::min(next_question_, book_.now() + kLookAgain);
    }
  }

  void take(const JobNews& news) {
    const std::uint32_t pilot = news.number;
    if (!book_.pilots().at(pilot).is_live()) return;
    const ClusterJob& job = news.job;
    if (book_.pilots().at(pilot).job_id != job.id) book_.submitted(pilot, job.id);
    if (news.what == JobNews::What::over) return end(pilot, job.state, end_text(job), job.end);
    if (news.what == JobNews::What::waits) return hear_of_waiting(pilot, job);
    if (book_.pilots().at(pilot).started) return;
    book_.started(pilot, job.start.value_or(book_.wall_now()));
    begun(pilot);
  }

  void hear_of_waiting(std::uint32_t pilot, const ClusterJob& job) {
    const bool is_stuck = job.state == JobState::pending && job.waits_for == WaitsFor::nothing;
    if (is_stuck) return end(pilot, JobState::unknown, job.reason);
    if (job.waits_for == WaitsFor::help && told_[pilot] != job.reason) {
      told_[pilot] = job.reason;
      say(fmt::format("job {}: {}", pilot, system_.explain(job)));
    }
    if (planned_ != nullptr && !is_stopping()) {
      decide([&] { planned_->waits(pilot, job.start); });
    }
  }

  // Not in the queue: it ended too long ago, was lost, or never got there.
  void look_for(std::uint32_t pilot) {
    const PilotStatus& status = book_.pilots().at(pilot);
    if (!status.is_live()) return;
    const std::string title(system_.title());
    const auto past = system_.past_job(status.name, status.submitted);
    if (past && batch::is_over(past->state))
      return end(pilot, past->state, end_text(*past), past->end);
    if (hear(pilot).began)
      return end(pilot, JobState::unknown, title + " does not know it any more");
    // Its time may be over, and its nodes not reserved; or it is not wanted any more.
    if (status.planned || is_stopping())
      return end(pilot, JobState::unknown, title + " has lost it");
    decide([&] {
      say(fmt::format("job {}: {} has lost it; submitted again", pilot, title));
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
      strategy_->ended(desk_, pilot,
                       leaves_work ? queue::PilotOutcome::expired : queue::PilotOutcome::done);
      // A strategy that has submitted everything does not know of tasks to be tried again.
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
    for (const queue::LivePilot& pilot : desk_.live()) {
      if (!pilot.start) desk_.cancel(pilot.id);
    }
  }

  // At the end. What stays ends by itself.
  void clear_up() {
    try {
      clear_away(book_, watch_, system_, options_);
    } catch (const Unreachable& error) {
      say(fmt::format("{}; when it does, dovetail cancel {} removes what may be left", error.what(),
                      folder_.id()));
    }
    for (const std::uint32_t pilot : book_.pilots().to_release()) {
      const std::string& name = book_.pilots().at(pilot).name;
      say(fmt::format("reservation {} is still there; it ends by itself, or remove it with: {}",
                      name, command_line(system_.release_command(name))));
    }
  }

  void say(const std::string& news) const {
    if (options_.say) options_.say(news);
  }

  const run::RunFolder& folder_;
  const Problem& problem_;
  JobRunOptions options_;  // with no more jobs than the user may have
  UserLimits limits_;
  BatchSystem& system_;
  run::RunRequests requests_;
  JobBook book_;
  JobWatch watch_;
  LiveDesk desk_;
  std::unique_ptr<StrategyInputs> inputs_;  // not for planned starts
  std::unique_ptr<queue::Strategy> strategy_;
  PlannedStarts* planned_ = nullptr;           // if that is the strategy
  std::map<std::uint32_t, std::string> told_;  // by pilot: why it does not start
  Time next_question_ = 0;
  int idle_jobs_ = 0;
  bool knows_limits_ = false;
  bool was_unreachable_ = false;
  // Whether to decide what comes next: at the beginning, or because the system was away or full.
  bool is_undecided_ = true;
  std::string obstacle_;  // to a decision, as it was told
  std::string why_given_up_;
};

}  // namespace

void wait_for_files(std::span<pollfd> files, Duration longest) {
  ::poll(files.data(), files.size(), static_cast<int>(longest));
}

run::RunEnd conduct(const run::RunFolder& folder, const Problem& problem,
                    const JobRunOptions& options, BatchSystem& system,
                    run::Interrupts& interrupts) {
  JobConductor conductor(folder, problem, options, system, interrupts);
  try {
    return conductor.run();
  } catch (const std::exception&) {
    const std::string left = options.is_dry ? "" : conductor.left_text();
    if (!left.empty() && options.say) options.say(left);
    throw;
  }
}

std::size_t cancel(const run::RunFolder& folder, const Problem& problem,
                   const JobRunOptions& options, BatchSystem& system) {
  JobBook book(folder, problem, options, system);
  JobWatch watch(book, folder, options.clock);
  for (const std::uint32_t pilot : book.pilots().live()) book.cancel(pilot, "the run is cancelled");
  const std::size_t found = clear_away(book, watch, system, options);
  if (book.state().outcome() != "done") book.note("cancelled");
  book.sync();
  return found;
}

}  // namespace dovetail::batch
