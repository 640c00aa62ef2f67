#include "batch/desk.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "batch/job_script.hpp"
#include "dovetail/error.hpp"

namespace dovetail::batch {

namespace {

// How long a picture of the queue is good enough.
constexpr Duration kFreshPicture = 5 * kSecond;

constexpr Duration kRecently = kDay;

}  // namespace

const LiveQueue& LiveDesk::live_queue() {
  picture();
  if (!queue_) queue_ = std::make_unique<LiveQueue>(picture_, options_.partition);
  return *queue_;
}

// A dry run submits nothing: the picture that it was decided by stays true.
const ClusterPicture& LiveDesk::picture() {
  const bool is_decided = options_.is_dry && options_.picture;
  if (!is_decided && book_.wall_now() - picture_.at > kFreshPicture) {
    picture_ = system_.picture();
    queue_.reset();
  }
  return picture_;
}

std::vector<queue::LivePilot> LiveDesk::live() const {
  std::vector<queue::LivePilot> live;
  for (const std::uint32_t number : book_.pilots().live()) {
    const PilotStatus& pilot = book_.pilots().at(number);
    const bool has_worked = std::ranges::any_of(pilot.tasks, [&](std::uint32_t task) {
      const run::TaskState state = book_.state().tasks()[task].state;
      return state == run::TaskState::running || state == run::TaskState::done;
    });
    live.push_back({.id = number,
                    .nodes = pilot.nodes,
                    .request = pilot.request,
                    .start = pilot.started,
                    .has_worked = has_worked});
  }
  return live;
}

// The median over the jobs that the system still remembers.
std::optional<Duration> LiveDesk::recent_wait(Duration request) const {
  std::vector<Duration> waits;
  for (const ClusterJob& job : picture_.jobs) {
    const bool has_started = job.start && job.state != JobState::pending;
    if (!has_started || job.limit > 2 * request || job.submitted == 0) continue;
    if (picture_.at - *job.start > kRecently) continue;
    waits.push_back(std::max<Duration>(0, *job.start - job.submitted));
  }
  if (waits.empty()) return std::nullopt;
  const auto middle = waits.begin() + static_cast<std::ptrdiff_t>(waits.size() / 2);
  std::ranges::nth_element(waits, middle);
  return *middle;
}

// A queue does not tell how busy it was.
std::optional<double> LiveDesk::recent_use() const { return std::nullopt; }

void LiveDesk::require_no_interrupt() const {
  if (is_asked_ && is_asked_()) throw Interrupted();
}

// Three calls: a reservation is made and read back, then the job is submitted.
Duration LiveDesk::time_to_submit() const { return 3 * system_.mean_call(); }

// So that the estimate for the next job counts this one, without another question.
void LiveDesk::count_as_waiting(std::uint32_t pilot) {
  const PilotStatus& status = book_.pilots().at(pilot);
  picture_.jobs.push_back({.id = status.job_id,
                           .name = status.name,
                           .user = own_user(),
                           .partitions = {live_queue().limits().name},
                           .state = JobState::pending,
                           .waits_for = status.planned ? WaitsFor::condition : WaitsFor::nodes,
                           .nodes = status.nodes,
                           .limit = status.request,
                           .submitted = book_.wall_now()});
  queue_.reset();
}

void LiveDesk::require_room() {
  if (!limits_.max_submit()) return;
  if (jobs_left(limits_, picture().jobs).value_or(1) > 0) return;
  if (limits_.max_submit() == 0) throw InputError("by its limits this user may have no jobs");
  throw TooManyJobs(
      fmt::format("this user has as many jobs as allowed, {}", limits_.max_submit().value_or(0)));
}

void LiveDesk::submit(const queue::PilotDraft& draft_of_strategy) {
  require_no_interrupt();
  require_room();
  const LiveQueue& queue = live_queue();
  const Count nodes = std::max(draft_of_strategy.nodes, queue.limits().min_nodes);
  const Duration limit = limit_for(draft_of_strategy, queue.limits());
  const std::string broken = broken_limit(queue.limits(), nodes, limit);
  if (!broken.empty()) throw InputError(broken);
  if (nodes > queue.limits().nodes) {
    throw NotNow(fmt::format(
        "{} need{} {} nodes, of which {} can be used now", tasks_text(draft_of_strategy.tasks),
        draft_of_strategy.tasks.size() == 1 ? "s" : "", nodes, queue.limits().nodes));
  }
  submit_script(draft({.tasks = draft_of_strategy.tasks,
                       .nodes = nodes,
                       .node = queue.limits().node(nodes),
                       .limit = limit,
                       .expected_wait = queue.wait_of_job(nodes, limit)}));
}

void LiveDesk::submit(const PlannedJob& job) {
  require_no_interrupt();
  require_room();
  const bool is_reserved = options_.reserve == Reserve::nodes;
  const std::uint32_t pilot =
      draft({.tasks = {job.task},
             .nodes = job.nodes,
             .node = {.cores = job.cores_per_node},
             .limit = job.limit,
             .expected_wait = std::max<Duration>(0, job.start - book_.wall_now()),
             .planned = job.start,
             .until = is_reserved ? std::optional(job.end()) : std::nullopt});
  if (is_reserved) reserve(pilot, job);
  submit_script(pilot);
}

// Twice as long for every time that one of the tasks was cut short, but no longer than the
// partition allows: the job stops in time, and what it leaves is cut again.
Duration LiveDesk::limit_for(const queue::PilotDraft& draft, const PartitionLimits& limits) const {
  std::uint32_t losses = 0;
  for (const TaskId task : draft.tasks) {
    losses = std::max(losses, book_.state().tasks()[task].losses);
  }
  const Duration wanted = job_limit(draft.request, 0) << std::min(losses, 8U);
  return std::min(wanted, limits.max_time / kMinute * kMinute);
}

std::string LiveDesk::tasks_text(const std::vector<TaskId>& tasks) const {
  return tasks.size() == 1 ? book_.task_name(tasks.front()) : fmt::format("{} tasks", tasks.size());
}

std::uint32_t LiveDesk::draft(const JobDraft& draft) {
  const std::uint32_t pilot = book_.draft(draft);
  say(fmt::format("job {}: {} on {} node{} for up to {}, expected to start in {}", pilot,
                  tasks_text(draft.tasks), draft.nodes, draft.nodes == 1 ? "" : "s",
                  format_duration(draft.limit), format_duration(draft.expected_wait)));
  return pilot;
}

void LiveDesk::reserve(std::uint32_t pilot, const PlannedJob& job) {
  const ReservationRequest request{.name = book_.pilots().at(pilot).name,
                                   .start = job.start,
                                   .length = job.length,
                                   .node_names = job.node_names,
                                   .user = own_user()};
  if (options_.is_dry) return say("  " + command_line(system_.reserve_command(request)));
  try {
    system_.reserve(request);
  } catch (const ExecutionError&) {
    book_.over(pilot, JobEnd::cancelled, "its nodes could not be reserved");
    throw;
  }
}

void LiveDesk::submit_script(std::uint32_t pilot) {
  count_as_waiting(pilot);
  if (options_.is_dry) return;
  try {
    book_.submitted(pilot, system_.submit(script_file(folder_, pilot)));
  } catch (const Unreachable& error) {
    say(error.what());
  } catch (const Refused&) {
    book_.over(pilot, JobEnd::cancelled, fmt::format("{} does not take it", system_.title()));
    throw;
  }
}

void LiveDesk::cancel(queue::PilotId pilot, const std::string& why) {
  book_.cancel(pilot, why);
  say(fmt::format("job {}: cancelled, {}", pilot, why));
  forget_queue();
}

void LiveDesk::say(const std::string& news) const {
  if (options_.say) options_.say(news);
}

}  // namespace dovetail::batch
