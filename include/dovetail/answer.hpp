// Finds the plan that Dovetail gives. The commands `dovetail plan`, `run`, `simulate` and `whatif`
// call this one function, and so should programs.
//
//   PlanningContext context(problem);
//   const Answer answer = find_answer(context);
//   if (answer.plan.feasible) ...
//
// The problem gives the goal and the deadline. The context's options say how hard to try: effort,
// trials, time limit, and limits of CPU-hours (search.hpp). The same request gives the same answer,
// unless there is a time limit.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "dovetail/planner.hpp"

namespace dovetail {

// What is waiting for the answer.
enum class Haste {
  none,        // a user: search as the options say, and make other plans to compare
  replanning,  // frequent simulated events: a quick search from all known plans
  running      // tasks that could start: a quick search from published plans; one if many tasks
};

struct AnswerRequest {
  // Null: the best plan for the goal, and the same for DOVETAIL, whatever the goal. Any other
  // algorithm gives its own plan.
  const PlannerInfo* algorithm = nullptr;
  // Asks for the plan with the tightest deadline that can be met, instead of a plan for the goal.
  bool tightest = false;
  Haste haste = Haste::none;
  // Whether to keep the limit of CPU time even if the deadline cannot be met within it.
  bool keeps_cpu_limit = false;
  // Known plans of this problem. The search starts from these, and no other plans are made to start
  // from or to compare with.
  std::span<const Plan> begin_with = {};
};

struct Answer {
  // Infeasible when no plan was found within the limits and by the deadline.
  Plan plan = {};
  // If the plan is infeasible: the plan that ends first, at any cost and after the deadline if
  // necessary. Nothing when no plan exists.
  std::optional<Plan> earliest = {};
  // The alternatives: each plan ends later and is cheaper than the one before. Includes the plan
  // itself if it is feasible.
  std::vector<Plan> ways = {};
  // Whether the first of the ways is the answer to the same request without a limit of CPU time.
  bool has_earliest_way = false;
  // For the goal fair and for the tightest deadline: one plan for each algorithm.
  std::vector<Plan> by_algorithm = {};

  // The plan, or the earliest one if the deadline cannot be met.
  const Plan& best_effort() const { return plan.feasible || !earliest ? plan : *earliest; }
};

// Needs an algorithm that can plan the problem: with none named, fitting_planners must not be
// empty, in haste with one cluster. An algorithm of the goal deadline needs a problem with a
// deadline, or `tightest`. `tightest` needs an algorithm of that goal, DOVETAIL or none, and a
// problem with one cluster and without a deadline.
Answer find_answer(PlanningContext& context, const AnswerRequest& request = {});

// Whether the plan is feasible and meets the problem's deadline, if there is one.
bool is_in_time(const Problem& problem, const Plan& plan);

}  // namespace dovetail
