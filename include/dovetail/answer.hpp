// Which plan Dovetail gives: the one function that `dovetail plan`, `run`, `simulate` and `whatif`
// ask, and that programs should ask.
//
//   PlanningContext context(problem);
//   const Answer answer = find_answer(context);
//   if (answer.plan.feasible) ...
//
// The problem says what to plan for: its goal and its deadline. The context's options say how hard
// to try: effort, trials, time limit, and limits of CPU-hours (search.hpp). The same question has
// the same answer, unless there is a time limit.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "dovetail/planner.hpp"

namespace dovetail {

// What waits for the answer.
enum class Haste {
  none,        // a person: as much search as the options say, and other plans to compare with
  replanning,  // simulated events, which ask often: a quick search from all plans that are known
  running      // tasks that could start: a quick search from published plans; from one, if many
};

struct AnswerRequest {
  // Nothing: the best plan for the goal. DOVETAIL stands for it too, whatever the goal; the plan of
  // any other algorithm is its own.
  const PlannerInfo* algorithm = nullptr;
  // Instead of a plan for the goal, the one with the tightest deadline that can be met.
  bool tightest = false;
  Haste haste = Haste::none;
  // By default a limit of CPU time is exceeded when a deadline cannot be met otherwise.
  bool keeps_cpu_limit = false;
  // Plans of this problem that are known already: the search begins with these, and no other plans
  // are made to begin or to compare with.
  std::span<const Plan> begin_with = {};
};

struct Answer {
  // Infeasible when no plan was found within the limits and by the deadline.
  Plan plan = {};
  // Of an infeasible plan: what ends first, at any cost and after the deadline if need be. Nothing
  // when there is no room at all.
  std::optional<Plan> earliest = {};
  // What else was found: each plan ends later and is cheaper than the one before. Of a plan that is
  // feasible, it is among them.
  std::vector<Plan> ways = {};
  // Whether the first of the ways is what the same request without a limit of CPU time gives.
  bool has_earliest_way = false;
  // For the goal fair and for the tightest deadline: one plan for each algorithm.
  std::vector<Plan> by_algorithm = {};

  // The plan, or the earliest one where the deadline has to be missed.
  const Plan& best_effort() const { return plan.feasible || !earliest ? plan : *earliest; }
};

// Needs an algorithm that can plan the problem: with none named, fitting_planners must not be
// empty, in haste with one cluster. An algorithm of the goal deadline needs a problem with a
// deadline, or `tightest`; that needs such an algorithm, DOVETAIL or none, and a problem without a
// deadline.
Answer find_answer(PlanningContext& context, const AnswerRequest& request = {});

// Whether the plan is feasible and meets the problem's deadline, if there is one.
bool is_in_time(const Problem& problem, const Plan& plan);

}  // namespace dovetail
