#include "slurm/desk.hpp"

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>

#include "dovetail/error.hpp"
#include "slurm/job_script.hpp"

namespace dovetail::slurm {

namespace {

// How long a picture of the queue is good enough.
constexpr Duration kFreshPicture = 5 * kSecond;

constexpr Duration kRecently = kDay;

std::string user_name() {
  const passwd* user = getpwuid(geteuid());
  return user == nullptr ? std::to_string(geteuid()) : user->pw_name;
}

// As one would type it.
std::string command_line(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) {
    const bool is_plain = word.find_first_of("[]' ") == std::string::npos;
    line += (line.empty() ? "" : " ") + (is_plain ? word : shell_quote(word));
  }
  return line;
}

std::string task_count_text(std::size_t count) {
  return count == 1 ? "1 task" : fmt::format("{} tasks", count);
}

}  // namespace

const LiveQueue& SlurmDesk::live_queue() {
  if (!queue_ || exec::wall_now() - picture_.at > kFreshPicture) {
    picture_ = client_.picture();
    queue_ = std::make_unique<LiveQueue>(picture_, options_.partition);
  }
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
      const exec::TaskState state = book_.state().tasks()[task].state;
      return state == exec::TaskState::running || state == exec::TaskState::done;
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

void SlurmDesk::require_room() {
  if (jobs_left(limits_, picture().jobs).value_or(1) > 0) return;
  if (limits_.max_submit() == 0) throw InputError("by its limits this user may have no jobs");
  throw TooManyJobs(
      fmt::format("this user has as many jobs as allowed, {}", limits_.max_submit().value_or(0)));
}

void SlurmDesk::submit(const PilotDraft& draft_of_strategy) {
  require_room();
  const LiveQueue& queue = live_queue();
  const Count nodes = draft_of_strategy.nodes;
  const Duration limit = job_limit(draft_of_strategy.request, JobBook::kOverhead);
  const std::string broken = broken_limit(queue.limits(), nodes, limit);
  if (!broken.empty()) throw InputError(broken);
  submit_script(draft({.tasks = draft_of_strategy.tasks,
                       .nodes = nodes,
                       .cores_per_node = queue.limits().cores_per_node,
                       .limit = limit,
                       .expected_wait = queue.wait(nodes, limit)}));
}

void SlurmDesk::submit(const PlannedJob& job) {
  require_room();
  const bool is_reserved = options_.reserve == Reserve::slurm;
  const std::uint32_t pilot =
      draft({.tasks = {job.task},
             .nodes = job.nodes,
             .cores_per_node = job.cores_per_node,
             .limit = job.limit,
             .expected_wait = std::max<Duration>(0, job.start - exec::wall_now()),
             .planned = job.start,
             .until = is_reserved ? std::optional(job.end()) : std::nullopt});
  if (is_reserved) reserve(pilot, job);
  submit_script(pilot);
}

std::uint32_t SlurmDesk::draft(const JobDraft& draft) {
  const std::uint32_t pilot = book_.draft(draft);
  say(fmt::format("job {}: {} on {} node{} for up to {}, expected to start in {}", pilot,
                  task_count_text(draft.tasks.size()), draft.nodes, draft.nodes == 1 ? "" : "s",
                  format_duration(draft.limit), format_duration(draft.expected_wait)));
  return pilot;
}

void SlurmDesk::reserve(std::uint32_t pilot, const PlannedJob& job) {
  const ReservationRequest request{.name = book_.pilots().at(pilot).name,
                                   .start = job.start,
                                   .length = job.length,
                                   .node_names = job.node_names,
                                   .user = user_name()};
  if (options_.is_dry) return say("  " + command_line(reservation_command(request)));
  try {
    client_.create_reservation(request);
  } catch (const ExecutionError&) {
    book_.over(pilot, JobEnd::cancelled, "its nodes could not be reserved");
    throw;
  }
}

void SlurmDesk::submit_script(std::uint32_t pilot) {
  forget_queue();
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
  const std::string id = book_.pilots().at(pilot).job_id;
  if (!id.empty()) client_.cancel({id});
  // What it did until now counts.
  book_.hear(pilot, read_report(folder_, book_.order(pilot)));
  book_.over(pilot, JobEnd::cancelled, why);
  say(fmt::format("job {}: cancelled, {}", pilot, why));
  forget_queue();
}

void SlurmDesk::say(const std::string& news) const {
  if (options_.say) options_.say(news);
}

}  // namespace dovetail::slurm
