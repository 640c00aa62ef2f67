#include "run/plan_keeper.hpp"

#include <algorithm>

#include "dovetail/error.hpp"
#include "run/run_picture.hpp"

namespace dovetail::run {

namespace {

// Between two plans: never more often than that, and never more than a tenth of the time.
constexpr Duration kPause = 250;
constexpr double kPlanningShare = 0.1;

bool fits_known_plan(const Problem& problem, const RunState& state) {
  for (std::size_t task = 0; task < state.plan().size(); ++task) {
    const bool waits = state.tasks()[task].state == TaskState::waiting;
    if (waits && !is_planned(problem, state, task)) return false;
  }
  return true;
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
    if (!fits_known_plan(problem_, state)) add_need("the plan does not fit any more");
    return;
  }
  const Plan made = options_.first_plan ? *options_.first_plan : options_.make_plan(problem_);
  if (!made.feasible) throw ExecutionError("there is no plan that ends by the deadline");
  Evaluation decision{.event = "start", .adopted = true};
  std::vector<Slot> slots(problem_.task_count());
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
  RunPicture now =
      picture_of(problem_, book.state(), book.dispatcher(), book.monitor(), book.now());
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
