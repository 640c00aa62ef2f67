// What a planner is, and the table of all of them.
//
// A planner is a pure function from a problem to a plan: deterministic, with every tie broken by a
// rule that is written down. When it finds no plan it returns one with feasible == false.
//
//   const PlannerInfo* planner = find_planner("BL_CPAR_BD_CPAR");
//   Plan plan = dovetail::plan(*planner, problem);
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <typeindex>
#include <vector>

#include "dovetail/plan.hpp"
#include "dovetail/problem.hpp"
#include "dovetail/search.hpp"

namespace dovetail {

// When CPA stops adding processors: `improved` compares the critical path with the area over min(q,
// sqrt(V q)), `classic` with the area over q.
enum class CpaStop { improved, classic };

// How resource-conservative deadline planning reads its guide; see
// src/planners/list/deadline.hpp.
enum class GuideReading { front, whole, remaining };

// The limit on the processors of a task for which plain resource-conservative planning finds no
// slot after its guide: the cluster, or CPA's share.
enum class Fallback { cluster, share };

// How a task's files reach it under Min-Min.
enum class StageIn {
  parallel,  // all at once: the longest transfer decides
  sum,       // one after the other
  compute,   // in parallel, but the choice considers run times only
  idle,      // in parallel; only idle resources get tasks
  blocking   // in parallel; the resource is blocked until they arrive
};

// Choices where a paper leaves more than one useful reading. The defaults are those that the
// planners' names stand for.
struct PlannerOptions {
  CpaStop cpa_stop = CpaStop::improved;
  GuideReading guide = GuideReading::front;
  Fallback fallback = Fallback::cluster;
  StageIn stage_in = StageIn::parallel;
  SearchLimits search = {};  // of DOVETAIL and DOVETAIL_FAIR
};

// Intermediate results that the planners of one problem share (allocations, bottom levels),
// computed when first needed. Use one per problem and thread; the problem must outlive it.
class PlanningContext {
 public:
  explicit PlanningContext(const Problem& problem, const PlannerOptions& options = {})
      : problem_(problem), options_(options) {}
  PlanningContext(const PlanningContext&) = delete;
  PlanningContext& operator=(const PlanningContext&) = delete;

  const Problem& problem() const { return problem_; }
  const PlannerOptions& options() const { return options_; }

  // The context's only T, constructed from the context on first use. Its constructor may ask for
  // others.
  template <typename T>
  T& shared() {
    std::shared_ptr<void>& part = parts_[typeid(T)];
    if (!part) part = std::make_shared<T>(*this);
    return *static_cast<T*>(part.get());
  }

 private:
  const Problem& problem_;
  PlannerOptions options_;
  std::map<std::type_index, std::shared_ptr<void>> parts_;
};

// The request to a planner.
struct PlanRequest {
  std::string_view name = {};                   // goes into Plan::algorithm
  std::optional<Time> deadline = std::nullopt;  // for planners that plan for one
};

// How a planner for heterogeneous resources reacts to events; see src/planners/pool/pool.hpp.
struct PoolRule;

// A row of the table: plain data.
struct PlannerInfo {
  std::string_view name;     // as published
  std::string_view summary;  // one line for readers who do not know the name
  std::string_view source;   // authors, year
  Goal goal;
  // Call plan() or plan_by() below instead, which also enforce the deadline.
  Plan (*make)(PlanningContext& context, const PlanRequest& request);
  // Why this planner cannot plan this problem, as the end of a sentence; empty when it can.
  std::string (*unfit)(const Problem& problem);
  // What the planner ignores, so that its plan may be impossible, as the end of a sentence; empty,
  // or no function: nothing. Such planners run only when the user names them.
  std::string (*blind)(const Problem& problem) = nullptr;
  PoolRule (*pool_rule)() = nullptr;  // of planners for heterogeneous resources
  bool is_search = false;             // much slower than others: runs only when asked for
};

std::span<const PlannerInfo> planners();

// Finds a planner by its published name; "BD_y" means "BL_CPAR_BD_y". Null if unknown.
const PlannerInfo* find_planner(std::string_view name);

// Whether a planner serves the goal: it was made for it, or the goal is a deadline and the planner
// minimises the end.
bool serves(const PlannerInfo& planner, Goal goal);

// Every planner that serves the problem's goal and can plan it, in table order.
std::vector<const PlannerInfo*> fitting_planners(const Problem& problem);

// Every planner made for the goal that can plan the problem, in table order.
std::vector<const PlannerInfo*> planners_for(Goal goal, const Problem& problem);

// Needs planner.unfit(problem) to be empty. When the problem has a deadline, a plan that would end
// after it becomes infeasible, for every planner.
Plan plan(const PlannerInfo& planner, const Problem& problem, const PlannerOptions& options = {});

// The same for the given deadline instead of the problem's, reusing what the context holds.
Plan plan_by(const PlannerInfo& planner, PlanningContext& context, std::optional<Time> deadline);

// DOVETAIL's plan, for the deadline if one is given. The search also starts from the given plans.
// Needs single_cluster_unfit to be empty.
Plan plan_from(PlanningContext& context, std::optional<Time> deadline, std::span<const Plan> known);

// Whether DOVETAIL can plan the problem.
bool can_search(const Problem& problem);

// The same options without a limit on CPU time.
PlannerOptions at_any_cost(PlannerOptions options);

// One plan per fitting planner, in table order. Shared intermediate results are computed once.
std::vector<Plan> plan_all(const Problem& problem, const PlannerOptions& options = {});
std::vector<Plan> plan_all(PlanningContext& context);

// The best published plan for the goal fair: fairest_plan over all algorithms for it
// (fairness.hpp). With very many tasks, the others run only if MAGS finds no plan.
Plan fair_plan(PlanningContext& context);

// The plan that ends first among the plans for the goal fair, made without regard to the deadline.
// Infeasible when there is none.
Plan earliest_fair_plan(PlanningContext& context);

// The position of the best plan. Plans are compared by feasibility, then for turn-around by end and
// CPU time, for a deadline by CPU time and end; the first wins ties. Needs at least one plan.
std::size_t best_plan(std::span<const Plan> plans, Goal goal = Goal::turnaround);

}  // namespace dovetail
