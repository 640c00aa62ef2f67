#include "run/replanner.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <numeric>

#include "dovetail/error.hpp"
#include "planners/list/cluster_view.hpp"
#include "planners/replan/workflow_part.hpp"

namespace dovetail::run {

namespace {

// The problem with times, processors and waits as they are known by now.
Problem as_known(const Problem& problem, const RunPicture& picture) {
  std::vector<Workflow> workflows;
  std::size_t first = 0;
  for (const Workflow& workflow : problem.workflows()) {
    const auto factors = std::span(picture.factors).subspan(first, workflow.size());
    first += workflow.size();
    if (std::ranges::all_of(factors, [](double factor) { return factor == 1; })) {
      workflows.push_back(workflow);
      continue;
    }
    std::vector<TaskId> all(workflow.size());
    std::iota(all.begin(), all.end(), TaskId{0});
    workflows.push_back(
        planning::part_of(workflow, all, [&](TaskId task) { return factors[task]; }));
  }
  const Platform platform(problem.now(),
                          {planning::limited_cluster(problem.platform(), picture.processors)});
  return Problem(std::move(workflows), platform, problem.goal(), problem.deadline())
      .with_releases(picture.not_before);
}

// Tasks that run may have more processors than there are by now. Those that run longest are counted
// first; of the others what is left.
void fit_running(RunPicture& picture) {
  std::vector<std::size_t> running;
  for (std::size_t task = 0; task < picture.slots.size(); ++task) {
    if (picture.progress[task] == planning::TaskProgress::running) running.push_back(task);
  }
  std::ranges::sort(running, std::ranges::greater{},
                    [&](std::size_t task) { return picture.slots[task].end; });
  Count left = picture.processors;
  for (const std::size_t task : running) {
    Count& procs = picture.slots[task].procs;
    procs = std::min(procs, left);
    left -= procs;
  }
}

// A gain that is less than tasks differ by from one time to the next is not worth any change.
bool is_noise(const Problem& problem, const Evaluation& decision) {
  constexpr Duration kLeastGain = 100;
  if (!decision.current || !decision.candidate || problem.goal() != Goal::turnaround) return false;
  return *decision.current - *decision.candidate < kLeastGain;
}

// Where the tasks that wait are to run.
std::vector<planning::Slot> waiting_slots(const Plan& plan, const RunPicture& picture) {
  std::vector<planning::Slot> slots(picture.slots.size());
  for (std::size_t task = 0; task < plan.placements.size(); ++task) {
    const Placement& placed = plan.placements[task];
    if (picture.progress[task] != planning::TaskProgress::waiting) continue;
    slots[task] = {placed.procs, placed.start, placed.end};
  }
  return slots;
}

// A deadline that cannot be met any more must not keep the rest from being run.
Plan plan_anyway(const Problem& problem, const planning::PlanMaker& make_plan) {
  Plan plan = make_plan(problem);
  if (plan.feasible || problem.goal() != Goal::deadline) return plan;
  std::vector<Time> releases;
  for (std::size_t task = 0; task < problem.task_count(); ++task) {
    const TaskRef ref = problem.task_at(task);
    releases.push_back(problem.release(ref.workflow, ref.task));
  }
  const std::vector<Workflow> workflows(problem.workflows().begin(), problem.workflows().end());
  return make_plan(Problem(workflows, problem.platform()).with_releases(std::move(releases)));
}

double seconds_since(std::chrono::steady_clock::time_point began) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

}  // namespace

NewPlan replan(const Problem& problem, const planning::PlanMaker& make_plan,
               const RunPicture& picture, const planning::ClusterWorldOptions& options) {
  const auto began = std::chrono::steady_clock::now();
  NewPlan plan;
  plan.decision = {.time = picture.now, .event = picture.reason};
  plan.processors = picture.processors;
  try {
    RunPicture fitted = picture;
    fit_running(fitted);
    planning::ClusterWorld world(
        as_known(problem, fitted),
        [&](const Problem& rest) { return plan_anyway(rest, make_plan); }, options);
    world.restore(picture.now, std::move(fitted.progress), std::move(fitted.slots),
                  picture.has_plan);
    const Plan old_plan = world.executed();
    plan.decision = planning::evaluate(world, picture.now, picture.reason);
    if (is_noise(problem, plan.decision)) plan.decision.adopted = false;
    plan.algorithm = plan.decision.adopted ? world.executed().algorithm : "";
    plan.slots = waiting_slots(plan.decision.adopted ? world.executed() : old_plan, picture);
  } catch (const std::exception& error) {
    plan.trouble = error.what();  // the run goes on by the plan that it has
  }
  plan.seconds = seconds_since(began);
  return plan;
}

Replanner::Replanner(const Problem& problem, planning::PlanMaker make_plan,
                     const planning::ClusterWorldOptions& options)
    : problem_(problem),
      make_plan_(std::move(make_plan)),
      options_(options),
      ready_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (!ready_.is_open()) throw ExecutionError(std::string("eventfd: ") + std::strerror(errno));
  thread_ = std::thread([this] { work(); });
}

Replanner::~Replanner() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void Replanner::ask(RunPicture picture) {
  is_busy_ = true;
  {
    const std::lock_guard lock(mutex_);
    question_ = std::move(picture);
  }
  changed_.notify_one();
}

std::optional<NewPlan> Replanner::answer() {
  std::uint64_t count = 0;
  if (read(ready_.get(), &count, sizeof count) != sizeof count) return std::nullopt;
  is_busy_ = false;
  const std::lock_guard lock(mutex_);
  return std::exchange(answer_, std::nullopt);
}

void Replanner::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return question_ || is_over_; });
    if (is_over_) return;
    const RunPicture picture = std::move(*std::exchange(question_, std::nullopt));
    lock.unlock();
    NewPlan plan = replan(problem_, make_plan_, picture, options_);
    lock.lock();
    answer_ = std::move(plan);
    const std::uint64_t one = 1;
    if (write(ready_.get(), &one, sizeof one) != sizeof one) return;
  }
}

}  // namespace dovetail::run
