// What a planner is, and the table of all of them.
//
// A planner is a pure function from a problem to a plan: deterministic, with every tie broken by a
// rule that is written down. When it finds no plan it answers one with feasible == false.
//
//   const PlannerInfo* planner = find_planner("BL_CPAR_BD_CPAR");
//   Plan plan = dovetail::plan(*planner, problem);
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dovetail/plan.hpp"
#include "dovetail/problem.hpp"

namespace dovetail {

// When CPA stops giving processors: `improved` compares the critical path with the area over
// min(q, sqrt(V q)), `classic` with the area over q.
enum class CpaStop { improved, classic };

struct PlannerOptions {
  CpaStop cpa_stop = CpaStop::improved;
};

class TurnaroundPlanner;

// What the planners of one problem share (allocations, bottom levels), computed when first needed.
// One per problem and thread; the problem must outlive it.
class PlanningContext {
 public:
  explicit PlanningContext(const Problem& problem, const PlannerOptions& options = {});
  ~PlanningContext();

  const Problem& problem() const { return problem_; }
  const PlannerOptions& options() const { return options_; }
  TurnaroundPlanner& turnaround();

 private:
  const Problem& problem_;
  PlannerOptions options_;
  std::unique_ptr<TurnaroundPlanner> turnaround_;
};

// A row of the table: plain data.
struct PlannerInfo {
  std::string_view name;     // as published
  std::string_view summary;  // one line for people who do not know the name
  std::string_view source;   // authors, year
  Goal goal;
  Plan (*make)(PlanningContext& context, std::string_view name);
  // Why this planner cannot plan this problem, as the end of a sentence; empty when it can.
  std::string (*unfit)(const Problem& problem);
};

std::span<const PlannerInfo> planners();

// By published name. "BD_y" means "BL_CPAR_BD_y". Null when there is none.
const PlannerInfo* find_planner(std::string_view name);

// Every planner of the problem's goal that can plan it, in table order.
std::vector<const PlannerInfo*> fitting_planners(const Problem& problem);

// Needs planner.unfit(problem) to be empty.
Plan plan(const PlannerInfo& planner, const Problem& problem, const PlannerOptions& options = {});

// One plan per fitting planner, in table order, with what they share computed once.
std::vector<Plan> plan_all(const Problem& problem, const PlannerOptions& options = {});

// The position of the best plan: feasible, earliest end, then least CPU time, then the first.
// Needs at least one plan.
std::size_t best_plan(std::span<const Plan> plans);

}  // namespace dovetail
