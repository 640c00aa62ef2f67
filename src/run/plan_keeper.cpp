#include "run/plan_keeper.hpp"

#include <algorithm>

#include "dovetail/error.hpp"
#include "run/report/run_queries.hpp"

namespace dovetail::run {

namespace {

// Between two plans: never more often than that, and never more than a tenth of the time.
constexpr Duration kPause = 250;
constexpr double kPlanningShare = 0.1;

bool fits_known_plan(const TaskBook& book) {
  const RunState& state = book.state();
  for (std::size_t task = 0; task < state.plan().size(); ++task) {
    const bool waits = state.tasks()[task].state == TaskState::waiting;
    if (waits && !book.is_planned(task)) return false;
  }
  return true;
}

// The run as a planner has to see it: what is done, what runs and until when, what waits.
RunPicture picture_of(const Problem& problem, const TaskBook& book) {
  const RunState& state = book.state();
  const Dispatcher& dispatcher = book.dispatcher();
  const auto blocked = blocked_tasks(problem, state);
  RunPicture picture{.now = book.now(),
                     .processors = dispatcher.processors(),
                     .slots = state.plan(),
                     .has_plan = !state.plan().empty(),
                     .factors = book.monitor().factors()};
  picture.slots.resize(problem.task_count());
  for (std::size_t task = 0; task < problem.task_count(); ++task) {
    const TaskStatus& status = state.tasks()[task];
    const bool runs = dispatcher.running().contains(task);
    const bool waits = !runs && status.state == TaskState::waiting && !blocked[task];
    picture.progress.push_back(runs    ? planning::TaskProgress::running
                               : waits ? planning::TaskProgress::waiting
                                       : planning::TaskProgress::finished);
    picture.not_before.push_back(status.not_before);
    picture.has_plan = picture.has_plan && (!waits || book.is_planned(task));
    if (runs) {
      const Time end = std::max(dispatcher.expected_end(task), picture.now + 1);
      picture.slots[task] = {status.processors, status.started, end};
    } else if (!waits) {
      picture.slots[task] = {};
    }
  }
  return picture;
}

}  // namespace

PlanKeeper::PlanKeeper(const Problem& problem, const RunOptions& options)
    : problem_(problem),
      options_(options),
      replanner_(problem, options.make_plan, {.stability = options.stability, .searches = true}) {}

void PlanKeeper::add_reason(std::string reason) {
  if (!options_.is_static) reasons_.push_back(std::move(reason));
}

void PlanKeeper::add_need(std::string reason) {
  reasons_.push_back(std::move(reason));
  not_before_ = 0;
}

void PlanKeeper::begin(TaskBook& book) {
  const RunState& state = book.state();
  if (!state.plan().empty()) {
    if (!fits_known_plan(book)) add_need("the plan does not fit any more");
    return;
  }
  const Plan made = options_.first_plan ? *options_.first_plan : options_.make_plan(problem_);
  if (!made.feasible) throw ExecutionError("there is no plan that ends by the deadline");
  Evaluation decision{.event = "start", .adopted = true};
  std::vector<planning::Slot> slots(problem_.task_count());
  for (const Placement& placed : made.placements) {
    const std::size_t task = problem_.number_of({placed.workflow, placed.task});
    if (state.tasks()[task].state != TaskState::waiting) continue;
    slots[task] = {placed.procs, placed.start, placed.end};
    decision.candidate = std::max(decision.candidate.value_or(0), placed.end);
  }
  book.follow(decision, made.algorithm, slots);
  if (state.count(TaskState::done) > 0) add_reason("what is done already");
}

void PlanKeeper::ask(const TaskBook& book) {
  if (book.now() < next_question()) return;
  if (book.state().count(TaskState::waiting) == 0) return reasons_.clear();
  RunPicture now = picture_of(problem_, book);
  now.reason = reasons_.front();
  const std::size_t others = reasons_.size() - 1;
  if (others > 0) now.reason += ", and " + std::to_string(others) + " more";
  reasons_.clear();
  replanner_.ask(std::move(now));
}

Time PlanKeeper::next_question() const {
  return reasons_.empty() || replanner_.is_busy() ? kForever : not_before_;
}

void PlanKeeper::hear(TaskBook& book) {
  const auto plan = replanner_.answer();
  if (!plan) return;
  // There may be more or fewer processors by now: then that is a question of its own.
  if (plan->processors != book.dispatcher().processors()) return;
  const auto pause = static_cast<Duration>(plan->seconds * 1000 / kPlanningShare);
  not_before_ = book.now() + std::max(kPause, pause);
  Evaluation decision = plan->decision;
  if (!plan->trouble.empty()) decision.event += "; no plan: " + plan->trouble;
  book.follow(decision, plan->algorithm, plan->slots);
}

}  // namespace dovetail::run
