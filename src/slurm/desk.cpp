#include "slurm/desk.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "dovetail/error.hpp"

namespace dovetail::slurm {

namespace {

// How long a picture of the queue is good enough.
constexpr Duration kFreshPicture = 5 * kSecond;

constexpr Duration kRecently = kDay;

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

void SlurmDesk::submit(const PilotDraft& draft) {
  const LiveQueue& queue = live_queue();
  const Duration limit = JobBook::limit_of(draft);
  const std::string broken = broken_limit(queue.limits(), draft.nodes, limit);
  if (!broken.empty()) throw InputError(broken);
  const Duration wait = queue.wait(draft.nodes, limit);
  const std::uint32_t pilot = book_.draft(draft, queue.limits().cores_per_node, wait);
  if (options_.say) {
    options_.say(fmt::format("job {}: {} on {} node{} for up to {}, expected to start in {}", pilot,
                             task_count_text(draft.tasks.size()), draft.nodes,
                             draft.nodes == 1 ? "" : "s", format_duration(limit),
                             format_duration(wait)));
  }
  submit_script(pilot);
}

void SlurmDesk::submit_script(std::uint32_t pilot) {
  forget_queue();
  if (options_.is_dry) return;
  try {
    book_.submitted(pilot, client_.submit(script_file(folder_, pilot)));
  } catch (const Unreachable& error) {
    if (options_.say) options_.say(error.what());
  }
}

void SlurmDesk::cancel(PilotId pilot) {
  const std::string id = book_.pilots().at(pilot).job_id;
  if (!id.empty()) client_.cancel({id});
  // What it did until now counts.
  book_.hear(pilot, read_report(folder_, book_.order(pilot)));
  book_.over(pilot, JobEnd::cancelled, "not needed any more");
  if (options_.say) options_.say(fmt::format("job {}: cancelled, not needed any more", pilot));
  forget_queue();
}

}  // namespace dovetail::slurm
