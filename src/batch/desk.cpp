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

// As one would type it.
std::string command_line(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) {
    const bool is_plain = word.find_first_of("[]' ") == std::string::npos;
    line += (line.empty() ? "" : " ") + (is_plain ? word : shell_quote(word));
  }
  return line;
}

}  // namespace

const LiveQueue& SlurmDesk::live_queue() {
  if (run::wall_now() - picture_.at > kFreshPicture) {
    picture_ = client_.picture();
    queue_.reset();
  }
  if (!queue_) queue_ = std::make_unique<LiveQueue>(picture_, options_.partition);
  return *queue_;
}

const ClusterPicture& SlurmDesk::picture() {
  live_queue();
  return picture_;
}

std::vector<LivePilot> SlurmDesk::live() const {
  std::vector<LivePilot> live;
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

// Slurm remembers only jobs that ended not long ago; better than nothing.
std::optional<Duration> SlurmDesk::recent_wait(Duration request) const {
  std::vector<Duration> waits;
  for (const Job& job : picture_.jobs) {
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

// Unknown: the queue does not tell how it was.
std::optional<double> SlurmDesk::recent_use() const { return std::nullopt; }

void SlurmDesk::require_nobody_waits() const {
  if (is_asked_ && is_asked_()) throw Interrupted();
}

// A reservation is made and read back, then a job is submitted.
Duration SlurmDesk::time_to_submit() const { return 3 * client_.mean_call(); }

// So that the estimate for the next one counts it, without a word to the controller.
void SlurmDesk::count_as_waiting(std::uint32_t pilot) {
  const PilotStatus& status = book_.pilots().at(pilot);
  picture_.jobs.push_back({.id = status.job_id,
                           .name = status.name,
                           .user = own_user(),
                           .partitions = {live_queue().limits().name},
                           .state = JobState::pending,
                           .reason = status.planned ? "BeginTime" : "Priority",
                           .nodes = status.nodes,
                           .limit = status.request,
                           .submitted = run::wall_now()});
  queue_.reset();
}

void SlurmDesk::require_room() {
  if (!limits_.max_submit()) return;
  if (jobs_left(limits_, picture().jobs).value_or(1) > 0) return;
  if (limits_.max_submit() == 0) throw InputError("by its limits this user may have no jobs");
  throw TooManyJobs(
      fmt::format("this user has as many jobs as allowed, {}", limits_.max_submit().value_or(0)));
}

void SlurmDesk::submit(const PilotDraft& draft_of_strategy) {
  require_nobody_waits();
  require_room();
  const LiveQueue& queue = live_queue();
  const Count nodes = std::max(draft_of_strategy.nodes, queue.limits().min_nodes);
  const Duration limit = limit_for(draft_of_strategy, queue.limits());
  const std::string broken = broken_limit(queue.limits(), nodes, limit);
  if (!broken.empty()) throw InputError(broken);
  submit_script(draft({.tasks = draft_of_strategy.tasks,
                       .nodes = nodes,
                       .cores_per_node = queue.limits().cores_per_node,
                       .limit = limit,
                       .expected_wait = queue.wait_of_job(nodes, limit)}));
}

void SlurmDesk::submit(const PlannedJob& job) {
  require_nobody_waits();
  require_room();
  const bool is_reserved = options_.reserve == Reserve::slurm;
  const std::uint32_t pilot =
      draft({.tasks = {job.task},
             .nodes = job.nodes,
             .cores_per_node = job.cores_per_node,
             .limit = job.limit,
             .expected_wait = std::max<Duration>(0, job.start - run::wall_now()),
             .planned = job.start,
             .until = is_reserved ? std::optional(job.end()) : std::nullopt});
  if (is_reserved) reserve(pilot, job);
  submit_script(pilot);
}

// Twice as long for every time that one of the tasks was cut short: it takes longer than expected.
// No longer than the partition allows: the job stops in time, and what it leaves is cut again.
Duration SlurmDesk::limit_for(const PilotDraft& draft, const PartitionLimits& limits) const {
  std::uint32_t losses = 0;
  for (const TaskId task : draft.tasks) {
    losses = std::max(losses, book_.state().tasks()[task].losses);
  }
  const Duration wanted = job_limit(draft.request, 0) << std::min(losses, 8U);
  return std::min(wanted, limits.max_time / kMinute * kMinute);
}

std::string SlurmDesk::tasks_text(const std::vector<TaskId>& tasks) const {
  return tasks.size() == 1 ? book_.task_name(tasks.front()) : fmt::format("{} tasks", tasks.size());
}

std::uint32_t SlurmDesk::draft(const JobDraft& draft) {
  const std::uint32_t pilot = book_.draft(draft);
  say(fmt::format("job {}: {} on {} node{} for up to {}, expected to start in {}", pilot,
                  tasks_text(draft.tasks), draft.nodes, draft.nodes == 1 ? "" : "s",
                  format_duration(draft.limit), format_duration(draft.expected_wait)));
  return pilot;
}

void SlurmDesk::reserve(std::uint32_t pilot, const PlannedJob& job) {
  const ReservationRequest request{.name = book_.pilots().at(pilot).name,
                                   .start = job.start,
                                   .length = job.length,
                                   .node_names = job.node_names,
                                   .user = own_user()};
  if (options_.is_dry) return say("  " + command_line(reservation_command(request)));
  try {
    client_.create_reservation(request);
  } catch (const ExecutionError&) {
    book_.over(pilot, JobEnd::cancelled, "its nodes could not be reserved");
    throw;
  }
}

void SlurmDesk::submit_script(std::uint32_t pilot) {
  count_as_waiting(pilot);
  if (options_.is_dry) return;
  try {
    book_.submitted(pilot, client_.submit(script_file(folder_, pilot)));
  } catch (const Unreachable& error) {
    say(error.what());
  } catch (const Refused&) {
    book_.over(pilot, JobEnd::cancelled, "Slurm does not take it");
    throw;
  }
}

void SlurmDesk::cancel(PilotId pilot, const std::string& why) {
  book_.cancel(pilot, why);
  say(fmt::format("job {}: cancelled, {}", pilot, why));
  forget_queue();
}

void SlurmDesk::say(const std::string& news) const {
  if (options_.say) options_.say(news);
}

}  // namespace dovetail::batch
