#include "batch/planned_starts.hpp"

#include <algorithm>
#include <numeric>

namespace dovetail::batch {

namespace {

// A job that is later than that is planned again.
constexpr Duration kLate = kMinute;

// A batch system looks at its queue about every half minute, and starts jobs then. A job that
// starts late must still fit into its reservation; both are in whole minutes.
constexpr Duration kReservedSlack = kMinute;
constexpr Duration kBeginSlack = 30 * kSecond;

// Between the picture of the cluster and the first start.
constexpr Duration kLead = 5 * kSecond;
constexpr Duration kLeastLeadForEach = 50;

// Other users may take a node after the picture was made.
constexpr int kMostTries = 3;

Duration slack_of(const PilotStatus& job) { return job.is_reserved ? kReservedSlack : kBeginSlack; }

constexpr WallTime second_after(WallTime moment) {
  return (moment + kSecond - 1) / kSecond * kSecond;
}

// The tasks to plan, and what to plan around.
struct PlanningTask {
  std::vector<TaskId> tasks;
  std::vector<WallTime> releases;  // beside the tasks
  std::vector<LaterNeed> needs = {};
  std::optional<WallTime> deadline = {};
  Duration lead_for_each = kLeastLeadForEach;
};

std::optional<std::vector<PlannedJob>> plan_around(const Problem& problem,
                                                   const JobRunOptions& options,
                                                   const ClusterPicture& picture,
                                                   const PlanningTask& what) {
  const bool is_reserved = options.reserve == Reserve::nodes;
  const auto count = static_cast<Duration>(what.tasks.size());
  const WallTime first = second_after(picture.at + kLead + count * what.lead_for_each);
  const Platform nodes = live_nodes(picture, options.partition, what.needs).at(first);
  auto jobs = plan_jobs(problem, what.tasks, what.releases, nodes,
                        {.limits = limits_of(picture, options.partition),
                         .overhead = queue::kJobOverhead,
                         .slack = is_reserved ? kReservedSlack : kBeginSlack,
                         .goal = what.deadline ? Goal::deadline : Goal::turnaround,
                         .deadline = what.deadline,
                         .make_plan = options.make_plan});
  if (!jobs || !is_reserved) return jobs;
  name_nodes(*jobs, problem.workflows().front(), node_windows(picture, options.partition));
  const auto end = std::ranges::max(*jobs, {}, &PlannedJob::end).end();
  if (what.deadline && end > *what.deadline) return std::nullopt;
  return jobs;
}

}  // namespace

void PlannedStarts::waits(queue::PilotId pilot, std::optional<WallTime> expected_start) {
  const PilotStatus& status = book_.pilots().at(pilot);
  const WallTime now = book_.wall_now();
  const auto known = late_.find(pilot);
  const WallTime due = known == late_.end() ? *status.planned : known->second;
  if (now <= due + kLate) return;
  if (status.is_reserved) {
    desk_.cancel(pilot, "it did not start at its time");
  } else {
    late_[pilot] = std::max(now, expected_start.value_or(now));
  }
  plan(after(pilot, "is late"));
}

void PlannedStarts::plan(const std::string& reason) {
  read_jobs();
  cancel_overtaken();
  for (int tries = 1;; ++tries) {
    std::vector<TaskId> open;
    for (TaskId task = 0; task < workflow().size(); ++task) {
      if (book_.state_of(task) == queue::TaskStage::open) open.push_back(task);
    }
    if (open.empty()) return;
    read_jobs();
    try {
      const std::vector<PlannedJob> jobs = jobs_for(open);
      write_down(reason, jobs);
      return submit(jobs);
    } catch (const TooManyJobs&) {
      throw;
    } catch (const NoRights&) {
      throw;
    } catch (const Refused&) {
      if (tries == kMostTries) throw;
      desk_.forget_queue();
    }
  }
}

void PlannedStarts::read_jobs() {
  job_of_.assign(workflow().size(), std::nullopt);
  for (const queue::PilotId pilot : book_.pilots().live()) {
    for (const TaskId task : book_.pilots().at(pilot).tasks) job_of_[task] = pilot;
  }
}

void PlannedStarts::cancel_overtaken() {
  moves_.assign(workflow().size(), 0);
  for (const TaskId task : workflow().topological_order()) {
    const bool is_held = job_of_[task].has_value();
    moves_[task] =
        !is_held && (book_.is_blocked(task) || book_.state_of(task) == queue::TaskStage::open);
    if (!is_held) continue;
    const PilotStatus& status = book_.pilots().at(*job_of_[task]);
    if (status.started || !is_overtaken(task, status.planned.value_or(0))) continue;
    moves_[task] = 1;
    desk_.cancel(*job_of_[task], "what it needs comes later than planned");
  }
}

bool PlannedStarts::is_overtaken(TaskId task, WallTime planned) const {
  return std::ranges::any_of(workflow().predecessors(task), [&](TaskId before) {
    return moves_[before] || (job_of_[before] && expected_end(*job_of_[before]) > planned + kLate);
  });
}

WallTime PlannedStarts::expected_end(queue::PilotId pilot) const {
  const PilotStatus& status = book_.pilots().at(pilot);
  const auto late = late_.find(pilot);
  WallTime start = status.planned.value_or(book_.wall_now());
  if (late != late_.end()) start = late->second;
  return status.started.value_or(start + slack_of(status)) + status.request;
}

// Jobs that begin later hold nothing in the queue until then.
std::vector<LaterNeed> PlannedStarts::own_needs() const {
  std::vector<LaterNeed> needs;
  for (const queue::PilotId pilot : book_.pilots().live()) {
    const PilotStatus& status = book_.pilots().at(pilot);
    if (status.started || status.is_reserved || !status.planned) continue;
    const Duration length = status.request + kBeginSlack;
    needs.push_back(
        {.from = expected_end(pilot) - length, .length = length, .nodes = status.nodes});
  }
  return needs;
}

std::optional<WallTime> PlannedStarts::deadline() const {
  if (problem_.goal() != Goal::deadline) return std::nullopt;
  return book_.wall_now() - book_.now() + *problem_.deadline();
}

std::vector<PlannedJob> PlannedStarts::jobs_for(const std::vector<TaskId>& tasks) {
  PlanningTask what{.tasks = tasks,
                    .releases = {},
                    .needs = own_needs(),
                    .deadline = deadline(),
                    .lead_for_each = std::max(kLeastLeadForEach, desk_.time_to_submit())};
  for (const TaskId task : tasks) {
    WallTime release = 0;
    for (const TaskId before : workflow().predecessors(task)) {
      if (job_of_[before]) release = std::max(release, expected_end(*job_of_[before]));
    }
    what.releases.push_back(second_after(release));
  }
  auto jobs = plan_around(problem_, options_, desk_.picture(), what);
  if (jobs) return *jobs;
  if (options_.say)
    options_.say("no plan meets the deadline any more; planning for the earliest end");
  what.deadline.reset();
  return plan_around(problem_, options_, desk_.picture(), what).value();
}

void PlannedStarts::submit(const std::vector<PlannedJob>& jobs) {
  const auto cap = static_cast<std::size_t>(options_.how.cap);
  for (const PlannedJob& job : jobs) {
    if (cap > 0 && desk_.live_count() >= cap) return;
    desk_.submit(job);
  }
}

// A slot is as long as the task; its job is longer.
void PlannedStarts::write_down(const std::string& reason,
                               const std::vector<PlannedJob>& jobs) const {
  std::vector<planning::Slot> slots(problem_.task_count());
  const Duration run_began = book_.wall_now() - book_.now();
  for (const PlannedJob& job : jobs) {
    const Time start = job.start - run_began;
    const Duration length = problem_.time(0, job.task, 0).duration(job.processors);
    slots[job.task] = {job.processors, start, start + length};
  }
  book_.plan(reason, slots);
}

std::optional<std::vector<PlannedJob>> plan_jobs_now(const Problem& problem,
                                                     const JobRunOptions& options,
                                                     const ClusterPicture& picture) {
  PlanningTask what{.tasks = std::vector<TaskId>(problem.task_count()),
                    .releases = std::vector<WallTime>(problem.task_count())};
  std::iota(what.tasks.begin(), what.tasks.end(), TaskId{0});
  if (problem.goal() == Goal::deadline) what.deadline = picture.at + *problem.deadline();
  return plan_around(problem, options, picture, what);
}

}  // namespace dovetail::batch
